// The structure of a query: the variables that have a value in every result, the terms that hold in
// every result or in none, and for each term a route from its variables to such a variable.
//
// Invariants
// 1. `bound_` holds the variables with a value in every result.
// 2. Level 0 is the query; each other level is a negated or optional scope, or an alternative, and
//    lies inside its outer level. level_of_[t] is the level of term t, -1 for terms that open or
//    close scopes.
// 3. required_, alternatives_ and forbidden_ have one bit per term and do not overlap.
// 4. routes_[t] leads from a variable of term t to a member of `bound_`, or is not known; then a
//    change of the term affects every result.
//
// Covered by the random queries of tests/model/monitor_test.cpp.
#pragma once

#include "query/model/clauses.hpp"

#include <vector>

namespace kith::observe {

using queries::variable_set;

// Requires: the model lives longer.
class query_structure {
public:
    // A step of a route: a term joins the variable with another one.
    struct hop {
        std::uint8_t term;
        bool to_target;        // from the source of the term to its target, or back
        std::uint8_t reached;  // a variable
    };
    // The way from a variable of a term to a variable that is known outside of the term's scope.
    struct route {
        bool is_known = false;
        std::uint8_t start = 0;  // a variable of the term
        std::vector<hop> hops;
    };
    explicit query_structure(const queries::query_model& model);

    // The variables that have a value in every result.
    variable_set bound() const noexcept { return bound_; }
    // The term holds in every result.
    bool is_required(std::uint32_t term) const noexcept { return (required_ >> term) & 1; }
    // The term is a wildcard of an Or chain of wildcards; one member of the chain holds in every
    // result.
    bool is_alternative(std::uint32_t term) const noexcept { return (alternatives_ >> term) & 1; }
    // The term holds in no result.
    bool is_forbidden(std::uint32_t term) const noexcept { return (forbidden_ >> term) & 1; }
    // Some results need no id of $this: an entity without ids can be a result.
    bool is_open() const noexcept { return open_; }
    const route& route_of(std::uint32_t term) const noexcept { return routes_[term]; }

private:
    // Terms that hold together: the terms of the query, or of a scope that is negated, optional, or
    // an alternative.
    struct level {
        std::uint32_t first;
        std::uint32_t last;
        std::int32_t outer;             // the level around this one, -1: none
        queries::scope_bindings known;  // which variables have values here, and by which clauses
        std::vector<std::uint8_t> group_of;  // by term: the first term of its clause
    };

    void add_level(std::uint32_t first, std::uint32_t last, std::int32_t outer,
                   variable_set outside, bool required);
    void read_clauses(std::uint32_t first, std::uint32_t last, std::int32_t inside, bool required);
    route find_route(std::uint32_t term) const;
    // True if the term `hop_term` joins `from` with another variable, for results that a change of
    // `affected_term` can affect. `hop` is the step then.
    bool can_hop(const level& where, std::uint32_t affected_term, std::uint32_t hop_term,
                 std::uint8_t from, hop& hop) const;

    const queries::query_model& model_;
    variable_set bound_ = 0;
    std::uint64_t required_ = 0;
    std::uint64_t alternatives_ = 0;
    std::uint64_t forbidden_ = 0;
    bool open_ = false;
    std::vector<level> levels_;
    std::vector<std::int32_t> level_of_;
    std::vector<route> routes_;
};

}  // namespace kith::observe
