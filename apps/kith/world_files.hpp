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
// The format with this name: text, json, binary.
std::optional<file_form> find_form(std::string_view name) noexcept;

// Writes a world; standard output if the path is `-` or empty. `query` limits a save file to the
// entities of the results; empty: all. Throws input_error and kith::error.
void save_world(const kith::world& world, const std::string& path, file_form form,
                const std::string& query);

// The facts that are in one of two worlds only, one per line; empty if there are none.
std::string differing_facts(const std::string& before, const std::string& after);
// Returns the facts of a world, one per line: its differences from a new world, which `start`
// holds.
std::string facts_of(const kith::snapshot& start, const kith::world& world);

}  // namespace kith_app
