// JSON in the table form of Flecs: the compiled functions behind members of worlds, entities and
// runs. Implemented in src/dsl; refused where src/no_values is linked in its place.
#pragma once

#include <kith/fwd.hpp>
#include <kith/id.hpp>
#include <kith/string.hpp>

namespace kith::detail {

string value_to_json(world_t* world, entity_t type, const void* value);
string world_to_table_json(world_t* world);
string entity_to_table_json(world_t* world, entity_t entity, const entity_to_json_desc_t* desc);
// The results of a run; `next` gives the next one, null behind the last.
string results_to_table_json(void* run, iter* (*next)(void* run), const iter_to_json_desc_t* desc);

// These return the end of the text. They throw where Flecs returns null.
const char* value_from_json(world_t* world, entity_t type, void* value, const char* text,
                            const from_json_desc_t* desc);
const char* world_from_table_json(world_t* world, const char* text, const from_json_desc_t* desc);
const char* entity_from_table_json(world_t* world, entity_t entity, const char* text);
void set_json_value(world_t* world, entity_t entity, id_t id, const char* text,
                    const from_json_desc_t* desc);

}  // namespace kith::detail
