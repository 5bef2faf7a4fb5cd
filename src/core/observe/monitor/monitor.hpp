// A monitor: a query and a callback that is called when results enter or leave the query.
//
// A monitor keeps no results between two batches (a batch is one operation or one queue of
// commands). Each change is dispatched to the monitor before it happens; the monitor computes which
// bindings of variables are affected, records the results with these bindings once per batch
// (recorder.hpp), and compares them with the results at the end of the batch (diff.hpp). Ends that
// are certain are reported at once, while the values can still be read (certain_ends.hpp).
// docs/design/0017-monitors.md gives the reasons.
//
// Covered by tests/features/monitors/monitor_test.cpp and tests/model/monitor_test.cpp; the amount
// of work by tests/unit/observe/monitor_work_test.cpp.
#pragma once

#include <kith/monitor.hpp>

#include "observe/monitor/batch.hpp"
#include "observe/monitor/monitor_callback.hpp"
#include "observe/monitor/monitored_query.hpp"
#include "observe/monitor/subscriptions.hpp"

namespace kith::observe {

class monitor_list;
class result_emitter;

// One monitor. The list of the world owns it; handles and observers release it through the list.
class monitor final : public events::listener {
public:
    // The monitor owns the action and shares the query. With `row_at_a_time`, rows with a shared
    // value are reported in separate calls.
    monitor(monitor_list& all, mutate::stage& world, detail::query_head* query,
            std::uint32_t events, const detail::observer_action& action, bool row_at_a_time);
    monitor(const monitor&) = delete;
    monitor& operator=(const monitor&) = delete;

    // Subscribes to the events that can affect results. Requires: called once, before any batch
    // ends.
    void start();
    // Ends all subscriptions. Callbacks may be running.
    void stop() noexcept;
    // Stops the monitor and releases the memory that belongs to the world. Requires: the world
    // ends; only the destructor may be called afterwards.
    void leave_world() noexcept;
    // A callback of the monitor is running.
    bool is_busy() const noexcept { return callback_.is_busy(); }
    bool is_stopped() const noexcept { return callback_.is_stopped(); }
    // The batch has notes, or a callback has thrown an error that is not reported yet.
    bool is_pending() const noexcept {
        return open_ || callback_.has_failed() || written_.load() != 0;
    }
    // Values of the id may have been written by a run: the next batch compares all results. True if
    // the query compares such values. Thread-safe.
    bool note_written(id_t id) noexcept;
    bool compares_values() const noexcept { return query_.held != nullptr; }
    // Entities without any id can be results, so the monitor receives creations and deletions of
    // all entities.
    bool is_open() const noexcept { return query_.structure.is_open(); }
    monitor_list& all() const noexcept { return all_; }

    // Opens a batch that compares all results: the state of the world is about to be replaced.
    // May throw, then no batch is open. Requires: no batch is open.
    void record_all();
    // Compares and reports the changes of the batch, then throws the first error of its callbacks.
    // If memory is short, nothing is reported, and the notes are kept for the next batch. Requires:
    // the monitor is not stopped.
    void end_batch();

    // False after the world's end: the handle owns the monitor then.
    bool in_world = true;
    // False after release(): no handle refers to the monitor.
    bool held = true;
    std::uint64_t list_number = 0;  // of the monitor's entry in the list

private:
    static void receive(events::listener& me, const events::event_data& event);
    void open_batch() noexcept;
    void on_event(const events::event_data& event);
    void on_change(const change& change, entity_t event, result_emitter& out);
    void on_delete(entity_t ending, result_emitter& out);
    void on_bulk_removal(const events::bulk_removal& all, result_emitter& out);
    std::unique_ptr<monitor_batch> make_batch() const;

    monitor_list& all_;
    monitored_query query_;
    std::unique_ptr<monitor_batch> batch_;
    std::unique_ptr<monitor_batch> spare_;  // null while a batch is being reported
    monitor_callback callback_;             // the constructor cannot fail once it owns the action
    subscriptions subscriptions_;
    bool open_ = false;                // the batch has notes
    detail::atomic_number written_;    // 1: runs have written values that the query compares
    std::vector<entity_t> departing_;  // of on_bulk_removal(), kept for its memory
};

}  // namespace kith::observe
