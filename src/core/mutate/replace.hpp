// Moves all uses of one entity to another: its holders get the other entity as tag, relationship or
// target instead.
//
// Covered by tests/features/names/type_takes_name_test.cpp.
#pragma once

#include "mutate/stage.hpp"

namespace kith::mutate {

// Moves all uses or none: throws if a use cannot be moved, after taking back what was done. `to`
// must have no uses of its own yet. Not while something is iterated.
void move_uses(stage& world, entity_t from, entity_t to);

}  // namespace kith::mutate
