// Phases with fixed steps in a world: which one a system belongs to.
#pragma once

#include <kith/timer.hpp>

namespace kith::scheduling {

// The phase with fixed steps that the system depends on, directly or through other phases; 0: none.
entity_t find_fixed_phase(const entity& system);

// Raises constraint if the phase depends on a phase with fixed steps, or such a phase on it.
void check_not_nested(const entity& phase);

}  // namespace kith::scheduling
