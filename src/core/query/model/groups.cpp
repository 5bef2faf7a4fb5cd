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

}  // namespace

level_variables bound_by(const query_model& model, const group& one,
                         variable_set outside) noexcept {
    level_variables found;
    if (one.kind == group_kind::term) {
        const term& it = model.terms[one.first];
        const variable_set used = source_of(it) | elements_of(it);
        found.bound = joins(it) && outside & used ? used : bound_by_term(it);
        return found;
    }
    if (one.kind == group_kind::scope) {
        found = find_bound(model, one.first + 1, one.last - 1, outside);
        found.bound &= used_by(model, one);
        return found;
    }
    // In each alternative, or in some.
    found.bound = ~variable_set{0};
    each_piece(model, one, [&](const group& piece) {
        const level_variables here = bound_by(model, piece, outside);
        found.bound &= here.bound;
        found.maybe |= here.bound | here.maybe;
    });
    found.maybe &= ~found.bound;
    return found;
}

variable_set used_by(const query_model& model, std::uint32_t first, std::uint32_t last) noexcept {
    variable_set used = 0;
    for (std::uint32_t i = first; i < last; ++i) {
        used |= source_of(model.terms[i]) | elements_of(model.terms[i]);
    }
    return used;
}

variable_set elements_in(const query_model& model, const group& one) noexcept {
    variable_set found = 0;
    for (std::uint32_t i = one.first; i < one.last;) {
        const group piece = piece_at(model, i);
        // What is negated gives no values.
        if (model.terms[i].oper == Not && i != one.first) {
            i = piece.last;
            continue;
        }
        if (model.terms[i].kind == term_kind::ids) {
            found |= bound_by_term(model.terms[i]) & elements_of(model.terms[i]);
        }
        ++i;
    }
    return found;
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
    if (one.kind == group_kind::chain) {
        return (known.late >> one.first) & 1 ||
               (used_by(model, one) & known.optional & ~known.alternative) != 0;
    }
    return (used_by(model, one) & known.maybe) != 0;
}

namespace {

// What the groups of one level say about their variables, if those in `known` may be unset.
class level_reader {
public:
    level_reader(const query_model& model, const level_variables& known,
                 variable_set outside) noexcept
        : model_(model), known_(known), outside_(outside), hard_(outside | this_variable) {}

    void read(std::uint32_t first, std::uint32_t last) noexcept {
        each_group(model_, first, last, [&](const group& one) { read(one); });
    }
    level_variables result(std::uint32_t first, std::uint32_t last) noexcept {
        hard_ |= sources_ & ~elements_;
        join_equal(first, last);
        variable_set maybe = optional_ | alternative_;
        return {hard_, maybe & ~hard_, optional_ & ~hard_, alternative_ & ~hard_, late_};
    }

private:
    void read(const group& one) noexcept {
        const oper_kind_t how = operator_of(model_, one);
        if (how == Optional) {
            add_optional(one, all_bound_by(one));
        } else if (how == And && one.kind == group_kind::scope) {
            read(one.first + 1, one.last - 1);
        } else if (one.kind == group_kind::chain && is_late(one)) {
            late_ |= std::uint64_t{1} << one.first;
            add_optional(one, all_bound_by(one) & ~alternative_);
        } else if (how == And && is_dependent(model_, one, known_)) {
            // What it is about is bound by others.
            const term& it = model_.terms[one.first];
            optional_ |= one.kind == group_kind::term ? bound_by_term(it) & ~source_of(it)
                                                      : all_bound_by(one);
        } else if (one.kind == group_kind::chain) {
            const level_variables chain = bound_by(model_, one, hard_ | known_.bound);
            const variable_set given = elements_in(model_, one) | compared_in(one);
            hard_ |= chain.bound & given;
            sources_ |= chain.bound & ~given;
            alternative_ |= chain.maybe;
            elements_ |= chain.maybe & elements_in(model_, one);
        } else if (how == And) {
            read_required(model_.terms[one.first]);
        }
    }
    // In some results or in all.
    variable_set all_bound_by(const group& one) const noexcept {
        const level_variables found = bound_by(model_, one, outside_);
        return found.bound | found.maybe;
    }
    variable_set compared_in(const group& chain) const noexcept {
        variable_set found = 0;
        for (std::uint32_t i = chain.first; i < chain.last; ++i) {
            const term_kind kind = model_.terms[i].kind;
            if (kind == term_kind::equal || kind == term_kind::name_equal) {
                found |= source_of(model_.terms[i]) | elements_of(model_.terms[i]);
            }
        }
        return found;
    }
    bool is_late(const group& chain) const noexcept {
        return (used_by(model_, chain) & known_.alternative & alternative_) != 0;
    }
    void add_optional(const group& one, variable_set bound) noexcept {
        optional_ |= bound;
        elements_ |= bound & elements_in(model_, one);
    }
    // The source of a required term binds, unless something optional has it as an element.
    void read_required(const term& it) noexcept {
        const variable_set bound = bound_by_term(it);
        if (it.kind == term_kind::ids) {
            sources_ |= bound & source_of(it);
            hard_ |= bound & elements_of(it);
        } else {
            hard_ |= bound;
        }
    }
    // Variables that are equal to one that has a value.
    void join_equal(std::uint32_t first, std::uint32_t last) noexcept {
        for (bool more = true; more;) {
            more = false;
            each_group(model_, first, last, [&](const group& one) {
                const term& it = model_.terms[one.first];
                if (!is_plain_and(model_, one) || !joins(it)) {
                    return;
                }
                const variable_set both = source_of(it) | elements_of(it);
                if (hard_ & both && both & ~hard_) {
                    hard_ |= both;
                    more = true;
                } else if (optional_ & both && both & ~hard_ & ~optional_) {
                    optional_ |= both;
                    more = true;
                }
            });
        }
    }

