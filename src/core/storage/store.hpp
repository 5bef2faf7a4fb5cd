// The whole storage of a world. It moves rows and knows nothing of what relationships mean.
#pragma once

#include "containers/memory.hpp"
#include "storage/change_ticks.hpp"
#include "storage/component_index.hpp"
#include "storage/entity_index.hpp"
#include "storage/link_store.hpp"
#include "storage/sparse_store.hpp"
#include "storage/subscription_counts.hpp"
#include "storage/table_set.hpp"

namespace kith::storage {

struct store : detail::store_head {
    explicit store(const world_memory* upstream)
        : detail::store_head{},
          mem(upstream),
          subscription_counts(mem),
          ticks(mem),
          ids(mem),
          entities(mem, *this),
          tables(mem, *this, ids, ticks) {
        version = 1;
    }
    ~store();
    // Ends all values, sparse ones too; runs no hooks. Nothing but destroying the store may follow.
    void destroy_values() noexcept;

    containers::memory mem;
    storage::subscription_counts subscription_counts;
    change_ticks ticks;
    component_index ids;
    entity_index entities;
    table_set tables;
    containers::vec<types::component_type*> types;
    // Types that were removed. Queued values may still need them.
    types::component_type* ended_types = nullptr;
    bool has_hooks = false;       // one of them has, or had
    bool has_validators = false;  // the same for hooks that may refuse values
    // Records that have a sparse store for values.
    containers::vec<id_record*> sparse_ids;
    // Records (R,*) of the relationships whose pairs are links.
    containers::vec<id_record*> link_ids;
    // Entities whose place a C++ type of the same name has taken; for queries that name them.
    struct replacement {
        entity_t before;
        entity_t now;
    };
    containers::vec<replacement> replaced;
    // The links of ChildOf and the record that has them, null while it splits tables.
    link_store* parents_store = nullptr;
    const id_record* parents_relation = nullptr;
    // Versions for what plans and caches of queries depend on; `version` covers them all.
    // Properties and storage of ids; what bases have; which entities that ids are made of are gone.
    std::uint32_t schema = 1;
    std::uint32_t base_version = 1;
    std::uint32_t deletion_epoch = 1;
    void schema_changed() noexcept {
        ++schema;
        ++version;
    }
    // An entity that some id is made of gets or loses ids in its table.
    void element_changed(std::uint32_t index) noexcept {
        if (is_base(index)) {
            base_made();
        }
    }
    bool is_base(std::uint32_t index) const noexcept {
        return !bases->pairs.empty() && ids.find(make_pair(IsA, index));
    }
    // An entity became a base, or what a base has changed.
    void base_made() noexcept {
        ++base_version;
        ++version;
        ticks.bases_changed();
    }
    // An entity that others refer to went from one table to another.
    void on_referenced_moved(const entity_record& record, std::uint32_t index, const table& from,
                             const table& to) noexcept {
        if (record.state & record_used_as_id) {
            element_changed(index);
        }
        if (listener) {
            listener->moved(listener->context, index, from, to);
        }
    }
    const change_listener* listener = nullptr;
    void on_element_deleted() noexcept {
        ++deletion_epoch;
        ++version;
    }
    // The record (IsA,*); always there once the world is made.
    const id_record* bases = nullptr;
    std::uint32_t sparse_count = 0;  // stores made so far, of both kinds
    // Records that have a store of switched-off entities.
    containers::vec<id_record*> toggled_ids;
};

// The flag that an entity's record has while it may have something in the store with this number.
constexpr std::uint32_t own_sparse_flags = 5;
constexpr std::uint32_t sparse_flag(std::uint32_t number) noexcept {
    return number < own_sparse_flags ? record_first_sparse << number
                                     : std::uint32_t{record_last_sparse};
}
// The same for links; those of ChildOf have a flag of their own.
inline std::uint32_t source_flag(const id_record& relation) noexcept {
    return pair_first(relation.id) == ChildOf ? std::uint32_t{record_has_parent}
                                              : sparse_flag(relation.sparse_number);
}
inline std::uint32_t target_flag(const id_record& relation) noexcept {
    return pair_first(relation.id) == ChildOf ? std::uint32_t{record_has_children}
                                              : std::uint32_t{record_link_target};
}

// The type of a component of this world. `info.name` is copied.
types::component_type& add_type(store& data, const type_info& info, std::uint32_t component);
// The type is none of the world's from here on. It stays readable until release_ended_types().
void remove_type(store& data, types::component_type& type) noexcept;
// There must be no values of these types any more.
void release_ended_types(store& data) noexcept;

// The entity has lost what it had in the store with this flag.
inline void clear_sparse_flag(entity_record& record, std::uint32_t flag) noexcept {
    if (flag != record_last_sparse) {  // which several stores share
        record.state &= ~flag;
    }
}

// Gives a record its sparse store (or its store of switched-off entities).
sparse_store& ensure_sparse(store& data, id_record& record);
sparse_store& ensure_toggles(store& data, id_record& record);
// Give a record a store that was made for it. Room in the list of such records must have been
// reserved.
void attach_sparse(store& data, id_record& record, sparse_store& store) noexcept;
void attach_links(store& data, id_record& relation, link_store& links) noexcept;
// Ends the stores of values and links of a record.
void release_values(store& data, id_record& record) noexcept;
// The same, and the store of switched-off entities.
void release_sparse(store& data, id_record& record) noexcept;
// The links of a relation, null if its pairs are in tables.
inline link_store* find_links(const store& data, std::uint32_t relation) noexcept {
    if (relation == ChildOf) {
        return data.parents_store;
    }
    const id_record* any =
        data.link_ids.empty() ? nullptr : data.ids.find(make_pair(relation, Wildcard));
    return any ? any->links : nullptr;
}

// Walks every invariant; null if all hold, else a sentence that says which one is broken.
const char* check_invariants(const store& data);

}  // namespace kith::storage
