// A query as the library keeps it: the checked terms, the current plan, and what a cached one
// remembers. Shared by all handles to it; lives as long as one of them, even after its world.
#pragma once

#include <kith/detail/query_layout.hpp>

#include "query/cache/match_cache.hpp"
#include "query/exec/ancestor_cache.hpp"
#include "query/order/result_order.hpp"
#include "query/parameter_index.hpp"
#include "query/seen_versions.hpp"

#include <atomic>
#include <optional>

namespace kith::queries {

// Whether a query is still there, for those that were made as a part of it.
struct alive_flag {
    detail::atomic_number owners;
    bool ended = false;

    static void release(alive_flag* one) noexcept {
        if (one && one->owners.decrement()) {
            delete one;
        }
    }
};

struct compiled_query : detail::query_head {
    query_model model;
    plan steps;
    entity_t entity = 0;  // that holds its name, 0 if it has none
    std::uint32_t bytes = 0;
    // What `steps` and `cache` were made for.
    std::uint32_t schema = 0;
    std::uint32_t deletion_epoch = 0;
    std::uint32_t bases = 0;
    std::uint32_t plan_count = 0;  // how many plans were made
    bool has_open_terms = false;
    bool has_ancestor_caches = false;
    bool has_graph = false;              // the plan is a graph plan
    bool tracked = false;                // see run_tracker.hpp
    detail::atomic_number warned;        // of inherited values that a callback may write
    detail::atomic_number planned_size;  // of the world, when that was made
    detail::atomic_number pages;         // of entities, when its memories were last extended
    std::optional<match_cache> cache;
    std::unique_ptr<result_order> order;  // null: results come as they are found
    bool caches_groups = false;           // the cache has the tables of each group
    ancestor_caches* memos = nullptr;
    name_reader names;
    std::unique_ptr<seen_versions> changes;  // null until somebody asks
    // The same with variables for open targets; null until it is asked for.
    detail::query_head* arguments = nullptr;
    detail::atomic_number argument_count;
    std::vector<std::uint8_t> slots;  // of such a query: the variable of each argument
    bool keeps_lists = false;         // and whether it is of a cached one
    std::unique_ptr<parameter_index> index;
    detail::atomic_number index_schema;  // for which the index was made, or was found not to pay
    // Plans for runs where variables have values from the start.
    struct bound_plan {
        std::uint64_t bound;
        plan steps;
    };
    std::vector<std::unique_ptr<bound_plan>> bound_plans;
    std::atomic<const bound_plan*> recent_plan = nullptr;  // the one that was asked for last
    alive_flag* life = nullptr;                            // its own; null: nobody asks
    alive_flag* parent = nullptr;                          // of what it is a part of
    compiled_query* next = nullptr;                        // cached queries of the world
    compiled_query* previous = nullptr;
    // Frees it, if its last handle goes while it is running.
    struct end_of_run : detail::after_lock {
        compiled_query* query;
    } after_run{};

    const term* terms() const noexcept { return reinterpret_cast<const term*>(this + 1); }
    term* terms() noexcept { return reinterpret_cast<term*>(this + 1); }
};

// Fields whose values may be inherited, bit i for field i, unless a term asks for bases alone.
inline std::uint64_t inheritable_fields(const query_model& model) noexcept {
    std::uint64_t found = 0;
    for (const term& term : model) {
        const bool of_entities =
            term.from == source_kind::self || term.from == source_kind::variable;
        if (of_entities && term.inherits() && term.flags & Self) {
            found |= std::uint64_t{1} << term.field;
        }
    }
    return found;
}

// Results are the records that a cache lists.
inline bool has_kept_matches(const compiled_query& query) noexcept {
    return query.cache && query.steps.kept && query.cache->inheritor_count() == 0 &&
           !query.cache->is_incomplete() && !query.cache->is_behind();
}
// ... one for each table, and each field is the column of one id.
inline bool has_plain_matches(const compiled_query& query) noexcept {
    return query.steps.plain && has_kept_matches(query);
}

// Changes that matter to the query, which asks for them or sorts, are counted from here on.
void track_changes(compiled_query& query, storage::store& data);

// The plan for runs where some variables have values from the start. The query must be fresh.
const plan& plan_for(compiled_query& query, const storage::store& data, std::uint64_t bound);

// Makes the plan and the cache fit the world as it is. Safe from several threads, while nobody
// changes the world.
void refresh(compiled_query& query, const storage::store& data);
// About how much there is in the world: graph plans are made anew when it has doubled, or halved.
// Depends on the world alone, so all threads that run a query see the same reason to wait for that.
std::uint32_t size_of_world(const storage::store& data) noexcept;
inline bool is_outdated(const compiled_query& query, const storage::store& data) noexcept {
    const std::uint32_t then = query.planned_size.load();
    const std::uint32_t now = size_of_world(data);
    return now / 2 > then || then / 2 > now;
}
inline void ensure_fresh(const compiled_query& query, const storage::store& data) {
    if (query.version.load() != data.version || query.has_open_terms ||
        (query.has_graph && is_outdated(query, data)) ||
        (query.has_ancestor_caches && query.pages.load() != data.page_count)) [[unlikely]] {
        refresh(const_cast<compiled_query&>(query), data);
    }
}

}  // namespace kith::queries