    const query_model& model_;
    const level_variables& known_;
    variable_set outside_;
    variable_set hard_;
    variable_set sources_ = 0;      // of required terms
    variable_set optional_ = 0;     // that optional terms bind
    variable_set alternative_ = 0;  // that some alternatives bind
    variable_set elements_ = 0;     // those of both that are elements there
    std::uint64_t late_ = 0;
};

}  // namespace

level_variables find_bound(const query_model& model, std::uint32_t first, std::uint32_t last,
                           variable_set outside) noexcept {
    level_variables found;
    // Which terms depend on others follows from which variables may be unset, and the other way
    // round: until nothing changes, which takes no more rounds than there are variables.
    for (std::uint32_t round = 0;; ++round) {
        level_reader reader(model, found, outside);
        reader.read(first, last);
        const level_variables next = reader.result(first, last);
        const bool same = next == found;
        found = next;
        if (same || round == max_variables) {
            return found;
        }
    }
}

namespace {

// Variables that a term cannot give a value to.
variable_set needed_by(const term& one) noexcept {
    variable_set needed = 0;
    if (one.kind == term_kind::name_match || one.kind == term_kind::equal ||
        one.kind == term_kind::name_equal) {
        needed = source_of(one) | elements_of(one);
    }
    needed |= one.first_by.flags ? only(one.first_variable) : 0;
    return needed | (one.second_by.flags ? only(one.second_variable) : 0);
}

variable_fault find_fault_in(const query_model& model, const group& one,
                             variable_set known) noexcept {
    variable_fault fault;
    if (one.kind == group_kind::scope) {
        return find_variable_fault(model, one.first + 1, one.last - 1, known);
    }
    if (one.kind == group_kind::term) {
        const term& it = model.terms[one.first];
        const variable_set needed = needed_by(it);
        // Of two that are equal, one gives its value to the other.
        const bool given = joins(it) && it.oper != Not && (needed & known) != 0;
        return {given ? 0 : needed & ~known, one.first, false};
    }
    // What some alternatives bind is no value for the others.
    each_piece(model, one, [&](const group& piece) {
        if (fault.which == 0) {
            fault = find_fault_in(model, piece, known);
        }
    });
    return fault;
}

}  // namespace

variable_fault find_variable_fault(const query_model& model, std::uint32_t first,
                                   std::uint32_t last, variable_set outside) noexcept {
    const level_variables bound = find_bound(model, first, last, outside);
    const variable_set known = bound.bound | bound.maybe;
    variable_fault fault;
    variable_set in_terms = 0;
    variable_set in_scopes = 0;
    each_group(model, first, last, [&](const group& one) {
        if (fault.which != 0) {
            return;
        }
        if (is_negated(model, one)) {
            // Scopes have variables of their own.
            const bool scope = one.kind == group_kind::scope;
            variable_set own = used_by(model, one) & ~known;
            variable_set others = scope ? in_terms : in_terms | in_scopes;
            if (own & others) {
                fault = {own & others, one.first, true};
                return;
            }
            (scope ? in_scopes : in_terms) |= own;
        }
        fault = find_fault_in(model, one,
                              one.kind == group_kind::chain ? known & ~bound.alternative : known);
    });
    return fault;
}

}  // namespace kith::queries
