// The operator `or_chain`: terms without variables that are joined by Or. The first term that
// matches decides; in chains of wildcards each term gives all of its matches, and a match that an
// earlier term gives as well is left out. Implemented in or_chain.cpp.
#pragma once

#include "query/exec/ops/owner_search.hpp"

namespace kith::queries {

struct or_chain_operator {
    bool open(exec_context& context, const op& op);
    bool next(exec_context& context, const op& op);

    owner_search search;
    std::uint32_t alternative = 0;  // the term that gave the last result

private:
    bool open_alternative(exec_context& context, const op& op);
    bool next_of_alternative(exec_context& context, const op& op);
    bool is_repeated(const exec_context& context, const op& op) const;
};

}  // namespace kith::queries
