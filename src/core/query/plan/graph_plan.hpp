// The steps of a query with variables, scopes, closures or substitution, in the order in which they
// are cheapest by what there is now. The result does not depend on that order: a step takes what is
// bound when it runs, and binds the rest.
//
// Covered by tests/core/query/graph_plan_test.cpp.
#pragma once

#include "query/model/clauses.hpp"
#include "query/plan/plan.hpp"
#include "query/plan/term_meaning.hpp"

#include <vector>

namespace kith::queries {

struct graph_op : op {
    std::uint8_t variable = no_variable;  // of seek; of meet: the source, if it is open
    std::uint8_t next = 0;                // behind the step, and what is inside of it
    std::uint8_t previous = 0;
    std::uint8_t tail = 0;       // of a block: the last step in it
    bool must = false;           // of find: as if the operator were And
    bool exact = false;          // of find: one id, once its target is known
    bool linkable = false;       // of find: pairs of a named relationship, as they are
    bool outer_target = false;   // its target is known longer than its source
    bool about_sources = false;  // of none: see is_about_sources()
    std::uint64_t terms = 0;     // of meet
    variable_set depends = 0;    // skipped while one of these is not bound
    double expected = 0;         // results for each time it is asked
};

struct graph_plan {
    std::vector<graph_op> ops;
    std::uint32_t tail = 0;  // the last step on the outermost level
    std::uint64_t dead = 0;
    std::uint64_t cached = 0;  // terms that the cache answers
    std::uint64_t rows = 0;    // that are looked at row by row
    subset_terms subsets;
    std::uint64_t scannable = 0;           // that every result has, as they are written
    std::vector<term_semantics> meanings;  // of each term
};

// `bound`: variables that have values from the start. `cached`: terms that a cache of tables
// answers; 0: none does. Where variables have values, the plan may do without the cache. `ordered`:
// $this comes in an order that is made before.
std::shared_ptr<const graph_plan> make_graph_plan(const storage::store& data,
                                                  const query_model& model, variable_set bound,
                                                  std::uint64_t cached, bool ordered);

}  // namespace kith::queries
