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
// How large it is.
std::string stats_text(const kith::world& world);

}  // namespace kith_app
