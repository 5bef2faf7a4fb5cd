// Reachability along a relationship, which may have cycles: the nearest entities, shortest paths,
// cycles, and subtypes. Implemented in reach.cpp.
//
// Covered by tests/unit/graph/reach_test.cpp.
#pragma once

#include "graph/visit_set.hpp"
#include "storage/store.hpp"

#include <vector>

namespace kith::graph {

// The entities that a relationship leads to from an entity, the nearest first; at most `limit`.
std::vector<entity_t> reached_from(const storage::store& data, std::uint32_t relation,
                                   entity_t from, std::size_t limit);

// A shortest path between two different entities, both included. Empty if there is no path, or none
// within the nearest `limit` entities.
std::vector<entity_t> shortest_path(const storage::store& data, std::uint32_t relation,
                                    entity_t from, entity_t to, std::uint32_t limit = 0xFFFFFFFF);

// True if pairs of the relation lead from one index to another. The search alternates between both
// ends, edge by edge, so the work is proportional to the smaller side. `exclusive`: a source has
// one target at most, so no entity is reached twice. Memory comes from the world.
bool is_reachable(const storage::store& data, containers::memory& mem, std::uint32_t relation,
                  bool exclusive, std::uint32_t from, std::uint32_t to);

// A pair that lies on a cycle of the relation, in a graph of any form. Work and memory are linear
// in the number of pairs.
struct cycle_edge {
    entity_t source = 0;  // 0: the relation has no cycle
    entity_t target = 0;
};
cycle_edge find_cycle(const storage::store& data, std::uint32_t relation);

// True if the entity with this index is `base`, or has it as a base, directly or not.
bool is_subtype_of(const storage::store& data, std::uint32_t index, entity_t base);
// The entity and all entities that have it as a base, directly or not, the nearest first.
visit_set subtypes_of(const storage::store& data, entity_t base);

}  // namespace kith::graph
