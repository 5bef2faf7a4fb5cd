// Whole files in and out.
#pragma once

#include <string>

namespace kith_app {

// The text of a file, of standard input if the path is `-`. Throws input_error if it cannot be
// read, is a directory, or is not text.
std::string read_text(const std::string& path);

// As messages call it.
std::string shown_path(const std::string& path);

// Replaces a file at once: whoever reads it sees the old text or the new one. Keeps its
// permissions, and follows a link to it. Throws input_error, and then the file is as it was.
void replace_file(const std::string& path, const std::string& text);

}  // namespace kith_app
