#include "query/model/clauses.hpp"

#include <bit>

namespace kith::queries {

namespace {

// Calls visit(variable) for each.
template <class Visit>
void each_variable(variable_set variables, Visit&& visit) {
    for (; variables != 0; variables &= variables - 1) {
        visit(static_cast<std::uint8_t>(std::countr_zero(variables)));
    }
}

// Elements that start a search must have values; the others get them.
variable_set open_elements(const term& term) noexcept {
    return (term.first_by.flags ? 0 : only(term.first_variable)) |
           (term.second_by.flags ? 0 : only(term.second_variable));
}
variable_set started_from(const term& term) noexcept {
    return (term.first_by.flags ? only(term.first_variable) : 0) |
           (term.second_by.flags ? only(term.second_variable) : 0);
}

// Two variables that are one: each gives its value to the other.
bool joins(const term& term) noexcept {
    return term.kind == term_kind::equal && elements_of(term) != 0 && source_of(term) != 0;
}
bool compares(const term& term) noexcept {
    return term.kind == term_kind::equal || term.kind == term_kind::name_equal;
}

// Variables that a term gives values to if it has to hold.
variable_set bound_by_term(const term& term, variable_set variables) noexcept {
    if (term.is_from_list()) {
        return 0;
    }
    if (joins(term)) {
        return (source_of(term) & variables ? elements_of(term) : 0) |
               (elements_of(term) & variables ? source_of(term) : 0);
    }
    return term.kind == term_kind::ids ? source_of(term) | open_elements(term)
           : compares(term)            ? source_of(term) | elements_of(term)
                                       : 0;
}

// Variables of which a group says more than that they are the source of something: it names them
// in an id or compares them. What is negated inside of it says nothing.
struct strong_variables {
    variable_set named = 0;
    variable_set compared = 0;
};
strong_variables strong_in(const query_model& model, const clause& clause) noexcept {
    strong_variables found;
    for (std::uint32_t i = clause.first; i < clause.last;) {
        const term& term = model.terms[i];
        if (term.oper == Not) {
            i = alternative_at(model, i).last;
            continue;
        }
        found.named |= term.kind == term_kind::ids ? open_elements(term) : 0;
        found.compared |= compares(term) ? source_of(term) | elements_of(term) : 0;
        ++i;
    }
    return found;
}

// Scopes that are neither negated nor optional are no level of their own.
template <class Visit>
void each_clause_of_scope(const query_model& model, std::uint32_t first, std::uint32_t last,
                          Visit&& visit) {
    each_clause(model, first, last, [&](const clause& clause) {
        if (clause.kind == clause_kind::scope && model.terms[clause.first].oper == And) {
            each_clause_of_scope(model, clause.first + 1, clause.last - 1, visit);
        } else {
            visit(clause);
        }
    });
}

// The groups of one level, and who of them gives values to which variables.
class level_reader {
public:
    struct entry {
        clause what{};
        bool optional = false;
        bool binds = false;  // no test
        variable_set used = 0;
        variable_set read_with = 0;  // what was known when `gives` was found
        bindings gives;
        variable_set certain = 0;  // of what it always gives: whatever may be unset
        strong_variables strong;
    };

    level_reader(const query_model& model, std::uint32_t first, std::uint32_t last,
                 variable_set outside) noexcept
        : model_(model), outside_(outside | this_variable) {
        each_clause_of_scope(model, first, last, [&](const clause& clause) { add(clause); });
        found_.bound = outside_;
        // What groups bind follows from what has a value when they are asked, and the other way
        // round: until nothing changes.
        for (std::uint32_t round = 0; round < max_variables; ++round) {
            for (std::uint32_t i = 0; i < count_; ++i) {
                read(groups_[i], round == 0);
            }
            const scope_bindings before = found_;
            assign();
            if (found_ == before) {
                break;
            }
        }
    }

