// All monitors of a world. The list owns them, calls them at the end of each batch, and destroys a
// released monitor as soon as no callback of it is running.
//
// Invariants
// 1. Entries are sorted by number; numbers are never used twice. An entry whose monitor was
//    destroyed stays as a gap until gaps are half of the list.
// 2. `open_count_` is the number of monitors that run and are open (monitor::is_open);
//    `stage::monitored` is set exactly while it is not 0.
// 3. `ending_batch_` is set while the list is walked. No entry is removed and no monitor destroyed
//    during that time, except by drop_stopped(), which walks by index.
// 4. A monitor with `held == false` is stopped, and is destroyed by the first drop_stopped() that
//    finds it not busy.
//
// Covered by tests/features/monitors/monitor_test.cpp.
#pragma once

#include "observe/monitor/monitor.hpp"

namespace kith::observe {

// The monitors of a world, in the order of their creation.
class monitor_list {
public:
    explicit monitor_list(mutate::stage& world) noexcept : world_(world) {}
    ~monitor_list();
    monitor_list(const monitor_list&) = delete;
    monitor_list& operator=(const monitor_list&) = delete;

    // Makes a monitor and starts it. Existing results are reported before the call returns, unless
    // a batch is open that reports them at its end. The list owns the action, also if the call
    // throws.
    monitor& add(detail::query_head* query, std::uint32_t events,
                 const detail::observer_action& action, bool row_at_a_time);
    // Stops the monitor. Its handle must not be used afterwards. The monitor is destroyed when none
    // of its callbacks is running; after the end of its world, at once.
    static void release(monitor& ended) noexcept;
    // Lets each monitor with recorded changes compare and report. Called when an operation, or a
    // queue of commands, is complete. Throws the first error of a callback, after all monitors were
    // served.
    void end_batch();
    // Lets all monitors record their results, because the state of the world is about to be
    // replaced. Throws if memory is short: the next batch then compares what was recorded.
    void record_all();
    // Opens a batch if runs have written values that a monitor compares.
    void open_written() noexcept;
    // Stops all monitors because the world ends. Monitors whose handles exist stay in memory and
    // belong to their handles then.
    void stop_all() noexcept;

private:
    struct entry {
        std::uint64_t number;
        monitor* listed;  // null: a gap
    };

    // A run may have written values of the id.
    static void on_written(void* me, id_t id) noexcept;
    // Implements release() for a monitor of this list.
    void remove(monitor& ended) noexcept;
    // Tells the stage whether creations and deletions of entities without ids have to be
    // dispatched.
    void subscribe_to_entities() noexcept;
    // Destroys the monitor and leaves a gap. Requires: the monitor is not busy. O(log n).
    void drop(monitor& ended) noexcept;
    // Destroys the released monitors that could not be destroyed at once.
    void drop_stopped() noexcept;
    // Removes the gaps if they are half of the list or more, so that each removal costs O(1)
    // amortized.
    void close_gaps() noexcept;

    mutate::stage& world_;
    std::vector<entry> all_;  // by number
    std::uint64_t next_number_ = 1;
    std::size_t gap_count_ = 0;
    std::size_t open_count_ = 0;  // monitors that listen to all entities
    bool unfinished_ = false;     // some monitors were busy when they were released
    bool ending_batch_ = false;   // the list is being walked
};

}  // namespace kith::observe
