// What follows when an entity becomes an instance: copies of what its base marks for it, copies of
// a prefab's children, slots. And what follows when an entity becomes part of a prefab.
//
// Covered by tests/core/api/prefabs_test.cpp.
#pragma once

#include "mutate/archetype_move.hpp"

namespace kith::mutate {

// The entity has just got (IsA, base) for these bases.
void instantiate(stage& world, entity_t entity, const entity_t* bases, std::uint32_t count);

// The ids that a base and its own bases mark: an instance gets those that it lacks.
void collect_marked(const stage& world, entity_t base, id_buffer& marked);

// An instance of the base gets a target of its own for this slot, instead of any other.
bool fills_slot(const storage::store& data, entity_t base, entity_t slot);

// The entity and all below it become prefabs.
void make_prefab(stage& world, entity_t entity);
bool is_prefab(const storage::store& data, entity_t entity) noexcept;

}  // namespace kith::mutate
