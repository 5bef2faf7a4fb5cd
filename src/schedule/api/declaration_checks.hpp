// Settings of systems that exclude each other, for builders and for handles.
#pragma once

#include "systems/system_data.hpp"

namespace kith::scheduling {

// Throws kith::error [constraint], which names the system, if the settings exclude each other, or
// if parts of a split system with this access would write what other parts read.
void check_declaration(const world_t* world, entity_t system,
                       const detail::system_settings& settings, const access_list& access);

}  // namespace kith::scheduling
