// A table: all entities with the same (dense) ids. One block of memory holds the array of entity
// ids and one array per id that has data. The number of rows, their capacity and the block are in
// the table directory (kith/detail/layout.hpp), everything here is fixed when the table is made,
// but for the edges of the table graph.
//
// Columns are ordered by alignment (largest first), size and id. So the order of two columns is the
// same in every table, moving a row is a merge, and every array is aligned whatever the capacity.
#pragma once

#include <kith/detail/layout.hpp>

#include "storage/id_record.hpp"

#include <bit>

namespace kith::storage {

inline constexpr std::uint32_t no_table = 0;    // of entities that have no row yet; always empty
inline constexpr std::uint32_t root_table = 1;  // of entities without ids
inline constexpr std::uint32_t max_table_ids = 0xFFF0;

enum edge_flags : std::uint16_t {
    edge_simple = 1,             // nothing but bytes moves, and nobody wants to know
    edge_zero = 8,               // the column that appears starts as zero bytes
    edge_affects_hierarchy = 2,  // see edge_effects::place
    edge_removes = 4,            // the table has the id
    edge_notifies = 16,          // as edge_simple, but somebody wants to know when the id was added
};

// "From here, adding `id` (or removing it, if the table has it) leads there."
struct edge {
    id_t id;  // 0: none
    std::uint32_t to;
    std::uint16_t column;  // that appears or vanishes, in storage order; no_column if none does
    std::uint16_t flags;
};
inline constexpr std::uint16_t no_column = 0xFFFF;

struct table : detail::table_shape {
    const detail::column* columns;    // in storage order
    const std::uint16_t* column_ids;  // position in `ids`, in storage order
    id_record** records;              // of each id
    std::uint32_t* entry_positions;   // of each id: where this table is in its record's list
    edge* edges;                      // open addressing, null until a second edge is needed
    std::uint32_t edge_count;         // including the first
    std::uint32_t edge_mask;
    edge first_edge;
    std::uint32_t hash;
    std::uint32_t row_bytes;
    std::uint32_t entities_offset;  // as column::offset
    std::uint32_t bytes;            // of this allocation
    // Of tables with many ids, else null: lists of the pairs by their targets. First the position
    // plus one of the first pair in each of target_lists() lists, 0: none; then for each id the
    // same of the next pair in its list. Lists are in the order of positions.
    const std::uint16_t* by_target;

    const std::uint16_t* next_by_target() const noexcept { return by_target + target_lists(); }
    std::uint32_t target_lists() const noexcept { return target_list_count(id_count); }
    static constexpr std::uint32_t few_ids = 32;  // searched one after the other
    static constexpr std::uint32_t target_list_count(std::uint32_t ids) noexcept {
        return ids <= few_ids ? 0 : std::bit_ceil(ids);
    }

    const type_info& column_type(std::uint32_t position) const noexcept {
        return records[column_ids[position]]->value_type->info;
    }
};
static_assert(sizeof(table) <= detail::table_shape::low_offset);

// The order of columns in a table. Both ids must have values.
inline bool comes_before(const id_record& record, const id_record& right) noexcept {
    const type_info& a = record.value_type->info;
    const type_info& b = right.value_type->info;
    if (a.alignment != b.alignment) {
        return a.alignment > b.alignment;
    }
    return a.size != b.size ? a.size < b.size : record.id < right.id;
}

// Position of an exact id, or of the first pair of R for (R,*); -1 if there is none.
std::int32_t find_id(const detail::table_shape& shape, id_t id) noexcept;
// Position of the first id from `from` on that the pattern stands for, or -1.
std::int32_t find_match(const detail::table_shape& shape, id_t pattern, std::int32_t from) noexcept;
// The same behind a position that has matched. In line: pairs of one relation are neighbours.
inline std::int32_t next_match(const detail::table_shape& shape, id_t pattern,
                               std::int32_t matched) noexcept {
    if (is_pair(pattern) && !is_wildcard_element(pair_first(pattern))) {
        const bool more = matched + 1 < shape.id_count && is_wildcard(pattern) &&
                          matches_id(pattern, shape.ids[matched + 1]);
        return more ? matched + 1 : -1;
    }
    return find_match(shape, pattern, matched + 1);
}

inline std::byte* column_data(const detail::table_rows& rows,
                              const detail::column& column) noexcept {
    return rows.block + std::size_t{column.offset} * rows.capacity;
}
inline std::byte* value_in(const detail::table_rows& rows, const detail::column& column,
                           std::uint32_t row) noexcept {
    return column_data(rows, column) + std::size_t{column.size} * row;
}
inline entity_t* entities_of(const table& owner, const detail::table_rows& rows) noexcept {
    return reinterpret_cast<entity_t*>(rows.block +
                                       std::size_t{owner.entities_offset} * rows.capacity);
}

}  // namespace kith::storage
