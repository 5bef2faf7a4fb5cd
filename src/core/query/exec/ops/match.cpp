// The operator `match`, declared in match.hpp.
#include "query/exec/ops/match.hpp"

namespace kith::queries {

bool match_operator::open(exec_context& context, const op& op) {
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

bool match_operator::next(exec_context& context, const op& op) {
    const term& term = context.model.terms[op.first];
    if (term.oper == Not || term.at_most_one || (term.oper == Optional && !matched)) {
        return false;
    }
    return search.next(context, term);
}

}  // namespace kith::queries
