// Checks of ids and texts of ids, for several chapters of kith.h.
#pragma once

#include "boundary.hpp"

#include <string>
#include <vector>

namespace kith::capi {

// Raises the error about a handle without a world.
void check_world(const kith_world_t* world);
// True if the id may be added to an entity.
bool is_valid_id(const kith_world_t* world, id_t id);
// The ids of a text "Position, (Likes, Alice)"; `function` is named in the message of a mistake.
std::vector<id_t> parse_ids(kith_world_t* world, const char* text, const char* function);

// A path by which an entity that exists is found again. Throws if its name is no path.
std::string path_of_entity(world_t* world, entity_t entity, const char* function);

}  // namespace kith::capi
