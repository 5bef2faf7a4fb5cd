// The storage of a world: entity index, component index, tables, sparse stores, links and change
// ticks. Storage moves rows and values; the meaning of ids belongs to traits/.
//
// Implemented in store.cpp and check.cpp.
#pragma once

#include "base/assert.hpp"
#include "containers/memory.hpp"
#include "storage/change_ticks.hpp"
#include "storage/component_index.hpp"
#include "storage/entity_index.hpp"
#include "storage/link_store.hpp"
#include "storage/sparse_store.hpp"
#include "storage/subscription_counts.hpp"
#include "storage/table_set.hpp"

namespace kith::storage {

class value_indexes;

// The types of components.
struct registered_types {
    containers::vec<types::component_type*> types;
    // The list of removed types, linked by next_ended. Queued values may still need them.
    types::component_type* ended_types = nullptr;
    bool has_hooks = false;       // some type has hooks, or had
    bool has_validators = false;  // some type has a hook that may refuse values, or had
};

// Versions of the state that plans and caches of queries depend on; store_head::version covers them
// all.
struct state_versions {
    std::uint32_t schema = 1;          // properties and storage of ids
    std::uint32_t base_version = 1;    // the set of bases, and their ids
    std::uint32_t deletion_epoch = 1;  // deletions of entities that are elements of ids
};

// Invariants
// 1. sparse_ids, link_ids and toggled_ids list exactly the records with a sparse store, with links
//    and with a store of switched-off entities, in the order in which these were made.
// 2. parents_store is the link store of ChildOf, parents_relation its record; both are null while
//    pairs of ChildOf are in tables.
// 3. An entity in a sparse store, or at either end of a link, has the flag of that store in its
//    record (sparse_flag(), source_flag(), target_flag()). The reverse need not hold.
// 4. `version` grows whenever schema, base_version or deletion_epoch does.
// check.cpp verifies 1 to 3.
struct store : detail::store_head, registered_types, state_versions {
    explicit store(const world_memory* upstream)
        : detail::store_head{},
          mem(upstream),
          subscription_counts(mem),
          ticks(mem),
          ids(mem),
          entities(mem, *this),
          tables(mem, *this, ids, ticks) {
        version = 1;
        offsets = &detail::internal_offsets::own;
    }
    ~store();
    // Destroys all values of tables, sparse stores and links without running hooks. Only the
    // destructor of the store may follow.
    void destroy_values() noexcept;

