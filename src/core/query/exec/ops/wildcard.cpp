// The operator `wildcard`, declared in wildcard.hpp.
#include "query/exec/ops/wildcard.hpp"

#include "query/exec/ops/id_in_table.hpp"

namespace kith::queries {

bool wildcard_operator::open(exec_context& context, const op& op) {
    KITH_ASSERT(context.self.table, "$this is a table before its type is tested");
    const term& term = context.model.terms[op.first];
    inherited = searches_beyond_type(context, term);
    if (inherited) {
        return match.open(context, op);
    }
    position = storage::find_match(*context.self.table, term.id, 0);
    matched = position >= 0;
    if (matched && term.oper != Not) {
        context.set_column(term, static_cast<std::uint32_t>(position));
        return true;
    }
    if (!matched) {
        context.clear_field(term);
    }
    return !matched && term.oper != And;
}

bool wildcard_operator::next(exec_context& context, const op& op) {
    if (inherited) {
        return match.next(context, op);
    }
    const term& term = context.model.terms[op.first];
    if (term.at_most_one || term.oper == Not || (term.oper == Optional && !matched)) {
        return false;
    }
    position = storage::next_match(*context.self.table, term.id, position);
    if (position < 0) {
        return false;
    }
    context.set_column(term, static_cast<std::uint32_t>(position));
    return true;
}

}  // namespace kith::queries
