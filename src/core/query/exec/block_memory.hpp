// The memory of a run of a block plan: the values of its variables, and the states of operators
// that own lists. A thread keeps the memory for its next run, so that repeated runs allocate
// nothing. Implemented in block_memory.cpp.
#pragma once

#include "query/exec/ops/enumerate.hpp"
#include "query/exec/ops/intersect.hpp"
#include "query/exec/ops/match_term.hpp"
#include "query/exec/ops/or_else.hpp"

#include <vector>

namespace kith::queries {

struct operator_frame;

// The lists of states may be longer than the present plan needs: they keep the memory of longer
// plans.
struct block_memory {
    binding_set bindings;
    std::vector<enumerate_operator> enumerates;
    std::vector<match_term_operator> match_terms;
    std::vector<or_else_operator> or_elses;
    std::vector<intersect_operator> intersects;
    std::vector<target_closure> closures;  // of each term
    graph::visit_set visited_rows;
    block_memory* next = nullptr;  // in the pool of the thread
};

// Holds a block_memory that comes from the pool of this thread and returns there, or none.
class block_memory_ref {
public:
    block_memory_ref() noexcept = default;
    ~block_memory_ref();
    block_memory_ref(const block_memory_ref&) = delete;
    block_memory_ref& operator=(const block_memory_ref&) = delete;

    // Prepares the memory for a run of the context's plan: all variables are unbound, and the
    // frames refer to the states of their operators. Requires: a frame for each op of the plan, and
    // no call before.
    void open(exec_context& context, operator_frame* frames);
    explicit operator bool() const noexcept { return memory_ != nullptr; }

private:
    block_memory* memory_ = nullptr;
};

}  // namespace kith::queries
