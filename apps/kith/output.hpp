// Where the program writes to, and how it looks there.
#pragma once

#include "interrupt.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace kith_app {

// Standard output. What reads it may go away (`kith query … | head`): then the program ends,
// quietly and at once. Any other failure throws input_error.
void write_out(std::string_view text);
void flush_out();
// The same line by line, until somebody wants it to stop: then false, and the rest is dropped.
bool write_out(std::string_view text, const interrupt& stop);
bool out_is_terminal();
// Standard error, in red on a terminal.
void write_error(std::string_view message);

// Colours are for terminals, and for those who want them (NO_COLOR).
bool out_has_colours();
bool error_has_colours();

// The text between the codes of a style, or as it is.
std::string bold(std::string_view text, bool colours);
std::string faint(std::string_view text, bool colours);

// `1 fact`, `2 facts`.
std::string counted(std::uint64_t count, const char* one, const char* several);

}  // namespace kith_app
