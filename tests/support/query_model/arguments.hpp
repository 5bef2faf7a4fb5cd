// What arguments of a run leave of a query's results.
#pragma once

#include "support/query_model/order.hpp"
#include "support/query_model/program.hpp"

namespace query_model {

// A term whose target is given by an argument.
struct open_slot {
    entity_t relation;
    oracle::part source;
    std::size_t term;
    std::size_t field;

    // Those of the same term are interchangeable.
    bool is_like(const open_slot& other) const {
        return relation == other.relation && spelled_out(source) == spelled_out(other.source);
    }
    static oracle::part spelled_out(oracle::part source) {
        source.flags = source.flags == 0 ? kith::Self | kith::Up : source.flags;
        source.relation = source.relation == 0 ? kith::IsA : source.relation;
        source.min_depth = std::max(source.min_depth, 1u);
        return source;
    }
};

// The slots of a query; none if there is one of which the oracle does not know what it means.
std::vector<open_slot> slots_of(const std::vector<oracle::term>& terms);

// Every open target as a variable, behind those that the query has.
std::vector<oracle::term> with_slots_as_variables(std::vector<oracle::term> terms,
                                                  std::size_t variables);

// Chooses from the results of such a query.
class argument_filter {
public:
    // `before`: how many variables the query has without those for its slots.
    argument_filter(std::vector<open_slot> slots, std::vector<entity_t> arguments,
                    std::size_t before);

    // Every set of targets once.
    std::vector<oracle::result> apply(const std::vector<oracle::result>& results) const;
    oracle::result without_slots(oracle::result one) const;
    // Fields of one term in ascending order: which slot has which target is not said.
    oracle::result normal(oracle::result one) const;

private:
    bool repeats() const { return same_.size() < slots_.size(); }
    entity_t target(const oracle::result& one, std::size_t slot) const;
    std::vector<entity_t> targets(const oracle::result& one) const;
    bool are_distinct(const oracle::result& one) const;
    // In some order of the slots of a term.
    bool fits(const oracle::result& one) const;

    std::vector<open_slot> slots_;
    std::vector<entity_t> arguments_;
    std::size_t before_;
    std::vector<std::vector<std::size_t>> same_;  // slots of each term
};

}  // namespace query_model
