// Calls the callback of a monitor with results. Neighbouring rows of a table whose fields and
// variables continue each other are collected and reported by one call. The emitter allocates no
// memory except in prepare(), so a result that ends can be reported when memory is short.
//
// Covered by tests/features/monitors/ranges_test.cpp.
#pragma once

#include <kith/detail/query_ops.hpp>

#include "observe/monitor/monitor_callback.hpp"
#include "observe/monitor/monitored_query.hpp"
#include "query/run/run_tracker.hpp"

#include <optional>

namespace kith::observe {

// Lives for one series of results of the same event. The last rows are reported by the destructor.
class result_emitter {
public:
    // `event` is OnAdd (results enter) or OnRemove (results leave).
    result_emitter(const monitored_query& query, monitor_callback& callback,
                   entity_t event) noexcept
        : query_(query), callback_(callback), event_(event) {}
    ~result_emitter() { flush(); }
    result_emitter(const result_emitter&) = delete;
    result_emitter& operator=(const result_emitter&) = delete;

    // Adds `count` rows of a result, from the row at `first` on. For a result about no entity
    // (`result.count` is 0), both are ignored.
    void add(const detail::result& result, std::uint32_t first, std::uint32_t count) noexcept;
    // Runs the query and adds the rows for which wants(result, key) is true.
    template <class Wants>
    void add_run(detail::run_options options, Wants&& wants);

private:
    // Reports the collected rows.
    void flush() noexcept;
    // Makes a tracker for a query that records writes and changes of its results: the rows count as
    // visited when the callback receives them, not when the monitor finds them.
    void prepare();
    // True if the row can be reported together with the collected ones.
    bool continues(const detail::result& result, std::uint32_t first) const noexcept;
    // Copies the result: the run that produced it may move on.
    void keep(const detail::result& result, std::uint32_t first, std::uint32_t count) noexcept;
    // Locks the tables and sparse stores that the fields point into while the callback runs.
    void lock_sources(detail::table_lock& lock) noexcept;

    const monitored_query& query_;
    monitor_callback& callback_;
    entity_t event_;
    bool has_pending_ = false;
    detail::result pending_;  // the collected rows; fields and variables point to the copies below
    detail::field_data fields_[queries::max_terms];
    entity_t variables_[queries::max_variables];
    std::uint32_t tables_[queries::max_terms];  // of the lock: tables of the fields' sources
    id_t ids_[queries::max_terms];              // of the lock: ids of the fields with values
    std::optional<queries::run_tracker> tracker_;
};

template <class Wants>
void result_emitter::add_run(detail::run_options options, Wants&& wants) {
    id_t key[result_keys::most];
    options.row_at_a_time = query_.row_at_a_time;
    // Writes of the callback are tracked by the emitter; this run only looks for the rows.
    options.untracked = true;
    detail::query_run run(query_.context.query, &query_.context.world, options);
    prepare();
    for (detail::result result; run.next(result);) {
        for (std::uint32_t row = 0; row < std::max(result.count, 1u) && !callback_.is_stopped();
             ++row) {
            query_.keys.read(result, row, key);
            if (wants(result, static_cast<const id_t*>(key))) {
                add(result, row, 1);
            }
        }
    }
}

}  // namespace kith::observe
