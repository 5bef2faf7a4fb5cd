// The operator `compare`: the source of a term is the entity on the right (`==`), is not (`!=`), or
// has a name that contains a text (`~=`). An equation with one bound side binds the other side. The
// operator has one result at most and no state. Implemented in compare.cpp.
#pragma once

#include "query/exec/exec_context.hpp"
#include "query/plan/graph_plan.hpp"

namespace kith::queries {

struct compare_operator {
    bool open(exec_context& context, const graph_op& op, op_head& head);
    bool next(exec_context& context, const graph_op&, op_head& head) noexcept {
        context.release(head.bound);
        return false;
    }
};

}  // namespace kith::queries
