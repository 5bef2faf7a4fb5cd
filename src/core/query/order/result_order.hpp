// The order of a query's results: its groups (group_by), its sort keys (order_by), and the state
// that is kept between runs so that a run sorts only what has changed.
//
// Implemented in result_order.cpp.
#pragma once

#include <kith/detail/mutex.hpp>

#include "query/order/grouping.hpp"
#include "query/order/materialized_results.hpp"
#include "query/validate/validate.hpp"

namespace kith::queries {

struct result_order {
    grouping by;
    group_list groups{by};
    std::vector<sort_key> keys;                    // empty: results are grouped only
    bool sorting = false;                          // see ordering_lock.hpp
    sort_index all;                                // results of all groups
    std::map<std::uint64_t, sort_index> of_group;  // results of single groups that were asked for
    // The results of the last run are kept if finding them again costs more than sorting them.
    bool keeps_results = false;        // decided by track_order()
    semantics_snapshot semantics;      // of the terms, when it was decided
    change_dependencies dependencies;  // of the kept results
    detail::mutex keeping;             // guards `kept`
    kept_results kept;

    result_order() noexcept = default;
    ~result_order();
    result_order(const result_order&) = delete;
    result_order& operator=(const result_order&) = delete;
};

// Resolves the order that a description asks for; null if it asks for none. Raises an error for
// keys and groups that the query cannot have.
std::unique_ptr<result_order> make_result_order(const storage::store& data, const resolver& names,
                                                const query_desc& desc, const query_model& model);

// Keys and groups by an entity whose place a C++ type has taken are those of the type.
void follow_replaced(const storage::store& data, result_order& order) noexcept;

// Starts to record the ticks of changes of sort values, and of the dependencies of results if they
// may be kept. To be called again when order.semantics no longer holds. Requires: as
// track_dependencies().
void track_order(storage::store& data, const query_model& model, result_order& order);

// Adds the order to the description of another query with the same terms. The other query does not
// call the callbacks of groups, and does not free their context.
void describe_order(const result_order& order, std::vector<order_desc>& keys, query_desc& desc);

}  // namespace kith::queries
