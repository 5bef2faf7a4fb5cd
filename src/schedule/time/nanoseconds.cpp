// Checked conversion of durations.
#include "time/nanoseconds.hpp"

#include <kith/error.hpp>

#include <algorithm>
#include <cmath>
#include <string>

namespace kith::scheduling {

namespace {

[[noreturn]] void refuse(const char* what, const std::string& value, const char* why) {
    const std::string message = std::string(what) + " is " + value + ", " + why;
    detail::raise_error(errc::invalid_operation, message.c_str());
}

constexpr const char* not_a_duration = "but must be a finite number of seconds, 0 or more";
constexpr const char* too_long = "more than the 73 years that a duration may have";

}  // namespace

ns_t checked_duration(double seconds, const char* what) {
    if (!(seconds >= 0) || std::isinf(seconds)) {
        refuse(what, std::to_string(seconds) + " s", not_a_duration);
    }
    if (seconds > to_seconds(longest_duration)) {
        refuse(what, std::to_string(seconds) + " s", too_long);
    }
    const ns_t rounded = std::llround(seconds * static_cast<double>(ns_per_second));
    return std::max<ns_t>(rounded, seconds > 0 ? 1 : 0);
}

ns_t checked_duration(ns_t duration, const char* what) {
    if (duration < 0) {
        refuse(what, std::to_string(duration) + " ns", not_a_duration);
    }
    if (duration > longest_duration) {
        refuse(what, std::to_string(duration) + " ns", too_long);
    }
    return duration;
}

}  // namespace kith::scheduling
