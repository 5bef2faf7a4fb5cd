// All monitors of a world: they come, are told when a batch is complete, and go when nobody runs
// them.
//
// Covered by tests/core/observe/monitor_test.cpp.
#pragma once

#include "observe/monitor.hpp"

namespace kith::observe {

// The monitors of a world, in the order in which they were made.
class monitor_list {
public:
    explicit monitor_list(mutate::stage& owner) noexcept : owner_(owner) {}
    ~monitor_list();
    monitor_list(const monitor_list&) = delete;
    monitor_list& operator=(const monitor_list&) = delete;

    // Takes over the action, also if it throws.
    monitor& add(detail::query_head* query, std::uint32_t events,
                 const detail::observer_action& action, bool entity_wise);
    // It is told of nothing more, and goes when it is not under way, at the latest with the world.
    static void release(monitor& ended) noexcept;
    // An operation, or a queue of commands, is complete.
    void settle();
    // The world is about to end: nothing more is told.
    void stop_all() noexcept;

private:
    void remove(monitor& ended) noexcept;
    void watch_entities() noexcept;
    void drop_stopped() noexcept;

    mutate::stage& owner_;
    std::vector<monitor*> all_;
    bool settling_ = false;
};

}  // namespace kith::observe
