// How the path of a file may go on.
#pragma once

#include "line_source.hpp"

#include <string>

namespace kith_app {

// The path begins at `from` of the text. Folders end in `/`.
completions complete_path(const std::string& text, std::size_t from);

}  // namespace kith_app
