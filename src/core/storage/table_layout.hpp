// Computes how the rows of a table lie in memory, and fills the immutable part of a table.
#pragma once

#include "storage/table.hpp"

namespace kith::storage {

// How much memory a table's description takes.
struct table_plan {
    std::uint32_t low_count;
    std::uint32_t map_size;  // entries; 0 if no id is hashed
    std::uint32_t column_count;
    bool wide;
    std::size_t bytes;
};
table_plan plan_table(const id_t* ids, std::uint32_t count, id_record* const* records) noexcept;

// Builds the table in `block`, which has plan.bytes bytes. The number is not set.
table& build_table(void* block, const table_plan& plan, const id_t* ids, std::uint32_t count,
                   id_record* const* records) noexcept;

// Sets the flags that depend on hooks.
void refresh_flags(table& owner) noexcept;

}  // namespace kith::storage
