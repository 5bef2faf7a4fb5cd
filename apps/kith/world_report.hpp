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
// The report of an entity: its id, then its ids and values, one per line; that of all named ones.
enum class shown_ids { all, values };
std::string entity_text(const kith::world& world, const kith::entity& entity, shown_ids shown);
// With `values`, entities without values are left out.
std::string entities_text(const kith::world& world, shown_ids shown);
// The declarations of all types that have values in the world.
std::string types_text(const kith::world& world);
// How large it is.
std::string stats_text(const kith::world& world);

}  // namespace kith_app
