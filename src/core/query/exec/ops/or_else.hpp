// The operator `or_else`: blocks that are alternatives of each other. Each alternative gives its
// results, without the ones that an earlier alternative has for the same values of variables.
// Implemented in or_else.cpp.
#pragma once

#include "query/exec/inner_block.hpp"

#include <vector>

namespace kith::queries {

struct or_else_operator {
    bool open(exec_context& context, const graph_op& op, inner_block& block);
    bool next(exec_context& context, const graph_op& op, inner_block& block);

    std::uint32_t alternative = 0;  // the number of the op `branch` that gave the last result
    // The fields of a result while earlier alternatives are asked for it.
    std::vector<detail::field_data> fields;

private:
    bool find(exec_context& context, const graph_op& op, inner_block& block, bool again);
    bool is_repeated(exec_context& context, const graph_op& op, inner_block& block);
};

}  // namespace kith::queries
