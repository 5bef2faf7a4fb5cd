// The affected bindings of a change: values of some variables of a query that occur in each result
// which the change may create or end. The answer may contain bindings that turn out to be
// unaffected, but never lacks one.
//
// A change means that an entity gains or loses an id, or that the id is enabled or disabled. It is
// analyzed before it happens, term by term. If the term has the id itself, its variables get the
// values that the id names. If the term searches along a relationship, its source gets the entities
// from which the search reaches the changed entity. If the variables of the term are local to a
// scope, a route of neighbouring terms leads from them to a variable that is known outside.
//
// Invariants
// 1. `bound_` holds the variables with a value in every result; only these occur in bindings.
// 2. Level 0 is the query; each other level is a negated or optional scope, or an alternative, and
//    lies inside its outer level. level_of_[t] is the level of term t, -1 for terms that open or
//    close scopes.
// 3. required_, alternatives_ and forbidden_ have one bit per term and do not overlap.
// 4. routes_[t] leads from a variable of term t to a member of `bound_`, or is not known; then a
//    change of the term affects every result.
// 5. The members of `affected_` and `values_` are valid until the next each().
//
// Covered by tests/features/monitors/monitor_test.cpp and the random queries of
// tests/model/monitor_test.cpp.
#pragma once

#include "query/compiled_query.hpp"
#include "query/model/clauses.hpp"

#include <bit>
#include <unordered_set>
#include <vector>

namespace kith::observe {

using queries::variable_set;

// Values of some variables. An empty set `which` stands for every result.
struct binding {
    variable_set which = 0;
    entity_t values[queries::max_variables];  // by variable; set for the members of `which`
};

// The binding of one variable.
inline binding bind(std::uint8_t variable, entity_t value) noexcept {
    binding result;
    result.which = queries::only(variable);
    result.values[variable] = value;
    return result;
}

// Calls visit(variable) for each member of the set, in the order of the variables' numbers.
template <class Visit>
void each_variable(variable_set which, Visit&& visit) {
    for (; which != 0; which &= which - 1) {
        visit(static_cast<std::uint8_t>(std::countr_zero(which)));
    }
}

// An entity is about to gain, lose, enable or disable an id.
struct change {
    entity_t entity;
    id_t id;
};

// True if the term asks for ids of an entity: comparisons and scopes do not.
inline bool is_about_ids(const queries::term& term) noexcept {
    return term.kind == queries::term_kind::ids && term.from != queries::source_kind::none;
}

// True if the id is a property that changes the meaning of its holder in queries, such as
// Transitive.
bool is_semantic_property(id_t id) noexcept;

// The analysis of one query. Requires: the query and the store live longer.
class affected_bindings {
public:
    affected_bindings(const queries::compiled_query& query, const storage::store& data);

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

    // Calls listen(pattern) for the patterns of ids whose changes may affect a result. A pattern
    // may occur twice.
    template <class Listen>
    void each_pattern(Listen&& listen) const {
        collect_patterns();
        for (id_t pattern : patterns_) {
            listen(pattern);
        }
    }
    // Calls listen(entity) for the entities that the query names: their deletion affects every
    // result.
    template <class Listen>
    void each_element(Listen&& listen) const {
        collect_elements();
        for (entity_t element : elements_) {
            listen(element);
        }
    }
    // True if the query names the entity.
    bool names(entity_t element) const;
    // An entity that gets a base may become a subtype of a component that the query names. Calls
    // listen(pattern) for the ids of the entity and of its own subtypes that count from then on.
    template <class Listen>
    void each_new_pattern(const change& change, Listen&& listen) {
        collect_new_patterns(change);
        for (id_t pattern : patterns_) {
            listen(pattern);
        }
    }

    // Calls take(binding) for each affected binding. Requires: the changed entity is alive.
    template <class Take>
    void each(const change& change, Take&& take) {
        find(change);
        binding binding;
        for (std::size_t i = 0; i < affected_.size(); ++i) {
            expand(affected_[i], binding, take);
        }
    }

private:
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
    // A set of bindings: each of the values [first, last) of one variable, together with at most
    // two variables that have the same value in all of the bindings.
    struct affected {
        variable_set which = 0;
        std::uint8_t variable = queries::no_variable;  // the one with many values
        std::uint32_t first = 0;                       // of its values, in values_
        std::uint32_t last = 0;
        std::uint8_t fixed[2];
        entity_t fixed_values[2];
        std::uint32_t fixed_count = 0;
    };
    // A relationship along which a term searches, and the direction: up to targets, or down to
    // sources.
    struct way {
        std::uint32_t relation;
        bool up;
    };
    // Terms that hold together: the terms of the query, or of a scope that is negated, optional, or
    // an alternative.
    struct level {
        std::uint32_t first;
        std::uint32_t last;
        std::int32_t outer;             // the level around this one, -1: none
        queries::scope_bindings known;  // which variables have values here, and by which clauses
        std::vector<std::uint8_t> group_of;  // by term: the first term of its clause
    };

