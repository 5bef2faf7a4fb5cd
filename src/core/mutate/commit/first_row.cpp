// Implements first_row.hpp.
#include "mutate/commit/first_row.hpp"

#include "mutate/apply/rows.hpp"
#include "mutate/notify/notify.hpp"

namespace kith::mutate {

void ensure_row(stage& world, entity_t entity, storage::entity_record& record) {
    if (record.table == storage::no_table) {
        storage::table& root = world.data.tables.at(storage::root_table);
        world.data.tables.reserve_rows(root, 1);
        append_row(world.data, root, entity, record);
        notify_created(world, entity);
    }
}

}  // namespace kith::mutate
