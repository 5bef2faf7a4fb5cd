// The operator `not_exists`: a block that must have no result. It binds nothing, leaves the fields
// of the block unset, and holds once at most. Implemented in not_exists.cpp.
#pragma once

#include "query/exec/inner_block.hpp"
#include "query/exec/ops/term_request.hpp"

namespace kith::queries {

struct not_exists_operator {
    bool open(exec_context& context, const graph_op& op, inner_block& block);
    bool next(exec_context&, const graph_op&, inner_block&) noexcept { return false; }

    bool cleared = false;  // the fields are unset since the run began
    relation_links links;  // of a block about the sources of a target
    // The last table without bases that did not pass the tests of such a block; 0: none. Its type
    // gives the same answer for sources of other targets.
    std::uint32_t failed_table = 0;
    std::uint32_t failed_epoch = 0;  // store_head::table_epoch at that time

private:
    bool find_source(const exec_context& context, const graph_op& op, bool& exists);
};

}  // namespace kith::queries
