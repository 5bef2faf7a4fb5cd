// The request of a term with variables: the term as it is for the present bindings, and the sets of
// entities that may stand for its elements. The operators `match_term` and `enumerate` keep one for
// each op. Implemented in term_request.cpp.
#pragma once

#include "query/exec/exec_context.hpp"
#include "query/plan/graph_plan.hpp"

namespace kith::queries {

struct term_request {
    // Begins a run: sets that were made in another run are made again.
    void start(const term& term) noexcept {
        now = term;
        first.start = second.start = 0;
    }
    // Puts the values of bound variables into the id of `now`. Substituted elements and unbound
    // variables stay wildcards. The result refers to this object.
    match_request make(const exec_context& context, const term& term);

    term now;            // the term, with the values of variables in its id
    substitutes first;   // of the first element of the id
    substitutes second;  // of the second element

private:
    const substitutes* make_set(const exec_context& context, const term& term, bool is_first);
};

// The links of the relationship that a term names, looked up once for each version of the schema: a
// callback may change what ids mean while it has a result.
struct relation_links {
    // Null if the pairs of the relationship are stored in tables.
    const storage::link_store* find(const storage::store& data, const term& term) noexcept {
        if (schema != data.schema) {
            schema = data.schema;
            relation = term.first != 0 && is_pair(term.id)
                           ? data.ids.find(make_pair(term.first, Wildcard))
                           : nullptr;
        }
        return relation ? relation->links : nullptr;
    }

    const storage::id_record* relation = nullptr;  // of (R,*)
    std::uint32_t schema = 0;                      // the version of the lookup, 0: none
};

}  // namespace kith::queries