    const scope_bindings& found() const noexcept { return found_; }
    // As if none of them had a value from outside.
    bindings gives() const noexcept { return {own_bound_, own_maybe_}; }
    variable_set outside() const noexcept { return outside_; }
    // In every result, and not from outside.
    variable_set bound_here() const noexcept { return own_bound_ & ~outside_; }
    std::uint32_t count() const noexcept { return count_; }
    const entry& operator[](std::uint32_t i) const noexcept { return groups_[i]; }

    variable_set depends(const entry& slot) const noexcept {
        return slot.used & found_.maybe & ~given_by(slot.what, found_);
    }
    // What certainly has a value when the group is asked, whatever it binds itself.
    variable_set known_to(const entry& slot) const noexcept {
        return found_.bound | (found_.maybe & ~given_by(slot.what, found_));
    }

private:
    void add(const clause& clause) noexcept {
        const oper_kind_t how = operator_of(model_, clause);
        entry& slot = groups_[count_++];
        slot.what = clause;
        slot.optional = how == Optional;
        slot.binds = how == And || how == Optional;
        slot.used = used_by(model_, clause);
        if (slot.binds) {
            slot.strong = strong_in(model_, clause);
        }
    }
    void read(entry& slot, bool first_time) noexcept {
        if (!slot.binds) {
            return;
        }
        const variable_set variables = known_to(slot);
        // A comparison must not bind variables that may be unset.
        slot.certain = (found_.maybe & slot.used) == 0
                           ? ~variable_set{0}
                           : bindings_of(model_, slot.what, found_.bound).always;
        if (!first_time && ((variables ^ slot.read_with) & slot.used) == 0) {
            return;
        }
        slot.read_with = variables;
        slot.gives = bindings_of(model_, slot.what, variables);
        if (slot.optional) {
            slot.gives = {0, slot.gives.always | slot.gives.sometimes};
        }
    }

    void assign() noexcept {
        variable_set variables = 0;
        variable_set required = 0;
        variable_set strong = 0;
        variable_set optional = 0;
        variable_set named = 0;
        for (std::uint32_t i = 0; i < count_; ++i) {
            const entry& slot = groups_[i];
            variables |= slot.gives.always;
            required |= slot.gives.always & slot.certain;
            strong |= slot.gives.always & slot.certain & (slot.strong.named | slot.strong.compared);
            optional |= slot.gives.sometimes;
            named |= slot.optional ? slot.gives.sometimes & slot.strong.named : 0;
        }
        found_ = {};
        own_maybe_ = 0;
        own_bound_ = variables;
        leave_open(optional & ~strong & (~required | named), false);
        leave_to_dependents();
        found_.bound = outside_ | own_bound_;
    }
    // `dependents`: of groups that must hold, those that are not skipped bind it, too.
    void leave_open(variable_set variables, bool dependents) noexcept {
        own_bound_ &= ~variables;
        own_maybe_ |= variables;
        found_.maybe = own_maybe_ & ~outside_;
        each_variable(variables, [&](std::uint8_t variable) {
            found_.producers[variable] =
                find_optional_binder(variable) | (dependents ? find_required(variable) : 0);
        });
    }
    // What only dependent groups bind may be unset, too.
    void leave_to_dependents() noexcept {
        for (;;) {
            variable_set independent = 0;
            for (std::uint32_t i = 0; i < count_; ++i) {
                const entry& slot = groups_[i];
                independent |= depends(slot) == 0 ? slot.gives.always & slot.certain : 0;
            }
            if ((own_bound_ & ~independent) == 0) {
                return;
            }
            leave_open(own_bound_ & ~independent, true);
        }
    }
    // The first chain that may bind it; else the first optional group that names it; else the first
    // that has it as a source.
    std::uint64_t find_optional_binder(std::uint8_t variable) const noexcept {
        const entry* best = nullptr;
        for (std::uint32_t i = 0; i < count_; ++i) {
            const entry& slot = groups_[i];
            if (slot.gives.sometimes & only(variable) &&
                (!best || claim_to(variable, slot) > claim_to(variable, *best))) {
                best = &slot;
            }
        }
        return best ? std::uint64_t{1} << best->what.first : 0;
    }
    static int claim_to(std::uint8_t variable, const entry& entry) noexcept {
        return !entry.optional ? 2 : (entry.strong.named & only(variable)) != 0 ? 1 : 0;
    }
    std::uint64_t find_required(std::uint8_t variable) const noexcept {
        std::uint64_t found = 0;
        for (std::uint32_t i = 0; i < count_; ++i) {
            const bool binds = (groups_[i].gives.always & only(variable)) != 0;
            found |= std::uint64_t{binds} << groups_[i].what.first;
        }
        return found;
    }

