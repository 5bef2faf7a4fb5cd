// Analysis of variables, declared in clauses.hpp. One level of clauses is read by level_reader,
// which repeats its rules until the sets of bound and nullable variables no longer change.
#include "query/model/clauses.hpp"

#include "base/assert.hpp"

#include <bit>

namespace kith::queries {

namespace {

// Calls visit(variable) for each variable of the set, in ascending order.
template <class Visit>
void each_variable(variable_set variables, Visit&& visit) {
    for (; variables != 0; variables &= variables - 1) {
        visit(static_cast<std::uint8_t>(std::countr_zero(variables)));
    }
}

// The element variables to which the term gives values: those without a substitution.
variable_set open_elements(const term& term) noexcept {
    return (term.first_by.flags ? 0 : only(term.first_variable)) |
           (term.second_by.flags ? 0 : only(term.second_variable)) | bound_by_value(term);
}
// The element variables that need values before the term is evaluated: a substitution walks from
// them, and a value is compared with a value of theirs.
variable_set started_from(const term& term) noexcept {
    return (term.first_by.flags ? only(term.first_variable) : 0) |
           (term.second_by.flags ? only(term.second_variable) : 0) |
           (only(term.value_variable) & ~bound_by_value(term));
}

// True for `$a == $b`: whichever of the two variables has a value gives it to the other.
bool joins(const term& term) noexcept {
    return term.kind == term_kind::equal && elements_of(term) != 0 && source_of(term) != 0;
}
// True for the comparisons that bind: `==` with an entity, a variable or a path.
bool compares(const term& term) noexcept {
    return term.kind == term_kind::equal || term.kind == term_kind::name_equal;
}

// The variables to which a term gives values if it has to hold while `variables` are bound.
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

// The variables that a clause determines by more than being their source: variables in ids and in
// comparisons. Negated terms inside of the clause determine nothing.
struct strong_variables {
    variable_set named = 0;     // in an id
    variable_set compared = 0;  // in a comparison
};
strong_variables strong_in(const query_model& model, const clause& clause) noexcept {
    strong_variables strong;
    for (std::uint32_t i = clause.first; i < clause.last;) {
        const term& term = model.terms[i];
        if (term.oper == Not) {
            i = alternative_at(model, i).last;
            continue;
        }
        strong.named |= term.kind == term_kind::ids ? open_elements(term) : 0;
        strong.compared |= compares(term) ? source_of(term) | elements_of(term) : 0;
        ++i;
    }
    return strong;
}

// Calls visit(clause) for the clauses of a level. The clauses of an And scope belong to the level
// around it.
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

// The clauses of one level, and the variables that each of them binds. Bindings depend on each
// other: a comparison binds a variable only if the other one has a value. The constructor therefore
// starts from the variables bound outside and repeats read() and assign() up to a fixed point.
class level_reader {
public:
    struct entry {
        clause what{};
        bool optional = false;
        bool binds = false;          // And or Optional; other operators are tests
        variable_set used = 0;       // all variables of the clause
        variable_set read_with = 0;  // the bound variables for which `gives` was computed
        bindings gives;
        variable_set certain = 0;  // variables it binds even if all nullable variables are unset
        strong_variables strong;
    };

    level_reader(const query_model& model, std::uint32_t first, std::uint32_t last,
                 variable_set outside) noexcept
        : model_(model), outside_(outside | this_variable) {
        each_clause_of_scope(model, first, last, [&](const clause& clause) { add(clause); });
        found_.bound = outside_;
        // Each round can only move variables from bound to nullable, so max_variables rounds are
        // enough.
        for (std::uint32_t round = 0; round < max_variables; ++round) {
            for (std::uint32_t i = 0; i < count_; ++i) {
                read(clauses_[i], round == 0);
            }
            const scope_bindings before = found_;
            assign();
            if (found_ == before) {
                break;
            }
        }
    }

    const scope_bindings& found() const noexcept { return found_; }
    // The bindings of the level as a whole, regardless of values from outside.
    bindings gives() const noexcept { return {own_bound_, own_maybe_}; }
    variable_set outside() const noexcept { return outside_; }
    // The variables that clauses of this level bind in every result.
    variable_set bound_here() const noexcept { return own_bound_ & ~outside_; }
    std::uint32_t count() const noexcept { return count_; }
    const entry& operator[](std::uint32_t i) const noexcept { return clauses_[i]; }

