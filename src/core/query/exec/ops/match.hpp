// The operators for one term with And, Not or Optional, wherever its id is stored or searched: one
// result for each match of the search, none or one of them for Not, and an unset field for an
// Optional term without matches.
//
// match_operator      finds ids; see owner_search.hpp.
// match_value_operator  finds ids whose values pass the comparison of the term.
//
// Implemented in match.cpp.
#pragma once

#include "query/exec/ops/owner_search.hpp"

namespace kith::queries {

// The search of a term that compares values: it passes over matches whose values do not hold.
struct value_search : owner_search {
    bool next(exec_context& context, const term& term);
};

template <class Search>
struct search_operator {
    bool open(exec_context& context, const op& op);
    bool next(exec_context& context, const op& op);

    Search search;
    bool matched = false;  // of Optional: the last result has a field that is set
};

using match_operator = search_operator<owner_search>;
using match_value_operator = search_operator<value_search>;
extern template struct search_operator<owner_search>;
extern template struct search_operator<value_search>;

}  // namespace kith::queries
