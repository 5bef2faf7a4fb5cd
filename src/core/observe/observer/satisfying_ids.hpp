// The ids that make a term hold for given values of its variables: the id that the term names, ids
// of subtypes of its elements, and ids of entities that its substitutions permit. A term about a
// transitive relationship (a closure) is satisfied by a chain of pairs, of which each member
// counts.
//
// Covered by tests/features/observers/term_truth_test.cpp.
#pragma once

#include <kith/detail/query_layout.hpp>

#include "query/plan/term_semantics.hpp"

namespace kith::observe {

// The known values for the open elements of a term.
struct term_values {
    const entity_t* variables = nullptr;  // by number; null: only $this is known
    entity_t self = 0;                    // $this
    id_t matched = 0;  // the id of the result, for terms that make one result per id
};

// A predicate over ids for one term. Requires: the store lives longer.
class satisfying_ids {
public:
    satisfying_ids(const storage::store& data, const queries::term& term,
                   const term_values& values);
    // The ids that satisfy the term with the values of the result.
    satisfying_ids(const storage::store& data, const queries::term& term,
                   const detail::result& result);

    // The term with known values in place of its open elements.
    const queries::term& bound_term() const noexcept { return bound_term_; }
    // No id satisfies the term, because an entity that it names was deleted.
    bool is_empty() const noexcept { return empty_; }
    // Exactly one id satisfies the term.
    bool is_exact() const noexcept;
    // The relationship is transitive: a chain of pairs satisfies the term.
    bool is_closure() const noexcept { return meaning_.transitive; }
    // The term holds for the entity without any id, because its relationship is reflexive.
    bool holds_anyway(entity_t entity) const noexcept {
        return meaning_.reflexive && entity == second_;
    }
    // A pattern that the satisfying ids match. Further ids may match the pattern, so has() decides.
    id_t pattern() const noexcept;
    // True if the id satisfies the term, or (for a closure) is a member of a chain that may.
    bool has(id_t id) const;
    // For closures: true if a chain that ends at this target satisfies the term.
    bool is_end(std::uint32_t target) const;

private:
    bool is_first(std::uint32_t element) const;

    const storage::store& data_;
    queries::term bound_term_;
    queries::term_semantics meaning_;
    entity_t first_;   // 0: any entity
    entity_t second_;  // 0: any entity
    bool empty_;
};

// True if results depend on whether the term holds and not on which of several ids makes it hold.
bool is_existential(const storage::store& data, const queries::term& term) noexcept;

}  // namespace kith::observe
