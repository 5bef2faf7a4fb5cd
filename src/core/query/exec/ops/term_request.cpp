// The request of a term with variables, declared in term_request.hpp.
#include "query/exec/ops/term_request.hpp"

namespace kith::queries {

const substitutes* term_request::make_set(const exec_context& context, const term& term,
                                          bool is_first) {
    const term_semantics& meaning =
        context.blocks->meanings[static_cast<std::size_t>(&term - context.model.terms)];
    const substitution& requested = is_first ? term.first_by : term.second_by;
    const bool subsets = is_first ? meaning.first_subsets : meaning.second_subsets;
    if (requested.flags == 0 && !subsets) {
        return nullptr;
    }
    const std::uint8_t variable = is_first ? term.first_variable : term.second_variable;
    const entity_t start = variable != no_variable ? context.value_of(variable)
                           : is_first              ? term.first
                                                   : term.second;
    substitutes& set = is_first ? first : second;
    if (set.start != start || start == 0) {
        constexpr substitution below{0, IsA, Self | Down, 1, 0xFFFFFFFF};
        set.make(context.data, start, requested.flags != 0 ? requested : below);
    }
    return &set;
}

match_request term_request::make(const exec_context& context, const term& term) {
    const substitutes* first_set = make_set(context, term, true);
    const substitutes* second_set = make_set(context, term, false);
    auto element = [&](std::uint8_t variable, const substitutes* set, entity_t constant) {
        if (set) {
            return entity_t{Wildcard};
        }
        const entity_t value = variable == no_variable ? 0 : context.value_of(variable);
        return value != 0 ? value : constant;
    };
    const bool pair = is_pair(term.id);
    now.id = pair ? make_pair(element(term.first_variable, first_set, pair_first(term.id)),
                              element(term.second_variable, second_set, pair_second(term.id)))
                  : element(term.first_variable, first_set, term.id);
    auto open = [&](std::uint8_t variable, const substitutes* set) {
        return variable != no_variable && !set && context.value_of(variable) == 0;
    };
    return {now,
            first_set,
            second_set,
            open(term.first_variable, first_set),
            open(term.second_variable, second_set),
            (pair ? pair_first(term.id) : term.id) == Any,
            pair && pair_second(term.id) == Any};
}

}  // namespace kith::queries
