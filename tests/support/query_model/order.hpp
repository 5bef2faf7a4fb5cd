// The same query with its terms in another order, and what its fields are then.
#pragma once

#include "support/query_model/oracle.hpp"

#include <numeric>
#include <random>

namespace query_model {

// Terms that stay together: one, a chain of Or, a scope.
struct term_group {
    std::vector<oracle::term> terms;
    std::size_t first_field = 0;
    std::size_t fields = 0;
};

std::vector<term_group> groups_of(const std::vector<oracle::term>& terms);

struct reordered {
    std::vector<oracle::term> terms;
    std::vector<std::size_t> fields;  // by field: which one it is in the original order
};

// Of several that may bind a variable that may stay unset, the first does: those keep their order.
bool may_bind_unset(const term_group& group, const oracle::answer& said);
reordered shuffled(const std::vector<oracle::term>& terms, const oracle::answer& said,
                   unsigned choice);
oracle::result in_original_order(const oracle::result& one, const reordered& order);

}  // namespace query_model
