// The operator `intersect`: terms whose targets are one unbound variable, which becomes each target
// that all sources have in common. Lists of stored pairs are compared, once for each table where
// the pairs are in its type. The general ops of the terms are the block inside: they are evaluated
// for sources with bases, whose lists are incomplete, and for variables that are bound against the
// plan. Implemented in intersect.cpp.
#pragma once

#include "query/exec/common_targets.hpp"
#include "query/exec/inner_block.hpp"

namespace kith::queries {

struct intersect_operator {
    // Begins a run.
    void start() noexcept {
        schema = 0;
        divided = false;
    }
    bool open(exec_context& context, const graph_op& op, op_head& head, inner_block& block);
    bool next(exec_context& context, const graph_op& op, op_head& head, inner_block& block);

    // -- as the whole plan, without the loop over ops: variables are set and never bound
    // False if the loop is needed. Requires: no variable is bound.
    bool open_alone(exec_context& context, const graph_op& op);
    // To the next result. Requires: open_alone() was true.
    bool next_alone(exec_context& context, const graph_op& op);

    enum class strategy : std::uint8_t {
        known,  // all sources are bound
        rows,   // $this is each of several rows
        links,  // the source is each entity with a link of the first input
        scan,   // the source is each entity with a pair of the first input
        block,  // the ops inside are evaluated
    } how = strategy::known;
    bool divided = false;     // the sources are divided among the shares of the run
    bool inheritors = false;  // sources with bases are left to the block
    bool by_table = false;    // all rows of a table have the same targets
    std::vector<intersect_input> inputs;
    std::uint32_t schema = 0;  // the version that the inputs were made for
    // -- sources
    scan candidates;
    row_range rows;          // the present range of sources
    std::uint32_t row = 0;   // the next row of the range
    std::uint32_t link = 0;  // the next index in the links
    entity_t source = 0;     // the last source
    // -- targets
    std::vector<std::uint32_t> common;
    std::size_t next_target = 0;  // in `common`

private:
    bool find(exec_context& context, const graph_op& op, op_head& head, inner_block& block,
              bool again);
    void choose_strategy(exec_context& context, const graph_op& op);
    void make_inputs(const exec_context& context, const graph_op& op);
    void open_unbound_source(const exec_context& context, const graph_op& op) noexcept;
    void open_bound_sources(const exec_context& context, const graph_op& op);
    bool next_common(exec_context& context, const graph_op& op, op_head& head);
    bool next_source(exec_context& context, const graph_op& op);
    bool next_row(const exec_context& context);
    bool next_linked(exec_context& context, const graph_op& op);
    bool next_in_table(exec_context& context, const graph_op& op);
    void accept_type(const storage::table& type);
    bool accept(exec_context& context, const graph_op& op, op_head& head, std::uint32_t target);
    row_range rows_of_source(const graph_op& op) const noexcept;
    void bind_source(exec_context& context, const graph_op& op, op_head& head) noexcept;
};

}  // namespace kith::queries
