// A monitor: a query and a callback that is called when results enter or leave the query.
//
// A monitor keeps no results between two batches (a batch is one operation or one queue of
// commands). Each change is dispatched to the monitor before it happens; the monitor computes which
// bindings of variables are affected, records the results with these bindings once per batch, and
// compares them with the results at the end of the batch. Ends that are certain are reported at
// once, while the values can still be read. docs/design/0017-monitors.md gives the reasons.
//
// monitor.cpp implements subscriptions, recording and certain ends; diff.cpp implements the
// comparison at the end of a batch.
//
// Covered by tests/features/monitors/monitor_test.cpp and tests/model/monitor_test.cpp; the amount
// of work by tests/unit/observe/monitor_work_test.cpp.
#pragma once

#include <kith/monitor.hpp>

#include "mutate/stage.hpp"
#include "observe/monitor/batch.hpp"
#include "observe/monitor/result_emitter.hpp"
#include "observe/monitor/table_predicate.hpp"

#include <algorithm>
#include <compare>
#include <exception>

namespace kith::observe {

class monitor_list;

// One monitor. The list of the world owns it; handles and observers release it through the list.
class monitor final : public events::listener {
public:
    // The monitor owns the action and shares the query. With `row_at_a_time`, rows with a shared
    // value are reported in separate calls.
    monitor(monitor_list& all, mutate::stage& owner, detail::query_head* query,
            std::uint32_t events, const detail::observer_action& action, bool row_at_a_time);
    ~monitor();
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
    bool is_busy() const noexcept { return busy_ != 0; }
    bool is_stopped() const noexcept { return stopped_; }
    // The batch has notes, or a callback has thrown an error that is not reported yet.
    bool is_pending() const noexcept { return open_ || error_; }
    // Entities without any id can be results, so the monitor receives creations and deletions of
    // all entities.
    bool is_open() const noexcept { return affected_.is_open(); }
    bool is_row_at_a_time() const noexcept { return row_at_a_time_; }
    monitor_list& all() const noexcept { return all_; }
    mutate::stage& owner() const noexcept { return world_; }
    const detail::query_head* query() const noexcept { return query_; }
    const queries::query_model& model() const noexcept { return model_; }

    // Compares and reports the changes of the batch, then throws the first error of its callbacks.
    // If memory is short, nothing is reported, and the notes are kept for the next batch. Requires:
    // the monitor is not stopped.
    void end_batch();
    // Calls the callback with rows of one table. An error of the callback is kept for end_batch().
    void call(const detail::result& rows, entity_t event) noexcept;

    // False after the world's end: the handle owns the monitor then.
    bool in_world = true;
    // False after release(): no handle refers to the monitor.
    bool held = true;
    std::uint64_t list_number = 0;  // of the monitor's entry in the list

private:
    using term = queries::term;

    // Subscriptions and dispatched events.
    static void receive(events::listener& me, const events::event_data& event);
    void listen_to(entity_t event, id_t pattern);
    void listen_to_changes(id_t pattern);
    void listen_to_all();
    void on_event(const events::event_data& event);
    void on_change(const events::event_data& event);
    // Records all results if the query names the entity that is deleted.
    void on_end(entity_t ending);
    void on_bulk_removal(const events::bulk_removal& all);
    // Calls record(). If it throws, the earlier state of the results is unknown:
    // degrade_to_full_diff().
    template <class Record>
    void record_or_degrade(Record&& record);
    // Reports all results as ended, so that the comparison reports the present results as new.
    void degrade_to_full_diff() noexcept;
    // True if the result is recorded or was reported as ended. A result that is neither is marked
    // as reported.
    bool is_known(const id_t* key) noexcept;

    // Each of these records the results that a change may affect, once per batch.
    void record_binding(const binding& binding);
    void record_row(entity_t affected);
    void record_rows(const binding& binding, monitor_batch::group& group, std::uint32_t number);
    void record_created(entity_t entity);
    void record_delete(entity_t ending);
    void record_all();

    void record_change(const change& change);
    // Reporting ends that are certain when the change is dispatched.
    void emit_change(const change& change, entity_t event, result_emitter& out);
    void emit_certain(const change& change, entity_t event, result_emitter& out);
    void emit_row(entity_t leaving, result_emitter& out);
    void emit_end(entity_t ending, result_emitter& out);
    // True if each result in which the term is about this id ends by the change. `which` gets the
    // values of variables in these results.
    bool ends_by(std::uint32_t term, const change& change, bool removed, binding& which) const;
    // Reports the recorded results with these values. With `lost`, only results whose field of this
    // term is the id.
    void emit_leave(const binding& which, const term* lost, id_t id, result_emitter& out);

