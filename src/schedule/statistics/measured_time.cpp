// Implements measured_time.hpp.
#include "statistics/measured_time.hpp"

#include <algorithm>

namespace kith::scheduling {

namespace {

time_window shown_window(const window& values) {
    time_window shown;
    shown.count = values.count();
    for (std::int32_t age = 0; age < shown.count; ++age) {
        shown.values[age] = values.at(age);
    }
    return shown;
}

}  // namespace

// Time that passed since the last call belongs to periods without anything spent; the new time
// belongs to the current period.
void measured_time::add(ns_t spent, ns_t now) {
    if (!windows_) {
        windows_ = std::make_unique<time_windows>();
        seen_ = now;
    }
    windows_->advance(seen_, now);
    windows_->add(spent);
    seen_ = now;
    ++count_;
    last_ = spent;
    total_ += spent;
    longest_ = std::max(longest_, spent);
}

// The windows are advanced in a copy, so that reading changes nothing.
time_stats measured_time::read(ns_t now) const {
    time_stats stats;
    stats.count = count_;
    stats.last = last_;
    stats.total = total_;
    stats.longest = longest_;
    if (windows_) {
        time_windows current = *windows_;
        current.advance(seen_, now);
        stats.seconds = shown_window(current.seconds());
        stats.minutes = shown_window(current.minutes());
        stats.hours = shown_window(current.hours());
    }
    return stats;
}

}  // namespace kith::scheduling
