// What is in a world, as text.
#pragma once

#include <kith/kith.hpp>

#include <string>

namespace kith_app {

// Who is below whom, by a relationship; `root` null: all that has no parent. Long trees are cut.
std::string tree_text(const kith::world& world, const kith::entity& relation,
                      const kith::entity& root);
// Relationships with their properties and tags, with how often they occur.
std::string schema_text(const kith::world& world);
// An entity with its id, its ids and values, one per line; all entities with names.
std::string entity_text(const kith::world& world, const kith::entity& entity);
std::string entities_text(const kith::world& world);
// The declarations of all types that have values in the world.
std::string types_text(const kith::world& world);
// How large it is.
std::string stats_text(const kith::world& world);

}  // namespace kith_app
