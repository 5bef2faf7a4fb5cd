// The expected number of results of terms and clauses, given that some variables have values. The
// planner of graph plans places the clause with the lowest expectation first.
//
// Covered by tests/features/queries/graph_plan_test.cpp.
#pragma once

#include "query/model/clauses.hpp"
#include "query/plan/term_semantics.hpp"
#include "storage/store.hpp"

#include <vector>

namespace kith::queries {

class expected_results {
public:
    expected_results(const storage::store& data, const query_model& model,
                     const std::vector<term_semantics>& meanings) noexcept;

    // The number of entities of the world, at least 1.
    double everything() const noexcept { return everything_; }
    // Results for one evaluation of the term; a number below 1 is a probability.
    double of_term(std::uint32_t number, variable_set bound) const noexcept;
    // The sum over the alternatives of a chain, the minimum over the required clauses of a scope.
    double of_group(const clause& clause, variable_set bound) const noexcept;

private:
    const storage::store& data_;
    const query_model& model_;
    const std::vector<term_semantics>& meanings_;
    double everything_;
};

}  // namespace kith::queries
