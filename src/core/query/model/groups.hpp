// The structure of a query's terms: groups that hold or fail as one (a term, terms and scopes
// joined by Or, a scope), and which variables each of them uses and binds.
//
// Covered by tests/core/query/groups_test.cpp.
#pragma once

#include "query/model/query_model.hpp"

namespace kith::queries {

using variable_set = std::uint64_t;

constexpr variable_set only(std::uint8_t variable) noexcept {
    return variable == no_variable ? 0 : variable_set{1} << variable;
}
inline constexpr variable_set this_variable = 1;

enum class group_kind : std::uint8_t { term, scope, chain };

// Terms [first, last) of one level.
struct group {
    group_kind kind;
    std::uint32_t first;
    std::uint32_t last;
};

// The term, or the whole scope, that begins at `at`.
inline group piece_at(const query_model& model, std::uint32_t at) noexcept {
    if (model.terms[at].kind == term_kind::scope_open) {
        return {group_kind::scope, at, model.terms[at].scope_end + 1u};
    }
    return {group_kind::term, at, at + 1};
}

// With what it is joined with by Or.
inline group group_at(const query_model& model, std::uint32_t at) noexcept {
    group made = piece_at(model, at);
    while (model.terms[made.last - 1].oper == Or) {
        made = {group_kind::chain, at, piece_at(model, made.last).last};
    }
    return made;
}

// Calls visit(group) for those in [first, last).
template <class Visit>
void each_group(const query_model& model, std::uint32_t first, std::uint32_t last, Visit&& visit) {
    while (first < last) {
        group one = group_at(model, first);
        visit(one);
        first = one.last;
    }
}
// The alternatives of a chain.
template <class Visit>
void each_piece(const query_model& model, const group& chain, Visit&& visit) {
    for (std::uint32_t at = chain.first; at < chain.last;) {
        group one = piece_at(model, at);
        visit(one);
        at = one.last;
    }
}

// The operator of a whole group: And, Not, Optional, or one of the lists.
inline oper_kind_t operator_of(const query_model& model, const group& one) noexcept {
    return one.kind == group_kind::chain ? And : model.terms[one.first].oper;
}
inline bool is_negated(const query_model& model, const group& one) noexcept {
    return operator_of(model, one) == Not;
}

inline variable_set source_of(const term& one) noexcept {
    bool has = one.from == source_kind::self || one.from == source_kind::variable;
    return has && one.kind < term_kind::scope_open ? only(one.source_variable) : 0;
}
inline variable_set elements_of(const term& one) noexcept {
    return only(one.first_variable) | only(one.second_variable);
}

// All variables in [first, last).
variable_set used_by(const query_model& model, std::uint32_t first, std::uint32_t last) noexcept;
inline variable_set used_by(const query_model& model, const group& one) noexcept {
    return used_by(model, one.first, one.last);
}

// Variables that stand in the id of a term of the group, not only as a source.
variable_set elements_in(const query_model& model, const group& one) noexcept;

// What is known of the variables of one level: the groups in [first, last), where those in
// `outside` are bound already.
struct level_variables {
    variable_set bound = 0;  // in every result
    variable_set maybe = 0;  // in some results only: what else needs them is skipped in the others
    variable_set optional = 0;     // those of them that optional terms bind
    variable_set alternative = 0;  // those that some alternatives of a chain bind
    std::uint64_t late = 0;        // chains (by their first term) about what another chain binds so

    bool operator==(const level_variables&) const = default;
};
level_variables find_bound(const query_model& model, std::uint32_t first, std::uint32_t last,
                           variable_set outside) noexcept;

// The same for one group, as if it had to hold.
level_variables bound_by(const query_model& model, const group& one, variable_set outside) noexcept;

// True if the group is about variables that others bind in some results only: it is skipped in the
// rest.
bool is_dependent(const query_model& model, const group& one,
                  const level_variables& known) noexcept;

// A variable that has no value where it needs one: in a comparison, or as what an element is
// substituted from; or one that several negated terms would have to share.
struct variable_fault {
    variable_set which = 0;  // none: all is well
    std::uint32_t term = 0;
    bool shared = false;
};
variable_fault find_variable_fault(const query_model& model, std::uint32_t first,
                                   std::uint32_t last,
                                   variable_set outside = this_variable) noexcept;

}  // namespace kith::queries
