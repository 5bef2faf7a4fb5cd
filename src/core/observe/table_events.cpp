// Dispatching OnTableCreate after the operation that created the tables.
#include "observe/table_events.hpp"

#include "mutate/context/wide_tables.hpp"

#include <algorithm>

namespace kith::observe {

void table_events::note_made(const storage::table& table) noexcept {
    if (world_.events.has_listeners(OnTableCreate)) {
        made_.push_reserved(table.number);
        world_.operation.batch_open = true;
    }
}

void table_events::note_gone(const storage::table& table) noexcept {
    std::uint32_t* end = std::remove(made_.begin(), made_.end(), table.number);
    made_.truncate(static_cast<std::uint32_t>(end - made_.begin()));
}

void table_events::end_batch() {
    if (made_.empty()) {
        return;
    }
    mutate::callback_scope code(world_);
    while (!made_.empty()) {
        const std::uint32_t number = made_[0];
        std::copy(made_.begin() + 1, made_.end(), made_.begin());
        made_.pop();
        mutate::notify_table(world_, OnTableCreate, world_.data.tables.at(number));
    }
    code.finish();
}

}  // namespace kith::observe
