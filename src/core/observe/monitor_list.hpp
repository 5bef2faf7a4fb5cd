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
    explicit monitor_list(mutate::stage& owner) noexcept : world_(owner) {}
    ~monitor_list();
    monitor_list(const monitor_list&) = delete;
    monitor_list& operator=(const monitor_list&) = delete;

    // Takes over the action, also if it throws.
    monitor& add(detail::query_head* query, std::uint32_t events,
                 const detail::observer_action& action, bool row_at_a_time);
    // It is told of nothing more, and goes when it is not under way, at the latest with the world.
    static void release(monitor& ended) noexcept;
    // An operation, or a queue of commands, is complete.
    void end_batch();
    // The world is about to end: nothing more is told.
    void stop_all() noexcept;

private:
    struct entry {
        std::uint64_t number;
        monitor* one;  // null: it has gone
    };

    void remove(monitor& ended) noexcept;
    void subscribe_to_entities() noexcept;
    void drop(monitor& ended) noexcept;
    void drop_stopped() noexcept;
    void close_gaps() noexcept;

    mutate::stage& world_;
    std::vector<entry> all_;  // by number
    std::uint64_t next_number_ = 1;
    std::size_t gone_ = 0;
    std::size_t open_ = 0;     // that listen to all entities
    bool unfinished_ = false;  // some were under way when they were to go
    bool ending_batch_ = false;
};

}  // namespace kith::observe
