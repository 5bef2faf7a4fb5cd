// A generator of pseudo-random numbers with a small state: the same seed gives the same numbers on
// every machine (SplitMix64).
#pragma once

#include <cstdint>

namespace kith::scheduling {

// Each number adds a constant to the state and mixes the sum, so that any seed is good, 0 included.
class random_numbers {
public:
    void seed(std::uint64_t seed) noexcept { state_ = seed; }

    std::uint64_t next() noexcept {
        state_ += 0x9e37'79b9'7f4a'7c15;
        std::uint64_t mixed = state_;
        mixed = (mixed ^ (mixed >> 30)) * 0xbf58'476d'1ce4'e5b9;
        mixed = (mixed ^ (mixed >> 27)) * 0x94d0'49bb'1331'11eb;
        return mixed ^ (mixed >> 31);
    }

    // A number from 1 to below `end`; 0 if there is none.
    std::int64_t between_zero_and(std::int64_t end) noexcept {
        if (end < 2) {
            return 0;
        }
        return 1 + static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(end - 1));
    }

private:
    std::uint64_t state_ = 0;
};

}  // namespace kith::scheduling
