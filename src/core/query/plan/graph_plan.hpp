// The plan of a query with variables, scopes, transitive relationships or substitution: a list of
// ops, some of which (blocks) contain the ops that follow them. The planner orders ops by the
// number of results that they are expected to have with the present data. Results do not depend on
// the order: an op reads the variables that are bound when it runs, and binds the others.
//
// Invariants
// 1. A block at position i contains the ops [i + 1, ops[i].next); other ops have next == i + 1.
// 2. `previous` and `tail` link the ops of one level, blocks counted as one op; 0xFF is the end.
// 3. `meanings` has one entry for each term of the model.
// 4. A term in `cached` has no op; the match cache of the query answers it.
//
// Implemented in make_graph_plan.cpp.
// Covered by tests/features/queries/graph_plan_test.cpp.
#pragma once

#include "query/model/clauses.hpp"
#include "query/plan/plan.hpp"
#include "query/plan/term_semantics.hpp"

#include <vector>

namespace kith::queries {

struct graph_op : op {
    std::uint8_t variable = no_variable;  // enumerate: bound variable; intersect: its open source
    std::uint8_t next = 0;                // position after the op and its inside
    std::uint8_t previous = 0;            // op before it on the same level
    std::uint8_t tail = 0;                // block: the last op of its inside
    bool must = false;           // match_term: evaluated as And, whatever the operator of the term
    bool exact = false;          // match_term: a single id once the target is bound
    bool linkable = false;       // match_term: plain pairs of a named relationship
    bool outer_target = false;   // the target was bound before the source
    bool about_sources = false;  // not_exists: see term_facts::is_about_sources()
    std::uint64_t terms = 0;     // intersect: its terms, as bits
    variable_set depends = 0;    // the op is skipped while one of these variables is unset
    double expected = 0;         // expected results of one evaluation
};

struct graph_plan {
    std::vector<graph_op> ops;
    std::uint32_t tail = 0;  // the last op on the outermost level
    // Sets of terms, as bits.
    std::uint64_t dead = 0;    // terms that name deleted entities
    std::uint64_t cached = 0;  // terms that the match cache answers
    std::uint64_t rows = 0;    // terms that may differ between rows of one table
    subset_terms subsets;
    std::uint64_t scannable = 0;           // plain required terms: a scan may start with their ids
    std::vector<term_semantics> meanings;  // of each term
};

// Makes the graph plan of a model. `bound` is the set of variables that have values from the start.
// `cached` are terms that the match cache could answer; the plan does without the cache if bound
// variables lead to $this in fewer steps. `ordered`: the rows of $this come in an order that is
// made before the run.
std::shared_ptr<const graph_plan> make_graph_plan(const storage::store& data,
                                                  const query_model& model, variable_set bound,
                                                  std::uint64_t cached, bool ordered);

}  // namespace kith::queries
