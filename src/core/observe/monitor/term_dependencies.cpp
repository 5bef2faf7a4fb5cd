// Finding the ids and relationships on which terms depend.
#include "observe/monitor/term_dependencies.hpp"

#include "graph/reach.hpp"
#include "ids/builtin.hpp"
#include "query/plan/term_semantics.hpp"

namespace kith::observe {

using queries::term;
using queries::term_kind;

namespace {

// Properties that change the results of queries for ids of the property's holder.
constexpr entity_t semantic_properties[] = {Transitive, Reflexive, Final,       DontInherit,
                                            Sparse,     Acyclic,   Traversable, Exclusive};

// Appends the patterns of the ids that can satisfy the term.
void add_id_patterns(const storage::store& data, const term& term, std::vector<id_t>& patterns) {
    // Pairs with other targets count if the target can have subtypes, if a chain of pairs can lead
    // to it, or if they hide inherited pairs.
    const bool any_target =
        term.second == 0 || term.second_by.flags != 0 || term.first != 0 || term.follows();
    auto add = [&](entity_t first) {
        patterns.push_back(is_pair(term.id)
                               ? make_pair(first, any_target ? entity_t{Wildcard} : term.second)
                               : first);
    };
    if (term.first == 0 || term.first_by.flags != 0) {
        add(Wildcard);
        return;
    }
    for (entity_t kind : graph::subtypes_of(data, term.first)) {
        add(kind);
    }
}

void add_patterns(const storage::store& data, const term& term, std::vector<id_t>& patterns) {
    if (term.is_from_list()) {
        patterns.insert(patterns.end(), {Wildcard, make_pair(Wildcard, Wildcard)});
        return;
    }
    add_id_patterns(data, term, patterns);
    std::vector<way> ways;
    find_ways(data, term, ways);
    for (const way& each : ways) {
        patterns.push_back(make_pair(each.relation, Wildcard));
    }
    for (const queries::substitution* substitution : {&term.first_by, &term.second_by}) {
        if (substitution->flags != 0 && substitution->trav != 0) {
            patterns.push_back(make_pair(substitution->trav, Wildcard));
        }
    }
}

// The term of the value on the right side of a comparison; null if there is none.
const term* operand_of(const term& term) noexcept {
    const bool has = term.value && term.value->has_operand && !term.value->is_handle;
    return has ? &term.value->operand : nullptr;
}

}  // namespace

std::vector<id_t> find_value_patterns(const storage::store& data,
                                      const queries::query_model& model) {
    std::vector<id_t> patterns;
    for (const term& term : model) {
        if (term.value) {
            add_id_patterns(data, term, patterns);
        }
        if (const queries::term* operand = operand_of(term)) {
            add_id_patterns(data, *operand, patterns);
        }
    }
    return patterns;
}

bool accepts_subtypes(entity_t element, const queries::substitution& substitution) noexcept {
    return element != 0 && substitution.flags == 0 && !ids::is_builtin(index_of(element));
}

bool is_semantic_property(id_t id) noexcept {
    return std::find(std::begin(semantic_properties), std::end(semantic_properties), id) !=
           std::end(semantic_properties);
}

void find_ways(const storage::store& data, const term& term, std::vector<way>& ways) {
    ways.clear();
    if (term.follows()) {
        if (term.trav != IsA) {
            ways.push_back({term.trav, term.follows_up()});
        }
        // An entity that the search visits may inherit the id.
        ways.push_back({IsA, term.trav != IsA || term.follows_up()});
    }
    if (is_pair(term.id) && term.first != 0 && queries::find_semantics(data, term).transitive) {
        for (entity_t relation : graph::subtypes_of(data, term.first)) {
            ways.push_back({index_of(relation), true});
        }
    }
}

std::vector<id_t> find_patterns(const storage::store& data, const queries::query_model& model) {
    std::vector<id_t> patterns;
    for (const term& term : model) {
        if (is_about_ids(term)) {
            add_patterns(data, term, patterns);
            if (const queries::term* operand = operand_of(term)) {
                add_patterns(data, *operand, patterns);
            }
        } else if (term.kind == term_kind::name_match) {
            patterns.push_back(detail::name_pair);
        } else if (term.kind == term_kind::name_equal) {
            patterns.insert(patterns.end(), {detail::name_pair, make_pair(ChildOf, Wildcard)});
        }
    }
    if (std::any_of(model.begin(), model.end(), is_about_ids)) {
        // IsA makes subtypes and inherited ids; properties change the meaning of ids.
        patterns.push_back(detail::any_base);
        patterns.insert(patterns.end(), std::begin(semantic_properties),
                        std::end(semantic_properties));
    }
    if (model.has_this) {
        patterns.insert(patterns.end(), {Prefab, Disabled, Kith});
    }
    return patterns;
}

std::vector<id_t> find_new_patterns(const storage::store& data, const queries::query_model& model,
                                    const change& change) {
    std::vector<id_t> patterns;
    if (!is_pair(change.id) || pair_first(change.id) != IsA) {
        return patterns;
    }
    for (const term& term : model) {
        if (is_about_ids(term) && accepts_subtypes(term.first, term.first_by) &&
            graph::is_subtype_of(data, pair_second(change.id), term.first)) {
            for (entity_t kind : graph::subtypes_of(data, change.entity)) {
                patterns.push_back(is_pair(term.id) ? make_pair(kind, Wildcard) : kind);
            }
        }
    }
    return patterns;
}

}  // namespace kith::observe
