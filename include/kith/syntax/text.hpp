// What the core's messages and the language have in common.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kith::syntax {

// Appends a name, in quotes if it would be read as something else without them.
void append_name(std::string_view name, std::string& out);
void append_quoted(std::string_view text, std::string& out);

// A line with line and column, and the line of the text itself with carets below the place. Empty
// where src/dsl is left out.
std::string place_in_text(const char* text, std::uint32_t begin, std::uint32_t end);

}  // namespace kith::syntax
