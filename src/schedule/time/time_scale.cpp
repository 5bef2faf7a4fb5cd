// Scaling of durations in fixed point.
#include "time/time_scale.hpp"

#include <kith/error.hpp>

#include <cmath>
#include <string>

namespace kith::scheduling {

namespace {

constexpr float largest_factor = 1'000'000;

// The product of a duration and a factor in fixed point, in two halves of 64 bits.
struct product {
    std::uint64_t high;
    std::uint64_t low;
};

// Long multiplication in halves of 32 bits: no intermediate sum exceeds 64 bits.
product multiply(std::uint64_t a, std::uint64_t b) noexcept {
    constexpr std::uint64_t mask = 0xffff'ffff;
    const std::uint64_t low = (a & mask) * (b & mask);
    const std::uint64_t middle = (a >> 32) * (b & mask) + (low >> 32);
    const std::uint64_t other = (a & mask) * (b >> 32) + (middle & mask);
    return {(a >> 32) * (b >> 32) + (middle >> 32) + (other >> 32), (other << 32) | (low & mask)};
}

}  // namespace

void time_scale::set(float factor) {
    if (!(factor >= 0) || factor > largest_factor) {
        const std::string message = "the time scale is " + std::to_string(factor) +
                                    ", but must be a number from 0 to a million";
        detail::raise_error(errc::invalid_operation, message.c_str());
    }
    factor_ = factor;
    fixed_point_ = static_cast<std::uint64_t>(
        std::llround(static_cast<double>(factor) * static_cast<double>(one)));
    carry_ = 0;
}

// The factor 1 needs no arithmetic: nothing is carried then. Results of 2^61 ns and more are cut to
// the longest duration.
ns_t time_scale::scale(ns_t duration) noexcept {
    if (fixed_point_ == one) {
        return duration;
    }
    product scaled = multiply(static_cast<std::uint64_t>(duration), fixed_point_);
    scaled.low += carry_;
    scaled.high += scaled.low < carry_ ? 1 : 0;
    carry_ = scaled.low & (one - 1);
    if (scaled.high >> 29 != 0) {  // 2^61 ns and more
        return longest_duration;
    }
    return static_cast<ns_t>((scaled.high << 32) | (scaled.low >> 32));
}

}  // namespace kith::scheduling
