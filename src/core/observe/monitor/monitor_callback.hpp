// The callback of a monitor, which is called with results that enter or leave.
//
// Covered by tests/features/monitors/monitor_test.cpp.
#pragma once

#include "observe/query_context.hpp"

#include <exception>

namespace kith::observe {

// Owns the action. Errors of the callback are kept, because the change that is being reported has
// to be completed.
class monitor_callback {
public:
    // `events` is a set of detail::monitor_events.
    monitor_callback(const query_context& context, std::uint32_t events,
                     const detail::observer_action& action) noexcept
        : context_(context), events_(events), action_(action) {}
    ~monitor_callback() { action_.free_function(action_.function); }
    monitor_callback(const monitor_callback&) = delete;
    monitor_callback& operator=(const monitor_callback&) = delete;

    bool wants(std::uint32_t event) const noexcept { return events_ & event; }
    // A busy monitor is not destroyed.
    bool is_busy() const noexcept { return busy_ != 0; }
    void begin_work() noexcept { ++busy_; }
    void end_work() noexcept { --busy_; }
    bool is_stopped() const noexcept { return stopped_; }
    // The callback is not called any more.
    void stop() noexcept { stopped_ = true; }
    // Calls the callback with rows of one table. `event` is OnAdd (results enter) or OnRemove
    // (results leave).
    void call(const detail::result& rows, entity_t event) noexcept;
    bool has_failed() const noexcept { return error_ != nullptr; }
    // Throws the first error of the callback since the last call, if there is one.
    void rethrow();

private:
    query_context context_;
    std::uint32_t events_;
    detail::observer_action action_;
    std::exception_ptr error_;
    std::uint32_t busy_ = 0;  // callbacks and comparisons that are running
    bool stopped_ = false;
};

}  // namespace kith::observe
