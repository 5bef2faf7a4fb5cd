// The operators `match` and `match_value`, declared in match.hpp.
#include "query/exec/ops/match.hpp"

#include "query/exec/value_check.hpp"

namespace kith::queries {

bool value_search::next(exec_context& context, const term& term) {
    while (owner_search::next(context, term)) {
        if (holds_value(context, term)) {
            return true;
        }
    }
    return false;
}

template <class Search>
bool search_operator<Search>::open(exec_context& context, const op& op) {
    const term& term = context.model.terms[op.first];
    search.open(context, op, term);
    const bool found = search.next(context, term);
    if (term.oper == Not) {
        context.clear_field(term);
        return !found;
    }
    matched = found || term.oper != Optional;
    if (matched) {
        return found;
    }
    context.clear_field(term);
    return true;
}

template <class Search>
bool search_operator<Search>::next(exec_context& context, const op& op) {
    const term& term = context.model.terms[op.first];
    if (term.oper == Not || term.at_most_one || (term.oper == Optional && !matched)) {
        return false;
    }
    return search.next(context, term);
}

template struct search_operator<owner_search>;
template struct search_operator<value_search>;

}  // namespace kith::queries
