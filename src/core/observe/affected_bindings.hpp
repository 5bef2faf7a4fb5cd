// Which results of a query a change may touch: the values that some of the query's variables have
// in all of them. What is found may be too much, never too little.
//
// A change is that an entity gains or loses an id, or that the id is switched on or off. It is
// looked at before it happens. Where a term says with which variables the id is concerned, these
// are bound to what the id names; where it is found by a search, to all from which the search leads
// to the changed entity; and where the term's variables are unknown outside of a scope, to what its
// neighbours in the scope join them with.
//
// Covered by tests/core/observe/monitor_test.cpp and the random queries of
// tests/model/monitor_test.cpp.
#pragma once

#include "query/compiled_query.hpp"
#include "query/model/clauses.hpp"

#include <unordered_set>
#include <vector>

namespace kith::observe {

using queries::variable_set;

// Values of some variables; `which` is empty: every result.
struct binding {
    variable_set which = 0;
    entity_t values[queries::max_variables];
};

struct change {
    entity_t entity;
    id_t id;
};

// The id is a property that says what others mean.
bool is_semantic_property(id_t id) noexcept;

class affected_bindings {
public:
    affected_bindings(const queries::compiled_query& query, const storage::store& data);

    // Variables that have a value in every result.
    variable_set bound() const noexcept { return bound_; }
    // The term must hold in every result.
    bool is_required(std::uint32_t term) const noexcept { return (required_ >> term) & 1; }
    // It is one of several wildcards, of which one must hold in every result.
    bool is_alternative(std::uint32_t term) const noexcept { return (every_ >> term) & 1; }
    // It must hold in none.
    bool is_forbidden(std::uint32_t term) const noexcept { return (forbidden_ >> term) & 1; }
    // Some results need nothing of $this but that it is there.
    bool is_open() const noexcept { return open_; }

    // Calls listen(pattern) for everything that may touch a result; a pattern may come twice.
    template <class Listen>
    void each_pattern(Listen&& listen) const {
        collect_patterns();
        for (id_t pattern : patterns_) {
            listen(pattern);
        }
    }
    // The same for entities that end.
    template <class Listen>
    void each_element(Listen&& listen) const {
        collect_elements();
        for (entity_t element : elements_) {
            listen(element);
        }
    }
    // Kinds of what the query names may come to be: patterns for those of an entity that is about
    // to get a base.
    template <class Listen>
    void each_new_pattern(const change& change, Listen&& listen) {
        collect_new_patterns(change);
        for (id_t pattern : patterns_) {
            listen(pattern);
        }
    }

    // Calls take(binding) for each.
    template <class Take>
    void each(const change& change, Take&& take) {
        find(change);
        binding binding;
        for (std::size_t i = 0; i < found_.size(); ++i) {
            expand(found_[i], binding, take);
        }
    }

private:
    // From one variable to another, by a term.
    struct hop {
        std::uint8_t term;
        bool to_target;
        std::uint8_t reached;  // a variable
    };
    // How the variables of a term lead to one that is known outside.
    struct route {
        bool is_known = false;
        std::uint8_t start = 0;  // a variable of the term
        std::vector<hop> hops;
    };
    // A set of bindings: each value of `many` with the ones that are the same in all of them.
    struct affected {
        variable_set which = 0;
        std::uint8_t variable = queries::no_variable;  // that has many values
        std::uint32_t first = 0;                       // of those, in values_
        std::uint32_t last = 0;
        std::uint8_t fixed[2];
        entity_t fixed_values[2];
        std::uint32_t fixed_count = 0;
    };
    // A relationship by which a term's search leads from its source to others.
    struct way {
        std::uint32_t relation;
        bool up;
    };
    // Terms that hold together: those of the query, or of a scope that is negated, optional or an
    // alternative.
    struct level {
        std::uint32_t first;
        std::uint32_t last;
        std::int32_t outer;  // the level it lies in, -1: none
        queries::scope_bindings known;
        std::vector<std::uint8_t> group_of;  // of each term: the first one of its group
    };

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

    void add_level(std::uint32_t first, std::uint32_t last, std::int32_t outer,
                   variable_set outside, bool required);
    void read_clauses(std::uint32_t first, std::uint32_t last, std::int32_t inside, bool required);
    route find_route(std::uint32_t term) const;
    bool can_hop(const level& where, std::uint32_t affected_term, std::uint32_t by,
                 std::uint8_t from, hop& hop) const;

    void collect_patterns() const;
    void collect_elements() const;
    void collect_new_patterns(const change& change);
    void add_patterns(const queries::term& term) const;
    void add_pattern(id_t pattern) const { patterns_.push_back(pattern); }

    void find(const change& change);
    void find_in(std::uint32_t number, const change& change);
    bool affects_everything(const change& change) const;
    bool changes_subtypes(const change& change) const;
    bool changes_names(const change& change) const;
    bool changes_list(const queries::term& term, const change& change) const;
    bool changes_semantics(const change& change) const;
    bool names(entity_t element) const;
    bool concerns(const queries::term& term, id_t id) const;
    bool hides_others(const queries::term& term, id_t id) const;
    void find_ways(const queries::term& term, std::vector<way>& ways) const;
    void add_start(const queries::term& term, const change& change, bool by_id);
    void add_bindings(std::uint32_t number, const change& change, bool by_id);
    affected find_exact(const queries::term& term, const change& change, bool by_id) const;
    void take_targets(std::uint32_t number, const change& change);
    void follow_route(const route& along);
    void hop_to(const hop& hop);
    // Adds to members_ all from which the ways lead to one of them; or where they lead to.
    void close(const std::vector<way>& ways, bool forward);
    void add_member(entity_t entity);
    void add_affected(std::uint8_t variable, const affected& with);

    bool is_subtype_of(std::uint32_t element, entity_t from) const;
    // The relationship and its kinds.
    std::vector<std::uint32_t> subtypes_of(entity_t element) const;

    const queries::query_model& model_;
    const queries::name_reader& names_;
    const storage::store& data_;
    variable_set bound_ = 0;
    std::uint64_t required_ = 0;
    std::uint64_t every_ = 0;
    std::uint64_t forbidden_ = 0;
    bool open_ = false;
    std::vector<level> levels_;
    std::vector<std::int32_t> level_of_;
    std::vector<route> routes_;
    // What is being found.
    std::vector<affected> found_;
    std::vector<entity_t> values_;
    std::vector<entity_t> members_;      // each once
    std::unordered_set<entity_t> seen_;  // the same, if they are many
    std::vector<entity_t> reached_;
    std::vector<way> ways_;
    bool everything_ = false;
    mutable std::vector<id_t> patterns_;
    mutable std::vector<entity_t> elements_;
};

}  // namespace kith::observe
