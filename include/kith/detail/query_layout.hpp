// Queries as inlined code sees them: the list of matches of a cached query, and the results that a
// run hands out. Written by src/core/query only.
#pragma once

#include <kith/detail/change_layout.hpp>
#include <kith/query_desc.hpp>

namespace kith::detail {

// Properties of a field of a result.
enum field_flags : std::uint32_t {
    field_set = 1u << 0,       // the term matched
    field_readonly = 1u << 1,  // not to be written
    field_write_only = 1u << 2,
};

// A field: the id and the values that a term matched.
struct field_data {
    std::byte* value;          // of the first row; null for tags, and where nothing was found
    std::byte* const* values;  // of each row of a scattered result, if they follow no stride
    id_t id;                   // that matched
    entity_t source;           // 0: the row's own entity
    std::uint32_t stride;      // bytes between the values of two rows; 0: one value for all
    std::uint32_t flags;
};

// Rows of one table that match, or (count 0) a match without rows.
struct result {
    const entity_t* entities;
    std::uint32_t count;
    std::uint32_t table;
    std::uint32_t first_row;
    // Some rows of the table that need not be neighbours, counted from first_row on; else null.
    const std::uint32_t* rows;
    bool shared;           // some field is not an array with one value for each row
    bool scanned = false;  // a whole table whose tracker knows when it changed
    const field_data* fields;
    std::uint32_t field_count;
    const entity_t* variables;       // their values, 0: none; null: the query has $this only
    std::uint64_t group;             // of the rows; 0 if the query has no groups
    tracked_run* tracker = nullptr;  // null: the run is not tracked
};

// The link between queries and their world; `world` becomes null when the world ends.
struct weak_world {
    atomic_number owners;
    world_t* world;
};

// How inlined code may visit the results of a query. A run keeps the way in which it began.
enum class listing : std::uint8_t {
    none,     // by a compiled run only
    matches,  // by the list of matches: results are whole tables
    scan,    // by the list of matches with a tracker: the query asks for changes and writes nothing
    tables,  // by a table_scan: results are whole tables, and there is no list of them
};
inline constexpr std::uint32_t most_scanned = 4;  // fields

// A slot of a hash table of groups.
struct group_slot {
    std::uint64_t id = 0;
    std::uint32_t first = 0;  // of its tables, in the list of matches
    std::uint32_t count = 0;  // of them; 0: there is no group here
};
// The groups of a query, by id: a hash table with linear probing.
struct group_index {
    const group_slot* slots = nullptr;  // one of them at least is free
    std::uint32_t mask = 0;

    static constexpr std::uint32_t hash(std::uint64_t id) noexcept {
        return static_cast<std::uint32_t>((id * 0x9E3779B97F4A7C15ull) >> 32);
    }
    // The group, or a slot without one.
    KITH_ALWAYS_INLINE const group_slot& find(std::uint64_t id) const noexcept {
        std::uint32_t at = hash(id) & mask;
        while (slots[at].count != 0 && slots[at].id != id) {
            at = (at + 1) & mask;
        }
        return slots[at];
    }
};

// The part of a query that inlined code reads. `matches` lists tables: the number of the table,
// then for each field the offset of its column and the position of its id in the table's type, or
// no_place. The mutable fields follow the world: each run updates the mutable fields before it
// reads them.
inline constexpr std::uint32_t no_place = 0xFFFFFFFF;
struct query_head {
    weak_world* link = nullptr;
    mutable atomic_number owners;
    mutable atomic_number version;  // of the store, when the query was last brought up to date
    mutable const std::uint32_t* matches = nullptr;
    mutable std::uint32_t match_count = 0;
    mutable std::uint32_t match_size = 0;  // in words
    std::uint32_t field_count = 0;
    bool has_this = false;
    bool is_instanced = false;
    bool is_ordered_by_group = false;  // it has groups, or depths
    mutable listing listed = listing::none;
    // The groups of a cached query, null if a compiled run is needed. Written with release.
    mutable const group_index* groups = nullptr;
};

}  // namespace kith::detail
