// Instantiation: the consequences of (IsA, base) for an entity: copies of the ids that the base
// marks (Override), copies of a prefab's children, slots. And the consequences of becoming part of
// a prefab.
//
// Covered by tests/features/prefabs/prefabs_test.cpp.
#pragma once

#include "mutate/context/stage.hpp"

namespace kith::mutate {

// Makes the entity, which has just got (IsA, base) for these bases, a complete instance of them.
void instantiate(stage& world, entity_t entity, const entity_t* bases, std::uint32_t count);

// Makes the entity and its descendants prefabs.
void make_prefab(stage& world, entity_t entity);

}  // namespace kith::mutate
