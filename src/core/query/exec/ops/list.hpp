// The operator `list`: a term with AndFrom, OrFrom or NotFrom, which compares the ids of its source
// with the ids of another entity, the list. The operator keeps no state: a list has at most one
// result. Implemented in list.cpp.
#pragma once

#include "query/exec/exec_context.hpp"

namespace kith::queries {

struct list_operator {
    bool open(exec_context& context, const op& op);
    bool next(exec_context&, const op&) noexcept { return false; }
};

}  // namespace kith::queries
