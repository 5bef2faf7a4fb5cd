// The rules of timers, rate filters and fixed steps, by example and against a model in exact
// rational numbers.
#include "time/ticks.hpp"

#include "time/random.hpp"

#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace kith::scheduling;

namespace {

constexpr ns_t s = ns_per_second;

kith::Timer timer_of(ns_t timeout) {
    kith::Timer timer{};
    timer.timeout.ns = timeout;
    timer.active = true;
    return timer;
}

kith::RateFilter filter_of(std::uint64_t rate) {
    kith::RateFilter filter{};
    filter.rate = static_cast<std::int32_t>(rate);
    return filter;
}

kith::FixedStep fixed_of(ns_t step, std::int32_t max_steps) {
    kith::FixedStep fixed{};
    fixed.step.ns = step;
    fixed.max_steps = max_steps;
    return fixed;
}

// Whether a source ticks in this frame, and the time since its last tick.
struct tick_result {
    bool tick;
    ns_t elapsed;
};
tick_result advance_timer(kith::Timer& timer, ns_t frame) {
    kith::TickSource source{};
    advance(timer, source, frame);
    return {source.tick, source.time_elapsed.ns};
}
tick_result advance_rate(kith::RateFilter& filter, bool counted, ns_t frame) {
    kith::TickSource source{};
    advance(filter, source, counted, frame);
    return {source.tick, source.time_elapsed.ns};
}

// The frames, counted from 1, in which a timer ticks.
std::vector<int> ticking_frames(kith::Timer timer, const std::vector<ns_t>& frames) {
    std::vector<int> ticks;
    for (std::size_t i = 0; i < frames.size(); ++i) {
        if (advance_timer(timer, frames[i]).tick) {
            ticks.push_back(static_cast<int>(i) + 1);
        }
    }
    return ticks;
}

// A rational number of seconds. Denominators are powers of two and five, so that sums stay short.
class seconds {
public:
    seconds(std::int64_t number = 0, std::int64_t parts = 1) : number_(number), parts_(parts) {
        const std::int64_t common = std::gcd(number_, parts_);
        number_ /= common;
        parts_ /= common;
    }
    friend seconds operator+(const seconds& a, const seconds& b) {
        const std::int64_t parts = std::lcm(a.parts_, b.parts_);
        return {a.number_ * (parts / a.parts_) + b.number_ * (parts / b.parts_), parts};
    }
    friend seconds operator-(const seconds& a, const seconds& b) {
        return a + seconds(-b.number_, b.parts_);
    }
    friend bool operator<(const seconds& a, const seconds& b) { return (a - b).number_ < 0; }
    friend bool operator==(const seconds& a, const seconds& b) = default;

private:
    std::int64_t number_;
    std::int64_t parts_;
};

// A timer as the manual describes it: it is due at a moment; a tick moves that moment by one
// interval, or to one interval from now if that has passed as well.
class model_timer {
public:
    explicit model_timer(seconds interval) : interval_(interval), due_(interval) {}

    // The time since the last tick, if the timer ticks.
    std::optional<seconds> advance(seconds now) {
        if (now < due_) {
            return std::nullopt;
        }
        const bool late = due_ + interval_ < now;
        due_ = (late ? now : due_) + interval_;
        const seconds elapsed = now - last_;
        last_ = now;
        return elapsed;
    }

private:
    seconds interval_;
    seconds due_;
    seconds last_;
};

class model_rate {
public:
    explicit model_rate(int rate) : rate_(rate) {}

    std::optional<seconds> advance(bool source, seconds now) {
        count_ += source ? 1 : 0;
        if (!source || count_ % rate_ != 0) {
            return std::nullopt;
        }
        const seconds elapsed = now - last_;
        last_ = now;
        return elapsed;
    }

private:
    int rate_;
    int count_ = 0;
    seconds last_;
};

seconds of_ns(ns_t time) {
    return {time, s};
}

// A duration: often a round one, sometimes tiny, sometimes long.
ns_t random_duration(random_numbers& random) {
    switch (random.next() % 6) {
        case 0:
            return static_cast<ns_t>(random.next() % 3);
        case 1:
            return 100'000'000 * static_cast<ns_t>(1 + random.next() % 40);
        case 2:
            return 1'000 * s;
        default:
            return static_cast<ns_t>(random.next() % static_cast<std::uint64_t>(2 * s));
    }
}

bool same(const tick_result& is, const std::optional<seconds>& expected) {
    return is.tick == expected.has_value() && (!is.tick || of_ns(is.elapsed) == *expected);
}

// A timer and two rate filters behind it, through random frames. Returns the first difference.
std::string compare_chain(std::uint64_t seed) {
    random_numbers random;
    random.seed(seed);
    kith::Timer timer = timer_of(1 + random_duration(random));
    kith::RateFilter first = filter_of(1 + random.next() % 4);
    kith::RateFilter second = filter_of(1 + random.next() % 3);
    model_timer timer_model(of_ns(timer.timeout.ns));
    model_rate first_model(first.rate);
    model_rate second_model(second.rate);
    ns_t now = 0;
    for (int frame = 0; frame < 200; ++frame) {
        const ns_t duration = random_duration(random);
        now += duration;
        const tick_result a = advance_timer(timer, duration);
        const tick_result b = advance_rate(first, a.tick, duration);
        const tick_result c = advance_rate(second, b.tick, duration);
        const auto ticks = timer_model.advance(of_ns(now));
        const auto counted = first_model.advance(ticks.has_value(), of_ns(now));
        const auto counted_twice = second_model.advance(counted.has_value(), of_ns(now));
        if (!same(a, ticks) || !same(b, counted) || !same(c, counted_twice)) {
            return "seed " + std::to_string(seed) + ", frame " + std::to_string(frame);
        }
    }
    return {};
}

}  // namespace

