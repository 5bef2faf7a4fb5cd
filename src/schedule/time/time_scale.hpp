// A factor of time that loses nothing: the part of a nanosecond that a frame leaves over is carried
// to the next frame.
#pragma once

#include "time/nanoseconds.hpp"

namespace kith::scheduling {

// Invariant: carry_ is less than one nanosecond, in units of 2^-32 ns.
class time_scale {
public:
    // Raises invalid_operation if the factor is negative, not finite or larger than a million.
    void set(float factor);
    float factor() const noexcept { return factor_; }

    // The scaled duration; the sum over all calls differs from the exact product by less than 1 ns.
    ns_t scale(ns_t duration) noexcept;

    // The part of a nanosecond that is left over, for snapshots.
    std::uint64_t carry() const noexcept { return carry_; }
    void set_carry(std::uint64_t carry) noexcept { carry_ = carry; }

private:
    static constexpr std::uint64_t one = std::uint64_t{1} << 32;

    float factor_ = 1;
    std::uint64_t fixed_point_ = one;  // the factor in units of 2^-32
    std::uint64_t carry_ = 0;
};

}  // namespace kith::scheduling
