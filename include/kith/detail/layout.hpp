// The part of a world's memory layout that inlined code may read: enough to find a value from an
// entity without a call. Written by src/core/storage only.
//
//   entity index   pages of records; a record says where an entity's row is
//   rows           one record per table: its block of memory, number of rows, capacity
//   shapes         one pointer per table: the immutable description of what a row holds
//
// A table's block holds an array of entity ids and one array per component with data. The array of
// a component starts at block + offset * capacity: offsets stay valid when a table grows.
//
// Debuggers read the same structs: debugger/kith_world.py repeats the layout in its head, and
// tests/debugger/layout_test.cpp compares both.
#pragma once

#include <kith/fwd.hpp>
#include <kith/id.hpp>

namespace kith::detail {

// The place of an entity: its table and row.
// state: bits 0..15 generation, 16..29 flags, 30 set when the index is free, 31 always zero. So one
// compare with the upper half of a handle tells live entities from dead ones, free slots and pairs.
struct entity_record {
    std::uint32_t table;
    std::uint32_t row;
    std::uint32_t state;
};
inline constexpr std::uint32_t record_free = 1u << 30;
inline constexpr std::uint32_t record_identity = 0xC000FFFFu;
// Flags in state: the entity has a parent that its table does not show; may have sparse ids.
inline constexpr std::uint32_t record_has_parent = 1u << 21;
inline constexpr std::uint32_t record_any_sparse = 0x3F000000u;
inline constexpr std::uint32_t record_page_bits = 12;
inline constexpr std::uint32_t record_page_size = 1u << record_page_bits;

struct table_rows {
    std::byte* block;
    std::uint32_t count;
    std::uint32_t capacity;
};

// A component's place in the rows of a table. size 0: a tag.
struct column {
    std::uint32_t offset;
    std::uint32_t size;
};

enum shape_flags : std::uint32_t {
    shape_notify_set = 1u << 0,    // setting a value here notifies hooks or observers
    shape_wide = 1u << 1,          // more ids than `map` can number
    shape_trivial_move = 1u << 2,  // all columns can be moved as bytes
    shape_trivial_destroy = 1u << 3,
    shape_on_add = 1u << 4,
    shape_on_remove = 1u << 5,
    shape_has_prefab = 1u << 6,
    shape_has_disabled = 1u << 7,
    shape_has_parent = 1u << 8,
    shape_has_base = 1u << 9,         // has an IsA pair: ids may be inherited
    shape_checked = 1u << 10,         // has a pair whose relationship restricts what may be added
    shape_symmetric = 1u << 11,       // has a pair of a symmetric relationship
    shape_has_properties = 1u << 12,  // of a component or relationship with properties
    shape_has_marks = 1u << 13,       // has an id with the flag Override
    shape_builtin = 1u << 14,         // of entities that every world has
    shape_tracked = 1u << 15,         // its changes are counted
    shape_validated = 1u << 16,       // a hook may refuse values here; implies shape_notify_set
    shape_idle = 1u << 17,            // has no rows, and is listed among the others
    shape_dormant = 1u << 18,         // has no rows, and is listed behind the others
    // No row and no value was written since the last snapshot. Implies shape_notify_set: the first
    // write takes the compiled path.
    shape_unwritten = 1u << 19,
    // No row has come, gone or moved since the last snapshot; values may have been written. Every
    // table with shape_unwritten has this flag, too.
    shape_rows_unwritten = 1u << 20,
    // A component of the table has an index on a member: written values and new rows are noted.
    // Implies shape_notify_set.
    shape_indexed = 1u << 21,
};

// The immutable part of a table. `low` follows the struct: for each component id below low_count
// the position of the id in `ids` plus one, or 0. Other ids are found through `map`, a hash of
// positions plus one, which also knows (R,*) for the first pair of each R.
struct table_shape {
    const id_t* ids;      // sorted
    const column* slots;  // for each id, by position in `ids`
    const std::uint8_t* map;
    std::uint32_t flags;
    std::uint16_t low_count;
    std::uint16_t map_mask;
    std::uint16_t id_count;
    std::uint16_t column_count;
    std::uint32_t number;

