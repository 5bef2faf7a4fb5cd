// Conversions between seconds in floating point and whole nanoseconds, with the range that all
// times of a schedule keep to.
#pragma once

#include <cstdint>

namespace kith::scheduling {

// A time or a duration in nanoseconds.
using ns_t = std::int64_t;

inline constexpr ns_t ns_per_second = 1'000'000'000;

// The largest duration of a frame, an interval or a step: 73 years. The sum of two of them is far
// from the end of the range.
inline constexpr ns_t longest_duration = ns_t{1} << 61;

// A sum of times that stops at `longest_duration * 2` instead of overflowing.
constexpr ns_t add_times(ns_t a, ns_t b) noexcept {
    constexpr ns_t end = longest_duration * 2;
    return a > end - b ? end : a + b;
}

constexpr double to_seconds(ns_t time) noexcept {
    return static_cast<double>(time) / static_cast<double>(ns_per_second);
}

// The duration in nanoseconds, rounded to the nearest; a positive one has at least one. Raises
// invalid_operation if `seconds` is negative, not finite or longer than `longest_duration`; `what`
// begins the message: "the time of a frame".
ns_t checked_duration(double seconds, const char* what);

// The same check of a duration that is in nanoseconds.
ns_t checked_duration(ns_t duration, const char* what);

}  // namespace kith::scheduling
