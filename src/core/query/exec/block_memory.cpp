// The memory of block plans, declared in block_memory.hpp, and the pool of it that each thread has.
#include "query/exec/block_memory.hpp"

#include <kith/detail/thread_owned.hpp>

#include "query/exec/operator_frame.hpp"

#include <algorithm>
#include <utility>

namespace kith::queries {

namespace {

constexpr std::uint32_t most_kept = 8;
KITH_THREAD_LOCAL bool pool_closed = false;  // outlives the pool

struct memory_pool {
    block_memory* free = nullptr;
    std::uint32_t count = 0;

    ~memory_pool() {
        while (free) {
            delete std::exchange(free, free->next);
        }
        pool_closed = true;
    }
};
KITH_THREAD_OWNED(memory_pool, pool_of_thread);

block_memory* take() {
    memory_pool& pool = pool_of_thread();
    if (!pool.free || pool_closed) {
        return new block_memory;
    }
    --pool.count;
    return std::exchange(pool.free, pool.free->next);
}

std::size_t count_ops(const graph_plan& plan, op_code code) noexcept {
    return static_cast<std::size_t>(std::count_if(plan.ops.begin(), plan.ops.end(),
                                                  [&](const op& op) { return op.code == code; }));
}

template <class State>
void grow(std::vector<State>& states, std::size_t count) {
    if (states.size() < count) {
        states.resize(count);
    }
}

// Refers each frame to a state of its own. Requires: the lists of states are long enough.
void connect_frames(block_memory& memory, const exec_context& context, operator_frame* frames) {
    enumerate_operator* enumerate = memory.enumerates.data();
    match_term_operator* match_term = memory.match_terms.data();
    or_else_operator* or_else = memory.or_elses.data();
    intersect_operator* intersect = memory.intersects.data();
    for (const graph_op& op : context.blocks->ops) {
        const term* term = op.first < op.last ? context.model.terms + op.first : nullptr;
        switch (op.code) {
            case op_code::enumerate:
                enumerate->start(term);
                frames->enumerate = enumerate++;
                break;
            case op_code::match_term:
                KITH_ASSERT(term, "the op `match_term` has a term");
                match_term->start(*term);
                frames->match_term = match_term++;
                break;
            case op_code::or_else:
                frames->or_else = or_else++;
                break;
            case op_code::intersect:
                intersect->start();
                frames->intersect = intersect++;
                break;
            default:
                break;
        }
        ++frames;
    }
}

}  // namespace

void block_memory_ref::open(exec_context& context, operator_frame* frames) {
    KITH_ASSERT(!memory_ && context.blocks, "a run of a block plan takes its memory once");
    memory_ = take();
    block_memory& memory = *memory_;
    const graph_plan& plan = *context.blocks;
    memory.bindings.bound = memory.bindings.given = 0;
    std::fill(memory.bindings.values, memory.bindings.values + context.model.variable_count, 0);
    grow(memory.enumerates, count_ops(plan, op_code::enumerate));
    grow(memory.match_terms, count_ops(plan, op_code::match_term));
    grow(memory.or_elses, count_ops(plan, op_code::or_else));
    grow(memory.intersects, count_ops(plan, op_code::intersect));
    grow(memory.closures, context.model.count);
    for (target_closure& closure : memory.closures) {
        closure.clear();
    }
    connect_frames(memory, context, frames);
    context.bindings = &memory.bindings;
    context.closures = memory.closures.data();
    context.visited_rows = &memory.visited_rows;
}

block_memory_ref::~block_memory_ref() {
    if (!memory_) {
        return;
    }
    memory_pool& pool = pool_of_thread();
    if (pool_closed || pool.count == most_kept) {
        delete memory_;
        return;
    }
    memory_->next = std::exchange(pool.free, memory_);
    ++pool.count;
}

}  // namespace kith::queries