    // The nullable variables that the clause needs from other clauses.
    variable_set depends(const entry& info) const noexcept {
        return info.used & found_.maybe & ~given_by(info.what, found_);
    }
    // The variables that have values when the clause is evaluated, as far as other clauses decide.
    variable_set known_to(const entry& info) const noexcept {
        return found_.bound | (found_.maybe & ~given_by(info.what, found_));
    }

private:
    void add(const clause& clause) noexcept {
        KITH_ASSERT(count_ < max_terms, "a level has no more clauses than the query has terms");
        const oper_kind_t oper = operator_of(model_, clause);
        entry& info = clauses_[count_++];
        info.what = clause;
        info.optional = oper == Optional;
        info.binds = oper == And || oper == Optional;
        info.used = used_by(model_, clause);
        if (info.binds) {
            info.strong = strong_in(model_, clause);
        }
    }
    // Computes the bindings of a clause from the variables that have values now.
    void read(entry& info, bool first_time) noexcept {
        if (!info.binds) {
            return;
        }
        const variable_set variables = known_to(info);
        // A comparison must not bind variables that may be unset.
        info.certain = (found_.maybe & info.used) == 0
                           ? ~variable_set{0}
                           : bindings_of(model_, info.what, found_.bound).always;
        if (!first_time && ((variables ^ info.read_with) & info.used) == 0) {
            return;
        }
        info.read_with = variables;
        info.gives = bindings_of(model_, info.what, variables);
        if (info.optional) {
            info.gives = {0, info.gives.always | info.gives.sometimes};
        }
    }

    // Splits the variables of the level into bound and nullable ones, and finds the producers of
    // the nullable ones.
    void assign() noexcept {
        variable_set variables = 0;
        variable_set required = 0;
        variable_set strong = 0;
        variable_set optional = 0;
        variable_set named = 0;
        for (std::uint32_t i = 0; i < count_; ++i) {
            const entry& info = clauses_[i];
            variables |= info.gives.always;
            required |= info.gives.always & info.certain;
            strong |= info.gives.always & info.certain & (info.strong.named | info.strong.compared);
            optional |= info.gives.sometimes;
            named |= info.optional ? info.gives.sometimes & info.strong.named : 0;
        }
        found_ = {};
        own_maybe_ = 0;
        own_bound_ = variables;
        leave_open(optional & ~strong & (~required | named), false);
        leave_to_dependents();
        found_.bound = outside_ | own_bound_;
    }
    // Makes the variables nullable. With `dependents`, required clauses that bind them are
    // producers as well: each of them gives the value in results where it is not skipped.
    void leave_open(variable_set variables, bool dependents) noexcept {
        own_bound_ &= ~variables;
        own_maybe_ |= variables;
        found_.maybe = own_maybe_ & ~outside_;
        each_variable(variables, [&](std::uint8_t variable) {
            found_.producers[variable] =
                find_optional_binder(variable) | (dependents ? find_required(variable) : 0);
        });
    }
    // Makes variables nullable that only dependent clauses bind, until each bound variable has a
    // clause that depends on no nullable variable.
    void leave_to_dependents() noexcept {
        for (;;) {
            variable_set independent = 0;
            for (std::uint32_t i = 0; i < count_; ++i) {
                const entry& info = clauses_[i];
                independent |= depends(info) == 0 ? info.gives.always & info.certain : 0;
            }
            if ((own_bound_ & ~independent) == 0) {
                return;
            }
            leave_open(own_bound_ & ~independent, true);
        }
    }
    // The producer of a nullable variable, as the bit of its first term: the first chain that may
    // bind it; else the first optional clause that names it; else the first optional clause that
    // has it as a source. 0: no clause may bind it.
    std::uint64_t find_optional_binder(std::uint8_t variable) const noexcept {
        const entry* best = nullptr;
        for (std::uint32_t i = 0; i < count_; ++i) {
            const entry& info = clauses_[i];
            if (info.gives.sometimes & only(variable) &&
                (!best || claim_to(variable, info) > claim_to(variable, *best))) {
                best = &info;
            }
        }
        return best ? std::uint64_t{1} << best->what.first : 0;
    }
    // The precedence of a clause as the producer of a variable.
    static int claim_to(std::uint8_t variable, const entry& info) noexcept {
        return !info.optional ? 2 : (info.strong.named & only(variable)) != 0 ? 1 : 0;
    }
    // The clauses that always bind the variable, as bits of their first terms.
    std::uint64_t find_required(std::uint8_t variable) const noexcept {
        std::uint64_t binders = 0;
        for (std::uint32_t i = 0; i < count_; ++i) {
            const bool binds = (clauses_[i].gives.always & only(variable)) != 0;
            binders |= std::uint64_t{binds} << clauses_[i].what.first;
        }
        return binders;
    }