    containers::memory mem;
    storage::subscription_counts subscription_counts;
    change_ticks ticks;
    component_index ids;
    entity_index entities;
    table_set tables;
    // The records with a sparse store for values.
    containers::vec<id_record*> sparse_ids;
    // The records (R,*) of relationships whose pairs are links.
    containers::vec<id_record*> link_ids;
    // The indexes on members; null: none was ever made. Owned.
    value_indexes* indexes = nullptr;
    // Entities that a C++ type of the same name has replaced; for queries that refer to them.
    struct replacement {
        entity_t before;
        entity_t now;
    };
    containers::vec<replacement> replaced;
    // The links of ChildOf and their record, null while ChildOf splits tables (invariant 2).
    link_store* parents_store = nullptr;
    const id_record* parents_relation = nullptr;
    // -- since the last snapshot
    // Tables, links and stores without values have a flag of their own.
    struct snapshot_marks {
        bool rows_unwritten = false;  // no row has come, gone or moved
        bool any_taken = false;  // there was a snapshot: tables may have the flag shape_unwritten
    } snapshots;
    // Values of a table with the flag shape_unwritten are written for the first time.
    void table_written(const table& written) noexcept;
    // The same if a value of the table is handed out to be written. Several threads may do so.
    void value_handed_out(const table& written) noexcept;
    // A row of a table with the flag shape_rows_unwritten comes, goes or moves for the first time.
    void rows_written(const table& written) noexcept;
    // Values of ids that the pattern matches are handed out to be written; 0: of any id.
    void pattern_written(id_t pattern) noexcept;
    void schema_changed() noexcept {
        ++schema;
        ++version;
    }
    // An entity that may be an element of ids gets or loses ids in its table.
    void element_changed(std::uint32_t index) noexcept {
        if (is_base(index)) {
            base_made();
        }
    }
    // True if some entity has the pair (IsA, index). Requires: `bases` is set.
    bool is_base(std::uint32_t index) const noexcept {
        KITH_ASSERT(bases, "the record (IsA,*) exists once the world is made");
        return !bases->pairs.empty() && ids.find(make_pair(IsA, index));
    }
    // An entity became a base, or the ids of a base have changed.
    void base_made() noexcept {
        ++base_version;
        ++version;
        ticks.bases_changed();
    }
    // The row of an entity that may have referrers (record_referenced) moved to another table.
    void on_referenced_moved(const entity_record& record, std::uint32_t index, const table& from,
                             const table& to) noexcept {
        if (record.state & record_used_as_id) {
            element_changed(index);
        }
        if (listener) {
            listener->moved(listener->context, index, from, to);
        }
    }
    // The cache that is notified of such moves, null: none.
    const change_listener* listener = nullptr;
    // An entity that is an element of ids was deleted.
    void on_element_deleted() noexcept {
        ++deletion_epoch;
        ++version;
    }
    // The record (IsA,*); null only while the world is being created.
    const id_record* bases = nullptr;
    std::uint32_t sparse_count = 0;  // sparse stores and link stores that were ever attached
    // The records with a store of switched-off entities.
    containers::vec<id_record*> toggled_ids;
};

// The flag of an entity's record for the sparse store or link store with this number: set while the
// entity may have a value or a link there. The stores from own_sparse_flags on share a flag.
constexpr std::uint32_t own_sparse_flags = 5;
constexpr std::uint32_t sparse_flag(std::uint32_t number) noexcept {
    return number < own_sparse_flags ? record_first_sparse << number
                                     : std::uint32_t{record_last_sparse};
}
// The flags of the source and of the target of a link. Links of ChildOf have flags of their own.
inline std::uint32_t source_flag(const id_record& relation) noexcept {
    return pair_first(relation.id) == ChildOf ? std::uint32_t{record_has_parent}
                                              : sparse_flag(relation.sparse_number);
}
inline std::uint32_t target_flag(const id_record& relation) noexcept {
    return pair_first(relation.id) == ChildOf ? std::uint32_t{record_has_children}
                                              : std::uint32_t{record_link_target};
}

// Adds the type of a component to the world. `info.name` is copied.
types::component_type& add_type(store& data, const type_info& info, std::uint32_t component);
// Removes a type from the world and frees its hooks. The type stays readable until
// release_ended_types(). Requires: no table or sparse store has values of the type.
void remove_type(store& data, types::component_type& type) noexcept;
// Releases the removed types. Requires: no queue has values of them any more.
void release_ended_types(store& data) noexcept;

// Clears the flag of a store that has nothing of the entity any more. A shared flag stays, because
// another store may have something.
inline void clear_sparse_flag(entity_record& record, std::uint32_t flag) noexcept {
    if (flag != record_last_sparse) {
        record.state &= ~flag;
    }
}

// Finds or makes the sparse store of a record, and its store of switched-off entities.
sparse_store& ensure_sparse(store& data, id_record& record);
sparse_store& ensure_toggles(store& data, id_record& record);
// Give a record a store that was made for it, and that the record then owns.
// Requires: the record has no such store; sparse_ids or link_ids has room for one more record.
void attach_sparse(store& data, id_record& record, sparse_store& store) noexcept;
void attach_links(store& data, id_record& relation, link_store& links) noexcept;
// Releases the stores of values and links of a record, with their contents.
void release_values(store& data, id_record& record) noexcept;
// Releases all stores of a record, that of switched-off entities included.
void release_sparse(store& data, id_record& record) noexcept;
// The link store of a relation, null if its pairs are in tables.
inline link_store* find_links(const store& data, std::uint32_t relation) noexcept {
    if (relation == ChildOf) {
        return data.parents_store;
    }
    const id_record* any =
        data.link_ids.empty() ? nullptr : data.ids.find(make_pair(relation, Wildcard));
    return any ? any->links : nullptr;
}

// Verifies the invariants of the storage: a sentence about the first broken one, or null.
const char* check_invariants(const store& data);

}  // namespace kith::storage
