// Times that are measured again and again: sums, and windows of the last periods. Windows exist
// from the first time on, so that what is not measured has none.
#pragma once

#include <kith/statistics.hpp>

#include "statistics/windows.hpp"

#include <memory>

namespace kith::scheduling {

// All times are in nanoseconds. Not safe for threads: the thread of progress() adds and reads.
class measured_time {
public:
    // `now` is the raw time of the world. Requires: `now` does not decrease from call to call.
    void add(ns_t spent, ns_t now);
    time_stats read(ns_t now) const;

private:
    ns_t count_ = 0;
    ns_t last_ = 0;
    ns_t total_ = 0;
    ns_t longest_ = 0;
    ns_t seen_ = 0;  // the raw time that the windows are up to
    std::unique_ptr<time_windows> windows_;
};

}  // namespace kith::scheduling
