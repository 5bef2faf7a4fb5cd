// Paths between entities along a relationship, which explain the results of searches and transitive
// relationships. Runs of queries do not use them. Implemented in paths.cpp.
#pragma once

#include "storage/store.hpp"

#include <vector>

namespace kith::queries {

// Entities that a relationship leads to from one, the nearest first; at most `limit`.
std::vector<entity_t> dependents_of(const storage::store& data, entity_t from,
                                    std::uint32_t relation, std::size_t limit);
// What lies on a shortest way between two entities, neither of them counted. Empty if there is
// nothing between them, or no way within the first 10,000 entities.
std::vector<entity_t> way_between(const storage::store& data, entity_t from, entity_t to,
                                  std::uint32_t relation);

}  // namespace kith::queries
