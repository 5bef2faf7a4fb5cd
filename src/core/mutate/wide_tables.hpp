// Tables with many ids that an entity only passes through. An entity that gets n ids one by one
// leaves n tables behind, with n * n / 2 ids in all; docs/design/0022-tables-on-the-way.md tells
// what is done about that.
//
// Covered by tests/core/mutate/wide_tables_test.cpp.
#pragma once

#include "mutate/stage.hpp"

namespace kith::mutate {

// To be called when the last entity may have left the table.
void note_left(stage& world, const storage::table& table) noexcept;

// Deletes the tables that were left, and makes others without rows dormant, once no operation needs
// them.
void drop_left_tables(stage& world);
inline void finish_leaving(stage& world) {
    const bool is_due = !world.left_tables.empty() || world.mode & detail::mode_untidy;
    if (is_due && world.defer_depth == 0) [[unlikely]] {
        drop_left_tables(world);
    }
}

// Warns, once, of a relationship with so many targets per entity that it had better be sparse. The
// table was made for the id.
void warn_of_targets(stage& world, const storage::table& table, id_t id);

}  // namespace kith::mutate
