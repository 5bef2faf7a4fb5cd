// The operator `match_value`, declared in match_value.hpp.
#include "query/exec/ops/match_value.hpp"

#include "query/exec/value_check.hpp"

namespace kith::queries {

bool match_value_operator::open(exec_context& context, const op& op) {
    const term& term = context.model.terms[op.first];
    search.open(context, op, term);
    const bool found = find(context, term);
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

bool match_value_operator::next(exec_context& context, const op& op) {
    const term& term = context.model.terms[op.first];
    if (term.oper == Not || (term.oper == Optional && !matched)) {
        return false;
    }
    return find(context, term);
}

// Goes to the next match whose value passes.
bool match_value_operator::find(exec_context& context, const term& term) {
    while (search.next(context, term)) {
        if (holds_value(context, term)) {
            return true;
        }
    }
    return false;
}

}  // namespace kith::queries
