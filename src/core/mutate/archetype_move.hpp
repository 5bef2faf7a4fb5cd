// From a table and an id to the table behind it, and the move of an entity. Every change of what an
// entity has in its table goes through move_entity(); what lies beside the tables changes in
// beside.hpp.
//
// Covered by tests/core/api/pair_storages_test.cpp.
#pragma once

#include "mutate/stage.hpp"
#include "traits/traits.hpp"

namespace kith::mutate {

using traits::id_buffer;
using traits::is_sparse;

// Checks that the id can be added to something, makes its types known, and says what it means.
storage::id_info prepare_id(stage& world, id_t id);

// There is a record for the id, which must go when one of its elements does.
void mark_elements_used(storage::store& data, id_t id) noexcept;

// Throws if a value of the id cannot be made without being given one.
void check_default_constructible(const stage& world, const storage::id_info& id);

// A value for one of the ids that an entity gains.
struct initial_value {
    id_t id;
    const detail::value_source* source;
    bool are_distinct = false;  // what the value is made from lies in no table
};
// Makes a value in raw memory.
void make_value(const type_info& info, const detail::value_source& source, void* place);

// The table with the ids of `from`, without `removed`, with `added`.
storage::table& table_after(stage& world, const storage::table& from, const id_t* added,
                            std::uint32_t added_count, const id_t* removed,
                            std::uint32_t removed_count);

// What changes beside the table in the same step. Everybody is told as if all of it changed at
// once: of what goes while all of it is there, of what comes when nothing of the rest is left.
class sparse_delta {
public:
    // The id is one of those that come or go.
    virtual bool changes(id_t id) const noexcept = 0;
    virtual void notify_before_remove() = 0;
    // Throws nothing: what cannot be made is noted.
    virtual void change() = 0;
    virtual void notify_removed() = 0;
    virtual void notify_added() = 0;

protected:
    ~sparse_delta() = default;
};

// Moves an entity to another table: constructs what is new (from the given values, as a copy of
// what was inherited, or by default), destroys what is gone, runs hooks, and does what the
// relationships of the ids involve. If it throws before a hook ran, nothing has changed.
void move_entity(stage& world, entity_t entity, storage::entity_record& record, storage::table& to,
                 const initial_value* value, std::uint32_t given_count,
                 sparse_delta* sparse_change = nullptr);
// A change beside the table, without a move.
void change_sparse(stage& world, entity_t entity, sparse_delta& sparse_change);

// The table that adding an id leads to, exclusive relationships considered. Remembers the way.
storage::table& resolve_add(stage& world, storage::table& from, const storage::id_info& added);

// Gives an entity that has no row yet its row in the root table.
void ensure_row(stage& world, entity_t entity, storage::entity_record& record);

// Throws if the entity may not be changed at all: outside of the range that is checked.
void check_range(const stage& world, entity_t entity, id_t id);

// Tells hooks and listeners what happens to an id of an entity, if any of them wants to know. What
// one of them throws is kept for the end of the operation, so that all are told everything.
void notify(stage& world, storage::event_bits mask, const storage::id_info& id, entity_t entity,
            void* value) noexcept;
// Tells that the value of a component that the entity's table holds was written. The world is not
// deferred.
void notify_assigned(stage& world, entity_t entity, const storage::entity_record& record,
                     const storage::id_info& id, void* value);
// The same for what a queue has held back: to those who have not heard of the steps (see
// net_effects.hpp). Only for what was added, set, or removed.
void notify_net(stage& world, storage::event_bits mask, const storage::id_info& id, entity_t entity,
                void* value, bool shared) noexcept;
// Tells that an entity is about to get another name than it has.
void notify_renaming(stage& world, entity_t entity);
// Tells that there is a new entity, if the world is watched.
void notify_created(stage& world, entity_t entity);
// The entity has lost the id: it is no longer switched off.
void clear_toggle(stage& world, entity_t entity, id_t id) noexcept;

// Throws if the entity, which has or is to have children or a name, may not get this parent (0:
// none) instead of the old one. True if its name moves along.
bool check_parent(stage& world, entity_t entity, const storage::entity_record& record,
                  entity_t before, entity_t after);

}  // namespace kith::mutate