    // The comparison at the end of a batch (diff.cpp).
    void compare(monitor_batch& done);
    template <class Visit>
    void compare_recorded(monitor_batch& done, Visit&& compare_all);
    void sort_places(const tuple_set& keys, std::vector<result_place>& places) const;
    // Compares two keys without $this.
    std::strong_ordering compare_rest(const tuple_set& keys, const result_place& place,
                                      const result_place& right) const;
    void find_left(monitor_batch& done);
    void compare_result(monitor_batch& done, const id_t* key, std::uint32_t table,
                        std::uint32_t row);
    void emit_left(monitor_batch& done);
    // Reports one result by its key. Fields have the values that can still be read.
    void emit_left(const id_t* key, result_emitter& out);
    void fill_left(const id_t* key, detail::field_data* fields) const;
    void emit_entered(monitor_batch& done);
    void emit_range(monitor_batch& done, const result_place* first, const result_place* last);
    // True if the entities of the places are alive and still in these rows.
    bool are_in_place(const monitor_batch& done, const result_place* first,
                      const result_place* last) const noexcept;
    bool emit_known_range(const result_place& first, std::uint32_t count);
    void run_range(monitor_batch& done, const result_place& first, std::uint32_t count);

    // Options of a run for the results with these values. False if there can be no result, because
    // an entity is not alive.
    bool find_options(const binding& with, detail::run_options& options) const;
    // Calls visit(result) for the results with these values. The run is neither tracked nor
    // ordered.
    template <class Visit>
    void evaluate(const binding& with, Visit&& visit) const;
    // Reports the rows for which wants(result, key) is true.
    template <class Wants>
    void emit_results(const detail::run_options& options, result_emitter& out, Wants&& wants);
    // A result of consecutive rows whose fields the caller has filled.
    detail::result rows_of(std::uint32_t table, std::uint32_t first, std::uint32_t count,
                           const detail::field_data* fields) const noexcept;
    // Writes the key of one row of a result: $this, the other variables, and the ids of
    // key_fields_.
    void read_key(const detail::result& result, std::uint32_t row, id_t* key) const;

    monitor_list& all_;
    mutate::stage& world_;
    detail::query_head* query_;
    const queries::query_model& model_;
    std::uint32_t events_;
    detail::observer_action action_;
    bool row_at_a_time_;
    affected_bindings affected_;
    table_predicate test_;
    std::vector<std::uint32_t> key_fields_;  // fields whose ids tell results apart
    std::uint32_t width_;  // of a key: $this, the other variables, the ids of key_fields_
    // A subscription, and its number in the registry of events.
    struct registered {
        entity_t event;
        id_t pattern;
        std::uint64_t number;
    };
    std::vector<registered> registered_;
    std::unique_ptr<monitor_batch> batch_;
    std::unique_ptr<monitor_batch> spare_;  // null while a batch is being reported
    bool open_ = false;                     // the batch has notes
    bool subscriptions_stale_ = false;      // a subscription for a new subtype may be missing
    std::vector<entity_t> departing_;       // of on_bulk_removal(), kept for its memory
    std::exception_ptr error_;              // the first error of a callback in this batch
    std::uint32_t busy_ = 0;                // callbacks and comparisons that are running
    bool stopped_ = false;
};

template <class Visit>
void monitor::evaluate(const binding& with, Visit&& visit) const {
    detail::run_options options;
    if (!find_options(with, options)) {
        return;
    }
    options.untracked = true;
    options.unordered = true;
    detail::query_run run(query_, &world_, options);
    for (detail::result result; run.next(result);) {
        visit(result);
    }
}

template <class Wants>
void monitor::emit_results(const detail::run_options& options, result_emitter& out, Wants&& wants) {
    id_t key[2 * queries::max_variables];
    detail::run_options untracked = options;
    untracked.row_at_a_time = row_at_a_time_;
    // Writes of the callback are tracked by the emitter; this run only looks for the rows.
    untracked.untracked = true;
    detail::query_run run(query_, &world_, untracked);
    out.prepare();
    for (detail::result result; run.next(result);) {
        for (std::uint32_t row = 0; row < std::max(result.count, 1u) && !stopped_; ++row) {
            read_key(result, row, key);
            if (wants(result, key)) {
                out.add(result, row, 1);
            }
        }
    }
}

}  // namespace kith::observe