    const query_model& model_;
    variable_set outside_;
    variable_set own_bound_ = 0;
    variable_set own_maybe_ = 0;
    scope_bindings found_;
    std::uint32_t count_ = 0;
    entry groups_[max_terms];
};

}  // namespace

variable_set used_by(const query_model& model, std::uint32_t first, std::uint32_t last) noexcept {
    variable_set used = 0;
    for (std::uint32_t i = first; i < last; ++i) {
        used |= source_of(model.terms[i]) | elements_of(model.terms[i]);
    }
    return used;
}

bindings bindings_of(const query_model& model, const clause& one, variable_set variables) noexcept {
    if (one.kind == clause_kind::term) {
        return {bound_by_term(model.terms[one.first], variables), 0};
    }
    if (one.kind == clause_kind::scope) {
        return level_reader(model, one.first + 1, one.last - 1, variables).gives();
    }
    bindings found{~variable_set{0}, 0};
    each_alternative(model, one, [&](const clause& alternative) {
        const bindings bindings = bindings_of(model, alternative, variables);
        found.always &= bindings.always;
        found.sometimes |= bindings.always | bindings.sometimes;
    });
    found.sometimes &= ~found.always;
    return found;
}

scope_bindings analyze_bindings(const query_model& model, std::uint32_t first, std::uint32_t last,
                                variable_set outside) noexcept {
    return level_reader(model, first, last, outside).found();
}

variable_set given_by(const clause& clause, const scope_bindings& bindings) noexcept {
    variable_set variables = 0;
    each_variable(bindings.maybe, [&](std::uint8_t variable) {
        variables |= is_producer(clause, variable, bindings) ? only(variable) : 0;
    });
    return variables;
}

namespace {

// Variables that a term needs values of.
variable_set missing_in(const term& term, variable_set variables) noexcept {
    if (term.is_from_list()) {
        return source_of(term) & ~variables;
    }
    const variable_set compared = compares(term) || term.kind == term_kind::name_match
                                      ? source_of(term) | elements_of(term)
                                      : 0;
    // Of two that are equal, one gives its value to the other.
    const bool given = joins(term) && term.oper != Not && (compared & variables) != 0;
    const variable_set bound = term.oper == Not ? 0 : bound_by_term(term, variables);
    return given ? 0 : (compared | started_from(term)) & ~variables & ~bound;
}

// `known`: what has a value when the group is asked. `own`: what it binds in every result.
variable_fault check_invariants_in(const query_model& model, const clause& one,
                                   variable_set variables, variable_set own) noexcept {
    if (one.kind == clause_kind::scope) {
        return find_variable_fault(model, one.first + 1, one.last - 1, variables & ~own);
    }
    if (one.kind == clause_kind::term) {
        return {missing_in(model.terms[one.first], variables), one.first};
    }
    variable_fault fault;
    each_alternative(model, one, [&](const clause& alternative) {
        if (fault.which == 0) {
            fault = check_invariants_in(model, alternative, variables, own);
        }
    });
    return fault;
}

// Groups that wait for each other.
class circle_finder {
public:
    circle_finder(const query_model& model, const level_reader& level) noexcept
        : model_(model), level_(level), known_(level.outside()) {}

