// The structure of a query's terms. A clause is a run of terms that holds or fails as one: a single
// term, a scope, or a chain of alternatives joined by Or. A level is the sequence of clauses of the
// query, or of one scope. analyze_bindings() determines which clause gives a value to which
// variable of a level; find_variable_fault() finds variables for which no order of clauses works.
//
// Implemented in clauses.cpp.
// Covered by tests/features/queries/clauses_test.cpp.
#pragma once

#include "query/model/query_model.hpp"

namespace kith::queries {

// A set of variables: bit i is variable i.
using variable_set = std::uint64_t;

// The set of one variable; the empty set for no_variable.
constexpr variable_set only(std::uint8_t variable) noexcept {
    return variable == no_variable ? 0 : variable_set{1} << variable;
}
inline constexpr variable_set this_variable = 1;

enum class clause_kind : std::uint8_t { term, scope, chain };

// Terms [first, last) of one level. A scope includes its brackets.
struct clause {
    clause_kind kind;
    std::uint32_t first;
    std::uint32_t last;
};

// The term, or the whole scope, that begins at `position`, without the rest of an Or chain.
// Requires: `position` is a term of the model and no scope_close.
inline clause alternative_at(const query_model& model, std::uint32_t position) noexcept {
    if (model.terms[position].kind == term_kind::scope_open) {
        return {clause_kind::scope, position, model.terms[position].scope_end + 1u};
    }
    return {clause_kind::term, position, position + 1};
}

// The whole clause that begins at `position`: alternative_at() and the alternatives joined to it.
inline clause clause_at(const query_model& model, std::uint32_t position) noexcept {
    clause clause = alternative_at(model, position);
    while (model.terms[clause.last - 1].oper == Or) {
        clause = {clause_kind::chain, position, alternative_at(model, clause.last).last};
    }
    return clause;
}

// Calls visit(clause) for each clause of the level [first, last).
template <class Visit>
void each_clause(const query_model& model, std::uint32_t first, std::uint32_t last, Visit&& visit) {
    while (first < last) {
        clause clause = clause_at(model, first);
        visit(clause);
        first = clause.last;
    }
}
// Calls visit(clause) for each alternative of a chain.
template <class Visit>
void each_alternative(const query_model& model, const clause& chain, Visit&& visit) {
    for (std::uint32_t position = chain.first; position < chain.last;) {
        clause clause = alternative_at(model, position);
        visit(clause);
        position = clause.last;
    }
}

// The operator of a whole clause: And, Not, Optional, AndFrom, OrFrom or NotFrom.
inline oper_kind_t operator_of(const query_model& model, const clause& clause) noexcept {
    return clause.kind == clause_kind::chain ? And : model.terms[clause.first].oper;
}
inline bool is_negated(const query_model& model, const clause& clause) noexcept {
    return operator_of(model, clause) == Not;
}

// The variable that is the source of the term, as a set; empty for fixed sources and brackets.
inline variable_set source_of(const term& term) noexcept {
    bool has = term.from == source_kind::self || term.from == source_kind::variable;
    return has && term.kind < term_kind::scope_open ? only(term.source_variable) : 0;
}
// The variables in the id of the term, or on the right of its comparison.
inline variable_set elements_of(const term& term) noexcept {
    return only(term.first_variable) | only(term.second_variable) | only(term.value_variable);
}
// The variable that a value term gives a value: that of `handle == $x`.
inline variable_set bound_by_value(const term& term) noexcept {
    return term.value && term.value->binds ? only(term.value_variable) : 0;
}

// All variables of the terms [first, last).
variable_set used_by(const query_model& model, std::uint32_t first, std::uint32_t last) noexcept;
inline variable_set used_by(const query_model& model, const clause& clause) noexcept {
    return used_by(model, clause.first, clause.last);
}

// The variables to which a clause gives values if it has to hold, regardless of other clauses.
struct bindings {
    variable_set always = 0;     // bound by every match of the clause
    variable_set sometimes = 0;  // bound by some matches only
};
// `variables` have values before the clause is evaluated. A variable of the clause counts as bound
// by it even if it is among them; they only matter for comparisons, which copy a value.
bindings bindings_of(const query_model& model, const clause& clause,
                     variable_set variables) noexcept;

// The variables of a level, and the clauses that bind these variables.
//
// A variable is bound in every result if a required clause always binds it, unless an optional
// clause names it in an id while the required clauses only have it as their source. Any other
// variable is nullable, and one clause produces its value: the first chain of which some
// alternatives bind the variable, or else the first optional clause. The other clauses that mention
// a nullable variable depend on its producer, and are skipped in results where the producer gives
// no value. A variable that is always bound, but by dependent clauses only, is nullable as well;
// each of these clauses is a producer.
struct scope_bindings {
    variable_set bound = 0;  // variables with a value in every result, those from outside included
    variable_set maybe = 0;  // nullable variables: they have values in some results only
    // For each nullable variable: its producers, as bits of their first terms.
    std::uint64_t producers[max_variables] = {};

    bool operator==(const scope_bindings&) const = default;
};
// Analyzes the level [first, last). Variables in `outside` have values from an enclosing level.
scope_bindings analyze_bindings(const query_model& model, std::uint32_t first, std::uint32_t last,
                                variable_set outside) noexcept;

inline bool is_producer(const clause& clause, std::uint8_t variable,
                        const scope_bindings& bindings) noexcept {
    return (bindings.producers[variable] >> clause.first) & 1;
}
// The nullable variables that the clause produces.
variable_set given_by(const clause& clause, const scope_bindings& bindings) noexcept;
// The nullable variables that the clause uses and other clauses produce. The clause is skipped
// while one of them is unset.
inline variable_set depends_on(const query_model& model, const clause& clause,
                               const scope_bindings& bindings) noexcept {
    return used_by(model, clause) & bindings.maybe & ~given_by(clause, bindings);
}

enum class fault_kind : std::uint8_t {
    missing,   // no clause gives a value that a comparison or a substitution needs
    shared,    // several negated terms would have to share a variable that nothing binds
    circular,  // the clause that binds the variable needs a value from the faulty term
};
struct variable_fault {
    variable_set which = 0;  // faulty variables; empty: the level has no fault
    std::uint32_t term = 0;  // the term that the message is about
    fault_kind kind = fault_kind::missing;
    std::uint32_t other = 0;  // of a circular fault: the term that binds the variable
};
// The first fault of the level [first, last) and of the scopes in it.
variable_fault find_variable_fault(const query_model& model, std::uint32_t first,
                                   std::uint32_t last,
                                   variable_set outside = this_variable) noexcept;

}  // namespace kith::queries
