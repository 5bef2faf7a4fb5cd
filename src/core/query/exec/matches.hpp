// The matches of a term that one pattern cannot find: for unbound variables, substituted elements,
// and pairs that are implied by others. Implemented in matches.cpp.
//
// Covered by the random queries of tests/model/graph_query_test.cpp.
#pragma once

#include "graph/visit_set.hpp"
#include "query/exec/search.hpp"
#include "query/plan/graph_plan.hpp"

#include <unordered_map>
#include <vector>

namespace kith::queries {

// The entities that may stand for an element of an id, in order.
struct substitutes {
    std::vector<entity_t> members;
    std::unordered_map<std::uint32_t, std::uint32_t> ranks;  // by index
    entity_t start = 0;  // the element it was made from, 0: none
    bool every = false;  // each member that matches is a result; else the first is

    void make(const storage::store& data, entity_t from, const substitution& substitution);
};

struct match {
    owner_ref owner;
    id_t id;
    std::uint64_t rank;
    bool stored;  // else it follows from other pairs
    bool off;
    std::uint32_t order = 0;  // in which it was found
};

// The ids that are searched. In `asked.id`, wildcards hold the place of variables and sets.
struct match_request {
    const term& asked;
    const substitutes* first = nullptr;  // null: the id says it
    const substitutes* second = nullptr;
    bool open_first = false;  // the element is a variable without a value
    bool open_second = false;
    bool any_first = false;  // the element is `_`: one of them is enough
    bool any_second = false;

    bool is_wildcard_first() const noexcept {
        return !first && !open_first && !any_first &&
               is_wildcard_element(is_pair(asked.id) ? pair_first(asked.id) : index_of(asked.id));
    }
    bool is_wildcard_second() const noexcept {
        return is_pair(asked.id) && !second && !open_second && !any_second &&
               is_wildcard_element(pair_second(asked.id));
    }
};

// Appends the matches of a source that are not switched off, in the order of results.
void collect_matches(const storage::store& data, const location& source,
                     const match_request& request, std::vector<match>& matches);

// The pairs that a source has of a transitive relationship itself.
void collect_edges(const storage::store& data, const location& source, const match_request& request,
                   std::vector<match>& matches);

// Appends the matches of a transitive relationship, stored and implied. `request.second`, if it is
// given, limits the targets. `self`: the source itself is a target.
void collect_closure(const storage::store& data, const location& source,
                     const match_request& request, entity_t self, std::vector<match>& matches);

// True if the source has the id of the term, a subtype of its elements, or pairs that imply it.
bool is_implied(const storage::store& data, const location& source, const term& term,
                const term_semantics& meaning);

// The targets below a target of a transitive relationship. A source is below the target exactly if
// it has a pair with one of them, so sources that are no targets are not visited.
class target_closure {
public:
    void clear() noexcept {
        made_ = false;
        target_ = 0;
    }
    // Returns the indices of the target and of the entities from which paths lead to it, computed
    // once per target.
    const graph::visit_set& of(const storage::store& data, const match_request& request,
                               entity_t target);
    // True if the set of the last target contains the entity.
    bool has(std::uint32_t index) const { return members_.has(index); }

private:
    struct edge {
        std::uint32_t target;
        entity_t source;  // a target itself
    };
    void make(const storage::store& data, const match_request& request);
    void add(const storage::store& data, const match_request& request, entity_t source);
    template <class Sources>
    void walk(Sources&& sources);

    bool made_ = false;
    std::vector<edge> edges_;  // by target
    entity_t target_ = 0;
    graph::visit_set members_;
};

}  // namespace kith::queries
