// The order of a world's storage: the numbers of ids and tables, the order of rows and of links.
// Two worlds with equal facts and equal order have equal hashes. Save files keep the order, and
// loading gives it to the world that was made of the facts.
#pragma once

#include <kith/detail/state_ops.hpp>

#include "mutate/context/stage.hpp"
#include "mutate/state/world_state.hpp"

namespace kith::mutate {

// The entities that may be targets of links, in the order of their indices.
std::vector<entity_t> find_link_targets(const storage::store& data);

// Reads the order. Lists of rows and links that follow from the order of ids are left out.
detail::storage_order read_order(const storage::store& data);

// Orders rows and links, and makes the ids and empty tables that the order lists. The facts of the
// world do not change. Entries that do not fit the world are ignored. Requires: no query, observer
// or pointer to values of the world exists.
void order_storage(storage::store& data, const detail::storage_order& order);

// A state with the same facts whose ids and tables have the numbers of the order. Ids and tables
// that are neither used nor listed are left out.
std::shared_ptr<const world_state> renumber_state(const world_state& state,
                                                  const detail::storage_order& order);

}  // namespace kith::mutate
