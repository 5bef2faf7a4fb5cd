// The evaluator of block plans, declared in block_evaluator.hpp: the choice of operators, and the
// division of a run among shares.
#include "query/exec/block_evaluator.hpp"

#include "query/exec/backtrack.hpp"
#include "query/exec/operator_frame.hpp"
#include "query/exec/ops/compare.hpp"
#include "query/exec/ops/enumerate.hpp"
#include "query/exec/ops/intersect.hpp"
#include "query/exec/ops/match_term.hpp"
#include "query/exec/ops/or_else.hpp"

namespace kith::queries {

namespace {

// Evaluates an op that is rare in block plans, out of the way of the loop.
[[gnu::noinline]] bool eval_rare_op(exec_context& context, const op& op, operator_frame& frame,
                                    bool again) {
    return eval_common_op(context, op, frame, again);
}

}  // namespace

// The program of a block plan, for backtrack().
struct block_evaluator::program {
    bool eval(std::uint32_t number, bool again);
    bool holds_once(std::uint32_t number) const noexcept { return frames[number].head.once; }
    bool accepts(std::uint32_t number) const noexcept {
        return number != evaluator.divided_op_ || context.share.takes_one();
    }
    bool gives_up() const { return evaluator.gives_up(); }
    std::uint32_t next(std::uint32_t number) const noexcept { return ops[number].next; }
    std::uint32_t previous(std::uint32_t number) const noexcept { return ops[number].previous; }

    block_evaluator& evaluator;
    exec_context& context;
    const graph_op* const ops;
    operator_frame* const frames;
};

// Inlined into the loop: the choice of the operator is made for each op of each result.
[[gnu::always_inline]] inline bool block_evaluator::program::eval(std::uint32_t number,
                                                                  bool again) {
    const graph_op& op = ops[number];
    operator_frame& frame = frames[number];
    op_head& head = frame.head;
    head.once = false;
    if (op.depends != 0) {
        if (!again) {
            head.skipped = (op.depends & ~context.bindings->bound) != 0;
            if (head.skipped) {
                context.clear_fields(op);
                head.once = true;
                return true;
            }
        } else if (head.skipped) {
            return false;
        }
    }
    switch (op.code) {
        case op_code::enumerate:
            return eval_operator(*frame.enumerate, again, context, op, head);
        case op_code::match_term:
            return eval_operator(*frame.match_term, again, context, op, head);
        case op_code::compare:
            return eval_operator(compare_operator{}, again, context, op, head);
        case op_code::not_exists:
            head.once = true;
            return eval_operator(frame.not_exists, again, context, op, evaluator);
        case op_code::optional:
            return eval_operator(frame.optional, again, context, op, evaluator);
        case op_code::or_else:
            return eval_operator(*frame.or_else, again, context, op, evaluator);
        case op_code::intersect:
            return eval_operator(*frame.intersect, again, context, op, head, evaluator);
        case op_code::each_row:
            return eval_operator(frame.each_row, again, context, op);
        case op_code::id_in_table:
            if (!eval_operator(frame.id_in_table, again, context, op)) {
                return false;
            }
            head.once = !frame.id_in_table.inherited;
            return true;
        default:
            return eval_rare_op(context, op, frame, again);
    }
}

bool block_evaluator::run_ops(std::uint32_t first, std::uint32_t last, std::uint32_t tail,
                              bool again) {
    program ops{*this, context_, context_.blocks->ops.data(), frames_};
    return backtrack(ops, first, last, tail, again);
}

bool block_evaluator::run(bool again) {
    const graph_plan& plan = *context_.blocks;
    // A block that was given up inside of a negation looks like one that does not hold.
    return run_ops(0, static_cast<std::uint32_t>(plan.ops.size()), plan.tail, again) && !stopped_;
}

void block_evaluator::abandon_inside(const graph_op& op) noexcept {
    for (std::uint32_t i = number_of(context_, op) + 1; i < op.next; ++i) {
        context_.release(frames_[i].head.bound);
    }
}

// A search may last long without a result and without another range of candidates, so the question
// whether the run has been stopped is asked after a number of failures.
bool block_evaluator::gives_up() {
    constexpr std::uint32_t patience = 1024;
    if (++failures_ % patience == 0) {
        stopped_ = stopped_ || context_.proposer.stopped();
    }
    return stopped_;
}

// -- shares ---------------------------------------------------------------------------------------

// True if the op gives values to variables, and may do so in several ways.
bool block_evaluator::is_choice(const graph_op& op) const noexcept {
    auto is_open = [&](std::uint8_t variable) {
        return variable != no_variable && !context_.is_bound(variable);
    };
    switch (op.code) {
        case op_code::scan:
        case op_code::optional:
        case op_code::or_else:
        case op_code::intersect:
            return true;
        case op_code::enumerate:
            return is_open(op.variable);
        case op_code::match_term: {
            const term& term = context_.model.terms[op.first];
            return is_open(term.first_variable) || is_open(term.second_variable);
        }
        default:
            return false;
    }
}

// The first op that enumerates values; earlier ops only test. no_op: all ops test.
std::uint32_t block_evaluator::find_first_choice() const noexcept {
    const auto count = static_cast<std::uint32_t>(context_.blocks->ops.size());
    for (std::uint32_t i = 0; i < count; i = op(i).next) {
        if (is_choice(op(i))) {
            return i;
        }
    }
    return no_op;
}

bool block_evaluator::shares_candidates() const noexcept {
    const std::uint32_t first = find_first_choice();
    return first != no_op && op(first).code == op_code::scan;
}

bool block_evaluator::divide(const row_share& share) noexcept {
    const std::uint32_t first = find_first_choice();
    if (first == no_op) {
        return false;
    }
    context_.share = share;
    if (!proposes_source(first)) {
        divided_op_ = first;
    } else if (op(first).code == op_code::intersect) {
        // The op leaves the division to the op inside of it where it evaluates that one.
        frames_[first].intersect->divided = true;
        frames_[first + 1].enumerate->divided = true;
    } else {
        frames_[first].enumerate->divided = true;
    }
    return true;
}

// True if the op enumerates the values of one variable.
bool block_evaluator::proposes_source(std::uint32_t number) const noexcept {
    const graph_op& step = op(number);
    if (step.depends != 0 || step.variable == no_variable || context_.is_bound(step.variable)) {
        return false;
    }
    // A comparison before the op may give the variable a value.
    for (std::uint32_t i = 0; i < number; i = op(i).next) {
        if (op(i).code == op_code::compare) {
            return false;
        }
    }
    const graph_op& seek = op(step.code == op_code::intersect ? number + 1 : number);
    return seek.code == op_code::enumerate && seek.depends == 0 && seek.variable == step.variable;
}

}  // namespace kith::queries
