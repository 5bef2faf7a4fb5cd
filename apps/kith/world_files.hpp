// Worlds in files of all formats: as text, as JSON, as save files.
#pragma once

#include <kith/kith.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace kith_app {

enum class file_form { text, json, binary };

// The format that the ending of a path says: `.json`, `.kithb`; others are text.
file_form form_of(std::string_view path) noexcept;
// True for paths that end as files of worlds do.
bool is_world_path(std::string_view path) noexcept;
// The format with this name: text, json, binary.
std::optional<file_form> find_form(std::string_view name) noexcept;

// How a world is written.
struct file_settings {
    file_form form;
    std::string query;    // limits the file to the entities of the results; empty: all
    bool zstd = false;    // of save files
    bool pretty = false;  // of JSON
};

// Writes a world; standard output if the path is `-` or empty. Throws input_error and kith::error.
void save_world(const kith::world& world, const std::string& path, const file_settings& settings);

// A table of the parts of a save file: their sizes, and how they are packed.
std::string blocks_text(const std::string& path);

}  // namespace kith_app
