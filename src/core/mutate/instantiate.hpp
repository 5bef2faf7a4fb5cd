// Instantiation: the consequences of (IsA, base) for an entity: copies of the ids that the base
// marks (Override), copies of a prefab's children, slots. And the consequences of becoming part of
// a prefab.
//
// Covered by tests/features/prefabs/prefabs_test.cpp.
#pragma once

#include "mutate/archetype_move.hpp"

namespace kith::mutate {

// Makes the entity, which has just got (IsA, base) for these bases, a complete instance of them.
void instantiate(stage& world, entity_t entity, const entity_t* bases, std::uint32_t count);

// Collects the ids that a base and the bases of the base mark. An instance gets copies of the
// missing ones.
void collect_marked(const stage& world, entity_t base, id_buffer& marked);

// True if instances of the base get a target of their own for this slot, instead of a copied one.
bool fills_slot(const storage::store& data, entity_t base, entity_t slot);

// Makes the entity and its descendants prefabs.
void make_prefab(stage& world, entity_t entity);
bool is_prefab(const storage::store& data, entity_t entity) noexcept;

}  // namespace kith::mutate
