// The steps by which a query is evaluated, in order. Each step finds its next way to hold, or
// fails; then the step before it is asked for its next way. Immutable once made; printed by
// plan_text.cpp.
//
// Covered by tests/core/query/plan_test.cpp.
#pragma once

#include "query/model/query_model.hpp"
#include "storage/store.hpp"

namespace kith::queries {

enum class op_code : std::uint8_t {
    match,  // one term: And, Not or Optional
    chain,  // terms joined by Or: the first that matches
    list,   // AndFrom, OrFrom, NotFrom
    scan,   // $this becomes some rows of a table
    rows,   // ... one row at a time
};

// On what a step looks.
enum class op_level : std::uint8_t { entity, table, row };

struct op {
    op_code code;
    op_level level;
    std::uint8_t first;  // terms
    std::uint8_t last;   // behind the last one
};

struct plan {
    op ops[max_terms + 2];
    std::uint32_t count = 0;
    std::uint32_t scan_at = 0;  // where the scan is, if the query has $this
    bool by_row = false;        // has a step `rows`
    std::uint64_t cached = 0;   // terms that a cache of tables answers
    std::uint64_t dead = 0;     // terms that name entities which are gone
    bool inherits = false;      // some of those may be inherited
    bool plain = false;         // all terms are answered so, and each by the column of one id
};

// True if all rows of a table have the same answer for the term, which must be about $this.
bool is_about_tables(const storage::store& data, const term& one) noexcept;

// True if the term names an entity that is gone.
bool is_dead(const storage::store& data, const term& one) noexcept;

// `cache`: terms that depend on a table's type alone are left to a cache.
plan make_plan(const storage::store& data, const query_model& model, bool cache);

}  // namespace kith::queries
