// Calls the callback of a monitor with results. Neighbouring rows of a table whose fields and
// variables continue each other are collected and reported by one call. The emitter allocates no
// memory except in prepare(), so a result that ends can be reported when memory is short.
//
// Covered by tests/features/monitors/ranges_test.cpp.
#pragma once

#include <kith/detail/query_ops.hpp>

#include "mutate/stage.hpp"
#include "query/run_tracker.hpp"

#include <optional>

namespace kith::observe {

class monitor;

// Lives for one series of results of the same event. The last rows are reported by the destructor.
class result_emitter {
public:
    // `event` is OnAdd (results enter) or OnRemove (results leave).
    result_emitter(monitor& to, entity_t event) noexcept : to_(to), event_(event) {}
    ~result_emitter() { flush(); }
    result_emitter(const result_emitter&) = delete;
    result_emitter& operator=(const result_emitter&) = delete;

    // Makes a tracker for a query that records writes and changes of its results: the rows count as
    // visited when the callback receives them, not when the monitor finds them. Requires: called
    // before the first result of a run of the query is added.
    void prepare();
    // Adds `count` rows of a result, from the row at `first` on. For a result about no entity
    // (`result.count` is 0), both are ignored.
    void add(const detail::result& result, std::uint32_t first, std::uint32_t count) noexcept;
    // Reports the collected rows.
    void flush() noexcept;

private:
    // True if the row can be reported together with the collected ones.
    bool continues(const detail::result& result, std::uint32_t first) const noexcept;
    // Copies the result: the run that produced it may move on.
    void keep(const detail::result& result, std::uint32_t first, std::uint32_t count) noexcept;
    // Locks the tables and sparse stores that the fields point into while the callback runs.
    void lock_sources(detail::table_lock& lock) noexcept;

    monitor& to_;
    entity_t event_;
    bool has_pending_ = false;
    detail::result pending_;  // the collected rows; fields and variables point to the copies below
    detail::field_data fields_[queries::max_terms];
    entity_t variables_[queries::max_variables];
    std::uint32_t tables_[queries::max_terms];  // of the lock: tables of the fields' sources
    id_t ids_[queries::max_terms];              // of the lock: ids of the fields with values
    std::optional<queries::run_tracker> tracker_;
};

}  // namespace kith::observe
