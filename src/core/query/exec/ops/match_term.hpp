// The operator `match_term`: one term of a block plan, which takes the values of bound variables
// and binds the others. The operator has one result per id that satisfies the term. Implemented in
// match_term.cpp; pairs of transitive and reflexive relationships come from closure.cpp.
#pragma once

#include "query/exec/ops/closure.hpp"

namespace kith::queries {

struct match_term_operator {
    // Begins a run for a term.
    void start(const term& term) noexcept {
        request.start(term);
        closure.start();
        links.schema = 0;
        matched = false;
    }
    bool open(exec_context& context, const graph_op& op, op_head& head);
    bool next(exec_context& context, const graph_op& op, op_head& head);

    enum class strategy : std::uint8_t {
        none,     // no result
        column,   // one id in the type of the source's table
        pattern,  // the ids of one owner
        links,    // the links of the source
        list,     // collected matches
    } how = strategy::none;
    bool matched = false;  // the last result has a field that is set
    bool single = false;   // one match is enough
    term_request request;
    relation_links links;
    std::uint32_t position = 0;  // the column; or the next link; or the next of `matches`
    // -- of the strategies `pattern` and `links`
    owner_ref owner;
    owned_id_position owned_position;
    // -- of the strategy `list`
    std::vector<match> matches;
    closure_search closure;

private:
    void choose_strategy(exec_context& context, const graph_op& op, const term& term);
    bool open_column(const exec_context& context, const term& term) noexcept;
    bool open_links(const exec_context& context, const graph_op& op, const term& term) noexcept;
    void use_column(std::int32_t column) noexcept;
    bool find_passing_match(exec_context& context, const term& term, op_head& head);
    bool find_next(exec_context& context, const term& term, op_head& head);
    bool next_column(exec_context& context, const term& term) noexcept;
    bool next_link(exec_context& context, const term& term, op_head& head) noexcept;
    bool next_listed(exec_context& context, const term& term, op_head& head) noexcept;
    bool next_owned(exec_context& context, const term& term, op_head& head);
};

}  // namespace kith::queries
