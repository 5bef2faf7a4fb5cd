// The plan of a query: the ops (steps) that evaluate its model against the present data, in order.
// An op finds its next match or fails; after a failure the executor returns to the op before it. A
// plan is immutable once made. plan_text.cpp prints plans.
//
// A flat plan (`ops`) serves queries about $this and fixed sources. Queries with variables, scopes,
// transitive relationships or substitution have a graph plan instead (graph_plan.hpp).
//
// Implemented in make_plan.cpp.
// Covered by tests/features/queries/plan_test.cpp.
#pragma once

#include "query/model/query_model.hpp"
#include "query/plan/run_strategy.hpp"
#include "storage/store.hpp"

#include <memory>

namespace kith::queries {

enum class op_code : std::uint8_t {
    id_in_table,  // tests one id against the type of the table, searches only if the type lacks it
    wildcard,     // enumerates the ids that match a pattern, those in the type of the table first
    match,        // one term in general: sparse ids, fixed sources, searches along relationships
    chain,        // terms joined by Or: takes the first that matches
    list,         // AndFrom, OrFrom, NotFrom
    scan,         // binds $this to rows of a table
    each_row,     // narrows $this to one row at a time
    where,        // tests the value that an earlier op has found for the table of $this
    match_value,  // match, with a test of each value that it finds
    // -- ops of graph plans
    enumerate,   // proposes values for the open source of a term
    match_term,  // one term that reads bound variables and binds the others
    compare,     // `==`, `!=`, `~=`
    not_exists,  // block that succeeds if its inside has no result
    optional,    // block that succeeds with or without results of its inside
    or_else,     // block of alternatives
    branch,      // block that is one alternative of or_else
    intersect,   // block of terms whose targets are the same open variable
};

// What the answer of an op depends on: fixed entities, the table of $this, or its row. Ops are
// ordered by level, so that an answer is found once for as many rows as it holds for.
enum class op_level : std::uint8_t { entity, table, row };

struct op {
    op_code code;
    op_level level;
    std::uint8_t first;  // first term
    std::uint8_t last;   // one past the last term
    std::uint8_t memo;   // number of the ancestor cache that answers the op, from 1; 0: none
};

class ancestor_cache;
struct graph_plan;

struct plan {
    static constexpr std::uint32_t max_ancestor_caches = 6;
    static constexpr std::uint32_t max_tests = 16;  // ops `where`
    static constexpr std::uint32_t max_ops = max_terms + 2 + max_tests;
    static constexpr std::uint32_t max_leaf_fields = 6;  // ops after each_row, if `leaf`
    static constexpr std::uint32_t max_simple = 12;      // terms of queries with short runs
    ancestor_cache* memos[max_ancestor_caches] = {};
    op ops[max_ops];
    std::uint32_t count = 0;    // of ops
    std::uint32_t scan_at = 0;  // position of the scan, if the query has $this
    std::uint32_t rows_at = 0;  // position of each_row, if by_row
    std::uint32_t tests = 0;    // ops `where`, directly behind each_row
    bool by_row = false;        // the plan has an each_row
    bool leaf = false;          // by_row, and each row has one result at most
    std::uint64_t cached = 0;   // terms that the match cache answers, as bits
    std::uint64_t dead = 0;     // terms that name deleted entities, as bits
    // Of terms about tables: the bits that the signature of a table has which matches all required
    // terms without a base; the living terms that column layouts do not answer, as bits.
    std::uint64_t signature = 0;
    std::uint64_t typed = 0;
    bool inherits = false;  // a cached term may be satisfied by a base
    // The fastest way to run the plan: table, wildcard, bound, cached or general.
    run_strategy strategy = run_strategy::general;
    bool inheritable = true;  // of a bound run: an id of a term may be inherited
    bool by_column = false;   // of a cached run: each field is the column of one id
    // The graph plan; null: `ops` are the plan.
    std::shared_ptr<const graph_plan> graph;
};

// True if the term has the same answer for all rows of a table. Requires: the source is $this.
bool is_table_level(const storage::store& data, const term& term) noexcept;
// The same of the term without its comparison: all rows of a table have the id, or none.
bool finds_by_table(const storage::store& data, const term& term) noexcept;

// False if the relationship was deleted, or lost the property (Acyclic, Traversable) that makes it
// safe to follow. 0 stands for a builtin, which can always be followed.
bool can_follow(const storage::store& data, entity_t relation) noexcept;

// True if the term names a deleted entity, or follows a relationship that cannot be followed.
bool names_deleted(const storage::store& data, const term& term) noexcept;
// The terms for which that is true, as bits.
std::uint64_t find_dead_terms(const storage::store& data, const query_model& model) noexcept;

// Makes the plan of a model for the present data. With `cache`, terms that depend on the type of
// the table alone are left to the match cache of the query. `bound` is the set of variables that
// have values from the start; bit 0 is $this.
plan make_plan(const storage::store& data, const query_model& model, bool cache,
               std::uint64_t bound = 0);

}  // namespace kith::queries
