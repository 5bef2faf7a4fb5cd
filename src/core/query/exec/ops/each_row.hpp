// The operator `each_row`: $this, a range of rows, becomes each of its rows. Fields that were found
// for the whole range move with the row.
#pragma once

#include "query/exec/exec_context.hpp"

namespace kith::queries {

struct each_row_operator {
    bool open(exec_context& context, const op&) noexcept {
        this_rows& self = context.self;
        // In block plans, $this may be a single row already, or a table without rows.
        single = context.bindings && self.rows.count <= 1;
        if (!single) {
            self.rows = {self.whole.table, self.whole.first, 1};
        }
        return true;
    }
    bool next(exec_context& context, const op&) noexcept {
        this_rows& self = context.self;
        if (single) {
            return false;
        }
        if (self.rows.first + 1 == self.whole.first + self.whole.count) {
            context.shift_fields(static_cast<std::ptrdiff_t>(self.whole.first) - self.rows.first);
            self.rows = self.whole;
            return false;
        }
        context.shift_fields(1);
        ++self.rows.first;
        return true;
    }

    bool single = false;  // the range has one row and is left as it is
};

}  // namespace kith::queries
