// Times that were spent in each of the last 60 seconds, minutes and hours of a world.
#pragma once

#include <kith/detail/assert.hpp>

#include "time/nanoseconds.hpp"

#include <array>

namespace kith::scheduling {

// The last 60 values; the newest is that of the last complete period.
class window {
public:
    static constexpr std::int32_t length = 60;

    void push(ns_t value) noexcept {
        values_[static_cast<std::size_t>(next_)] = value;
        next_ = (next_ + 1) % length;
        count_ += count_ < length ? 1 : 0;
    }
    // As if zeros were pushed.
    void push_zeros(ns_t number) noexcept {
        for (ns_t left = number < length ? number : length; left > 0; --left) {
            push(0);
        }
    }
    std::int32_t count() const noexcept { return count_; }
    // Requires: age < count(). The age of the newest value is 0.
    ns_t at(std::int32_t age) const noexcept {
        KITH_ASSERT(age >= 0 && age < count_, "the window holds a value of this age");
        return values_[static_cast<std::size_t>((next_ + length - 1 - age) % length)];
    }

private:
    std::array<ns_t, length> values_{};
    std::int32_t next_ = 0;
    std::int32_t count_ = 0;
};

// Periods are those of raw time: a pause of the world leaves no gap.
class time_windows {
public:
    // Time was spent in the current period.
    void add(ns_t spent) noexcept { second_ += spent; }

    // Raw time goes on, from `before` to `after`, both counted since the start of the windows.
    void advance(ns_t before, ns_t after) noexcept {
        const ns_t passed = after / ns_per_second - before / ns_per_second;
        if (passed > 0) {
            end_seconds(before / ns_per_second, passed);
        }
    }

    const window& seconds() const noexcept { return seconds_; }
    const window& minutes() const noexcept { return minutes_; }
    const window& hours() const noexcept { return hours_; }

private:
    // The current second ends, and the `passed - 1` behind it have nothing.
    void end_seconds(ns_t number, ns_t passed) noexcept {
        seconds_.push(second_);
        minute_ += second_;
        second_ = 0;
        seconds_.push_zeros(passed - 1);
        end_longer(number, number + passed, 60, minutes_, minute_, hour_);
        ns_t unused = 0;
        end_longer(number / 60, (number + passed) / 60, 60, hours_, hour_, unused);
    }
    // Ends the longer periods between two positions that count shorter periods; a longer period has
    // `parts` shorter ones. The sum goes into the window and into the next longer period.
    static void end_longer(ns_t before, ns_t after, ns_t parts, window& into, ns_t& sum,
                           ns_t& longer) noexcept {
        const ns_t passed = after / parts - before / parts;
        if (passed > 0) {
            into.push(sum);
            longer += sum;
            sum = 0;
            into.push_zeros(passed - 1);
        }
    }

    // Sums of the periods that are not complete yet.
    ns_t second_ = 0;
    ns_t minute_ = 0;
    ns_t hour_ = 0;
    window seconds_;
    window minutes_;
    window hours_;
};

}  // namespace kith::scheduling
