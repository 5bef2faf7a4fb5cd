// The operator `id_in_table`: one term with And, Not or Optional about $this, whose id is a member
// of the table's type or not. Ids that the type lacks are searched in bases by the operator
// `match`. Implemented in id_in_table.cpp.
#pragma once

#include "query/exec/ops/match.hpp"

namespace kith::queries {

// True if an id that the type of $this lacks may still be found in another entity.
inline bool searches_beyond_type(const exec_context& context, const term& term) noexcept {
    return term.follows() &&
           (term.trav != IsA || context.self.table->flags & detail::shape_has_base);
}

struct id_in_table_operator {
    bool open(exec_context& context, const op& op);
    bool next(exec_context& context, const op& op) { return inherited && match.next(context, op); }

    bool inherited = false;  // the type lacks the id, `match` has the results
    match_operator match;
};

}  // namespace kith::queries
