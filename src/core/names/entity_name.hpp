// The name that an entity has: the value of its pair (Identifier, Name) or (Identifier, Symbol).
#pragma once

#include "names/name_index.hpp"
#include "storage/store.hpp"

namespace kith::names {

// Returns null if the entity is not alive or has no name of this kind (Name, Symbol).
const name_node* find_name(const storage::store& data, entity_t entity, entity_t kind);

}  // namespace kith::names
