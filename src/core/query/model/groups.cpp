#include "query/model/groups.hpp"

namespace kith::queries {

namespace {

bool is_plain_and(const query_model& model, const group& one) noexcept {
    return one.kind == group_kind::term && model.terms[one.first].oper == And;
}

// Variables that a term which must hold gives values to, whatever else there is.
variable_set bound_by_term(const term& one) noexcept {
    switch (one.kind) {
        case term_kind::ids:
            // What is substituted starts from a value.
            return source_of(one) | (one.first_by.flags ? 0 : only(one.first_variable)) |
                   (one.second_by.flags ? 0 : only(one.second_variable));
        case term_kind::equal:
            return elements_of(one) == 0            ? source_of(one)
                   : one.from == source_kind::fixed ? elements_of(one)
                                                    : 0;
        case term_kind::name_equal:
            return source_of(one);
        default:
            return 0;
    }
}

// Two variables that are one: each gives its value to the other.
bool joins(const term& one) noexcept {
    return one.kind == term_kind::equal && elements_of(one) != 0 && source_of(one) != 0;
}

variable_set bound_by(const query_model& model, const group& one, variable_set outside) noexcept;

// In each alternative, or in some.
level_variables bound_by_chain(const query_model& model, const group& chain,
                               variable_set outside) noexcept {
    level_variables all{~variable_set{0}, 0, 0};
    each_piece(model, chain, [&](const group& one) {
        variable_set here = bound_by(model, one, outside);
        all.bound &= here;
        all.maybe |= here;
    });
    all.maybe &= ~all.bound;
    return all;
}

// Of one alternative, or of a scope, as if it had to hold.
variable_set bound_by(const query_model& model, const group& one, variable_set outside) noexcept {
    if (one.kind == group_kind::term) {
        const term& only_one = model.terms[one.first];
        return joins(only_one) && outside & used_by(model, one) ? used_by(model, one)
                                                                : bound_by_term(only_one);
    }
    if (one.kind == group_kind::chain) {
        return bound_by_chain(model, one, outside).bound;
    }
    level_variables inside = find_bound(model, one.first + 1, one.last - 1, outside);
    return inside.bound | inside.maybe;
}

}  // namespace

variable_set used_by(const query_model& model, std::uint32_t first, std::uint32_t last) noexcept {
    variable_set used = 0;
    for (std::uint32_t i = first; i < last; ++i) {
        used |= source_of(model.terms[i]) | elements_of(model.terms[i]);
    }
    return used;
}

bool is_dependent(const query_model& model, const group& one,
                  const level_variables& known) noexcept {
    if (operator_of(model, one) == Optional) {
        return false;
    }
    if (is_plain_and(model, one) && model.terms[one.first].kind == term_kind::ids) {
        return (source_of(model.terms[one.first]) & known.maybe) != 0;
    }
    // What a chain binds in some alternatives only, it does not depend on.
    variable_set needed = one.kind == group_kind::chain ? known.optional : known.maybe;
    return (used_by(model, one) & needed) != 0;
}

level_variables find_bound(const query_model& model, std::uint32_t first, std::uint32_t last,
                           variable_set outside) noexcept {
    level_variables found;
    // Which terms depend on others follows from which variables may be unset, and the other way
    // round: until nothing changes, which takes no more rounds than there are variables.
    for (std::uint32_t round = 0;; ++round) {
        variable_set hard = outside;
        variable_set sources = 0;
        variable_set soft = 0;
        variable_set optional = 0;
        auto look = [&](const group& one) {
            oper_kind_t how = operator_of(model, one);
            if (how == Optional) {
                optional |= one.kind == group_kind::scope ? bound_by(model, one, outside)
                                                          : bound_by_term(model.terms[one.first]);
            } else if (how == And && is_dependent(model, one, found)) {
                optional |= one.kind == group_kind::term ? bound_by_term(model.terms[one.first])
                                                         : bound_by(model, one, outside);
            } else if (one.kind == group_kind::chain) {
                level_variables chain = bound_by_chain(model, one, hard);
                hard |= chain.bound;
                soft |= chain.maybe;
            } else if (how == And && one.kind == group_kind::scope) {
                level_variables inside = find_bound(model, one.first + 1, one.last - 1, hard);
                hard |= inside.bound;
                soft |= inside.maybe;
            } else if (how == And) {
                const term& it = model.terms[one.first];
                variable_set bound = bound_by_term(it);
                if (it.kind == term_kind::ids) {
                    sources |= bound & source_of(it);
                    hard |= bound & ~(source_of(it) & ~elements_of(it));
                } else {
                    hard |= bound;
                }
            }
        };
        each_group(model, first, last, look);
        soft |= optional;
        hard |= this_variable;
        hard |= sources & ~soft;
        // Variables that are equal to a bound one.
        for (bool more = true; more;) {
            more = false;
            each_group(model, first, last, [&](const group& one) {
                const term& it = model.terms[one.first];
                if (is_plain_and(model, one) && joins(it)) {
                    variable_set both = source_of(it) | elements_of(it);
                    if (hard & both && both & ~hard) {
                        hard |= both;
                        more = true;
                    } else if (soft & both & ~hard && both & ~hard & ~soft) {
                        soft |= both;
                        more = true;
                    }
                }
            });
        }
        level_variables next{hard, soft & ~hard, optional & ~hard};
        const bool same = next.bound == found.bound && next.maybe == found.maybe &&
                          next.optional == found.optional;
        found = next;
        if (same || round == max_variables) {
            return found;
        }
    }
}

}  // namespace kith::queries
