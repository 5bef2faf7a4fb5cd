// How many cells of a terminal a text takes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kith_app {

// UTF-8: wide characters count two, combining ones none, what is no UTF-8 one a byte.
std::size_t display_width(std::string_view text);

// The text with control characters as escapes, so that names cannot steer the terminal.
std::string printable(std::string_view text);
// The same for each line of a text, with the ends of lines as they are.
std::string printable_lines(const std::string& text);

}  // namespace kith_app
