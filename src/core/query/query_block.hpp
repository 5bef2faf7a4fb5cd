// The memory of queries, and their end. A query is one block: the compiled_query, its terms, the
// names of its variables, and the texts of names. It is shared by handles, and may outlive its
// world.
//
// Also implements free_query() and raise_query_gone() of include/kith/detail/query_ops.hpp.
#pragma once

#include "query/compiled_query.hpp"
#include "query/validate/validate.hpp"

namespace kith::queries {

// Makes an empty query, and stores where the parts behind it begin.
compiled_query& make_block(const query_desc& desc, model_buffers& room);
// Destroys a query that is in no list and has no link to a world.
void end_block(compiled_query& query) noexcept;

// Adds a query to the list of its world, until it ends.
void add_to_list(compiled_query*& list, compiled_query& query) noexcept;

// Gives up a link between queries and their world.
void release_link(detail::weak_world* link) noexcept;

}  // namespace kith::queries
