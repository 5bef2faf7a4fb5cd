// Hands results to the callback of a monitor. Those that follow each other in a table, and are the
// same in all else, are told in one call. Takes no memory, but where it is prepared: what is to be
// told is told.
//
// Covered by tests/core/observe/monitor_ranges_test.cpp.
#pragma once

#include <kith/detail/query_ops.hpp>

#include "mutate/stage.hpp"
#include "query/run_tracker.hpp"

#include <optional>

namespace kith::observe {

class monitor;

class result_emitter {
public:
    // `event`: OnAdd or OnRemove.
    result_emitter(monitor& to, entity_t event) noexcept : to_(to), event_(event) {}
    // Tells the last ones.
    ~result_emitter() { flush(); }
    result_emitter(const result_emitter&) = delete;
    result_emitter& operator=(const result_emitter&) = delete;

    // Before results of the query are added that may be written, or be asked whether they changed:
    // that is watched when they are told, not when they are found.
    void prepare();
    // Some rows of a result; if it has none, `count` is 0.
    void add(const detail::result& result, std::uint32_t first, std::uint32_t count) noexcept;
    void flush() noexcept;

private:
    bool continues(const detail::result& result, std::uint32_t first) const noexcept;
    void keep(const detail::result& result, std::uint32_t first, std::uint32_t count) noexcept;
    void lock_sources(detail::table_lock& lock) noexcept;

    monitor& to_;
    entity_t event_;
    bool any_ = false;  // something waits
    detail::result waiting_;
    detail::field_data fields_[queries::max_terms];
    entity_t variables_[queries::max_variables];
    std::uint32_t tables_[queries::max_terms];
    id_t ids_[queries::max_terms];
    std::optional<queries::run_tracker> tracker_;
};

}  // namespace kith::observe