    variable_fault run() noexcept {
        place_all();
        for (std::uint32_t i = 0; i < level_.count(); ++i) {
            if (!is_placed(i)) {
                return fault_at(i);
            }
        }
        return {};
    }

private:
    bool is_placed(std::uint32_t i) const noexcept { return (placed_ >> i) & 1; }
    void place_all() noexcept {
        for (bool more = true; more;) {
            more = false;
            for (std::uint32_t i = 0; i < level_.count(); ++i) {
                if (!is_placed(i) && awaited_by(i) == 0) {
                    placed_ |= std::uint64_t{1} << i;
                    known_ |= binds(i);
                    more = true;
                }
            }
        }
    }
    // Variables that the group does not bind itself, and somebody else is still to bind.
    variable_set awaited_by(std::uint32_t i) const noexcept {
        const level_reader::entry& entry = level_[i];
        variable_set awaited = 0;
        for (std::uint32_t other = 0; other < level_.count(); ++other) {
            if (other != i && !is_placed(other)) {
                awaited |= binds(other);
            }
        }
        awaited &= entry.used & ~known_;
        return awaited == 0 ? 0 : awaited & ~binds_now(i);
    }
    // In every result, or in some, with others depending on it.
    variable_set binds(std::uint32_t i) const noexcept {
        const level_reader::entry& entry = level_[i];
        const variable_set always = level_.depends(entry) == 0 ? entry.gives.always : 0;
        return (always & level_.bound_here()) | given_by(entry.what, level_.found());
    }
    // Variables that are equal get their values from each other once one of them has its own.
    variable_set binds_now(std::uint32_t i) const noexcept {
        const level_reader::entry& entry = level_[i];
        const bool compares = (entry.gives.always & entry.strong.compared) != 0;
        return binds(i) &
               (compares ? bindings_of(model_, entry.what, known_).always : ~variable_set{0});
    }
    // Whoever waits, waits for one in the circle, or for one who waits for it.
    variable_fault fault_at(std::uint32_t i) const noexcept {
        variable_set which = 0;
        std::uint32_t other = i;
        for (std::uint32_t step = 0; step <= level_.count(); ++step) {
            i = other;
            which = awaited_by(i);
            which &= ~which + 1;
            other = binder_of(which, i);
        }
        return {which, level_[i].what.first, fault_kind::circular, level_[other].what.first};
    }
    std::uint32_t binder_of(variable_set which, std::uint32_t but) const noexcept {
        for (std::uint32_t i = 0; i < level_.count(); ++i) {
            if (i != but && !is_placed(i) && binds(i) & which) {
                return i;
            }
        }
        return but;
    }

    const query_model& model_;
    const level_reader& level_;
    std::uint64_t placed_ = 0;
    variable_set known_;  // outside, or by those that are placed
};

}  // namespace

variable_fault find_variable_fault(const query_model& model, std::uint32_t first,
                                   std::uint32_t last, variable_set outside) noexcept {
    const level_reader level(model, first, last, outside);
    const variable_set variables = level.found().bound | level.found().maybe;
    variable_set in_terms = 0;
    variable_set in_scopes = 0;
    for (std::uint32_t i = 0; i < level.count(); ++i) {
        const level_reader::entry& entry = level[i];
        if (is_negated(model, entry.what)) {
            // Scopes have variables of their own.
            const bool scope = entry.what.kind == clause_kind::scope;
            const variable_set own = entry.used & ~variables;
            const variable_set others = scope ? in_terms : in_terms | in_scopes;
            if (own & others) {
                return {own & others, entry.what.first, fault_kind::shared};
            }
            (scope ? in_scopes : in_terms) |= own;
        }
        const variable_set own = entry.gives.always & level.bound_here();
        if (variable_fault fault =
                check_invariants_in(model, entry.what, level.known_to(entry), own);
            fault.which != 0) {
            return fault;
        }
    }
    return circle_finder(model, level).run();
}

}  // namespace kith::queries
