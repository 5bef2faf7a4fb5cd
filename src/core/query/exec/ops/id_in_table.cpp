// The operator `id_in_table`, declared in id_in_table.hpp.
#include "query/exec/ops/id_in_table.hpp"

namespace kith::queries {

bool id_in_table_operator::open(exec_context& context, const op& op) {
    KITH_ASSERT(context.self.table, "$this is a table before its type is tested");
    const term& term = context.model.terms[op.first];
    const std::int32_t position = storage::find_id(*context.self.table, term.id);
    inherited = position < 0 && searches_beyond_type(context, term);
    if (inherited) {
        return match.open(context, op);
    }
    if (position >= 0 && term.oper != Not) {
        context.set_column(term, static_cast<std::uint32_t>(position));
        return true;
    }
    context.clear_field(term);
    return position < 0 && term.oper != And;
}

}  // namespace kith::queries
