// Tables with many ids that entities only pass through. An entity that gets n ids one by one leaves
// n tables behind, with n * n / 2 ids in all; such tables are deleted when the last row has left
// them. docs/design/0022-tables-on-the-way.md explains why.
//
// Covered by tests/features/entities/wide_tables_test.cpp and
// tests/features/events/tables_test.cpp.
#pragma once

#include "mutate/context/stage.hpp"

namespace kith::mutate {

// Notes a wide table, if its last row has left it. If memory is short, the table stays.
void note_left(stage& world, const storage::table& table) noexcept;

// Deletes the noted tables, and makes other tables without rows dormant. Does nothing while an
// operation may need tables.
void drop_left_tables(stage& world);
// Makes tables without rows dormant before a cache lists tables, if they are more than those with
// rows. Does nothing while an operation may need tables.
void sleep_idle_tables(stage& world) noexcept;
// Called at the end of operations: drops tables if the outermost operation is over.
inline void finish_leaving(stage& world) {
    const bool is_due = !world.left_tables.empty() || world.mode & detail::mode_untidy;
    if (is_due && world.queue.depth == 0) [[unlikely]] {
        drop_left_tables(world);
    }
}

// Dispatches `event` (OnTableCreate or OnTableDelete) for each id of the table.
void notify_table(stage& world, entity_t event, const storage::table& table);

// Warns once of a relationship with so many targets of one entity that it should be sparse. `table`
// was made for `id`.
void warn_of_targets(stage& world, const storage::table& table, id_t id);

}  // namespace kith::mutate
