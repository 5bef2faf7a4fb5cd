// The search of one term from its source: first for the owners of the term's id, then for the ids
// that each owner has. The operators for terms without variables use it. Implemented in
// owner_search.cpp.
//
// Invariant: `listed` says which of the two lists belongs to the search, `next_entry` is a position
// in that list, and the lists are empty for searches that stop at the nearest owner.
#pragma once

#include "query/exec/exec_context.hpp"

#include <vector>

namespace kith::queries {

struct owner_search {
    // Begins for the present source of the term. Costs nothing beyond the lookup of the source if
    // the term's entities are deleted.
    void open(const exec_context& context, const op& op, const term& term);
    // Finds the next id and stores it in the field of the term; false if there is none.
    bool next(exec_context& context, const term& term);

    owner_ref owner;             // the owner whose ids are enumerated, 0: none
    owned_id_position position;  // in the ids of that owner
    bool listed = false;         // `matches` are the results
    std::uint32_t next_entry = 0;
    std::vector<owner_ref> owners;  // of terms with TraverseAll
    std::vector<match> matches;     // of wildcards that other entities than the source satisfy

private:
    bool next_match(exec_context& context, const term& term);
    bool next_owner(const term& term) noexcept;
};

// True if entities other than the source may satisfy the term.
inline bool searches_beyond(const term& term, const location& source) noexcept {
    return term.follows() && (term.trav != IsA || term.flags & Down || term.is_limited() ||
                              source.table->flags & detail::shape_has_base);
}

}  // namespace kith::queries
