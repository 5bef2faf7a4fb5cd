// The operator `where`: the value that an earlier op has found for $this passes the comparison of
// its term. The operator has one result at most and no state.
#pragma once

#include "query/exec/value_check.hpp"

namespace kith::queries {

struct where_operator {
    bool open(exec_context& context, const op& op) {
        return holds_value(context, context.model.terms[op.first]);
    }
    bool next(exec_context&, const op&) noexcept { return false; }
};

}  // namespace kith::queries
