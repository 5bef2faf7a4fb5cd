// A query as the library keeps it: its description, its prepared state, and its order, change
// detection and arguments if it has them. The handles of a query share the object, which lives as
// long as one of them, even after the end of its world.
//
// Handles see a query as constant. The parts that runs bring up to date, or make on first use, are
// mutable.
//
// Implemented in compiled_query.cpp; made by api/query.cpp in memory of query_block.hpp.
#pragma once

#include <kith/detail/query_layout.hpp>

#include "query/cache/parameter_index.hpp"
#include "query/changes/seen_versions.hpp"
#include "query/order/kept_ranks.hpp"
#include "query/order/result_order.hpp"
#include "query/prepared_query.hpp"

namespace kith::queries {

// Whether a query has ended, for the queries that were made as a part of it. The flag outlives the
// query.
class query_life {
public:
    query_life() = default;
    ~query_life() {
        if (own_) {
            own_->ended = true;
        }
        release(own_);
        release(parent_);
    }
    query_life(const query_life&) = delete;
    query_life& operator=(const query_life&) = delete;

    // Ties the life of the query to that of `parent`.
    void depend_on(query_life& parent) {
        if (!parent.own_) {
            parent.own_ = new flag;
            parent.own_->owners.store(1);
        }
        parent_ = parent.own_;
        parent_->owners.increment();
    }
    // True if the query is a part of one that has ended.
    bool is_orphaned() const noexcept { return parent_ && parent_->ended; }

private:
    struct flag {
        detail::atomic_number owners;
        bool ended = false;
    };
    static void release(flag* shared) noexcept {
        if (shared && shared->owners.decrement()) {
            delete shared;
        }
    }

    flag* own_ = nullptr;     // null: no other query depends on this one
    flag* parent_ = nullptr;  // of the query that this one is a part of
};

// The variant of a query in which open targets are variables.
struct argument_variant {
    detail::query_head* query = nullptr;  // null until arguments are passed
    detail::atomic_number count;          // of arguments; 0: not known yet
};

// The arguments of such a variant.
struct argument_slots {
    std::vector<std::uint8_t> variables;     // of each argument
    bool keeps_lists = false;                // a parameter index may be made
    std::unique_ptr<parameter_index> index;  // null: not made, or does not pay
    detail::atomic_number index_schema;      // store::schema for which that was decided
};

struct planned_queries;

// The terms, names of variables and texts of the model follow the object in the same memory block.
struct compiled_query : detail::query_head {
    query_model model;
    name_reader names;
    entity_t entity = 0;                  // the entity that holds its name; 0: it has none
    std::unique_ptr<result_order> order;  // null: results come as they are found
    std::unique_ptr<kept_ranks> ranks;    // null: orders by depth are not kept
    mutable prepared_query prepared;
    mutable std::unique_ptr<seen_versions> changes;  // null until change detection is first used
    mutable bool tracked = false;                    // runs need a run_tracker
    mutable bool caches_groups = false;    // order->groups lists the matches of each group
    mutable detail::atomic_number warned;  // a warning about writes to inherited values was given
    mutable argument_variant with_arguments;
    argument_slots arguments;
    mutable query_life life;
    std::uint32_t bytes = 0;         // size of the memory block
    compiled_query* next = nullptr;  // in the list of the world's queries with a cache or an order
    compiled_query** listed_at = nullptr;  // the pointer to this query in that list; null: none
    // In the list of the world's queries with a graph plan. Changes of the list write the pointers
    // of other queries as well, so they are read under the list's lock alone.
    planned_queries* plans_of_world = nullptr;
    bool is_planned = false;  // the query is in the list
    compiled_query* next_planned = nullptr;
    compiled_query** planned_at = nullptr;  // the pointer to this query in that list; null: none
    std::uint64_t serial = 0;
    // Frees the query after its run, if its last handle is released during the run.
    struct end_of_run : detail::after_lock {
        compiled_query* query;
    } after_run{};

    const term* terms() const noexcept { return reinterpret_cast<const term*>(this + 1); }
    term* terms() noexcept { return reinterpret_cast<term*>(this + 1); }
    const plan& steps() const noexcept { return prepared.steps(); }
    match_cache* cache() const noexcept { return prepared.cache(); }
};

// The queries of a world that have a graph plan, for snapshots. Guarded by the mutex of updates,
// because queries without a cache may be made and used by several threads.
struct planned_queries {
    struct entry {
        std::uint64_t serial;  // of a query; unique in the process
        std::shared_ptr<const prepared_query::plans> plans;
    };
    using kept = std::vector<entry>;

    compiled_query* first = nullptr;
    std::shared_ptr<const kept> last;  // the result of the last call of keep()

    void add(compiled_query& query) noexcept;
    static void remove(compiled_query& query) noexcept;
    // The present plans of all queries.
    std::shared_ptr<const kept> keep(const storage::store& data);
    // Gives all queries the plans of an earlier state, which is the present one again.
    void return_to(const storage::store& data, const kept* earlier) noexcept;
};

// The query behind a handle.
inline const compiled_query& compiled(const detail::query_head* head) noexcept {
    return static_cast<const compiled_query&>(*head);
}
inline compiled_query& compiled(detail::query_head* head) noexcept {
    return static_cast<compiled_query&>(*head);
}

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
    const match_cache* cache = query.cache();
    return cache && query.steps().strategy == run_strategy::cached &&
           cache->inheritor_count() == 0 && !cache->is_incomplete() && !cache->is_behind();
}
// True if has_kept_matches(), and each table has one record in which each field is the column of
// one id.
inline bool has_plain_matches(const compiled_query& query) noexcept {
    return query.steps().by_column && has_kept_matches(query);
}

// Makes the match cache of a query.
void make_cache(compiled_query& query, storage::store& data, cache_registry& caches);

// Starts to record the changes that change detection and sorting of the query need, unless they
// are recorded already.
void track_changes(const compiled_query& query, storage::store& data);

// Makes plan and cache fit the present world. Safe from several threads while no thread changes the
// world.
void refresh(const compiled_query& query, const storage::store& data);
// Refreshes the query if the world has changed. To be called before each run.
inline void ensure_fresh(const compiled_query& query, const storage::store& data) {
    if (query.version.load() != data.version || query.prepared.may_be_outdated(data)) [[unlikely]] {
        refresh(query, data);
    }
}

}  // namespace kith::queries
