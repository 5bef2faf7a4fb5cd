// What a query means, by brute force: every entity is tried as $this, every other variable is
// replaced by whatever the terms hold for, and all choices are combined. Nothing is shared with the
// engine. Implemented in oracle.cpp, with the meaning of a single term in oracle_matcher.hpp and
// the roles of variables in oracle_tree.hpp.
#pragma once

#include "support/query_model/oracle_term.hpp"

#include <map>
#include <stdexcept>
#include <tuple>
#include <vector>

namespace oracle {

// Variables by number, $this being 0; 0 where one is not set, or there is no $this.
using binding = std::vector<entity_t>;

struct result {
    binding variables;
    std::vector<field> fields;

    entity_t entity() const { return variables[0]; }
    auto operator<=>(const result&) const = default;
};

struct answer {
    bool has_this = false;
    std::vector<bool> visible;    // variables that have a value in some results
    std::vector<bool> required;   // in every result
    std::vector<result> results;  // sorted
    // Where a field may be reported in several ways: how it is written in `results`.
    std::map<std::tuple<binding, std::size_t, field>, field> same;
};

// Nothing to compare with: more results than anyone wants to see, or a variable that is left to
// others by all who mention it.
class no_answer : public std::runtime_error {
public:
    using runtime_error::runtime_error;
};
class too_much : public no_answer {
public:
    too_much() : no_answer("too many results") {}
};
class unclear : public no_answer {
public:
    unclear() : no_answer("nothing binds a variable") {}
};

// The terms as a query that is made now understands them: a relationship by itself stands for its
// pairs. That kinds of a target of IsA count is said of it anyway.
std::vector<term> understood(const reader& world, std::vector<term> terms);

// By term: the number of its field, from 0.
std::vector<std::size_t> field_numbers(const std::vector<term>& terms);

answer evaluate(const reader& world, const std::vector<term>& terms);

// How the oracle writes a result that may be reported in several ways.
result normal(result one, const answer& expected);

}  // namespace oracle
