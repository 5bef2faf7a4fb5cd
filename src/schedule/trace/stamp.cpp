// Calibration of time stamps.
#include "trace/stamp.hpp"

#include <chrono>

namespace kith::scheduling {

namespace {

// The result is 1 if either clock stands still, so that no division by zero occurs.
double calibrate() {
    using clock = std::chrono::steady_clock;
    constexpr std::chrono::nanoseconds least(1'000'000);
    const clock::time_point begin = clock::now();
    const stamp_t first = read_stamp();
    clock::time_point end = begin;
    // A clock that stands still must not hang the program: the number of readings is limited.
    for (int readings = 0; end - begin < least && readings < 10'000'000; ++readings) {
        end = clock::now();
    }
    const stamp_t units = read_stamp() - first;
    const auto passed = std::chrono::duration_cast<std::chrono::nanoseconds>(end - begin).count();
    return units == 0 || passed <= 0 ? 1 : static_cast<double>(passed) / static_cast<double>(units);
}

}  // namespace

double ns_per_stamp() {
    static const double factor = calibrate();
    return factor;
}

}  // namespace kith::scheduling
