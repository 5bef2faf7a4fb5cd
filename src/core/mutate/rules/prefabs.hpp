// Prefabs and slots: what an instance gets from its base, and which targets of slots it gets anew.
//
// Covered by tests/features/prefabs/prefabs_test.cpp.
#pragma once

#include "mutate/context/stage.hpp"
#include "traits/implications.hpp"

namespace kith::mutate {

using traits::id_buffer;

bool is_prefab(const storage::store& data, entity_t entity) noexcept;

// Collects the ids that a base and the bases of the base mark. An instance gets copies of the
// missing ones.
void collect_marked(const stage& world, entity_t base, id_buffer& marked);

// True if the entity is a slot of a prefab.
bool is_slot(const storage::store& data, entity_t entity) noexcept;
// True if no source has two targets of the slot: a slot may be in use as an ordinary relationship.
bool has_single_targets(const storage::store& data, entity_t slot);
// True if a copy of everything below `root` gives the copy of `holder` a copy as the only target of
// the slot.
bool fills_own_slot(const storage::store& data, entity_t root, entity_t holder, entity_t slot);
// True if instances of the base get a target of their own for this slot, instead of a copied one.
bool fills_slot(const storage::store& data, entity_t base, entity_t slot);

}  // namespace kith::mutate
