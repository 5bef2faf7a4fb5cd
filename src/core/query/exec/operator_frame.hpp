// The frame of one op of a plan during a run: the state of its operator, and the part of it that
// the backtracking loop reads. Small states are members of a union; operators with lists of their
// own keep their state in the memory of the thread, see block_memory.hpp.
#pragma once

#include "query/exec/ops/each_row.hpp"
#include "query/exec/ops/id_in_table.hpp"
#include "query/exec/ops/list.hpp"
#include "query/exec/ops/match.hpp"
#include "query/exec/ops/not_exists.hpp"
#include "query/exec/ops/optional.hpp"
#include "query/exec/ops/or_chain.hpp"
#include "query/exec/ops/scan.hpp"
#include "query/exec/ops/where.hpp"
#include "query/exec/ops/wildcard.hpp"

#include <new>

namespace kith::queries {

struct enumerate_operator;
struct match_term_operator;
struct or_else_operator;
struct intersect_operator;

// Invariant: the active member of the union is the one of `code`.
struct operator_frame {
    explicit operator_frame(op_code kind) noexcept : code(kind), enumerate(nullptr) {
        switch (kind) {
            case op_code::each_row:
                ::new (&each_row) each_row_operator;
                break;
            case op_code::id_in_table:
                ::new (&id_in_table) id_in_table_operator;
                break;
            case op_code::wildcard:
                ::new (&wildcard) wildcard_operator;
                break;
            case op_code::match:
                ::new (&match) match_operator;
                break;
            case op_code::match_value:
                ::new (&match_value) match_value_operator;
                break;
            case op_code::chain:
                ::new (&or_chain) or_chain_operator;
                break;
            case op_code::optional:
                ::new (&optional) optional_operator;
                break;
            case op_code::not_exists:
                ::new (&not_exists) not_exists_operator;
                break;
            default:
                break;
        }
    }
    ~operator_frame() {
        switch (code) {
            case op_code::id_in_table:
                id_in_table.~id_in_table_operator();
                break;
            case op_code::wildcard:
                wildcard.~wildcard_operator();
                break;
            case op_code::match:
                match.~match_operator();
                break;
            case op_code::match_value:
                match_value.~match_value_operator();
                break;
            case op_code::chain:
                or_chain.~or_chain_operator();
                break;
            default:
                break;
        }
    }
    operator_frame(const operator_frame&) = delete;
    operator_frame& operator=(const operator_frame&) = delete;

    op_code code;
    op_head head;
    union {
        each_row_operator each_row;
        id_in_table_operator id_in_table;
        wildcard_operator wildcard;
        match_operator match;
        match_value_operator match_value;
        or_chain_operator or_chain;
        optional_operator optional;
        not_exists_operator not_exists;
        // States of block plans that own lists, in the memory of the thread.
        enumerate_operator* enumerate;
        match_term_operator* match_term;
        or_else_operator* or_else;
        intersect_operator* intersect;
    };
};

// Opens an operator, or goes to its next result.
template <class Operator, class... Args>
bool eval_operator(Operator&& state, bool again, Args&... args) {
    return again ? state.next(args...) : state.open(args...);
}

// Evaluates an op that flat plans and block plans have in common.
inline bool eval_common_op(exec_context& context, const op& op, operator_frame& frame, bool again) {
    KITH_ASSERT(op.code == frame.code, "a frame belongs to one op");
    switch (op.code) {
        case op_code::scan:
            return eval_operator(scan_operator{}, again, context, op);
        case op_code::each_row:
            return eval_operator(frame.each_row, again, context, op);
        case op_code::id_in_table:
            return eval_operator(frame.id_in_table, again, context, op);
        case op_code::wildcard:
            return eval_operator(frame.wildcard, again, context, op);
        case op_code::match:
            return eval_operator(frame.match, again, context, op);
        case op_code::match_value:
            return eval_operator(frame.match_value, again, context, op);
        case op_code::where:
            return eval_operator(where_operator{}, again, context, op);
        case op_code::chain:
            return eval_operator(frame.or_chain, again, context, op);
        case op_code::list:
            return eval_operator(list_operator{}, again, context, op);
        default:
            return false;
    }
}

}  // namespace kith::queries
