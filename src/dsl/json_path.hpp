// The paths of entities as JSON of entities and worlds has them.
#pragma once

#include <kith/entity.hpp>

#include <string>

namespace kith::dsl {

// The path of an entity as texts write it at the root; `#12` if it has no name. Builtin entities
// are found by their last names; another entity with such a name is told apart by colons.
std::string json_path(const entity& named);

// Names and parents are part of the path; kith's own notes about types are left out.
bool is_json_fact(id_t id);

// True for the pair that keeps JSON of a component which nobody knew (kept_json).
bool is_kept_json(id_t id);

}  // namespace kith::dsl
