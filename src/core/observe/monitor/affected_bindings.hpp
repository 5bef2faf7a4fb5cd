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
// 1. Only variables with a value in every result (query_structure::bound) occur in bindings.
// 2. The members of `affected_` and `values_` are valid until the next each().
//
// Covered by tests/features/monitors/monitor_test.cpp and the random queries of
// tests/model/monitor_test.cpp.
#pragma once

#include "graph/visit_set.hpp"
#include "observe/monitor/query_structure.hpp"
#include "observe/monitor/term_dependencies.hpp"
#include "query/compiled_query.hpp"

#include <vector>

namespace kith::observe {

// The analysis of one query. Requires: the query, its structure and the store live longer.
class affected_bindings {
public:
    affected_bindings(const queries::compiled_query& query, const query_structure& structure,
                      const storage::store& data) noexcept
        : model_(query.model), names_(query.names), structure_(structure), data_(data) {}

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
    // Adds the entities whose own view of the term changes to members_.
    void add_start(const queries::term& term, const change& change, bool by_id);
    void add_bindings(std::uint32_t number, const change& change, bool by_id);
    affected find_exact(const queries::term& term, const change& change, bool by_id) const;
    // Replaces members_ by the targets that the term may reach through the changed pair.
    void take_targets(std::uint32_t number, const change& change);
    void follow_route(const query_structure::route& along);
    void hop_to(const query_structure::hop& hop);
    // Extends members_ along the ways: to all entities from which a member is reached, or
    // (`forward`) to all entities that are reached from a member.
    void close(const std::vector<way>& ways, bool forward);
    void add_member(entity_t entity) {
        if (entity != 0) {
            members_.insert(entity);
        }
    }
    void add_affected(std::uint8_t variable, const affected& with);

    const queries::query_model& model_;
    const queries::name_reader& names_;
    const query_structure& structure_;
    const storage::store& data_;
    // The answer to the last change, and sets of entities on the way to it. They are members for
    // their memory.
    std::vector<affected> affected_;
    std::vector<entity_t> values_;  // of the sets in affected_
    graph::visit_set members_;
    graph::visit_set reached_;
    std::vector<way> ways_;
    bool everything_ = false;  // the change affects every result
};

}  // namespace kith::observe