    // Calls take(binding) for each binding of the set.
    template <class Take>
    void expand(const affected& affected_set, binding& binding, Take& take) {
        binding.which = affected_set.which;
        for (std::uint32_t i = 0; i < affected_set.fixed_count; ++i) {
            binding.values[affected_set.fixed[i]] = affected_set.fixed_values[i];
        }
        if (affected_set.variable == queries::no_variable) {
            take(binding);
            return;
        }
        for (std::uint32_t i = affected_set.first; i < affected_set.last; ++i) {
            binding.values[affected_set.variable] = values_[i];
            take(binding);
        }
    }

    // Reading the structure of the query, once.
    void add_level(std::uint32_t first, std::uint32_t last, std::int32_t outer,
                   variable_set outside, bool required);
    void read_clauses(std::uint32_t first, std::uint32_t last, std::int32_t inside, bool required);
    route find_route(std::uint32_t term) const;
    // True if the term `hop_term` joins `from` with another variable, for results that a change of
    // `affected_term` can affect. `hop` is the step then.
    bool can_hop(const level& where, std::uint32_t affected_term, std::uint32_t hop_term,
                 std::uint8_t from, hop& hop) const;

    // Collecting subscriptions.
    void collect_patterns() const;
    void collect_elements() const;
    void collect_new_patterns(const change& change);
    void add_patterns(const queries::term& term) const;
    void add_pattern(id_t pattern) const { patterns_.push_back(pattern); }

    // Analyzing a change. find() fills affected_; the functions below it work on members_, the set
    // of entities that are possible values of a variable.
    void find(const change& change);
    void find_in(std::uint32_t number, const change& change);
    // True if the change affects results that no binding describes.
    bool affects_everything(const change& change) const;
    bool changes_subtypes(const change& change) const;
    bool changes_names(const change& change) const;
    bool changes_list(const queries::term& term, const change& change) const;
    bool changes_semantics(const change& change) const;
    // True if the id can satisfy the term.
    bool concerns(const queries::term& term, id_t id) const;
    // True if gaining or losing the id can change which inherited pairs the term finds.
    bool hides_others(const queries::term& term, id_t id) const;
    void find_ways(const queries::term& term, std::vector<way>& ways) const;
    // Adds the entities whose own view of the term changes to members_.
    void add_start(const queries::term& term, const change& change, bool by_id);
    void add_bindings(std::uint32_t number, const change& change, bool by_id);
    affected find_exact(const queries::term& term, const change& change, bool by_id) const;
    // Replaces members_ by the targets that the term may reach through the changed pair.
    void take_targets(std::uint32_t number, const change& change);
    void follow_route(const route& along);
    void hop_to(const hop& hop);
    // Extends members_ along the ways: to all entities from which a member is reached, or
    // (`forward`) to all entities that are reached from a member.
    void close(const std::vector<way>& ways, bool forward);
    void add_member(entity_t entity);
    void add_affected(std::uint8_t variable, const affected& with);

    // True if the element is `from` or has it as a base, directly or not.
    bool is_subtype_of(std::uint32_t element, entity_t from) const;
    // The entity and all entities that have it as a base, directly or not.
    std::vector<std::uint32_t> subtypes_of(entity_t element) const;

    const queries::query_model& model_;
    const queries::name_reader& names_;
    const storage::store& data_;
    variable_set bound_ = 0;  // see bound()
    std::uint64_t required_ = 0;
    std::uint64_t alternatives_ = 0;
    std::uint64_t forbidden_ = 0;
    bool open_ = false;
    std::vector<level> levels_;
    std::vector<std::int32_t> level_of_;
    std::vector<route> routes_;
    // The answer to the last change, and sets of entities on the way to it. They are members for
    // their memory.
    std::vector<affected> affected_;
    std::vector<entity_t> values_;       // of the sets in affected_
    std::vector<entity_t> members_;      // each once
    std::unordered_set<entity_t> seen_;  // the members, if they are more than a few
    std::vector<entity_t> reached_;
    std::vector<way> ways_;
    bool everything_ = false;                 // the change affects every result
    mutable std::vector<id_t> patterns_;      // kept for its memory
    mutable std::vector<entity_t> elements_;  // kept for its memory
};

}  // namespace kith::observe
