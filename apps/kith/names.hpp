// The names of a world, for completion and suggestions.
#pragma once

#include <kith/kith.hpp>

#include "line_source.hpp"

#include <string>
#include <vector>

namespace kith_app {

// Made by the world's users: not those that every world has.
bool is_builtin(kith::entity_t entity);

// Calls func(entity) for every entity with a name that some user of the world made, prefabs and
// disabled ones among them.
template <class Func>
void each_named(const kith::world& world, const Func& func) {
    world.filter_builder()
        .with<kith::Identifier>(kith::Name)
        .with(kith::Prefab)
        .optional()
        .with(kith::Disabled)
        .optional()
        .build()
        .each(func);
}

// The entity at a path with `.` or `::`, with quotes where names need them. Throws input_error with
// a suggestion if there is none.
kith::entity find_named(const kith::world& world, const std::string& path);
// The same; null if there is none.
kith::entity lookup_path(const kith::world& world, const std::string& path);

// Where the first of several paths ends: at a blank that is in no quotes.
std::size_t end_of_first_path(std::string_view text);

// How the end of a line may go on: names of entities, and words of the query language.
completions complete_name(const kith::world& world, const std::string& text);

}  // namespace kith_app
