// The steps by which a query is evaluated, in order. Each step finds its next way to hold, or
// fails; then the step before it is asked for its next way. Immutable once made; printed by
// plan_text.cpp.
//
// Covered by tests/core/query/plan_test.cpp.
#pragma once

#include "query/model/query_model.hpp"
#include "storage/store.hpp"

#include <memory>

namespace kith::queries {

enum class op_code : std::uint8_t {
    id_in_table,  // one term: And, Not or Optional, of an id that is in the table's type, or not
    wildcard,     // the same, of a pattern
    match,        // the same, wherever it is to be found
    chain,        // terms joined by Or: the first that matches
    list,         // AndFrom, OrFrom, NotFrom
    scan,         // $this becomes some rows of a table
    each_row,     // ... one row at a time
    // -- with variables; see graph_plan.hpp
    enumerate,   // a variable becomes what the term may be about
    match_term,  // one term, which takes and gives the values of variables
    compare,     // `==`, `!=`, `~=`
    not_exists,  // what is inside must have no result
    optional,    // ... may have results
    or_else,     // ... has alternatives,
    branch,      // each of which begins with this
    intersect,   // terms whose targets are the same open variable; inside: one after the other
};

// On what a step looks.
enum class op_level : std::uint8_t { entity, table, row };

struct op {
    op_code code;
    op_level level;
    std::uint8_t first;  // terms
    std::uint8_t last;   // behind the last one
    std::uint8_t memo;   // which of the plan's memories answers it, counted from 1; 0: none
};

class ancestor_cache;
struct graph_plan;

struct plan {
    static constexpr std::uint32_t max_ancestor_caches = 6;
    static constexpr std::uint32_t max_leaf_fields = 6;
    static constexpr std::uint32_t max_simple = 12;
    ancestor_cache* memos[max_ancestor_caches] = {};
    op ops[max_terms + 2];
    std::uint32_t count = 0;
    std::uint32_t scan_at = 0;  // where the scan is, if the query has $this
    std::uint32_t rows_at = 0;  // where the step `each_row` is, if by_row
    bool by_row = false;        // rows are looked at one by one
    bool leaf = false;          // and each has one result at most
    std::uint64_t cached = 0;   // terms that a cache of tables answers
    std::uint64_t dead = 0;     // terms that name entities which are gone
    bool inherits = false;      // some of those may be inherited
    bool simple = false;        // each term is an id in tables; see table_run.hpp
    bool patterns = false;      // ... or a wildcard; see wildcard_run.hpp
    bool given = false;         // each is an id, once given values are put in; see bound_run.hpp
    bool inheritable = true;    // some of those ids may be had from bases
    bool kept = false;          // the cache answers all terms
    bool plain = false;         // ... each by the column of one id
    // Set for queries with variables and the like: these are the steps then.
    std::shared_ptr<const graph_plan> graph;
};

// True if all rows of a table have the same answer for the term, which must be about $this.
bool is_table_level(const storage::store& data, const term& term) noexcept;

// False if the relationship is gone, or has lost what made it safe to follow; 0 is a builtin.
bool can_follow(const storage::store& data, entity_t relation) noexcept;

// True if the term names an entity that is gone, or a relationship that cannot be followed.
bool names_deleted(const storage::store& data, const term& term) noexcept;

// `cache`: terms that depend on a table's type alone are left to a cache. `bound`: variables that
// have values from the start, in a set; $this is the first.
plan make_plan(const storage::store& data, const query_model& model, bool cache,
               std::uint64_t bound = 0);

}  // namespace kith::queries
