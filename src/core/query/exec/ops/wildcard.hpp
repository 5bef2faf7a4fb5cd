// The operator `wildcard`: one term with And, Not or Optional about $this, whose pattern is
// compared with the ids of the table's type. Patterns that bases may satisfy as well are left to
// the operator `match`. Implemented in wildcard.cpp.
#pragma once

#include "query/exec/ops/match.hpp"

namespace kith::queries {

struct wildcard_operator {
    bool open(exec_context& context, const op& op);
    bool next(exec_context& context, const op& op);

    bool inherited = false;      // bases may have further ids, `match` has the results
    bool matched = false;        // the last result has a field that is set
    std::int32_t position = -1;  // of the last result, in the ids of the type
    match_operator match;
};

}  // namespace kith::queries
