// Brings the groups of a query up to date before a run.
#pragma once

#include <kith/detail/query_ops.hpp>

#include "query/compiled_query.hpp"

namespace kith::queries {

// Asks for the groups of tables that came, and tells of groups that came and went. The query must
// be fresh, and have groups.
void refresh_groups(const compiled_query& query, world_t* stage);

// The same, if it matters to a run.
inline void refresh_groups(const compiled_query& query, world_t* stage,
                           const detail::run_options& options) {
    if (query.caches_groups || (query.order->by.has_callbacks() && options.is_plain())) {
        refresh_groups(query, stage);
    }
}

}  // namespace kith::queries
