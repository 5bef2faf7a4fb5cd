// Parts of JSON for its writers.
#pragma once

#include <kith/json.hpp>

#include <string>
#include <string_view>

namespace kith::values {

// Text in quotes with escapes. `html_safe` escapes the characters by which a text could end a
// script element or a line of it. Requires: the text is UTF-8.
void append_json_string(std::string& out, std::string_view text, bool html_safe = false);

// Appends the path of an entity in quotes, its number if it has no name, 0 for the null entity.
void append_json_entity(std::string& out, const world_t* world, entity_t entity,
                        const json_options& options);

}  // namespace kith::values