    const std::uint8_t* low() const noexcept {
        return reinterpret_cast<const std::uint8_t*>(this) + low_offset;
    }
    static constexpr std::size_t low_offset = 128;
};
// The flags, of which another thread may drop shape_unwritten.
inline std::uint32_t load_flags(const table_shape& shape) noexcept {
#if defined(__GNUC__)
    return __atomic_load_n(&shape.flags, __ATOMIC_RELAXED);
#else
    return shape.flags;
#endif
}

// The links of one entity: its pairs of a sparse relationship, and the sources of pairs to it.
// `rest` is the generation of the target for exclusive relationships; otherwise the number of a
// list with further targets, 0 if there are none.
struct link_node {
    std::uint32_t target;  // index of the first target, 0 if there is none
    std::uint32_t rest;
    std::uint32_t position;  // in the target's list of sources
    std::uint32_t sources;   // number of this entity's own list of sources, 0 if it has none
};
inline constexpr std::uint32_t link_page_bits = 8;
inline constexpr std::uint32_t link_page_size = 1u << link_page_bits;
struct link_page {
    link_node nodes[link_page_size];
    std::uint64_t occupied[link_page_size / 64];  // one bit for each node that has a target
    std::uint32_t* slots;                         // of the values of first targets, may be null
    std::uint32_t used;                           // nodes that have targets or sources
};

// A name of an entity or a symbol of a component: the node that a value of Identifier points to
// begins with it. The text lies text_offset bytes behind the beginning of the entry and ends with a
// zero.
struct name_entry {
    entity_t entity;       // has the name, or will have it
    std::uint64_t hash;    // of parent and text
    std::uint32_t parent;  // index of the parent entity, 0: root
    std::uint32_t number;  // in the index of names, 0: not indexed (symbols)
    std::uint32_t length;
    bool pending = false;  // the command that stores the name is still queued

    static constexpr std::size_t text_offset = 40;
};

// The places of members in structs of the library that are no part of this header, for debuggers:
// values and links outside of tables, switched-off ids. All but `tag` are offsets in bytes, sizes
// in bytes or numbers of bits. Arrays are containers::vec.
struct internal_offsets {
    std::uint64_t tag;  // layout_tag: debugger scripts know the layout of one tag
    // In the store, from its head on: the number of tables, arrays of records of ids.
    std::uint32_t table_limit;
    std::uint32_t sparse_ids;
    std::uint32_t link_ids;
    std::uint32_t toggled_ids;
    // In the record of an id.
    std::uint32_t record_id;
    std::uint32_t record_sparse;
    std::uint32_t record_links;
    std::uint32_t record_disabled;
    // In a sparse store: the pages of entries, the chunks of values.
    std::uint32_t sparse_pages;
    std::uint32_t sparse_chunks;
    std::uint32_t sparse_page_bits;
    // In a link store.
    std::uint32_t link_exclusive;
    std::uint32_t link_pages;
    std::uint32_t link_sources;
    std::uint32_t link_targets;
    std::uint32_t link_pools;
    // In a list of sources, in a list of targets, in a pool of values.
    std::uint32_t source_list_size;
    std::uint32_t source_list_pool;
    std::uint32_t target_list_size;
    std::uint32_t target_list_count;
    std::uint32_t pool_chunks;
    std::uint32_t pool_chunk_bits;

    static const internal_offsets own;  // of this library
};
// The text "kith" and a number that grows with each change of the structs in this header.
inline constexpr std::uint64_t layout_tag = 0x6B69746800000001;

struct store_head {
    entity_record** pages;  // none is null
    std::uint32_t page_count;
    std::uint32_t table_epoch;  // changes when a table is deleted or its number reused
    table_rows* rows;
    table_shape** shapes;
    // Grows when something changed that plans and caches of queries depend on.
    std::uint32_t version;
    std::uint32_t match_epoch;  // grows when the list of a cached query is no longer empty
    // Parents, by entity index; pages may be null. None while ChildOf splits tables.
    link_page** parents;
    std::uint32_t parent_page_count;
    const internal_offsets* offsets;  // for debuggers; null in a store without a world
};

enum stage_mode : std::uint32_t {
    mode_deferred = 1u << 0,       // changes are recorded, not made
    mode_in_scope = 1u << 2,       // new entities get a scope or `with` ids
    mode_ranged = 1u << 3,         // entities outside of the range of ids must not be changed
    mode_tracks_empty = 1u << 4,   // changes among entities without ids are counted
    mode_entity_events = 1u << 5,  // creations and deletions of all entities are dispatched
    mode_untidy = 1u << 6,         // many tables without rows are listed among the others
    mode_redirected = 1u << 7,     // operations go to another stage, or there is no world
    mode_recording = 1u << 8,      // commands are recorded, and linked into the queue later
    mode_handle_rules = 1u << 9,   // deletions change values with handles to what is deleted
    mode_slow_path =
        mode_deferred | mode_ranged | mode_entity_events | mode_untidy | mode_handle_rules,
};

}  // namespace kith::detail

