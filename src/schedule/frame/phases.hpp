// The builtin phases of a world and their order.
#pragma once

#include <kith/fwd.hpp>

namespace kith::scheduling {

// Gives the builtin phases the tag Phase and their places. A phase does not depend on the phase
// before it but on a neighbour of that, so that a disabled phase leaves the others as they are.
void make_phases(world_t* world);

}  // namespace kith::scheduling
