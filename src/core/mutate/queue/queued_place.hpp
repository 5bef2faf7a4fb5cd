// The place of an entity in the hierarchy after the commands that wait: its parent, and where its
// queued name can be looked up.
//
// Covered by tests/model/naming_test.cpp.
#pragma once

#include "mutate/context/stage.hpp"

namespace kith::mutate {

// The parent that the entity will have when the queued commands have run, if none of them fails.
entity_t queued_parent(stage& world, entity_t entity);
// Moves the pending name of an entity to the parent that the entity is going to have.
void move_pending_name(stage& world, entity_t entity, std::uint32_t parent) noexcept;
// The same behind a queued removal of the id: the name moves to the root if the removal takes away
// the parent below which the name is.
void follow_removed_parent(stage& world, entity_t entity, id_t removed) noexcept;

}  // namespace kith::mutate
