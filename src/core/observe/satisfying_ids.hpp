// Which ids make a term hold, with the values that its variables have in a result: the one that is
// asked for, what is derived from its elements, and what may stand for them. Of a transitive
// relationship, each pair may be the first on a way.
//
// Covered by tests/core/observe/term_truth_test.cpp.
#pragma once

#include "query/plan/term_meaning.hpp"

namespace kith::observe {

// What is known of a term's open elements.
struct term_values {
    const entity_t* variables = nullptr;  // null: none but $this
    entity_t self = 0;                    // $this
    id_t matched = 0;                     // where each id is a result: that one
};

class satisfying_ids {
public:
    satisfying_ids(const storage::store& data, const queries::term& term,
                   const term_values& values);

    // The term, with what is known in place of its open elements.
    const queries::term& asked() const noexcept { return asked_; }
    // None does: an element is gone.
    bool is_empty() const noexcept { return empty_; }
    // One id, as the term says it.
    bool is_exact() const noexcept;
    bool is_closure() const noexcept { return meaning_.transitive; }
    // It holds for the entity whatever that has.
    bool holds_anyway(entity_t entity) const noexcept {
        return meaning_.reflexive && entity == second_;
    }
    // All of them match it.
    id_t pattern() const noexcept;
    bool has(id_t id) const;
    // Of a closure: where a way may end.
    bool is_end(std::uint32_t target) const;

private:
    bool is_first(std::uint32_t element) const;

    const storage::store& data_;
    queries::term asked_;
    queries::term_semantics meaning_;
    entity_t first_;  // 0: any
    entity_t second_;
    bool empty_;
};

// True if a result is a matter of whether the term holds: which of several ids makes it hold is no
// difference.
bool is_existential(const storage::store& data, const queries::term& term) noexcept;

}  // namespace kith::observe
