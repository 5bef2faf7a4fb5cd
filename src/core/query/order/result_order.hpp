// The order in which a query gives its results: groups, and inside of them what they are sorted by.
#pragma once

#include "query/order/grouping.hpp"
#include "query/order/materialized_results.hpp"
#include "query/validate/validate.hpp"

#include <mutex>

namespace kith::queries {

struct result_order {
    grouping by;
    group_list groups{by};
    std::vector<sort_key> keys;
    bool sorting = false;                          // a run is at it
    sort_index all;                                // results of all groups,
    std::map<std::uint64_t, sort_index> of_group;  // and of those that were asked for by themselves
    // Results of the last run, where they may be single rows, and what they depend on.
    bool keeps_results = false;
    semantics_snapshot semantics;  // for which that was found out
    change_dependencies dependencies;
    std::mutex keeping;
    kept_results kept;

    result_order() noexcept = default;
    ~result_order();
    result_order(const result_order&) = delete;
    result_order& operator=(const result_order&) = delete;
};

// Null if the description asks for no order. Mistakes are refused with an error that says what is
// wrong.
std::unique_ptr<result_order> make_result_order(const storage::store& data, const resolver& names,
                                                const query_desc& desc, const query_model& model);

// From now on it is counted when the values change that results are sorted by, and what decides
// which results there are, if they may be kept. Again after the world has changed what ids mean;
// not while others read.
void track_order(storage::store& data, const query_model& model, result_order& order);

// Adds the same order to the description of another query, which has the same terms. What is told
// of groups, and who ends the context, stays with the first.
void describe_order(const result_order& order, std::vector<order_desc>& keys, query_desc& desc);

}  // namespace kith::queries
