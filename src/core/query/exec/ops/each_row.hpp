// The operator `each_row`: $this, a range of rows, becomes each of its rows. Fields that were found
// for the whole range move with the row.
#pragma once

#include "query/exec/exec_context.hpp"

namespace kith::queries {

struct each_row_operator {
    bool open(exec_context& context, const op&) {
        this_rows& self = context.self;
        // In block plans, $this may be a single row already, or a table without rows.
        single = context.bindings && self.rows.count <= 1;
        if (!single) {
            self.rows = {self.whole.table, self.whole.first, 1};
            if (value_seek* const seek = context.proposer.seek_in(self.whole.table)) {
                return move_on(context, *seek, self.whole.first);
            }
        }
        return true;
    }
    bool next(exec_context& context, const op&) {
        this_rows& self = context.self;
        if (single) {
            return false;
        }
        if (value_seek* const seek = context.proposer.seek_in(self.whole.table)) {
            return move_on(context, *seek, self.rows.first + 1);
        }
        if (self.rows.first + 1 == self.whole.first + self.whole.count) {
            return end(context);
        }
        context.shift_fields(1);
        ++self.rows.first;
        return true;
    }
    // To the next candidate of an index, at a row or behind it.
    static bool move_on(exec_context& context, value_seek& seek, std::uint32_t row) {
        const row_range& whole = context.self.whole;
        const std::uint32_t found =
            row - whole.first < whole.count ? seek.next(whole.table, row) : value_seek::no_row;
        if (found == value_seek::no_row || found - whole.first >= whole.count) {
            return end(context);
        }
        context.move_to_row(found);
        return true;
    }
    // Behind the last row: the range is whole again.
    static bool end(exec_context& context) noexcept {
        this_rows& self = context.self;
        context.shift_fields(static_cast<std::ptrdiff_t>(self.whole.first) - self.rows.first);
        self.rows = self.whole;
        return false;
    }

    bool single = false;  // the range has one row and is left as it is
};

}  // namespace kith::queries
