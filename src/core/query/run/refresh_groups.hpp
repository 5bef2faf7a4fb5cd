// Updates the list of a query's groups before a run.
//
// Implemented in refresh_groups.cpp.
#pragma once

#include <kith/detail/query_ops.hpp>

#include "query/compiled_query.hpp"

namespace kith::queries {

// Asks for the groups of new tables, and calls on_group_create and on_group_delete. Requires: the
// query is fresh and has groups.
void refresh_groups(const compiled_query& query, world_t* stage);

// Updates the groups if a run with these options depends on them.
inline void refresh_groups(const compiled_query& query, world_t* stage,
                           const detail::run_options& options) {
    if (query.caches_groups || (query.order->by.has_callbacks() && options.is_plain())) {
        refresh_groups(query, stage);
    }
}

}  // namespace kith::queries
