// The clock of frames: given and measured durations, scale, totals, the wait for a target rate.
#include "time/clock.hpp"

#include "support/errors.hpp"

#include <limits>
#include <vector>

#include <doctest/doctest.h>

using namespace kith::scheduling;
using kith_test::error_of;

namespace {

// A source of time under the control of the test.
struct test_time {
    ns_t at = 1'000;
    ns_t rate = 100;  // percent of a wait by which the clock advances
    std::vector<ns_t> waits;
    int reads = 0;

    time_source source() {
        return {[](void* self) {
                    static_cast<test_time*>(self)->reads++;
                    return static_cast<test_time*>(self)->at;
                },
                [](void* self, ns_t duration, const std::atomic<bool>&) {
                    test_time& time = *static_cast<test_time*>(self);
                    time.waits.push_back(duration);
                    time.at += duration / 100 * time.rate;
                },
                this};
    }
};

const std::atomic<bool> go_on = false;

}  // namespace

TEST_SUITE("unit.schedule.clock") {
    TEST_CASE("a million frames of 1/60 s add up exactly") {
        frame_clock clock;
        for (int i = 0; i < 1'000'000; ++i) {
            clock.begin_exact(16'666'667);
        }
        CHECK(clock.total_raw() == 16'666'667'000'000);
        CHECK(clock.total() == 16'666'667'000'000);
    }

    TEST_CASE("a duration that is given as a number is handed on unchanged") {
        frame_clock clock;
        const frame_time frame = clock.begin(2);
        CHECK(frame.delta == 2.0f);
        CHECK(frame.delta_raw == 2.0f);
        CHECK(frame.raw == 2 * ns_per_second);
    }

    TEST_CASE("given durations do not read the time") {
        test_time time;
        frame_clock clock(time.source());
        clock.wait_until_due(go_on);
        clock.begin(1);
        clock.begin_exact(5);
        CHECK(time.reads == 0);
    }

    TEST_CASE("the first measured frame counts one interval, the next the time between them") {
        test_time time;
        frame_clock clock(time.source());
        CHECK(clock.begin(0).raw == 16'666'667);
        time.at += 250;
        CHECK(clock.begin(0).raw == 250);
        clock.set_target_rate(50);
        CHECK(frame_clock(clock).begin(0).raw == 0);
        frame_clock other(time.source());
        other.set_target_rate(50);
        CHECK(other.begin(0).raw == 20'000'000);
    }

    TEST_CASE("a frame that is measured behind a given one counts from that one") {
        test_time time;
        frame_clock clock(time.source());
        clock.begin(0);
        time.at += 1000;
        clock.begin(1);
        time.at += 70;
        CHECK(clock.begin(0).raw == 70);
    }

    TEST_CASE("a clock that runs backward gives frames without time") {
        test_time time;
        frame_clock clock(time.source());
        clock.begin(0);
        time.at -= 500;
        CHECK(clock.begin(0).raw == 0);
        time.at += 20;
        CHECK(clock.begin(0).raw == 20);
    }

    TEST_CASE("a scale changes scaled time only, and 0 stops it") {
        frame_clock clock;
        clock.set_scale(2);
        frame_time frame = clock.begin(1.5f);
        CHECK(frame.scaled == 3 * ns_per_second);
        CHECK(frame.delta == 3.0f);
        CHECK(frame.delta_raw == 1.5f);
        clock.set_scale(0);
        frame = clock.begin(1);
        CHECK(frame.scaled == 0);
        CHECK(frame.delta == 0.0f);
        CHECK(clock.total_raw() == 2'500'000'000);
        CHECK(clock.total() == 3 * ns_per_second);
    }

    TEST_CASE("a scale that leaves parts of nanoseconds loses none of them") {
        frame_clock clock;
        clock.set_scale(0.125f);
        for (int i = 0; i < 8'000; ++i) {
            clock.begin_exact(3);
        }
        CHECK(clock.total() == 3'000);
        clock.set_scale(1);
        clock.begin_exact(3);
        CHECK(clock.total() == 3'003);
    }

    TEST_CASE("the longest frames at the largest scale end at the longest duration") {
        frame_clock clock;
        clock.set_scale(1'000'000);
        CHECK(clock.begin_exact(longest_duration).scaled == longest_duration);
        for (int i = 0; i < 10; ++i) {
            clock.begin_exact(longest_duration);
        }
        CHECK(clock.total_raw() == 2 * longest_duration);
    }

    TEST_CASE("totals start anew, and time goes on") {
        frame_clock clock;
        clock.begin(1);
        clock.reset_totals();
        CHECK(clock.total_raw() == 0);
        clock.begin(1);
        CHECK(clock.total() == ns_per_second);
    }

    TEST_CASE("time that cannot be counted is refused and changes nothing") {
        const float nan = std::numeric_limits<float>::quiet_NaN();
        const float infinite = std::numeric_limits<float>::infinity();
        frame_clock clock;
        for (float bad : {-1.0f, nan, infinite, -infinite}) {
            CAPTURE(bad);
            CHECK(error_of([&] { clock.begin(bad); }) == kith::errc::invalid_operation);
            CHECK(error_of([&] { clock.set_scale(bad); }) == kith::errc::invalid_operation);
            CHECK(error_of([&] { clock.set_target_rate(bad); }) == kith::errc::invalid_operation);
        }
        CHECK(error_of([&] { clock.begin(1e30f); }) == kith::errc::invalid_operation);
        CHECK(error_of([&] { clock.begin_exact(-1); }) == kith::errc::invalid_operation);
        CHECK(clock.total_raw() == 0);
        CHECK(clock.scale() == 1.0f);
        CHECK(clock.target_rate() == 0.0f);
    }

    TEST_CASE("a positive time is at least a nanosecond") {
        frame_clock clock;
        CHECK(clock.begin(1e-20f).raw == 1);
    }

    TEST_CASE("frames wait for the target rate, and a late one is not made up for") {
        test_time time;
        frame_clock clock(time.source());
        clock.set_target_rate(100);
        clock.wait_until_due(go_on);
        CHECK(time.waits.empty());
        time.at += 4'000'000;
        clock.wait_until_due(go_on);
        CHECK(time.waits == std::vector<ns_t>{6'000'000});
        time.at += 35'000'000;  // three frames and a half too late
        clock.wait_until_due(go_on);
        CHECK(time.waits.size() == 1);
        time.at += 1'000'000;
        clock.wait_until_due(go_on);
        CHECK(time.waits == std::vector<ns_t>{6'000'000, 9'000'000});
    }

    TEST_CASE("a clock that stands still ends the wait after one interval") {
        test_time time;
        time.rate = 0;
        frame_clock clock(time.source());
        clock.set_target_rate(100);
        clock.wait_until_due(go_on);
        clock.wait_until_due(go_on);
        CHECK(time.waits == std::vector<ns_t>{10'000'000});
    }

    TEST_CASE("a clock that runs backward lets no frame wait longer than an interval") {
        test_time time;
        frame_clock clock(time.source());
        clock.set_target_rate(100);
        clock.wait_until_due(go_on);
        time.at -= 500;
        time.rate = -100;
        clock.wait_until_due(go_on);
        ns_t sum = 0;
        for (ns_t wait : time.waits) {
            sum += wait;
        }
        CHECK(sum == 10'000'000);
        time.waits.clear();
        time.rate = 100;
        clock.wait_until_due(go_on);
        CHECK(time.waits == std::vector<ns_t>{10'000'000});
    }

    TEST_CASE("a stop ends the wait") {
        test_time time;
        frame_clock clock(time.source());
        clock.set_target_rate(100);
        clock.wait_until_due(go_on);
        const std::atomic<bool> stop = true;
        clock.wait_until_due(stop);
        CHECK(time.waits.empty());
    }

    TEST_CASE("a pause keeps the time, and what follows is measured from its end") {
        test_time time;
        frame_clock clock(time.source());
        clock.begin(0);
        const ns_t total = clock.total_raw();
        time.at += 10'000;
        const frame_time paused = clock.begin_paused();
        CHECK(paused.raw == 0);
        CHECK(paused.delta == 0.0f);
        CHECK(clock.total_raw() == total);
        time.at += 30;
        CHECK(clock.begin(0).raw == 30);
    }
}
