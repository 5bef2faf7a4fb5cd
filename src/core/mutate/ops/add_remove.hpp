// Adding and removing ids at once: the operations entity.add and entity.remove of a world that is
// not deferred. Each function tries the fast path (fast_path.hpp) first where one exists.
//
// Requires for all functions: the world is not deferred, or the caller is an operation itself.
//
// Covered by tests/features/pairs/storages_test.cpp.
#pragma once

#include "mutate/context/stage.hpp"

namespace kith::mutate {

// Adds an id, with the ids that it implies (With). Does nothing if the entity has the id.
// `expects_value`: the caller knows that the id has a value, so no warning is logged.
void add_id(stage& world, entity_t entity, id_t id, bool expects_value = false);
// Adds several ids in one step: if one of them is refused, the entity is unchanged.
void add_ids(stage& world, entity_t entity, const id_t* ids, std::uint32_t count);
// Adds an id and first the ids that it implies, with a value if `source` is not null. Requires: the
// id was prepared (prepare_id) and the entity lacks it.
void add_with_others(stage& world, entity_t entity, const storage::id_info& added,
                     const detail::value_source* source);
// Adds the id alone, without the ids that it implies. Requires: as for add_with_others().
void add_one(stage& world, entity_t entity, const storage::id_info& added,
             const detail::value_source* source);
// Removes an id, or all ids that match a wildcard. Does nothing if no id of the entity matches.
void remove_id(stage& world, entity_t entity, id_t id);
// Throws if remove_id() would be refused. Changes nothing.
void check_removal(stage& world, entity_t entity, id_t id);
// Removes all ids, marks of overrides included. The entity stays alive, in the root table.
void clear_entity(stage& world, entity_t entity);

// Throws if the id may never be removed from an entity, whatever else the entity has.
void check_removable(stage& world, entity_t entity, id_t id);

}  // namespace kith::mutate
