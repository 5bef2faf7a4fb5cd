// The operator `match_value`: one term with And, Not or Optional whose values are compared. It has
// the results of the operator `match` whose values pass. Implemented in match_value.cpp.
#pragma once

#include "query/exec/ops/owner_search.hpp"

namespace kith::queries {

struct match_value_operator {
    bool open(exec_context& context, const op& op);
    bool next(exec_context& context, const op& op);

    owner_search search;
    bool matched = false;  // of Optional: the last result has a field that is set

private:
    bool find(exec_context& context, const term& term);
};

}  // namespace kith::queries
