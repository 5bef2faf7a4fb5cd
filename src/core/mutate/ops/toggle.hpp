// Disabling and enabling single components of an entity without moving its row. The record of each
// id that was ever disabled has a sparse store of the entities that have it disabled.
#pragma once

#include "mutate/context/stage.hpp"

namespace kith::mutate {

// Enables or disables the id, and notifies (event_toggle). Throws if the entity lacks the id.
void enable_id(stage& world, entity_t entity, id_t id, bool enabled);
// True if the entity has the id, own or inherited, and it is not disabled.
bool is_enabled(const stage& world, entity_t entity, id_t id);

}  // namespace kith::mutate