namespace kith {

// Raw handle of a world, or of one of its stages.
struct world_t {
    detail::store_head* store;
    std::uint32_t mode;  // detail::stage_mode
    // The list of C++ types that it was made with: &detail::list_of_types. Null: it has none.
    const void* types = nullptr;
};

namespace detail {

// The store that handles without a world refer to. It has no entities, so that inlined paths find
// nothing, and compiled functions report the mistake.
KITH_ONE_PER_PROCESS inline store_head empty_store{};
KITH_ONE_PER_PROCESS inline world_t no_world{&empty_store, mode_redirected};

// True if reads take the compiled path, which checks that the running part of a system declares
// them. Always false in builds without KITH_ASSERTS.
constexpr bool is_checked([[maybe_unused]] const world_t* world) noexcept {
#if defined(KITH_ASSERTS) && KITH_ASSERTS
    return (world->mode & (mode_redirected | mode_recording)) != 0;
#else
    return false;
#endif
}

inline bool is_world(const world_t* world) noexcept {
    return world && world->store->page_count != 0;
}

KITH_ALWAYS_INLINE entity_record* find_record(const store_head& store, entity_t entity) noexcept {
    std::uint32_t index = index_of(entity);
    std::uint32_t page = index >> record_page_bits;
    if (page >= store.page_count) [[unlikely]] {
        return nullptr;
    }
    entity_record* record = &store.pages[page][index & (record_page_size - 1)];
    if ((record->state & record_identity) != static_cast<std::uint32_t>(entity >> 32))
        [[unlikely]] {
        return nullptr;
    }
    return record;
}

constexpr std::uint32_t shape_hash(id_t id) noexcept {
    return static_cast<std::uint32_t>((id * 0x9E3779B97F4A7C15ull) >> 40);
}

// Position of an id below low_id_limit in the type of a table, or -1.
KITH_ALWAYS_INLINE std::int32_t find_low(const table_shape& shape, std::uint32_t id) noexcept {
    return id < shape.low_count ? std::int32_t{shape.low()[id]} - 1 : -1;
}

// Position of an id that is not low and no wildcard, or -1. Not for wide shapes.
KITH_ALWAYS_INLINE std::int32_t find_exact(const table_shape& shape, id_t id) noexcept {
    for (std::uint32_t at = shape_hash(id);; ++at) {
        std::uint32_t position = shape.map[at & shape.map_mask];
        if (position == 0 || shape.ids[position - 1] == id) {
            return static_cast<std::int32_t>(position) - 1;
        }
    }
}

// Position of the first pair of a relation, or -1. Not for wide shapes.
KITH_ALWAYS_INLINE std::int32_t find_first_pair(const table_shape& shape,
                                                entity_t relation) noexcept {
    id_t any = make_pair(relation, Wildcard);
    for (std::uint32_t at = shape_hash(any);; ++at) {
        std::uint32_t position = shape.map[at & shape.map_mask];
        if (position == 0 || (shape.ids[position - 1] >> 32) == (any >> 32)) {
            return static_cast<std::int32_t>(position) - 1;
        }
    }
}

// Position of an id of any kind, or -1. (R,*) gives the first pair of R. Not for wide shapes.
KITH_ALWAYS_INLINE std::int32_t find_hashed(const table_shape& shape, id_t id) noexcept {
    return is_pair(id) && pair_second(id) == Wildcard ? find_first_pair(shape, pair_first(id))
                                                      : find_exact(shape, id);
}

// The parent that is stored as a link, or 0.
KITH_ALWAYS_INLINE entity_t find_parent(const store_head& store, entity_t entity) noexcept {
    std::uint32_t page = index_of(entity) >> link_page_bits;
    if (page >= store.parent_page_count || !store.parents[page]) [[unlikely]] {
        return 0;
    }
    const link_node& node = store.parents[page]->nodes[index_of(entity) & (link_page_size - 1)];
    return entity_t{node.target} | (entity_t{node.rest} << 32);
}

KITH_ALWAYS_INLINE std::byte* value_at(const store_head& store, const entity_record& record,
                                       column slot) noexcept {
    const table_rows& rows = store.rows[record.table];
    return rows.block + std::size_t{slot.offset} * rows.capacity +
           std::size_t{slot.size} * record.row;
}

}  // namespace detail
}  // namespace kith
