// Parts of JSON for its writers.
#pragma once

#include <kith/json.hpp>

#include "text_writer.hpp"

#include <string>
#include <string_view>

namespace kith::values {

// Text in quotes with escapes. `html_safe` escapes the characters by which a text could end a
// script element or a line of it. Requires: the text is UTF-8.
void append_json_string(std::string& out, std::string_view text, bool html_safe = false);

// Appends a value; the style decides how entities and parts without description are written.
void append_json_value(std::string& out, const text_style& style, const description& type,
                       const void* value, const json_options& options);

}  // namespace kith::values
