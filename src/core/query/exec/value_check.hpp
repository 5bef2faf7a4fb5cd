// The comparisons of value terms during a run: values of one result, and of up to 64 rows at a
// time. Implemented in value_check.cpp.
#pragma once

#include "query/exec/exec_context.hpp"

namespace kith::queries {

// The test of a comparison: that of the run if it has replaced the constant, else that of the
// query. `changed`: the constants that the run has replaced.
const detail::value_test& find_test(const detail::value_change* changed,
                                    const value_condition& condition) noexcept;

// True if the value in the field of the term passes its comparison. Requires: the term has one, and
// its field is set.
bool holds_value(const exec_context& context, const term& term);
// The same. A variable without a value that `handle == $x` compares with gets one, and is added to
// the set. Requires: a block plan.
bool bind_value(exec_context& context, const term& term, variable_set& bound_here);
// True if the value passes the comparison of the term.
bool holds_value(const exec_context& context, const term& term, const std::byte* value);

// The rows that pass, as bits: rows [first, first + count) of the range that $this is, in the
// column that the field of the term is. Requires: at most 64 rows.
std::uint64_t find_passing(exec_context& context, const term& term, std::uint32_t first,
                           std::uint32_t count);

}  // namespace kith::queries
