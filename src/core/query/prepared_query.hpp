// The prepared state of a query: its plans for the present data and its match cache, with the
// versions of the store that they were made for. A run brings the state of a query up to date
// before it reads it, so the state may change while handles treat the query as constant.
//
// One mutex guards the prepared states of all queries, because an update also writes state of the
// world that queries share: ancestor caches, the registry of match caches, change tracking. A run
// takes the mutex only if the world has changed since the last run of its query. Threads that find
// the state up to date read it without the mutex.
//
// Invariants
// 1. `recent_` is null, or points to one of `bound_plans_`.
// 2. `schema_` is 0, or `steps_` was completed for the versions that are noted.
//
// Implemented in prepared_query.cpp.
#pragma once

#include <kith/detail/mutex.hpp>

#include "query/cache/match_cache.hpp"
#include "query/exec/ancestor_cache.hpp"

#include <atomic>
#include <optional>

namespace kith::queries {

class prepared_query {
public:
    // Guards update steps, from begin_update() to end_update().
    static detail::mutex updating;

    // Sets the query to prepare. `terms` are the terms of the model: an update replaces entities in
    // them whose place a C++ type has taken.
    void attach(const query_model& model, term* terms, ancestor_caches& searches) noexcept;
    // Makes a cache, which the next update fills. `changed` is called when its records change.
    void make_cache(storage::store& data, cache_registry& caches,
                    void (*changed)(void* context) noexcept, void* context);
    void drop_cache() noexcept { cache_.reset(); }

    // -- snapshots
    // A plan for runs in which a set of variables has values from the start.
    struct bound_plan {
        std::uint64_t bound;
        plan steps;
    };
    // Graph plans follow the data of the moment when they were made, and the order of results
    // follows the plan. So a restore gives a query the plans of the capture.
    struct plans {
        plan steps;
        std::vector<std::shared_ptr<const bound_plan>> bound;
        std::uint32_t planned_size = 0;
    };
    // The plans of a query with a graph plan; null: it has none that is up to date.
    std::shared_ptr<const plans> keep_plans(const storage::store& data) const;
    // Returns to plans of an earlier state, which is the present one again. Null, or plans that do
    // not fit the world: the next update makes plans anew.
    void return_to(const storage::store& data, const std::shared_ptr<const plans>& kept);

    // The plan for runs in which no variable has a value from the start.
    const plan& steps() const noexcept { return steps_; }
    // The plan for runs in which the `bound` variables have values from the start, made on first
    // use. Safe from several threads. Requires: the state is up to date.
    const plan& steps_for(const storage::store& data, std::uint64_t bound);
    // The number of plans that were made.
    std::uint32_t plan_count() const noexcept { return plan_count_; }
    // Null: the query is not cached.
    match_cache* cache() noexcept { return cache_ ? &*cache_ : nullptr; }
    const match_cache* cache() const noexcept { return cache_ ? &*cache_ : nullptr; }

    // True if the state may be out of date although the version of the store is the same.
    bool may_be_outdated(const storage::store& data) const noexcept {
        return has_open_terms_ || (has_graph_ && has_size_changed(data)) ||
               (has_ancestor_caches_ && pages_.load() != data.page_count);
    }

    // -- one update, under the mutex
    // The parts that are out of date.
    struct outdated_parts {
        bool plan;
        bool bases;  // matches through bases
        bool pages;  // ancestor caches have no room for new entities
    };
    outdated_parts begin_update(const storage::store& data);
    void update_plan(const storage::store& data, const outdated_parts& outdated);
    // Requires: the query is cached.
    void update_cache(const outdated_parts& outdated);
    void end_update(const storage::store& data, const outdated_parts& outdated) noexcept;

private:
    bool is_plan_outdated(const storage::store& data) const noexcept;
    bool has_size_changed(const storage::store& data) const noexcept;
    bool have_levels_changed(const storage::store& data) const noexcept;
    bool have_subsets_changed(const storage::store& data) const noexcept;
    void follow_replaced(const storage::store& data) noexcept;
    void assign_ancestor_caches();

    const query_model* model_ = nullptr;
    term* terms_ = nullptr;
    ancestor_caches* searches_ = nullptr;  // of the world
    plan steps_;
    std::vector<std::shared_ptr<const bound_plan>> bound_plans_;
    std::atomic<const bound_plan*> recent_ = nullptr;  // the plan that was used last
    mutable std::shared_ptr<const plans> kept_;        // by keep_plans() or return_to()
    std::optional<match_cache> cache_;
    std::uint32_t plan_count_ = 0;
    bool has_open_terms_ = false;       // a term has an open pattern; see is_open()
    bool has_ancestor_caches_ = false;  // an op of the plan uses an ancestor cache
    bool has_graph_ = false;            // the plan is a graph plan
    // The versions of the store that plan and cache were made for.
    std::uint32_t schema_ = 0;
    std::uint32_t deletion_epoch_ = 0;
    std::uint32_t bases_ = 0;
    detail::atomic_number planned_size_;  // size of the world when the plan was made
    detail::atomic_number pages_;  // store::page_count when ancestor caches were last extended
};

}  // namespace kith::queries