TEST_SUITE("unit.schedule.ticks") {
    TEST_CASE("a timer of 2.1 s ticks in the third frame of 1 s, and keeps what is left over") {
        kith::Timer timer = timer_of(2'100'000'000);
        CHECK_FALSE(advance_timer(timer, s).tick);
        CHECK_FALSE(advance_timer(timer, s).tick);
        const tick_result third = advance_timer(timer, s);
        CHECK(third.tick);
        CHECK(third.elapsed == 3 * s);
        CHECK(timer.time.ns == 900'000'000);
        CHECK(ticking_frames(timer_of(2'100'000'000), std::vector<ns_t>(12, s)) ==
              std::vector<int>{3, 5, 7, 9, 11});
    }

    TEST_CASE("the time since the last tick leaves the overshoot of that tick out") {
        kith::Timer timer = timer_of(2 * s);
        CHECK(advance_timer(timer, 3 * s).elapsed == 3 * s);
        CHECK(advance_timer(timer, s).elapsed == s);
    }

    TEST_CASE("a timer ticks once per frame, and drops more than an interval") {
        kith::Timer timer = timer_of(s);
        CHECK(advance_timer(timer, 10 * s).tick);
        CHECK(timer.time.ns == 0);
        CHECK_FALSE(advance_timer(timer, s - 1).tick);
        CHECK(advance_timer(timer, 1).tick);
        CHECK(advance_timer(timer, 2 * s).tick);
        CHECK(timer.time.ns == s);  // one interval is kept: the next frame is due at once
        CHECK(advance_timer(timer, 0).tick);
    }

    TEST_CASE("the longest times do not overflow") {
        kith::Timer timer = timer_of(longest_duration);
        CHECK(advance_timer(timer, longest_duration).tick);
        CHECK_FALSE(advance_timer(timer, longest_duration - 1).tick);
        CHECK(advance_timer(timer, longest_duration).tick);
    }

    TEST_CASE("every third tick of its source is a tick of a rate of 3") {
        kith::RateFilter filter = filter_of(3);
        std::vector<int> ticks;
        for (int frame = 1; frame <= 12; ++frame) {
            if (advance_rate(filter, frame % 2 == 0, s).tick) {
                ticks.push_back(frame);
            }
        }
        CHECK(ticks == std::vector<int>{6, 12});
    }

    TEST_CASE("timers and chains of rates agree with a model in exact numbers") {
        for (std::uint64_t seed = 1; seed <= 300; ++seed) {
            REQUIRE(compare_chain(seed) == "");
        }
    }

    TEST_CASE("a million frames of 16,666,667 ns are a million steps of 1/60 s") {
        kith::FixedStep fixed = fixed_of(checked_duration(1 / 60., "a step"), 8);
        for (int i = 0; i < 1'000'000; ++i) {
            take_steps(fixed, 16'666'667);
        }
        CHECK(fixed.steps == 1'000'000);
        CHECK(fixed.dropped == 0);
        CHECK(alpha(fixed) == 0.0f);
    }

    TEST_CASE("time goes into the account, and comes out in whole steps") {
        kith::FixedStep fixed = fixed_of(10, 8);
        CHECK(take_steps(fixed, 9) == 0);
        CHECK(alpha(fixed) == doctest::Approx(0.9));
        CHECK(take_steps(fixed, 26) == 3);
        CHECK(fixed.account == 5);
    }

    TEST_CASE("steps beyond the limit are dropped with the rest, and counted") {
        kith::FixedStep fixed = fixed_of(10, 2);
        CHECK(take_steps(fixed, 29) == 2);
        CHECK(fixed.account == 9);
        CHECK(fixed.dropped == 0);
        CHECK(take_steps(fixed, 1'000) == 2);
        CHECK(fixed.account == 0);
        CHECK(fixed.dropped == 989);
        CHECK(fixed.steps == 4);
    }

    TEST_CASE("a year in one frame is max_steps steps") {
        kith::FixedStep fixed = fixed_of(1, 8);
        CHECK(take_steps(fixed, longest_duration) == 8);
        CHECK(fixed.dropped == longest_duration - 8);
    }

    TEST_CASE("a generator gives the same numbers for the same seed") {
        random_numbers a;
        random_numbers b;
        CHECK(a.next() == b.next());
        b.seed(7);
        CHECK(a.next() != b.next());
        for (int i = 0; i < 1000; ++i) {
            const std::int64_t value = a.between_zero_and(3);
            CHECK(value >= 1);
            CHECK(value <= 2);
        }
        CHECK(a.between_zero_and(1) == 0);
    }
}
