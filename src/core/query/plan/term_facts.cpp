// Facts about terms, declared in term_facts.hpp.
#include "query/plan/term_facts.hpp"

namespace kith::queries {

bool term_facts::is_about_sources(std::size_t number) const noexcept {
    const std::size_t end = plan_.ops[number].next;
    if (end < number + 3) {
        return false;
    }
    const graph_op& enumerate = plan_.ops[number + 1];
    const graph_op& match = plan_.ops[number + 2];
    const term& pair = model_.terms[enumerate.first];
    if (enumerate.code != op_code::enumerate || match.code != op_code::match_term ||
        enumerate.first != match.first || enumerate.variable == 0 || pair.first == 0 ||
        pair.at_most_one || pair.value || !searches_self_or_bases(pair) || !is_pair(pair.id) ||
        pair.second_by.flags != 0 || pair.first_by.flags != 0 ||
        !plan_.meanings[enumerate.first].is_plain() ||
        (pair.second == 0 && pair.second_variable == no_variable) ||
        pair.second_variable == enumerate.variable) {
        return false;
    }
    for (std::size_t i = number + 3; i < end; ++i) {
        const graph_op& test = plan_.ops[i];
        const term& term = model_.terms[test.first];
        if (test.code != op_code::match_term || term.value || term.has_element_variables() ||
            term.first_by.flags != 0 || term.second_by.flags != 0 ||
            !plan_.meanings[test.first].is_plain() || term.source_variable != enumerate.variable ||
            term.from != source_kind::variable || is_wildcard(term.id) || term.oper == Optional ||
            !searches_self_or_bases(term) || !is_table_level(data_, term)) {
            return false;
        }
    }
    return true;
}

}  // namespace kith::queries
