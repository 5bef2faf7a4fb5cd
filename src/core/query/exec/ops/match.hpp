// The operator `match`: one term with And, Not or Optional, wherever its id is stored or searched.
// It has one result for each matching id, none or one of them for Not, and an unset field for an
// Optional term without matches. Implemented in match.cpp.
#pragma once

#include "query/exec/ops/owner_search.hpp"

namespace kith::queries {

struct match_operator {
    bool open(exec_context& context, const op& op);
    bool next(exec_context& context, const op& op);

    owner_search search;
    bool matched = false;  // of Optional: the last result has a field that is set
};

}  // namespace kith::queries
