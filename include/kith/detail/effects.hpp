// The effects of adding an id to an entity, as they follow from the properties of the id. For
// programs that undo changes; kith/world.hpp does not include this file.
#pragma once

#include "../fwd.hpp"
#include "../id.hpp"

namespace kith::detail {

// An id that an entity gains or loses.
struct id_effect {
    entity_t entity;
    id_t id;
    bool gained;
    bool sparse;  // the pairs of the relationship are links, whose order programs can see
};

// Calls visit(effect, context) for each id that entities gain and lose when the entity gets the id:
// the id itself, implied ids, replaced pairs, inverses. Nothing changes.
void each_effect(world_t* world, entity_t entity, id_t id,
                 void (*visit)(const id_effect& effect, void* context), void* context);
// False if adding the id changes nothing but the id itself.
bool has_effects(const world_t* world, entity_t entity, id_t id);
// True if an entity has at most one target of the relationship.
bool has_one_target(const world_t* world, entity_t relation);

}  // namespace kith::detail
