// The layout of tables: computes how the rows of a table lie in memory, and builds the description
// of a table (the immutable part) in one block.
#pragma once

#include "storage/table.hpp"

namespace kith::storage {

// The sizes of the parts of a table's description.
struct table_plan {
    std::uint32_t low_count;     // the largest id below low_id_limit, plus one
    std::uint32_t map_size;      // entries; 0 if no id is hashed
    std::uint32_t column_count;  // ids with values
    bool wide;                   // entries of the map have 16 bits instead of 8
    std::size_t bytes;           // of the whole description
};
// Requires here and below: `ids` is sorted without duplicates, records[i] is the record of ids[i].
table_plan plan_table(const id_t* ids, std::uint32_t count, id_record* const* records) noexcept;

// Builds the table in `block`, which has plan.bytes bytes. The number is not set.
table& build_table(void* block, const table_plan& plan, const id_t* ids, std::uint32_t count,
                   id_record* const* records) noexcept;

// The alignment of a block of rows: that of the first column, which is the strongest.
inline std::size_t block_alignment(const table& owner) noexcept {
    const std::uint32_t strongest = owner.column_count != 0 ? owner.column_type(0).alignment : 0;
    return strongest > 16 ? strongest : 16;
}

// Computes the flags anew that depend on hooks, listeners and traits of the ids. Flags among
// `dropped` end. Other threads that read the flags see the former ones or the new ones.
void refresh_flags(table& owner, std::uint32_t dropped = 0) noexcept;

}  // namespace kith::storage
