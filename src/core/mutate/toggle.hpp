// Switching single components of an entity off and on, without moving it.
#pragma once

#include "mutate/stage.hpp"

namespace kith::mutate {

// Throws if the entity lacks the id.
void enable_id(stage& world, entity_t entity, id_t id, bool enabled);
// False if the entity lacks the id.
bool is_enabled(const stage& world, entity_t entity, id_t id);
// Forgets all switches of an entity that is about to go.
void clear_toggles(stage& world, entity_t entity) noexcept;

}  // namespace kith::mutate
