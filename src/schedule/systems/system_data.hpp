// Systems of a world: the declaration of a system, which can be replaced, and the state that stays
// with its entity.
#pragma once

#include <kith/system.hpp>

#include "access/access_set.hpp"
#include "plan/plan.hpp"
#include "statistics/measured_time.hpp"

#include <memory>
#include <unordered_map>
#include <vector>

namespace kith::scheduling {

// A condition of runs: a query with a result, or a function.
struct run_condition {
    detail::query_ref query;
    detail::condition_function function;
};

// A declaration of a system: its callback, terms and settings. Owns the callback and the context.
// Copies of a shared_ptr keep a body while its callback runs, so that replacing or deleting a
// system inside of its own callback is safe.
struct system_body {
    system_body() = default;
    ~system_body();
    system_body(const system_body&) = delete;
    system_body& operator=(const system_body&) = delete;

    detail::system_action action;
    detail::query_ref query;  // null: there are no terms
    bool is_task = false;     // no term matches anything: it is called once per run
    bool is_sorted = false;   // the order of its rows depends on values
    detail::system_settings settings;
    std::shared_ptr<void> owned_context;  // null: the context belongs to the program
    std::vector<run_condition> conditions;
    access_list access;  // as declared, without implied ids
};

// The group of a query that runs are restricted to.
struct chosen_group {
    bool is_set = false;
    std::uint64_t id = 0;
};

// The parts of the last run of a system: the estimate for the next one.
struct part_costs {
    std::uint64_t rows = 0;
    std::uint64_t spent = 0;  // stamps of all parts; 0: it has not run in parts
    std::uint64_t count = 0;  // parts of all runs
};

// The counts of a system that statistics show.
struct run_counts {
    std::uint64_t runs = 0;
    std::uint64_t skips = 0;  // frames in which a condition did not hold
    std::int64_t waits = 0;   // frames in which it did not tick
    // -- of runs while systems are measured
    std::uint64_t rows = 0;
    command_counts commands;
};

// The state of a system that outlives its declarations. Plans share the state; `ended` says that
// the entity is no system any more.
struct system_data {
    entity_t entity = 0;
    std::int64_t number = 0;  // of its declaration
    std::shared_ptr<system_body> body;
    std::shared_ptr<system_body> next;  // takes the place of `body` at the next sync point
    bool ended = false;                 // the entity is no system any more
    bool started = false;               // it ran in OnStart
    entity_t phase = 0;                 // as the builder gave it; 0: none
    chosen_group group;
    std::int64_t last_run = 0;  // age of the world when it last ran, in nanoseconds
    std::int64_t waiting = 0;   // time of ticks in which a condition let it not run
    measured_time time;         // of its runs
    part_costs parts;
    run_counts counts;
    bool breakpoint = false;
};
using system_ref = std::shared_ptr<system_data>;

// The way in which a system runs.
run_way way_of(const detail::system_settings& settings) noexcept;
// True if nobody can tell whether the system runs at the same time as others: its callback has no
// state and takes values only.
bool is_stateless(const system_body& body) noexcept;

// The part of a system that belongs to the state of its world.
struct saved_system {
    entity_t entity = 0;
    std::int64_t last_run = 0;
    std::int64_t waiting = 0;
    bool started = false;
};

// All systems of a world, by entity.
class system_set {
public:
    std::size_t count() const noexcept { return by_entity_.size(); }
    // Calls visit(system_data&) for each system, in no order.
    template <class Visit>
    void each(Visit&& visit) const {
        for (const auto& [entity, system] : by_entity_) {
            visit(*system);
        }
    }
    system_data* find(entity_t entity) const noexcept {
        const auto place = by_entity_.find(entity);
        return place != by_entity_.end() ? place->second.get() : nullptr;
    }
    system_ref share(entity_t entity) const {
        const auto place = by_entity_.find(entity);
        return place != by_entity_.end() ? place->second : nullptr;
    }
    // Finds or makes the system of an entity. A new system counts as having run at `age`, so that
    // its first run shows the time since its declaration. Numbers are never used twice.
    system_ref ensure(entity_t entity, std::int64_t age);
    // The entity is no system any more. The data lives as long as plans refer to it.
    void remove(entity_t entity);

    // Stateless systems are parallel, though they do not ask for it.
    bool stateless_are_parallel = false;

    // A body that takes effect at the next sync point.
    void note_next(const system_ref& system) { changed_.push_back(system); }
    bool has_next() const noexcept { return !changed_.empty(); }
    // Puts new bodies in place. Returns true if there were any. A system that was replaced twice is
    // in the list twice; the last body wins.
    bool apply_next();

private:
    std::unordered_map<entity_t, system_ref> by_entity_;
    std::vector<system_ref> changed_;
    std::int64_t last_number_ = 0;
};

}  // namespace kith::scheduling
