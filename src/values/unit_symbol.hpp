// The symbol of a unit, such as `km/h`.
#pragma once

#include <kith/fwd.hpp>

#include <string>

namespace kith::values {

// The text of the entity if it is no unit.
std::string unit_symbol(const world_t* world, entity_t unit);

}  // namespace kith::values
