// The interface through which an operator evaluates the block of ops inside of its op. The
// evaluator of block plans (block_evaluator.hpp) implements it and chooses operators, so operators
// need not know it.
#pragma once

#include "query/exec/exec_context.hpp"
#include "query/plan/graph_plan.hpp"

namespace kith::queries {

class inner_block {
public:
    // Evaluates the ops inside of an op; `again`: to their next result. False if there is none.
    virtual bool run_inside(const graph_op& op, bool again) = 0;
    // Unbinds all variables that the ops inside of an op have bound.
    virtual void abandon_inside(const graph_op& op) noexcept = 0;

protected:
    ~inner_block() = default;
};

// The position of an op in the plan of the context.
inline std::uint32_t number_of(const exec_context& context, const graph_op& op) noexcept {
    return static_cast<std::uint32_t>(&op - context.blocks->ops.data());
}

}  // namespace kith::queries
