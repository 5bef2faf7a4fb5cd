// The operator `or_else`, declared in or_else.hpp.
#include "query/exec/ops/or_else.hpp"

#include <algorithm>

namespace kith::queries {

bool or_else_operator::open(exec_context& context, const graph_op& op, inner_block& block) {
    alternative = number_of(context, op) + 1;
    context.clear_fields(op);
    return find(context, op, block, false);
}

bool or_else_operator::next(exec_context& context, const graph_op& op, inner_block& block) {
    return find(context, op, block, true);
}

// Goes to the next result of the present alternative (`again`: behind its last one), or to the
// first result of a later alternative.
bool or_else_operator::find(exec_context& context, const graph_op& op, inner_block& block,
                            bool again) {
    const std::vector<graph_op>& ops = context.blocks->ops;
    while (alternative != op.next) {
        const graph_op& branch = ops[alternative];
        KITH_ASSERT(branch.code == op_code::branch, "an alternative begins with the op `branch`");
        while (block.run_inside(branch, again)) {
            again = true;
            if (!is_repeated(context, op, block)) {
                return true;
            }
        }
        again = false;
        block.abandon_inside(branch);
        context.clear_fields(branch);
        alternative = branch.next;
    }
    return false;
}

// True if an earlier alternative holds for the same values of variables; of alternatives that give
// every match, if it has the same match. The earlier alternatives are evaluated with the variables
// bound, so no results are stored.
bool or_else_operator::is_repeated(exec_context& context, const graph_op& op, inner_block& block) {
    const std::vector<graph_op>& ops = context.blocks->ops;
    const term& first = context.model.terms[op.first];
    const std::uint8_t field = first.field;
    fields.assign(context.fields, context.fields + context.model.field_count);
    auto is_same = [&] {
        return !first.every_of_chain || (context.fields[field].id == fields[field].id &&
                                         context.fields[field].source == fields[field].source);
    };
    bool repeated = false;
    for (std::uint32_t other = number_of(context, op) + 1; !repeated && other != alternative;
         other = ops[other].next) {
        for (bool again = false; !repeated && block.run_inside(ops[other], again); again = true) {
            repeated = is_same();
        }
        block.abandon_inside(ops[other]);
    }
    std::copy(fields.begin(), fields.end(), context.fields);
    return repeated;
}

}  // namespace kith::queries
