// The ids, relationships and entities on which the terms of a query depend: a monitor listens to
// their changes.
//
// Covered by tests/features/monitors/monitor_test.cpp.
#pragma once

#include "observe/monitor/binding.hpp"
#include "storage/store.hpp"

#include <algorithm>
#include <vector>

namespace kith::observe {

// True if the term asks for ids of an entity: comparisons and scopes do not.
inline bool is_about_ids(const queries::term& term) noexcept {
    return term.kind == queries::term_kind::ids && term.from != queries::source_kind::none;
}
// True if the term names an entity that can have subtypes, whose ids satisfy the term as well.
bool accepts_subtypes(entity_t element, const queries::substitution& substitution) noexcept;
// True if the id is a property that changes the meaning of its holder in queries, such as
// Transitive.
bool is_semantic_property(id_t id) noexcept;

// A relationship along which a term searches, and the direction: up to targets, or down to sources.
struct way {
    std::uint32_t relation;
    bool up;
};
// Fills `ways` with the relationships along which the term searches.
void find_ways(const storage::store& data, const queries::term& term, std::vector<way>& ways);

// The patterns of ids whose changes may affect a result. A pattern may occur twice.
std::vector<id_t> find_patterns(const storage::store& data, const queries::query_model& model);
// The patterns of the ids whose values the query compares.
std::vector<id_t> find_value_patterns(const storage::store& data,
                                      const queries::query_model& model);
// An entity that gets a base may become a subtype of a component that the query names. The patterns
// match the ids of the entity and of its own subtypes that count from then on.
std::vector<id_t> find_new_patterns(const storage::store& data, const queries::query_model& model,
                                    const change& change);

// Calls visit(entity) for the entities that the query names: their deletion affects every result.
template <class Visit>
void each_element(const queries::query_model& model, Visit&& visit) {
    for (const queries::term& term : model) {
        for (entity_t element : {term.first, term.second, term.source, term.relation,
                                 term.first_by.relation, term.second_by.relation}) {
            if (element != 0) {
                visit(element);
            }
        }
    }
}
// True if the query names the entity.
inline bool names(const queries::query_model& model, entity_t entity) {
    bool is_named = false;
    each_element(model, [&](entity_t element) { is_named |= element == entity; });
    return is_named;
}

}  // namespace kith::observe
