// Tells when results of a query start and stop to hold.
//
// Nothing is kept of the results between two batches (an operation, or a queue of commands). Each
// change says, before it happens, which bindings of variables it may touch; the results with these
// are noted once per batch, and compared with what there is at its end. See
// docs/design/0017-monitors.md.
//
// Covered by tests/core/observe/monitor_test.cpp and tests/model/monitor_test.cpp; how much work it
// does by tests/core/observe/monitor_work_test.cpp.
#pragma once

#include <kith/monitor.hpp>

#include "mutate/stage.hpp"
#include "observe/monitor_batch.hpp"
#include "observe/result_emitter.hpp"
#include "observe/table_predicate.hpp"

#include <algorithm>
#include <compare>
#include <exception>

namespace kith::observe {

class monitor_list;

class monitor final : public events::listener {
public:
    // Takes over the action. `row_at_a_time`: rows are told one at a time where they share a value.
    monitor(monitor_list& all, mutate::stage& owner, detail::query_head* query,
            std::uint32_t events, const detail::observer_action& action, bool row_at_a_time);
    ~monitor();
    monitor(const monitor&) = delete;
    monitor& operator=(const monitor&) = delete;

    // From now on, changes are heard.
    void start();
    // They no longer are. Callbacks may be under way.
    void stop() noexcept;
    // The world ends, and its memory with it. Only the destructor may follow.
    void leave_world() noexcept;
    bool is_busy() const noexcept { return busy_ != 0; }
    bool is_stopped() const noexcept { return stopped_; }
    bool is_pending() const noexcept { return open_ || error_; }
    bool is_open() const noexcept { return affected_.is_open(); }
    bool is_row_at_a_time() const noexcept { return row_at_a_time_; }
    monitor_list& all() const noexcept { return all_; }
    mutate::stage& owner() const noexcept { return world_; }
    const detail::query_head* query() const noexcept { return query_; }
    const queries::query_model& model() const noexcept { return model_; }

    // Tells what has changed since the last time. Throws the first error of a callback at the end.
    // If memory is short, nothing is told, and everything with the next batch.
    void end_batch();
    // Tells rows of one table. What the callback throws is kept for end_batch().
    void call(const detail::result& rows, entity_t event) noexcept;

    // The world is gone, or the handle is.
    bool in_world = true;
    bool held = true;
    std::uint64_t list_number = 0;  // by which the list has it

private:
    using term = queries::term;

    static void receive(events::listener& me, const events::event_data& event);
    void listen_to(entity_t event, id_t pattern);
    void listen_to_changes(id_t pattern);
    void listen_to_all();
    void on_event(const events::event_data& event);
    void on_change(const events::event_data& event);
    void on_end(entity_t ending);
    void on_bulk_removal(const events::bulk_removal& all);
    // Notes what is told before a change; if that is not possible, all results are told to end.
    template <class Note>
    void record_or_degrade(Note&& note);
    void degrade_to_full_diff() noexcept;
    bool is_known(const id_t* key) noexcept;

    void note(const binding& binding);
    void record_row(entity_t affected);
    void record_rows(const binding& binding, monitor_batch::group& group, std::uint32_t number);
    void record_created(entity_t entity);
    void record_delete(entity_t ending);
    void record_all();

    void record_change(const change& change);
    void emit_change(const change& change, entity_t event, result_emitter& out);
    void emit_certain(const change& change, entity_t event, result_emitter& out);
    void emit_row(entity_t leaving, result_emitter& out);
    void emit_end(entity_t ending, result_emitter& out);
    bool ends_by(std::uint32_t term, const change& change, bool removed, binding& which) const;
    void emit_leave(const binding& which, const term* lost, id_t id, result_emitter& out);

    void compare(monitor_batch& done);
    template <class Visit>
    void compare_recorded(monitor_batch& done, Visit&& compare_all);
    void sort_places(const tuple_set& keys, std::vector<result_place>& places) const;
    std::strong_ordering compare_rest(const tuple_set& keys, const result_place& place,
                                      const result_place& right) const;
    void find_left(monitor_batch& done);
    void compare_result(monitor_batch& done, const id_t* key, std::uint32_t table,
                        std::uint32_t row);
    void emit_left(monitor_batch& done);
    void emit_left(const id_t* key, result_emitter& out);
    void fill_left(const id_t* key, detail::field_data* fields) const;
    void emit_entered(monitor_batch& done);
    void emit_range(monitor_batch& done, const result_place* first, const result_place* last);
    bool are_in_place(const monitor_batch& done, const result_place* first,
                      const result_place* last) const noexcept;
    bool emit_known_range(const result_place& first, std::uint32_t count);
    void run_range(monitor_batch& done, const result_place& first, std::uint32_t count);

    bool find_options(const binding& with, detail::run_options& options) const;
    // Calls visit(result) for the results with these values, as one who only asks.
    template <class Visit>
    void evaluate(const binding& with, Visit&& visit) const;
    // Tells the rows that `wants(result, key)`.
    template <class Wants>
    void emit_results(const detail::run_options& options, result_emitter& out, Wants&& wants);
    detail::result rows_of(std::uint32_t table, std::uint32_t first, std::uint32_t count,
                           const detail::field_data* fields) const noexcept;
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
    std::vector<std::uint32_t> key_fields_;  // whose ids tell results apart
    std::uint32_t width_;                    // of a key: $this, the other variables, those ids
    // What it listens to, and by which number.
    struct registered {
        entity_t event;
        id_t pattern;
        std::uint64_t number;
    };
    std::vector<registered> registered_;
    std::unique_ptr<monitor_batch> batch_;
    std::unique_ptr<monitor_batch> spare_;  // null while a batch is being told
    bool open_ = false;                     // something is noted in the batch
    bool subscriptions_stale_ = false;      // some of what is to be heard may not be
    std::vector<entity_t> departing_;       // kept for its memory
    std::exception_ptr error_;
    std::uint32_t busy_ = 0;
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
    detail::query_run under_way(query_, &world_, options);
    for (detail::result result; under_way.next(result);) {
        visit(result);
    }
}

template <class Wants>
void monitor::emit_results(const detail::run_options& options, result_emitter& out, Wants&& wants) {
    id_t key[2 * queries::max_variables];
    detail::run_options asked = options;
    asked.row_at_a_time = row_at_a_time_;
    // Who is told is watched, not who looks for what to tell.
    asked.untracked = true;
    detail::query_run under_way(query_, &world_, asked);
    out.prepare();
    for (detail::result result; under_way.next(result);) {
        for (std::uint32_t row = 0; row < std::max(result.count, 1u) && !stopped_; ++row) {
            read_key(result, row, key);
            if (wants(result, key)) {
                out.add(result, row, 1);
            }
        }
    }
}

}  // namespace kith::observe
