// Functions of the language that messages of the core use: quoting names, and showing a place of a
// text. append_name() is implemented in src/core/names, locate_in_text() in src/dsl/lower.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kith::syntax {

// Appends a name, in quotes if it would be read as something else without them.
void append_name(std::string_view name, std::string& out);
// True if the name needs no quotes.
bool is_bare_name(std::string_view name) noexcept;
void append_quoted(std::string_view text, std::string& out);

// A message with the place that it is about: line and column before it, and below it the line of
// the text with carets.
std::string locate_in_text(const char* text, std::uint32_t begin, std::uint32_t end,
                           std::string_view message);

}  // namespace kith::syntax
