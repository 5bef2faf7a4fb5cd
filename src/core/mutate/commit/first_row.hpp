// The first row of an entity. Entities that were created while deferred have none until the queue
// runs.
#pragma once

#include "mutate/context/stage.hpp"

namespace kith::mutate {

// Appends the entity to the root table if it has no row yet.
void ensure_row(stage& world, entity_t entity, storage::entity_record& record);

}  // namespace kith::mutate
