// A query as the library keeps it: its model, the plan for the present data, and its cache, order
// and change detection if it has them. The handles of a query share the object, which lives as long
// as one of them, even after the end of its world.
//
// Implemented in compiled_query.cpp; made by api/query.cpp.
#pragma once

#include <kith/detail/query_layout.hpp>

#include "query/cache/match_cache.hpp"
#include "query/cache/parameter_index.hpp"
#include "query/changes/seen_versions.hpp"
#include "query/exec/ancestor_cache.hpp"
#include "query/order/result_order.hpp"

#include <atomic>
#include <optional>

namespace kith::queries {

// A shared flag that outlives a query: queries that were made as a part of it read whether it
// ended.
struct alive_flag {
    detail::atomic_number owners;
    bool ended = false;

    static void release(alive_flag* flag) noexcept {
        if (flag && flag->owners.decrement()) {
            delete flag;
        }
    }
};

// The terms, names of variables and texts of the model follow the object in the same memory block.
struct compiled_query : detail::query_head {
    query_model model;
    plan steps;               // for runs in which no variable has a value from the start
    entity_t entity = 0;      // the entity that holds its name; 0: it has none
    std::uint32_t bytes = 0;  // size of the memory block
    // The versions of the store for which `steps` and `cache` were made.
    std::uint32_t schema = 0;
    std::uint32_t deletion_epoch = 0;
    std::uint32_t bases = 0;
    std::uint32_t plan_count = 0;        // how many plans were made
    bool has_open_terms = false;         // a term has an open pattern; see is_open()
    bool has_ancestor_caches = false;    // an op of the plan uses an ancestor cache
    bool has_graph = false;              // the plan is a graph plan
    bool tracked = false;                // runs need a run_tracker
    detail::atomic_number warned;        // a warning about writes to inherited values was given
    detail::atomic_number planned_size;  // size_of_world() when the graph plan was made
    detail::atomic_number pages;  // store::page_count when ancestor caches were last extended
    std::optional<match_cache> cache;
    std::unique_ptr<result_order> order;  // null: results come as they are found
    bool caches_groups = false;           // order->groups lists the matches of each group
    ancestor_caches* memos = nullptr;     // of the world
    name_reader names;
    std::unique_ptr<seen_versions> changes;  // null until change detection is first used
    // The variant of this query in which open targets are variables; null until arguments are
    // passed.
    detail::query_head* arguments = nullptr;
    detail::atomic_number argument_count;
    std::vector<std::uint8_t> slots;         // of such a variant: the variable of each argument
    bool keeps_lists = false;                // of such a variant: it may have a parameter index
    std::unique_ptr<parameter_index> index;  // null: not made, or does not pay
    detail::atomic_number index_schema;      // store::schema for which that was decided
    // A plan for runs in which a set of variables has values from the start.
    struct bound_plan {
        std::uint64_t bound;
        plan steps;
    };
    std::vector<std::unique_ptr<bound_plan>> bound_plans;
    std::atomic<const bound_plan*> recent_plan = nullptr;  // the plan that was used last
    alive_flag* life = nullptr;      // of this query; null: no other query depends on it
    alive_flag* parent = nullptr;    // of the query that this one is a part of
    compiled_query* next = nullptr;  // list of the world's cached queries
    compiled_query* previous = nullptr;
    // Frees the query after its run, if its last handle is released during the run.
    struct end_of_run : detail::after_lock {
        compiled_query* query;
    } after_run{};

    const term* terms() const noexcept { return reinterpret_cast<const term*>(this + 1); }
    term* terms() noexcept { return reinterpret_cast<term*>(this + 1); }
};

// The fields whose values may be inherited, as bits. Terms that search bases alone are left out.
inline std::uint64_t inheritable_fields(const query_model& model) noexcept {
    std::uint64_t fields = 0;
    for (const term& term : model) {
        const bool of_entities =
            term.from == source_kind::self || term.from == source_kind::variable;
        if (of_entities && term.inherits() && term.flags & Self) {
            fields |= std::uint64_t{1} << term.field;
        }
    }
    return fields;
}

// True if the records of the cache are the results: nothing else has to be evaluated.
inline bool has_kept_matches(const compiled_query& query) noexcept {
    return query.cache && query.steps.strategy == run_strategy::cached &&
           query.cache->inheritor_count() == 0 && !query.cache->is_incomplete() &&
           !query.cache->is_behind();
}
// True if has_kept_matches(), and each table has one record in which each field is the column of
// one id.
inline bool has_plain_matches(const compiled_query& query) noexcept {
    return query.steps.by_column && has_kept_matches(query);
}

// Starts to record the changes that change detection and sorting of the query need, unless they
// are recorded already.
void track_changes(compiled_query& query, storage::store& data);

// The plan for runs in which the `bound` variables have values from the start, made on first use.
// Safe from several threads. Requires: the query is fresh (ensure_fresh()).
const plan& plan_for(compiled_query& query, const storage::store& data, std::uint64_t bound);

// Makes plan and cache fit the present world. Safe from several threads while no thread changes the
// world.
void refresh(compiled_query& query, const storage::store& data);
// A measure of the world's size: graph plans are made anew when it has doubled or halved. It
// depends on the world alone, so that all threads that run a query agree on whether the plan is
// outdated.
std::uint32_t size_of_world(const storage::store& data) noexcept;
// True if the world has doubled or halved since the graph plan was made.
inline bool is_outdated(const compiled_query& query, const storage::store& data) noexcept {
    const std::uint32_t then = query.planned_size.load();
    const std::uint32_t now = size_of_world(data);
    return now / 2 > then || then / 2 > now;
}
// Refreshes the query if the world has changed. To be called before each run.
inline void ensure_fresh(const compiled_query& query, const storage::store& data) {
    if (query.version.load() != data.version || query.has_open_terms ||
        (query.has_graph && is_outdated(query, data)) ||
        (query.has_ancestor_caches && query.pages.load() != data.page_count)) [[unlikely]] {
        refresh(const_cast<compiled_query&>(query), data);
    }
}

}  // namespace kith::queries
