// The meaning of terms, declared in term_semantics.hpp.
#include "query/plan/term_semantics.hpp"

#include "ids/builtin.hpp"
#include "query/plan/plan.hpp"
#include "traits/traits.hpp"

#include <algorithm>

namespace kith::queries {

namespace {

// True if an entity is below the element by IsA. Builtins and Final entities have no subsets.
bool has_subsets(const storage::store& data, entity_t element) noexcept {
    if (element == 0 || ids::is_builtin(index_of(element)) || data.bases->pairs.empty() ||
        !data.ids.find(make_pair(IsA, element))) {
        return false;
    }
    const storage::id_record* record = data.ids.find(element);
    return !record || !(record->traits & traits::trait_final);
}

// True if rows of one table may differ in the term. Subsets and closures widen the pattern first:
// one sparse id among the ids that match is enough.
bool is_row_term(const storage::store& data, const term& term) noexcept {
    if (term.first_variable == 0 || term.second_variable == 0 || term.value_variable == 0) {
        return true;
    }
    if (term.from != source_kind::self || term.kind >= term_kind::scope_open) {
        return false;
    }
    if (term.kind != term_kind::ids) {
        return true;
    }
    queries::term pattern = term;
    term_semantics meaning = find_semantics(data, term);
    bool any_first = meaning.first_subsets || term.first_by.flags != 0;
    bool any_second = meaning.second_subsets || meaning.transitive || term.second_by.flags != 0;
    if (any_first || any_second) {
        pattern.id = !is_pair(term.id) ? id_t{Wildcard}
                                       : make_pair(any_first ? Wildcard : pair_first(term.id),
                                                   any_second ? Wildcard : pair_second(term.id));
    }
    // A reflexive term matches the entity itself, whatever its table.
    return meaning.reflexive || !is_table_level(data, pattern);
}

}  // namespace

bool searches_self_or_bases(const term& term) noexcept {
    return term.flags & Self && !(term.flags & (TraverseAll | Down)) && !term.is_limited() &&
           (term.trav == 0 || term.trav == IsA);
}

term_semantics find_semantics(const storage::store& data, const term& term) noexcept {
    term_semantics meaning;
    if (term.kind != term_kind::ids || term.is_from_list() || term.from == source_kind::none) {
        return meaning;
    }
    const bool pair = is_pair(term.id);
    const bool substituted = term.first_by.flags != 0 || term.second_by.flags != 0;
    if (term.first != 0 && pair && !substituted && searches_self_or_bases(term)) {
        const storage::id_record* relation = data.ids.find(term.first);
        std::uint32_t traits = relation ? relation->traits : 0;
        meaning.transitive = (traits & traits::trait_transitive) != 0;
        meaning.reflexive = traits & traits::trait_reflexive &&
                            (term.second != 0 || term.second_variable != no_variable);
    }
    meaning.first_subsets = term.first_by.flags == 0 && has_subsets(data, term.first);
    meaning.second_subsets = pair && term.second_by.flags == 0 && term.first != 0 &&
                             !ids::is_builtin(index_of(term.first)) &&
                             has_subsets(data, term.second);
    return meaning;
}

bool is_graph(const storage::store& data, const query_model& model) noexcept {
    return model.graph || std::any_of(model.begin(), model.end(), [&](const term& term) {
               return !find_semantics(data, term).is_plain();
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
    for (const term& term : model) {
        const bool by_variable = term.second_variable != no_variable;
        if (term.kind == term_kind::apart) {
            continue;
        }
        if (term.kind != term_kind::ids || term.from != source_kind::self || term.in_chain ||
            term.is_from_list() || term.first_variable != no_variable || term.at_most_one ||
            term.value || term.first_by.flags != 0 || term.second_by.flags != 0 ||
            !searches_self_or_bases(term) || names_deleted(data, term) ||
            !find_semantics(data, term).is_plain() ||
            (by_variable ? term.first == 0 || term.type != 0 || term.second_variable == 0
                         : is_wildcard(term.id))) {
            return false;
        }
        starts |= term.oper == And;
    }
    return starts;
}

subset_terms find_subsets(const storage::store& data, const query_model& model) noexcept {
    subset_terms subsets;
    for (std::uint32_t i = 0; i < model.count; ++i) {
        term_semantics meaning = find_semantics(data, model.terms[i]);
        subsets.first |= std::uint64_t{meaning.first_subsets} << i;
        subsets.second |= std::uint64_t{meaning.second_subsets} << i;
    }
    return subsets;
}

std::uint64_t find_row_terms(const storage::store& data, const query_model& model) noexcept {
    std::uint64_t terms = 0;
    for (std::uint32_t i = 0; i < model.count; ++i) {
        terms |= std::uint64_t{is_row_term(data, model.terms[i])} << i;
    }
    return terms;
}

}  // namespace kith::queries
