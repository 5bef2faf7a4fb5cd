// Strings of JSON.
#pragma once

#include <string>
#include <string_view>

namespace kith::values {

// Text in quotes with escapes. `html_safe` escapes the characters by which a text could end a
// script element or a line of it. Requires: the text is UTF-8.
void append_json_string(std::string& out, std::string_view text, bool html_safe = false);

}  // namespace kith::values
