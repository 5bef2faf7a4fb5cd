// The entity that programs know a type by.
#pragma once

#include <kith/description.hpp>

namespace kith::values {

// The component of the type, or the id of a plain type such as F32; 0 if it has neither.
entity_t type_entity_of(const world_t* world, const description& type);

}  // namespace kith::values
