// Implements shrink.hpp.
#include "mutate/ops/shrink.hpp"

#include "mutate/context/wide_tables.hpp"

namespace kith::mutate {

namespace {

void check_not_iterated(const stage& world) {
    if (is_iterated(world)) {
        base::raise(errc::locked,
                    "the world cannot be shrunk while something of it is being iterated; do that "
                    "when the iteration is over");
    }
}

// Deletes tables without rows, except the root table, and notifies listeners of OnTableDelete.
void shrink_tables(stage& world) {
    storage::store& data = world.data;
    for (std::uint32_t number = storage::root_table; number < data.tables.number_limit();
         ++number) {
        storage::table* table = data.tables.find_number(number);
        if (!table) {
            continue;
        }
        if (data.tables.rows(number).count == 0 && number != storage::root_table) {
            notify_table(world, OnTableDelete, *table);
            data.tables.remove(*table);
        } else {
            data.tables.shrink_rows(*table);
        }
    }
}

// Gives back spare capacity of sparse values, disabled ids and links.
void shrink_stores(const storage::store& data) noexcept {
    for (std::uint32_t number = 0; number < data.ids.number_limit(); ++number) {
        const storage::id_record* record = data.ids.by_number(number);
        if (record && record->sparse) {
            record->sparse->shrink();
        }
        if (record && record->disabled) {
            record->disabled->shrink();
        }
        if (record && record->links) {
            record->links->shrink();
        }
    }
}

}  // namespace

void shrink(stage& world) {
    check_not_iterated(world);
    callback_scope code(world);
    shrink_tables(world);
    shrink_stores(world.data);
    code.finish();
}

}  // namespace kith::mutate
