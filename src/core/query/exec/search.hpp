// The search for owners: entities that have the id of a term, seen from the term's source. An owner
// is the source itself, an entity above or below it along a relationship, or a base. Searches read
// the store and never write it. Implemented in search.cpp.
//
// Covered by the random queries of tests/model/query_test.cpp.
#pragma once

#include "query/exec/owned_ids.hpp"
#include "query/model/query_model.hpp"

#include <vector>

namespace kith::queries {

// An entity that has the id of a term.
struct owner_ref {
    entity_t owner = 0;      // 0: none
    bool is_source = false;  // the source itself, without a search
    entity_t inheritor = 0;  // the visited entity, if it has it through its base `owner`
};

// The nearest owner. `source` may be the first row of a table, if all rows are alike for this term.
owner_ref find_owner(const storage::store& data, const location& source, const term& term);

// The source itself, or the base that it has it from where the search tests those: nobody if it is
// to be looked for elsewhere.
owner_ref find_owner_on_source(const storage::store& data, const location& source,
                               const term& term);

// The owner of the id at an entity that the search visits: the entity itself, or the base that it
// inherits the id from.
owner_ref find_owner_at(const storage::store& data, entity_t visited, const term& term);
// True if instances inherit ids that match the pattern from their bases.
bool is_inheritable(const storage::store& data, id_t pattern) noexcept;

// All owners, nearest first, for terms with TraverseAll.
void collect_owners(const storage::store& data, const location& source, const term& term,
                    std::vector<owner_ref>& owners);

// The visited entities of the search and their bases, nearest first, with or without the id of the
// term.
void collect_visited(const storage::store& data, const location& source, const term& term,
                     std::vector<owner_ref>& owners);

// What may stand for an element: the entities that are reached from it, nearest first.
void collect_dependents(const storage::store& data, entity_t start,
                        const substitution& substitution, std::vector<entity_t>& reached);

// True if the source inherits the id of an owner: an exclusive pair of the inheritor hides that of
// its base.
bool is_passed_on(const storage::store& data, const owner_ref& owner, const location& source,
                  id_t id);

}  // namespace kith::queries
