// Deleting entities, and what follows from it: cleanup policies, iteratively, children before
// parents, siblings by id.
//
// Covered by tests/core/mutate/cleanup_policies_test.cpp.
#pragma once

#include "mutate/stage.hpp"

namespace kith::mutate {

// None of these may be called while deferred. A deletion that a policy forbids changes nothing.
void delete_entity(stage& world, entity_t entity);
void delete_with(stage& world, id_t pattern);
void remove_all(stage& world, id_t pattern);

// Deletes the tables (all empty) and records of ids with this element: it is about to end, and they
// can never be added again.
void drop_id_records(storage::store& data, entity_t entity) noexcept;

}  // namespace kith::mutate
