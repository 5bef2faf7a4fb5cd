// The operator `optional`, declared in optional.hpp.
#include "query/exec/ops/optional.hpp"

namespace kith::queries {

bool optional_operator::open(exec_context& context, const graph_op& op, inner_block& block) {
    matched = block.run_inside(op, false);
    if (!matched) {
        clear(context, op, block);
    }
    return true;
}

bool optional_operator::next(exec_context& context, const graph_op& op, inner_block& block) {
    if (!matched) {
        return false;
    }
    matched = block.run_inside(op, true);
    if (!matched) {
        clear(context, op, block);
    }
    return matched;
}

void optional_operator::clear(exec_context& context, const graph_op& op,
                              inner_block& block) noexcept {
    block.abandon_inside(op);
    context.clear_fields(op);
}

}  // namespace kith::queries
