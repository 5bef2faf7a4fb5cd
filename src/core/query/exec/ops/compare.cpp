// The operator `compare`, declared in compare.hpp.
#include "query/exec/ops/compare.hpp"

namespace kith::queries {

namespace {

// Of two variables that the caller left open, one order of each pair of values is a result.
bool are_distinct(const exec_context& context, const term& term, entity_t left,
                  entity_t right) noexcept {
    const variable_set both = only(term.source_variable) | only(term.second_variable);
    return both & context.bindings->given ? left != right : left < right;
}

}  // namespace

bool compare_operator::open(exec_context& context, const graph_op& op, op_head& head) {
    const term& term = context.model.terms[op.first];
    context.release(head.bound);
    if (term.kind != term_kind::apart) {
        context.clear_field(term);
    }
    const bool negated = term.oper == Not;
    if (context.is_dead(op.first)) {
        return negated;
    }
    const name_reader& names = context.names;
    const bool fixed = term.from == source_kind::fixed;
    const entity_t left = fixed ? term.source : context.value_of(term.source_variable);
    if (term.kind == term_kind::name_match) {
        const std::string_view name = left ? names.name(names.world, left) : std::string_view{};
        return (!name.empty() && name.find(term.text) != std::string_view::npos) != negated;
    }
    const entity_t right = term.kind == term_kind::name_equal ? names.find(names.world, term.text)
                           : term.second_variable != no_variable
                               ? context.value_of(term.second_variable)
                               : term.second;
    if (term.kind == term_kind::apart) {
        return are_distinct(context, term, left, right);
    }
    if (negated || (left != 0 && right != 0)) {
        return (left == right && left != 0) != negated;
    }
    if (left == 0 && right != 0) {
        return context.bind(term.source_variable, right, head.bound);
    }
    return right == 0 && left != 0 && term.second_variable != no_variable &&
           context.bind(term.second_variable, left, head.bound);
}

}  // namespace kith::queries
