// The operator `scan`: $this becomes each range of rows that the run proposes. The proposer keeps
// the position, so the operator has no state.
#pragma once

#include "query/exec/exec_context.hpp"

namespace kith::queries {

struct scan_operator {
    bool open(exec_context& context, const op& op) {
        context.proposer.restart();
        return next(context, op);
    }
    bool next(exec_context& context, const op&) {
        this_rows& self = context.self;
        const bool any = context.proposer.next(self.rows, context.fields);
        if (any) {
            self.table = &context.data.tables.at(self.rows.table);
            self.bare.table = self.rows.table;
            self.whole = self.rows;
        }
        if (context.bindings) {
            context.bindings->bound =
                (context.bindings->bound & ~this_variable) | (any ? this_variable : 0);
        }
        return any;
    }
};

}  // namespace kith::queries
