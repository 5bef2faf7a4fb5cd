// An observer: a callback that is called for events of the entities that a query matches. It
// belongs to an entity with the tag Observer and ends when the entity loses the tag.
//
// The registry of events calls an observer through its triggers (trigger.hpp, chosen by
// trigger_plan.hpp), whose events dispatch.cpp receives. If the query asks for one plain id, the
// callback is called at once; otherwise a notification (notification.hpp) runs the query for the
// subjects whose view of a term has changed.
//
// Invariants
// 1. An observer of the event Monitor has a monitor and no triggers.
// 2. An ended observer has no subscriptions and is not awake. The observer is destroyed after its
//    last running callback.
//
// Covered by tests/features/observers/.
#pragma once

#include "observe/monitor/monitor_list.hpp"
#include "observe/observer/notification.hpp"

namespace kith::observe {

// The description of an observer besides its query and its callback.
struct observer_setup {
    const entity_t* events = nullptr;
    std::uint32_t event_count = 0;
    void* context = nullptr;
    entity_t observed = 0;      // if not 0: only events of this entity count
    bool row_at_a_time = true;  // rows with a shared value are reported in separate calls
};

// The life of one observer. An observer_set owns the object.
class observer : events::ended {
public:
    // Keeps an observer alive while its callback runs.
    class running;

    // The observer owns the query (null: it has no terms) and the action, once it is constructed.
    observer(mutate::stage& world, entity_t entity, detail::query_head* query,
             const detail::observer_action& action, const observer_setup& setup);
    ~observer();
    observer(const observer&) = delete;
    observer& operator=(const observer&) = delete;

    entity_t entity() const noexcept { return entity_; }
    detail::query_head* query() const noexcept { return parts_.context.query; }
    mutate::stage& world() const noexcept { return parts_.context.world; }
    observer_parts& parts() noexcept { return parts_; }
    // Flags of tables that the query leaves out.
    std::uint32_t hidden_flags() const noexcept { return hidden_; }
    // True if the callback may be called. The entities that the query names are looked up again
    // after each deletion in the world.
    bool is_awake() noexcept {
        return enabled_ && (deletion_epoch_ == world().data.deletion_epoch || is_alive());
    }
    void set_enabled(bool enabled) noexcept;
    // Registers the triggers. Requires: plan_triggers() was called, and start() was not called
    // before.
    void start();
    // Ends all subscriptions. The observer is destroyed when none of its callbacks is running.
    void end() noexcept;
    // Calls the callback for all present results, as if `event` had just happened. Requires: the
    // observer has a query.
    void yield_existing(entity_t event);
    // For observers of the event Monitor: makes a monitor that calls the callback when results
    // enter or leave. Requires: the observer has a query and no monitor.
    void enter_leave(monitor_list& monitors, bool existing);
    // Decides which triggers the registry may serve by calling the callback directly. Called when
    // the kind of a trigger has changed.
    void refresh_calls() noexcept;

private:
    static void on_monitor_event(void* me, const detail::observed& observed);
    // False, and disables the observer, if an entity that the query requires was deleted: its index
    // may belong to another entity now.
    bool is_alive() noexcept;
    void stop() noexcept;

    entity_t entity_;
    std::uint32_t hidden_;
    std::uint32_t
        deletion_epoch_;  // of the store, when the named entities were last known to be alive
    std::uint32_t running_ = 0;  // calls of the callback that have not returned
    bool enabled_ = true;
    monitor* monitor_ = nullptr;  // of observers of the event Monitor
    observer_parts parts_;
};

// An observer that ended meanwhile is destroyed after the outermost callback.
class observer::running {
public:
    explicit running(observer& observer) noexcept : observer_(observer) { ++observer_.running_; }
    ~running() {
        if (--observer_.running_ == 0 && observer_.parts_.runs.has_ended()) [[unlikely]] {
            observer_.end();
        }
    }
    running(const running&) = delete;
    running& operator=(const running&) = delete;

private:
    observer& observer_;
};

}  // namespace kith::observe
