// The structure of a query's terms: groups that hold or fail as one (a term, terms and scopes
// joined by Or, a scope), and which variables each of them uses and binds.
//
// Covered by tests/core/query/clauses_test.cpp.
#pragma once

#include "query/model/query_model.hpp"

namespace kith::queries {

using variable_set = std::uint64_t;

constexpr variable_set only(std::uint8_t variable) noexcept {
    return variable == no_variable ? 0 : variable_set{1} << variable;
}
inline constexpr variable_set this_variable = 1;

enum class clause_kind : std::uint8_t { term, scope, chain };

// Terms [first, last) of one level.
struct clause {
    clause_kind kind;
    std::uint32_t first;
    std::uint32_t last;
};

// The term, or the whole scope, that begins at `at`.
inline clause alternative_at(const query_model& model, std::uint32_t position) noexcept {
    if (model.terms[position].kind == term_kind::scope_open) {
        return {clause_kind::scope, position, model.terms[position].scope_end + 1u};
    }
    return {clause_kind::term, position, position + 1};
}

// With what it is joined with by Or.
inline clause clause_at(const query_model& model, std::uint32_t position) noexcept {
    clause clause = alternative_at(model, position);
    while (model.terms[clause.last - 1].oper == Or) {
        clause = {clause_kind::chain, position, alternative_at(model, clause.last).last};
    }
    return clause;
}

// Calls visit(group) for those in [first, last).
template <class Visit>
void each_clause(const query_model& model, std::uint32_t first, std::uint32_t last, Visit&& visit) {
    while (first < last) {
        clause clause = clause_at(model, first);
        visit(clause);
        first = clause.last;
    }
}
// The alternatives of a chain.
template <class Visit>
void each_alternative(const query_model& model, const clause& chain, Visit&& visit) {
    for (std::uint32_t position = chain.first; position < chain.last;) {
        clause clause = alternative_at(model, position);
        visit(clause);
        position = clause.last;
    }
}

// The operator of a whole group: And, Not, Optional, or one of the lists.
inline oper_kind_t operator_of(const query_model& model, const clause& clause) noexcept {
    return clause.kind == clause_kind::chain ? And : model.terms[clause.first].oper;
}
inline bool is_negated(const query_model& model, const clause& clause) noexcept {
    return operator_of(model, clause) == Not;
}

inline variable_set source_of(const term& term) noexcept {
    bool has = term.from == source_kind::self || term.from == source_kind::variable;
    return has && term.kind < term_kind::scope_open ? only(term.source_variable) : 0;
}
inline variable_set elements_of(const term& term) noexcept {
    return only(term.first_variable) | only(term.second_variable);
}

// All variables in [first, last).
variable_set used_by(const query_model& model, std::uint32_t first, std::uint32_t last) noexcept;
inline variable_set used_by(const query_model& model, const clause& clause) noexcept {
    return used_by(model, clause.first, clause.last);
}

// What a group gives values to, as if it had to hold and nobody else did.
struct bindings {
    variable_set always = 0;     // in every way in which it holds
    variable_set sometimes = 0;  // in some of them
};
// `known`: variables that have values already. Those of the group are taken as if they had none.
bindings bindings_of(const query_model& model, const clause& clause,
                     variable_set variables) noexcept;

// What is known of the variables of one level.
//
// A variable is in every result if a group that must hold always binds it, unless an optional group
// names it (in an id) and those that must hold only have it as their source. Otherwise one group
// binds it: the first chain of which some alternatives do, or else the first optional one. All
// others that mention it depend on that one, and are skipped where it gives no value. What only
// such groups always bind may be unset as well: it has its value from any of them.
struct scope_bindings {
    variable_set bound = 0;  // in every result, with those that are bound outside
    variable_set maybe = 0;  // in some results only
    // Of each of the latter: the groups that give it its value, as bits of their first terms.
    std::uint64_t producers[max_variables] = {};

    bool operator==(const scope_bindings&) const = default;
};
// Of the groups in [first, last), where variables in `outside` are bound already.
scope_bindings analyze_bindings(const query_model& model, std::uint32_t first, std::uint32_t last,
                                variable_set outside) noexcept;

inline bool is_producer(const clause& clause, std::uint8_t variable,
                        const scope_bindings& bindings) noexcept {
    return (bindings.producers[variable] >> clause.first) & 1;
}
// Variables that may be unset, and that the group gives values to.
variable_set given_by(const clause& clause, const scope_bindings& bindings) noexcept;
// Variables that may be unset, and that others give values to: without them it is skipped.
inline variable_set depends_on(const query_model& model, const clause& clause,
                               const scope_bindings& bindings) noexcept {
    return used_by(model, clause) & bindings.maybe & ~given_by(clause, bindings);
}

enum class fault_kind : std::uint8_t {
    missing,   // nothing gives it a value: in a comparison, or as what an element starts from
    shared,    // several negated terms would have to share it
    circular,  // what gives it a value needs one from the term itself
};
struct variable_fault {
    variable_set which = 0;  // none: all is well
    std::uint32_t term = 0;
    fault_kind kind = fault_kind::missing;
    std::uint32_t other = 0;  // of a circular one: the term that gives it a value
};
variable_fault find_variable_fault(const query_model& model, std::uint32_t first,
                                   std::uint32_t last,
                                   variable_set outside = this_variable) noexcept;

}  // namespace kith::queries
