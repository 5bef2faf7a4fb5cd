#include "query/plan/term_meaning.hpp"

#include "ids/builtin.hpp"
#include "query/plan/plan.hpp"
#include "traits/traits.hpp"

#include <algorithm>

namespace kith::queries {

namespace {

bool has_subsets(const storage::store& data, entity_t element) noexcept {
    if (element == 0 || ids::is_builtin(index_of(element)) || data.bases->pairs.empty() ||
        !data.ids.find(make_pair(IsA, element))) {
        return false;
    }
    const storage::id_record* record = data.ids.find(element);
    return !record || !(record->traits & traits::trait_final);
}

bool is_row_term(const storage::store& data, const term& one) noexcept {
    if (one.first_variable == 0 || one.second_variable == 0) {
        return true;
    }
    if (one.from != source_kind::self || one.kind >= term_kind::scope_open) {
        return false;
    }
    if (one.kind != term_kind::ids) {
        return true;
    }
    term pattern = one;
    term_semantics meaning = find_semantics(data, one);
    bool any_first = meaning.first_subsets || one.first_by.flags != 0;
    bool any_second = meaning.second_subsets || meaning.transitive || one.second_by.flags != 0;
    if (any_first || any_second) {
        pattern.id = !is_pair(one.id) ? id_t{Wildcard}
                                      : make_pair(any_first ? Wildcard : pair_first(one.id),
                                                  any_second ? Wildcard : pair_second(one.id));
    }
    // That an entity is what it is, is no matter of its table.
    return meaning.reflexive || !is_table_level(data, pattern);
}

}  // namespace

bool searches_self_or_bases(const term& one) noexcept {
    return one.flags & Self && !(one.flags & (TraverseAll | Down)) && !one.is_limited() &&
           (one.trav == 0 || one.trav == IsA);
}

term_semantics find_semantics(const storage::store& data, const term& one) noexcept {
    term_semantics meaning;
    if (one.kind != term_kind::ids || one.is_from_list() || one.from == source_kind::none) {
        return meaning;
    }
    const bool pair = is_pair(one.id);
    const bool substituted = one.first_by.flags != 0 || one.second_by.flags != 0;
    if (one.first != 0 && pair && !substituted && searches_self_or_bases(one)) {
        const storage::id_record* relation = data.ids.find(one.first);
        std::uint32_t traits = relation ? relation->traits : 0;
        meaning.transitive = (traits & traits::trait_transitive) != 0;
        meaning.reflexive = traits & traits::trait_reflexive &&
                            (one.second != 0 || one.second_variable != no_variable);
    }
    meaning.first_subsets = one.first_by.flags == 0 && has_subsets(data, one.first);
    meaning.second_subsets = pair && one.second_by.flags == 0 && one.first != 0 &&
                             !ids::is_builtin(index_of(one.first)) && has_subsets(data, one.second);
    return meaning;
}

bool is_graph(const storage::store& data, const query_model& model) noexcept {
    return model.graph || std::any_of(model.begin(), model.end(), [&](const term& one) {
               return !find_semantics(data, one).is_plain();
           });
}

bool is_given(const storage::store& data, const query_model& model, variable_set bound) noexcept {
    const auto all = model.variable_count == max_variables
                         ? ~variable_set{0}
                         : (variable_set{1} << model.variable_count) - 1;
    if (!model.has_this || model.cascade >= 0 || model.count > plan::max_simple ||
        bound != (all & ~this_variable)) {
        return false;
    }
    bool starts = false;
    for (const term& one : model) {
        const bool by_variable = one.second_variable != no_variable;
        if (one.kind == term_kind::apart) {
            continue;
        }
        if (one.kind != term_kind::ids || one.from != source_kind::self || one.in_chain ||
            one.is_from_list() || one.first_variable != no_variable || one.at_most_one ||
            one.first_by.flags != 0 || one.second_by.flags != 0 || !searches_self_or_bases(one) ||
            names_deleted(data, one) || !find_semantics(data, one).is_plain() ||
            (by_variable ? one.first == 0 || one.type != 0 || one.second_variable == 0
                         : is_wildcard(one.id))) {
            return false;
        }
        starts |= one.oper == And;
    }
    return starts;
}

subset_terms find_subsets(const storage::store& data, const query_model& model) noexcept {
    subset_terms found;
    for (std::uint32_t i = 0; i < model.count; ++i) {
        term_semantics meaning = find_semantics(data, model.terms[i]);
        found.first |= std::uint64_t{meaning.first_subsets} << i;
        found.second |= std::uint64_t{meaning.second_subsets} << i;
    }
    return found;
}

std::uint64_t find_row_terms(const storage::store& data, const query_model& model) noexcept {
    std::uint64_t found = 0;
    for (std::uint32_t i = 0; i < model.count; ++i) {
        found |= std::uint64_t{is_row_term(data, model.terms[i])} << i;
    }
    return found;
}

}  // namespace kith::queries