    const query_model& model_;
    variable_set outside_;        // bound by enclosing levels, $this included
    variable_set own_bound_ = 0;  // bound by clauses of the level in every result
    variable_set own_maybe_ = 0;  // bound by clauses of the level in some results
    scope_bindings found_;
    std::uint32_t count_ = 0;
    entry clauses_[max_terms];
};

}  // namespace

variable_set used_by(const query_model& model, std::uint32_t first, std::uint32_t last) noexcept {
    variable_set used = 0;
    for (std::uint32_t i = first; i < last; ++i) {
        used |= source_of(model.terms[i]) | elements_of(model.terms[i]);
    }
    return used;
}

bindings bindings_of(const query_model& model, const clause& clause,
                     variable_set variables) noexcept {
    KITH_ASSERT(clause.first < clause.last && clause.last <= model.count,
                "a clause has terms of its model");
    if (clause.kind == clause_kind::term) {
        return {bound_by_term(model.terms[clause.first], variables), 0};
    }
    if (clause.kind == clause_kind::scope) {
        return level_reader(model, clause.first + 1, clause.last - 1, variables).gives();
    }
    bindings of_chain{~variable_set{0}, 0};
    each_alternative(model, clause, [&](const queries::clause& alternative) {
        const bindings bindings = bindings_of(model, alternative, variables);
        of_chain.always &= bindings.always;
        of_chain.sometimes |= bindings.always | bindings.sometimes;
    });
    of_chain.sometimes &= ~of_chain.always;
    return of_chain;
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

// The variables that the term needs values of, and that are not among `variables`.
variable_set missing_in(const term& term, variable_set variables) noexcept {
    if (term.is_from_list()) {
        return source_of(term) & ~variables;
    }
    const variable_set compared = compares(term) || term.kind == term_kind::name_match
                                      ? source_of(term) | elements_of(term)
                                      : 0;
    // `$a == $b` needs a value for one of the two variables only.
    const bool given = joins(term) && term.oper != Not && (compared & variables) != 0;
    const variable_set bound = term.oper == Not ? 0 : bound_by_term(term, variables);
    return given ? 0 : (compared | started_from(term)) & ~variables & ~bound;
}

// The first variable of the clause that has no value when it is needed. `variables` have values
// when the clause is evaluated, those in `own` because the clause itself binds them in every
// result.
variable_fault find_missing(const query_model& model, const clause& clause, variable_set variables,
                            variable_set own) noexcept {
    if (clause.kind == clause_kind::scope) {
        return find_variable_fault(model, clause.first + 1, clause.last - 1, variables & ~own);
    }
    if (clause.kind == clause_kind::term) {
        return {missing_in(model.terms[clause.first], variables), clause.first};
    }
    variable_fault fault;
    each_alternative(model, clause, [&](const queries::clause& alternative) {
        if (fault.which == 0) {
            fault = find_missing(model, alternative, variables, own);
        }
    });
    return fault;
}

// Finds clauses that wait for values from each other. Clauses are placed as a planner would place
// them, each as soon as its variables have values; clauses that can never be placed form a circle.
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
    // The variables for which clause i waits: used by it, and still to be bound by another clause.
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
    // The variables that clause i binds, nullable ones included.
    variable_set binds(std::uint32_t i) const noexcept {
        const level_reader::entry& entry = level_[i];
        const variable_set always = level_.depends(entry) == 0 ? entry.gives.always : 0;
        return (always & level_.bound_here()) | given_by(entry.what, level_.found());
    }
    // The variables that clause i can bind with the values known now: `$a == $b` waits for one of
    // the two.
    variable_set binds_now(std::uint32_t i) const noexcept {
        const level_reader::entry& entry = level_[i];
        const bool compares = (entry.gives.always & entry.strong.compared) != 0;
        return binds(i) &
               (compares ? bindings_of(model_, entry.what, known_).always : ~variable_set{0});
    }
    // Follows the clauses that clause i waits for, as many steps as there are clauses: the last one
    // is inside of the circle.
    variable_fault fault_at(std::uint32_t i) const noexcept {
        variable_set awaited = 0;
        std::uint32_t other = i;
        for (std::uint32_t step = 0; step <= level_.count(); ++step) {
            i = other;
            awaited = awaited_by(i);
            awaited &= ~awaited + 1;  // the lowest of them
            other = binder_of(awaited, i);
        }
        return {awaited, level_[i].what.first, fault_kind::circular, level_[other].what.first};
    }
    // The unplaced clause that binds the variable; `but` if there is no other.
    std::uint32_t binder_of(variable_set variable, std::uint32_t but) const noexcept {
        for (std::uint32_t i = 0; i < level_.count(); ++i) {
            if (i != but && !is_placed(i) && binds(i) & variable) {
                return i;
            }
        }
        return but;
    }

    const query_model& model_;
    const level_reader& level_;
    std::uint64_t placed_ = 0;
    variable_set known_;  // variables bound outside or by placed clauses
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
            // Two negated scopes may use the same name: each has a variable of its own.
            const bool scope = entry.what.kind == clause_kind::scope;
            const variable_set own = entry.used & ~variables;
            const variable_set others = scope ? in_terms : in_terms | in_scopes;
            if (own & others) {
                return {own & others, entry.what.first, fault_kind::shared};
            }
            (scope ? in_scopes : in_terms) |= own;
        }
        const variable_set own = entry.gives.always & level.bound_here();
        if (variable_fault fault = find_missing(model, entry.what, level.known_to(entry), own);
            fault.which != 0) {
            return fault;
        }
    }
    return circle_finder(model, level).run();
}

}  // namespace kith::queries
