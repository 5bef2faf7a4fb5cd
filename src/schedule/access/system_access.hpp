// The access of a system, from the terms of its query and from declarations.
#pragma once

#include <kith/detail/query_ops.hpp>

#include "access/access_set.hpp"

namespace kith::scheduling {

// Adds the access that follows from the terms of a query.
void add_terms(const detail::query_head* query, access_list& list);
// Adds what a condition reads.
void add_condition_terms(const detail::query_head* query, access_list& list);
// Adds the ids that queued ids imply: by With, Symmetric, exclusive relationships, derived
// components and IsA.
void add_implied(world_t* world, access_list& list);

}  // namespace kith::scheduling
