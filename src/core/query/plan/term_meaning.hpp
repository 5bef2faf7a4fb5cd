// What terms mean beyond the ids they name, by the properties that relationships have now, and what
// follows for the way in which a query is run.
//
// Covered by tests/core/query/graph_plan_test.cpp.
#pragma once

#include "query/model/clauses.hpp"
#include "storage/store.hpp"

namespace kith::queries {

// How a term's relationship is to be taken, by its properties.
struct term_semantics {
    bool transitive = false;
    bool reflexive = false;
    bool first_subsets = false;   // what is below the first element by IsA counts, too
    bool second_subsets = false;  // the same for the second
    bool is_plain() const noexcept {
        return !transitive && !reflexive && !first_subsets && !second_subsets;
    }
    bool operator==(const term_semantics&) const = default;
};
term_semantics find_semantics(const storage::store& data, const term& term) noexcept;

// True if the term looks on its source and on the bases of that.
bool searches_self_or_bases(const term& term) noexcept;

// True if the query needs a graph plan, as the world is.
bool is_graph(const storage::store& data, const query_model& model) noexcept;
// The terms for which subsets of the first element count, and those of the second.
struct subset_terms {
    std::uint64_t first = 0;
    std::uint64_t second = 0;
    bool operator==(const subset_terms&) const = default;
};
subset_terms find_subsets(const storage::store& data, const query_model& model) noexcept;
// True if each term is one id that $this has or lacks, once the `bound` variables have values, and
// no others are left.
bool is_given(const storage::store& data, const query_model& model, variable_set bound) noexcept;
// The terms that have to be looked at row by row.
std::uint64_t find_row_terms(const storage::store& data, const query_model& model) noexcept;

}  // namespace kith::queries
