// The evaluator of block plans: runs the ops of one block with the backtracking loop, and chooses
// the operator of each op. Operators that contain a block (optional, not_exists, or_else,
// intersect) use it for the ops inside. Implemented in block_evaluator.cpp.
#pragma once

#include "query/exec/inner_block.hpp"

namespace kith::queries {

struct operator_frame;

class block_evaluator final : public inner_block {
public:
    static constexpr std::uint32_t no_op = 0xFFFFFFFF;

    explicit block_evaluator(exec_context& context) noexcept : context_(context) {}
    // Begins a run of the context's plan. `frames`: one for each of its ops.
    void open(operator_frame* frames) noexcept { frames_ = frames; }

    // Evaluates the outermost block; false at the end, or once the run has been stopped.
    bool run(bool again);
    // Evaluates the ops [first, last) of one block, of which `tail` is the last one; `again`: to
    // their next result.
    bool run_ops(std::uint32_t first, std::uint32_t last, std::uint32_t tail, bool again);
    // Ends the run before the next result.
    void stop() noexcept { stopped_ = true; }

    bool run_inside(const graph_op& op, bool again) override {
        return run_ops(number_of(context_, op) + 1, op.next, op.tail, again);
    }
    void abandon_inside(const graph_op& op) noexcept override;

    // -- shares of a run
    // True if the first choice of the plan is $this, from the candidates.
    bool shares_candidates() const noexcept;
    // Divides the first choice of the plan among shares. False if the plan has no choices: then its
    // results are to be divided.
    bool divide(const row_share& share) noexcept;

private:
    struct program;

    const graph_op& op(std::uint32_t number) const noexcept { return context_.blocks->ops[number]; }
    bool gives_up();
    bool is_choice(const graph_op& op) const noexcept;
    std::uint32_t find_first_choice() const noexcept;
    bool proposes_source(std::uint32_t number) const noexcept;

    exec_context& context_;
    operator_frame* frames_ = nullptr;
    std::uint32_t divided_op_ = no_op;  // the op whose results are divided among shares
    std::uint32_t failures_ = 0;
    bool stopped_ = false;
};

}  // namespace kith::queries
