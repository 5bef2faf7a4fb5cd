// Times: numbers of seconds that are counted in whole nanoseconds.
#pragma once

#include <cstdint>

namespace kith {

template <class T>
class describer;

// Seconds as programs see them.
using ftime_t = float;

// An exact duration, for steps that are the same on every machine.
struct nanoseconds {
    std::int64_t count;
};

// A number of seconds that is stored in nanoseconds. Comparison and arithmetic are those of float.
struct seconds_t {
    std::int64_t ns = 0;

    constexpr seconds_t() noexcept = default;
    constexpr seconds_t(nanoseconds exact) noexcept : ns(exact.count) {}
    constexpr seconds_t(double seconds) noexcept
        : ns(static_cast<std::int64_t>(seconds * 1e9 + (seconds < 0 ? -0.5 : 0.5))) {}
    constexpr seconds_t(float seconds) noexcept : seconds_t(static_cast<double>(seconds)) {}
    constexpr seconds_t(int seconds) noexcept : ns(seconds * std::int64_t{1'000'000'000}) {}

    constexpr operator float() const noexcept {
        return static_cast<float>(static_cast<double>(ns) / 1e9);
    }
    constexpr explicit operator double() const noexcept { return static_cast<double>(ns) / 1e9; }

    static void describe(describer<seconds_t>& to);
};

}  // namespace kith
