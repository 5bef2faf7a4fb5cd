// A table: all entities with the same (dense) ids. One block of memory holds the array of entity
// ids and one array per id that has data. The number of rows, their capacity and the block are in
// the table directory (kith/detail/layout.hpp); everything here is fixed when the table is made,
// except the flags, the edges of the table graph and the positions in the lists of id records.
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
inline constexpr std::uint32_t max_table_ids = 0xFFF0;  // positions have 16 bits

// Flags of an edge: which short path moves a row along it (mutate/apply/fast_path.hpp).
enum edge_flags : std::uint16_t {
    edge_simple = 1,             // only bytes move, and no hook or listener is notified
    edge_zero = 8,               // the new column starts as zero bytes
    edge_affects_hierarchy = 2,  // see edge_effects::place
    edge_removes = 4,            // the table has the id: the edge leads to the table without it
    edge_notifies = 16,          // only bytes move, but hooks or listeners of OnAdd are notified
};

// An edge of the table graph: adding `id` to an entity of this table, or removing it if the table
// has it, moves the row to the table `to`.
struct edge {
    id_t id;  // 0: none
    std::uint32_t to;
    std::uint16_t column;  // of the id, in storage order of the larger table; no_column for a tag
    std::uint16_t flags;
};
inline constexpr std::uint16_t no_column = 0xFFFF;

// Invariants
// 1. ids is sorted and has no duplicates.
// 2. columns is sorted by comes_before(), and so by offset.
// 3. records[i] is the record of ids[i] and lists this table at entry_positions[i].
// 4. If there is an edge, first_edge is one; the other edge_count - 1 are hashed in `edges`.
// check.cpp verifies 1, 3 and the number of edges.
struct table : detail::table_shape {
    const detail::column* columns;    // in storage order
    const std::uint16_t* column_ids;  // position in `ids`, in storage order
    id_record** records;              // of each id
    std::uint32_t* entry_positions;   // of each id: where this table is in its record's list
    edge* edges;                      // open addressing, null until a second edge is needed
    std::uint32_t edge_count;         // including the first
    std::uint32_t edge_mask;          // capacity of `edges` minus one
    edge first_edge;
    std::uint32_t hash;             // of the ids, in table_set::by_type_
    std::uint32_t row_bytes;        // size of a row: entity id and all columns
    std::uint32_t entities_offset;  // of the array of entity ids, as column::offset
    std::uint32_t bytes;            // of this allocation
    // Of tables with more than few_ids ids, else null: hashed lists of pairs by target. The first
    // target_lists() numbers are the heads of the lists, then each id has the number of the next
    // pair of its list. A number is a position plus one, 0 at the end; lists are sorted by
    // position.
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

// Other threads may read the flags by detail::load_flags().
inline void store_flags(table& owner, std::uint32_t flags) noexcept {
#if defined(__GNUC__)
    __atomic_store_n(&owner.flags, flags, __ATOMIC_RELAXED);
#else
    owner.flags = flags;
#endif
}

// The order of columns in a table. Requires: both ids have values.
inline bool comes_before(const id_record& record, const id_record& right) noexcept {
    const type_info& a = record.value_type->info;
    const type_info& b = right.value_type->info;
    if (a.alignment != b.alignment) {
        return a.alignment > b.alignment;
    }
    return a.size != b.size ? a.size < b.size : record.id < right.id;
}

// A set of ids as bits. A table whose signature lacks a bit of an id does not have the id; one with
// all bits may have it. The signature of a table has the bits of its ids, and of (R,*) for each
// relationship R of its pairs.
inline std::uint64_t signature_of(id_t id) noexcept {
    return std::uint64_t{1} << (detail::shape_hash(id) & 63);
}
inline std::uint64_t signature_of(const table& owner) noexcept {
    std::uint64_t signature = 0;
    for (std::uint32_t i = 0; i < owner.id_count; ++i) {
        const id_t id = owner.ids[i];
        signature |= signature_of(id);
        if (is_pair(id)) {
            signature |= signature_of(make_pair(pair_first(id), Wildcard));
        }
    }
    return signature;
}

// Position of an exact id, or of the first pair of R for (R,*); -1 if there is none.
std::int32_t find_id(const detail::table_shape& shape, id_t id) noexcept;
// find_id() for hot loops: components are found without a call.
inline std::int32_t find_id_inline(const detail::table_shape& shape, id_t id) noexcept {
    return id < low_id_limit ? detail::find_low(shape, static_cast<std::uint32_t>(id))
                             : find_id(shape, id);
}
// Position of the first id from `from` on that the pattern matches, or -1.
std::int32_t find_match(const detail::table_shape& shape, id_t pattern, std::int32_t from) noexcept;
// Position of the next match behind a position that has matched, or -1. Inline, because the pairs
// of a relation are neighbours: a step of (R,*) is one comparison.
inline std::int32_t next_match(const detail::table_shape& shape, id_t pattern,
                               std::int32_t matched) noexcept {
    if (is_pair(pattern) && !is_wildcard_element(pair_first(pattern))) {
        const bool more = matched + 1 < shape.id_count && is_wildcard(pattern) &&
                          matches_id(pattern, shape.ids[matched + 1]);
        return more ? matched + 1 : -1;
    }
    return find_match(shape, pattern, matched + 1);
}

// The array of a column; the value of a row in it; the array of entity ids.
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
