// Giving all uses of one entity to another one: others that have it as a tag, in pairs, or as the
// target of one, have the other one in its place.
//
// Covered by tests/features/names/type_takes_name_test.cpp.
#pragma once

#include "mutate/stage.hpp"

namespace kith::mutate {

// All or nothing: throws if a use cannot be moved, and then they are where they were. `to` must
// have no uses of its own yet. Not while something is iterated.
void move_uses(stage& owner, entity_t from, entity_t to);

}  // namespace kith::mutate
