// Archetype moves: an entity moves between tables. Every change of the ids in an entity's table
// goes through move_entity(), except for the fast paths; sparse_ops.hpp changes the ids outside of
// tables.
//
// Covered by tests/features/pairs/storages_test.cpp.
#pragma once

#include "mutate/context/stage.hpp"
#include "traits/traits.hpp"

namespace kith::mutate {

// A value for one of the ids that an entity gains. The object does not own the source.
struct initial_value {
    id_t id;
    const detail::value_source* source;
    // The source lies in no table, so that no move invalidates it.
    bool is_detached = false;
};

// The sparse ids that change in the same step as the table. Hooks and listeners are notified as if
// all ids changed at once: of removals while every id is still there, of additions when every
// change is made. Call order: notify_before_remove, change, notify_removed, notify_added.
class sparse_delta {
public:
    // True if the id is added or removed by this delta.
    virtual bool changes(id_t id) const noexcept = 0;
    virtual void notify_before_remove() = 0;
    // Makes the change. Throws nothing: a value that cannot be constructed is reported later.
    virtual void change() = 0;
    virtual void notify_removed() = 0;
    virtual void notify_added() = 0;

protected:
    ~sparse_delta() = default;
};

// Moves an entity to another table: constructs the values of gained ids (from `initial`, as copies
// of inherited values, or by default), destroys those of lost ids, runs hooks, and applies the
// rules of relationships (inverse pairs, prefabs, instances, names). If an exception leaves before
// the first hook ran, nothing has changed. Requires: `record` is that of the entity, and ids of
// `initial` are in `to`.
void move_entity(stage& world, entity_t entity, storage::entity_record& record, storage::table& to,
                 const initial_value* initial, std::uint32_t initial_count,
                 sparse_delta* sparse_change = nullptr);
// Changes sparse ids without a move of the row.
void change_sparse(stage& world, entity_t entity, sparse_delta& sparse_change);

}  // namespace kith::mutate
