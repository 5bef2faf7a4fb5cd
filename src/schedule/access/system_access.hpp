// The access of a system, from the terms of its query and from declarations.
#pragma once

#include <kith/detail/query_ops.hpp>

#include "access/access_set.hpp"

namespace kith::scheduling {

// Adds the access that follows from the terms of a query. Terms without id (comparisons and scopes)
// add nothing. A term with a list of ids (AndFrom and the like) counts as access to every id.
void add_terms(const detail::query_head* query, access_list& list);
// Adds what a condition reads. Conditions only read, whatever access their terms declare.
void add_condition_terms(const detail::query_head* query, access_list& list);
// Adds the ids that queued ids imply: by With, Symmetric, exclusive relationships, derived
// components and IsA. Requires: the entities of the ids are declared; plans call the function each
// time they are made, so that properties which were added later count from the next plan on.
void add_implied(world_t* world, access_list& list);

}  // namespace kith::scheduling
