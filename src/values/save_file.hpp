// Files as wholes: replacing one in one step, and reading one with a limit of its size.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kith::values {

// Writes a temporary file in the same folder and renames it. On failure the old file is untouched,
// and the temporary one is removed. Throws [invalid_operation] with the system's message.
void replace_file(const char* path, std::string_view bytes, bool sync);
// Throws [invalid_operation] if the file cannot be read, [invalid_file] if it is larger than
// `most`.
std::string read_file(const char* path, std::uint64_t most);

}  // namespace kith::values
