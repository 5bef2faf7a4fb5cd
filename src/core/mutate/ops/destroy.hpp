// Deleting entities with the consequences that cleanup policies demand: iteratively, children
// before parents, siblings in the order of their ids.
//
// Covered by tests/features/relationships/cleanup_policies_test.cpp.
#pragma once

#include "mutate/context/stage.hpp"

namespace kith::mutate {

// Requires for all functions: the world is not deferred. A deletion that a policy forbids throws
// and changes nothing.
//
// Deletes an entity with the cascade of cleanup policies.
void delete_entity(stage& world, entity_t entity);
// Deletes all entities with an id that matches the pattern.
void delete_with(stage& world, id_t pattern);
// Removes the ids that match the pattern from every holder, or throws and changes nothing.
void remove_all(stage& world, id_t pattern);

// Deletes the tables and records of all ids with this element, which is about to end: they can
// never be added again. Requires: the tables are empty.
void drop_id_records(storage::store& data, entity_t entity) noexcept;

}  // namespace kith::mutate
