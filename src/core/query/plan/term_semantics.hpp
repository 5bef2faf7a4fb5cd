// The meaning that terms have beyond the ids they name, by the present properties of relationships
// and the present IsA pairs, and the kinds of plans and runs that this meaning allows.
//
// Covered by tests/features/queries/graph_plan_test.cpp.
#pragma once

#include "query/model/clauses.hpp"
#include "storage/store.hpp"

namespace kith::queries {

// How a term is to be understood. A plain term matches exactly the ids of its pattern.
struct term_semantics {
    bool transitive = false;      // targets of targets match
    bool reflexive = false;       // each entity is a target of itself
    bool first_subsets = false;   // ids match whose first element is below the named one by IsA
    bool second_subsets = false;  // ids match whose second element is below the named one by IsA
    bool is_plain() const noexcept {
        return !transitive && !reflexive && !first_subsets && !second_subsets;
    }
    bool operator==(const term_semantics&) const = default;
};
term_semantics find_semantics(const storage::store& data, const term& term) noexcept;

// True if the term searches its source and the bases of its source, and nothing else.
bool searches_self_or_bases(const term& term) noexcept;

// True if the query needs a graph plan with the present meaning of its terms.
bool is_graph(const storage::store& data, const query_model& model) noexcept;
// The terms with first_subsets and with second_subsets, as bits.
struct subset_terms {
    std::uint64_t first = 0;
    std::uint64_t second = 0;
    bool operator==(const subset_terms&) const = default;
};
subset_terms find_subsets(const storage::store& data, const query_model& model) noexcept;
// True if each term is one id that $this must, must not or may have, once the `bound` variables
// have values, and the query has no other variables.
bool is_given(const storage::store& data, const query_model& model, variable_set bound) noexcept;
// The terms that may differ between rows of one table, as bits.
std::uint64_t find_row_terms(const storage::store& data, const query_model& model) noexcept;

}  // namespace kith::queries
