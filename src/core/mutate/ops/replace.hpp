// Replacing an entity: its holders get another entity as tag, relationship or target instead. Used
// when a C++ type takes the place of an entity with its name.
//
// Covered by tests/features/names/type_takes_name_test.cpp.
#pragma once

#include "mutate/context/stage.hpp"

namespace kith::mutate {

// Moves all uses of `from` to `to`, or none: throws if a use cannot be moved, after restoring the
// moved ones. Requires: `to` has no uses yet, and no table with uses of `from` is iterated.
void move_uses(stage& world, entity_t from, entity_t to);

}  // namespace kith::mutate
