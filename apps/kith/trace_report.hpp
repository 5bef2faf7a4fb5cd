// A trace file of a world (world.trace_json): checked, and summed up by name.
#pragma once

#include <string>

namespace kith_app {

// A table with a line per kind and name, longest first, and a line about the whole. Throws
// input_error if the text is no JSON, no trace, or has intervals of a thread that overlap; `file`
// begins the message.
std::string trace_report(const std::string& text, const std::string& file, bool colours);

}  // namespace kith_app
