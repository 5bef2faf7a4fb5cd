// The operator `optional`: a block that may have results. Without one, the operator holds once,
// with the variables of the block unbound and its fields unset. Implemented in optional.cpp.
#pragma once

#include "query/exec/inner_block.hpp"

namespace kith::queries {

struct optional_operator {
    bool open(exec_context& context, const graph_op& op, inner_block& block);
    bool next(exec_context& context, const graph_op& op, inner_block& block);

    bool matched = false;  // the last result is one of the block

private:
    void clear(exec_context& context, const graph_op& op, inner_block& block) noexcept;
};

}  // namespace kith::queries
