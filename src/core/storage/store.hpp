// The whole storage of a world. It moves rows and knows nothing of what relationships mean.
#pragma once

#include "containers/memory.hpp"
#include "storage/component_index.hpp"
#include "storage/entity_index.hpp"
#include "storage/sparse_store.hpp"
#include "storage/table_set.hpp"

namespace kith::storage {

struct store : detail::store_head {
    explicit store(const world_memory* upstream)
        : detail::store_head{},
          mem(upstream),
          ids(mem),
          entities(mem, *this),
          tables(mem, *this, ids) {}
    ~store();
    // Ends all values, sparse ones too; runs no hooks. Nothing but destroying the store may follow.
    void destroy_values() noexcept;

    containers::memory mem;
    component_index ids;
    entity_index entities;
    table_set tables;
    containers::vec<types::component_type*> types;
    // Records that have a sparse store for values; the position decides the flag of entity records.
    containers::vec<id_record*> sparse_ids;
    // Records that have a store of switched-off entities.
    containers::vec<id_record*> toggled_ids;
};

// The flag that an entity's record has while it may have a value in the store at this position.
constexpr std::uint32_t own_sparse_flags = 8;
constexpr std::uint32_t sparse_flag(std::uint32_t position) noexcept {
    return position < own_sparse_flags ? record_first_sparse << position
                                       : std::uint32_t{record_last_sparse};
}

// The type of a component of this world. `info.name` is copied.
types::component_type& add_type(store& data, const type_info& info, std::uint32_t component);
void remove_type(store& data, types::component_type& type) noexcept;

// The entity has lost its value in the store at this position.
inline void clear_sparse_flag(entity_record& record, std::uint32_t position) noexcept {
    if (position < own_sparse_flags) {
        record.state &= ~sparse_flag(position);
    }
}

// Gives a record its sparse store (or its store of switched-off entities).
sparse_store& ensure_sparse(store& data, id_record& record);
sparse_store& ensure_toggles(store& data, id_record& record);
void release_sparse(store& data, id_record& record) noexcept;

// Walks every invariant; null if all hold, else a sentence that says which one is broken.
const char* find_fault(const store& data);

}  // namespace kith::storage
