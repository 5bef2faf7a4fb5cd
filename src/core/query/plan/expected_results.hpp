// How many results parts of a query have, about, each time they are asked while some variables have
// values: what the cheapest order of its terms is chosen by.
//
// Covered by tests/core/query/graph_plan_test.cpp.
#pragma once

#include "query/model/clauses.hpp"
#include "query/plan/term_meaning.hpp"
#include "storage/store.hpp"

#include <vector>

namespace kith::queries {

class expected_results {
public:
    expected_results(const storage::store& data, const query_model& model,
                     const std::vector<term_semantics>& meanings) noexcept;

    double everything() const noexcept { return everything_; }
    double of_term(std::uint32_t number, variable_set bound) const noexcept;
    double of_group(const clause& clause, variable_set bound) const noexcept;

private:
    const storage::store& data_;
    const query_model& model_;
    const std::vector<term_semantics>& meanings_;
    double everything_;
};

}  // namespace kith::queries
