// The order in which a query gives its results: groups, and inside of them what they are sorted by.
#pragma once

#include "query/order/grouping.hpp"
#include "query/order/sort_index.hpp"
#include "query/validate/validate.hpp"

namespace kith::queries {

struct result_order {
    grouping by;
    group_list groups{by};
    std::vector<sort_key> keys;
    bool sorting = false;                          // a run is at it
    sort_index all;                                // results of all groups,
    std::map<std::uint64_t, sort_index> of_group;  // and of those that were asked for by themselves

    result_order() noexcept = default;
    ~result_order();
    result_order(const result_order&) = delete;
    result_order& operator=(const result_order&) = delete;
};

// Null if the description asks for no order. Mistakes are refused with an error that says what is
// wrong.
std::unique_ptr<result_order> make_result_order(const storage::store& data, const resolver& names,
                                                const query_desc& desc, const query_model& model);

// Adds the same order to the description of another query, which has the same terms. What is told
// of groups, and who ends the context, stays with the first.
void describe_order(const result_order& order, std::vector<order_desc>& keys, query_desc& desc);

}  // namespace kith::queries
