// Archetype moves: from a table and an id to the table with the id, and the move of an entity
// between tables. Every change of the ids in an entity's table goes through move_entity(), except
// for the fast paths; sparse_ops.hpp changes the ids outside of tables.
//
// archetype_move.cpp implements the moves; notify.cpp implements notify(), notify_assigned(),
// notify_net(), notify_renaming() and notify_created().
//
// Covered by tests/features/pairs/storages_test.cpp.
#pragma once

#include "mutate/stage.hpp"
#include "traits/traits.hpp"

namespace kith::mutate {

using traits::id_buffer;
using traits::is_sparse;

// Checks that the id can be added to entities, makes C++ types of its elements known, and returns
// the meaning of the id: value type, traits, event mask. Creates the record of the id, except for
// links.
storage::id_info prepare_id(stage& world, id_t id);

// Marks the elements of an id that has a record: the record must be dropped with the first of them.
// Requires: all elements are alive.
void mark_elements_used(storage::store& data, id_t id) noexcept;

// Throws if a value of the id cannot be constructed by default.
void check_default_constructible(const stage& world, const storage::id_info& id);

// A value for one of the ids that an entity gains. The object does not own the source.
struct initial_value {
    id_t id;
    const detail::value_source* source;
    // The source lies in no table, so that no move invalidates it.
    bool is_detached = false;
};
// Constructs a value in raw memory at `place`.
void make_value(const type_info& info, const detail::value_source& source, void* place);

// The table with the ids of `from` without `removed` and with `added`; made if it is missing. Ids
// that `from` has already may be in `added`.
storage::table& table_after(stage& world, const storage::table& from, const id_t* added,
                            std::uint32_t added_count, const id_t* removed,
                            std::uint32_t removed_count);

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

// The table that adding an id leads to; an exclusive relationship loses its former target. The edge
// is stored, so that the next call finds the table at once. Requires: the id was prepared.
storage::table& resolve_add(stage& world, storage::table& from, const storage::id_info& added);

// Appends the entity to the root table if it has no row yet.
void ensure_row(stage& world, entity_t entity, storage::entity_record& record);

// Throws if the entity is outside of the range of ids that may be changed. `id` is for the message.
void check_range(const stage& world, entity_t entity, id_t id);

// Notifies hooks and listeners of a change of an id of an entity, if the event mask of the id has
// the bits. Exceptions are kept for the end of the operation, so that every listener receives every
// event.
void notify(stage& world, storage::event_bits mask, const storage::id_info& id, entity_t entity,
            void* value) noexcept;
// Notifies of a written value of a component in the entity's table. Requires: the world is not
// deferred.
void notify_assigned(stage& world, entity_t entity, const storage::entity_record& record,
                     const storage::id_info& id, void* value);
// Notifies of a net effect that a queue has delayed: only listeners that did not receive the single
// steps (see net_effects.hpp). `mask` is event_add, event_set or event_remove; `shared`: the value
// is not that of the entity alone.
void notify_net(stage& world, storage::event_bits mask, const storage::id_info& id, entity_t entity,
                void* value, bool shared) noexcept;
// Notifies that the name of the entity is about to change.
void notify_renaming(stage& world, entity_t entity);
// Notifies that the entity was created, if entity events have listeners.
void notify_created(stage& world, entity_t entity);
// Enables an id that the entity has lost, so that it is enabled when it is added again.
void clear_toggle(stage& world, entity_t entity, id_t id) noexcept;

// Throws if an entity with children or a name may not get the parent `after` instead of `before`
// (0: none). Returns true if its entry in the name index must move.
bool check_parent(stage& world, entity_t entity, const storage::entity_record& record,
                  entity_t before, entity_t after);

}  // namespace kith::mutate
