// The operator `enumerate`: a variable becomes each entity (or $this each range of rows) that may
// be the source of a term. It proposes every candidate once; the op `match_term` of the same term
// behind it tests them. Implemented in enumerate.cpp.
#pragma once

#include "query/exec/ops/term_request.hpp"

#include <vector>

namespace kith::queries {

struct enumerate_operator {
    // Begins a run. `term` is null for the enumeration of all entities.
    void start(const term* term) noexcept {
        divided = false;
        listed_id = 0;
        if (term) {
            request.start(*term);
        }
    }
    bool open(exec_context& context, const graph_op& op, op_head& head);
    bool next(exec_context& context, const graph_op& op, op_head& head);

    bool bound_before = false;  // the variable has a value already: one result, without a search
    bool divided = false;       // the candidates are divided among the shares of the run
    row_range rows;             // the candidates of a variable other than $this,
    std::uint32_t row = 0;      // the present one of them
    term_request request;
    bool is_listed = false;  // the candidates are in `listed`, else they come from the scan
    scan candidates;
    std::vector<row_range> listed;
    std::size_t next_range = 0;  // in `listed`
    // The values for which the list was made; 0: it has not been made in this run.
    id_t listed_id = 0;
    entity_t listed_first = 0;
    entity_t listed_second = 0;

private:
    void choose_candidates(exec_context& context, const graph_op& op);
    bool next_candidate(exec_context& context, const graph_op& op, op_head& head);
    bool next_range_of(exec_context& context, std::uint32_t hidden, row_range& range);
    bool next_listed(const exec_context& context, std::uint32_t hidden, row_range& range) noexcept;
};

}  // namespace kith::queries
