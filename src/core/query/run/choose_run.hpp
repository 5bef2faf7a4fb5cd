// The choice of the strategy by which a query is run; the strategies are described in
// plan/run_strategy.hpp.
//
// Covered by tests/features/queries/explain_test.cpp and the tests of the runs.
#pragma once

#include <kith/detail/query_ops.hpp>

#include "query/compiled_query.hpp"

namespace kith::queries {

// True if the caller wants all rows, in any order.
inline bool ignores_order(const detail::run_options& options) noexcept {
    return options.unordered && !options.one_group;
}
// True if the results of a run have an order: by group, by depth or by sort keys.
inline bool is_ordered(const compiled_query& query, const detail::run_options& options) noexcept {
    return query.order && !ignores_order(options);
}

// The strategy for a run with these options. Requires: the query is fresh (ensure_fresh()).
run_strategy choose_run(const compiled_query& query, const storage::store& data,
                        const detail::run_options& options);

}  // namespace kith::queries
