// Timers as entities: intervals, timeouts, rates of sources.
#include <kith/kith.hpp>
#include <kith/snapshot.hpp>

#include "support/errors.hpp"

#include <limits>
#include <vector>

#include <doctest/doctest.h>

using kith_test::error_of;
using kith_test::message_of;
using kith_test::refusal;

namespace {

struct Heartbeat {};

void frame(kith::world& world, float seconds) {
    world.frame_begin(seconds);
    world.frame_end();
}

bool ticks(const kith::entity& timer) {
    return timer.get<kith::TickSource>()->tick;
}

// The numbers of the frames, from 1, in which the timer ticks.
std::vector<int> ticking(kith::world& world, const kith::entity& timer, int frames,
                         float seconds = 1) {
    std::vector<int> found;
    for (int i = 1; i <= frames; ++i) {
        frame(world, seconds);
        if (ticks(timer)) {
            found.push_back(i);
        }
    }
    return found;
}

using frames = std::vector<int>;

}  // namespace

TEST_SUITE("features.systems.timer") {
    // spec 387
    TEST_CASE("an interval ticks when its time has passed, and keeps what is left over") {
        kith::world world;
        kith::timer timer = world.timer().interval(2.1f);
        CHECK(timer.interval() == 2.1f);
        CHECK(timer.timeout() == 0.0f);
        CHECK(ticking(world, timer, 8) == frames{3, 5, 7});
        CHECK(timer.get<kith::Timer>()->fired_count == 3);
    }

    TEST_CASE("a timeout ticks once, and has the members of a timer") {
        kith::world world;
        kith::timer timer = world.timer("Alarm").timeout(1.5f);
        const kith::Timer* data = timer.get<kith::Timer>();
        REQUIRE(data);
        CHECK(data->timeout == 1.5f);
        CHECK(data->single_shot);
        CHECK(data->active);
        CHECK(ticking(world, timer, 5) == frames{2});
        CHECK_FALSE(timer.get<kith::Timer>()->active);
        CHECK(world.lookup("Alarm") == timer);
    }

    TEST_CASE("the time of a timer that is set to 0 restarts it") {
        kith::world world;
        kith::timer timer = world.timer().interval(2.1f);
        frame(world, 1);
        frame(world, 1);
        timer.get_mut<kith::Timer>()->time = 0;
        CHECK(ticking(world, timer, 3) == frames{3});
    }

    TEST_CASE("a timer can be stopped, started anew and reset") {
        kith::world world;
        kith::timer timer = world.timer<Heartbeat>();
        timer.interval(2);
        CHECK(timer == world.entity<Heartbeat>());
        frame(world, 1);
        timer.stop();
        CHECK(ticking(world, timer, 3).empty());
        timer.start();
        CHECK(ticking(world, timer, 3) == frames{2});
        timer.reset();
        CHECK(ticking(world, timer, 2) == frames{2});
    }

    TEST_CASE("an interval of 0 takes the timer away") {
        kith::world world;
        kith::timer timer = world.timer().interval(1);
        timer.interval(0);
        CHECK(timer.interval() == 0.0f);
        CHECK_FALSE(timer.has<kith::Timer>());
    }

    TEST_CASE("a timer ticks once per frame, and does not make up for more than an interval") {
        kith::world world;
        kith::timer timer = world.timer().interval(1);
        frame(world, 10);
        CHECK(ticks(timer));
        CHECK(timer.get<kith::TickSource>()->time_elapsed == 10.0f);
        CHECK(ticking(world, timer, 4, 0.5f) == frames{2, 4});
    }

    TEST_CASE("a component that is set by hand is a timer, also if it came before any frame") {
        kith::world world;
        kith::Timer data{};
        data.timeout = 2;
        data.active = true;
        kith::entity timer = world.entity().set<kith::Timer>(data);
        kith::RateFilter every_second{};
        every_second.rate = 2;
        every_second.src = timer;
        kith::entity counted = world.entity().set<kith::RateFilter>(every_second);
        kith::entity disabled = world.entity().set<kith::Timer>(data).disable();
        CHECK(ticking(world, counted, 8) == frames{4, 8});
        disabled.enable();
        CHECK(ticking(world, disabled, 2) == frames{2});
    }

    // spec 388
    TEST_CASE("a chain of rates multiplies and ticks in one frame") {
        kith::world world;
        kith::timer minute = world.timer("Minute");
        kith::timer second = world.timer("Second").interval(1);
        kith::timer ten = world.timer().rate(5, second);
        minute.rate(2, ten);
        CHECK(ticking(world, minute, 20) == frames{10, 20});
        CHECK(minute.get<kith::TickSource>()->time_elapsed == 10.0f);
    }

    TEST_CASE("a rate without source counts frames") {
        kith::world world;
        kith::timer third = world.timer().rate(3);
        CHECK(ticking(world, third, 7, 0.1f) == frames{3, 6});
    }

    TEST_CASE("disabled sources do not tick, and deleted ones never do") {
        kith::world world;
        kith::timer second = world.timer().interval(1);
        kith::timer counted = world.timer().rate(1, second);
        second.disable();
        CHECK(ticking(world, counted, 3).empty());
        second.enable();
        CHECK(ticking(world, counted, 1) == frames{1});
        second.destruct();
        CHECK(ticking(world, counted, 3).empty());
    }

    TEST_CASE("scaled timers stand still with scaled time, others do not") {
        kith::world world;
        kith::timer raw = world.timer().interval(1);
        kith::timer scaled = world.timer().interval(1).scaled();
        world.set_time_scale(0);
        CHECK(ticking(world, scaled, 3).empty());
        CHECK(ticks(raw));
        world.set_time_scale(0.5f);
        CHECK(ticking(world, scaled, 4) == frames{2, 4});
    }

    TEST_CASE("sources that would form a circle are refused, with their names") {
        kith::world world;
        kith::timer a = world.timer("A").rate(1);
        kith::timer b = world.timer("B").rate(1, a);
        CHECK(message_of([&] { a.rate(1, b); }) ==
              "tick sources form a circle: A counts B counts A");
        CHECK(refusal(world, [&] { a.rate(1, b); }) == kith::errc::cycle);
        CHECK(refusal(world, [&] { a.rate(1, a); }) == kith::errc::cycle);
        CHECK(ticking(world, b, 2) == frames{1, 2});
    }

    TEST_CASE("a circle that was written by hand is refused by the frame, which does not begin") {
        kith::world world;
        kith::timer a = world.timer("A").rate(1);
        a.get_mut<kith::RateFilter>()->src = a;
        CHECK(error_of([&] { world.frame_begin(1); }) == kith::errc::cycle);
        CHECK(world.get_info()->world_time_total == 0.0f);
        a.get_mut<kith::RateFilter>()->src = 0;
        frame(world, 1);
        CHECK(world.get_info()->frame_count_total == 1);
    }

    TEST_CASE("numbers that are no time, and entities that are no source, are refused") {
        kith::world world;
        kith::timer timer = world.timer();
        frame(world, 1);  // the components of timers exist from here on
        const auto invalid = kith::errc::invalid_operation;
        const float nan = std::numeric_limits<float>::quiet_NaN();
        for (float bad : {-1.0f, nan, std::numeric_limits<float>::infinity(), 1e20f}) {
            CHECK(refusal(world, [&] { timer.interval(bad); }) == invalid);
            CHECK(refusal(world, [&] { timer.timeout(bad); }) == invalid);
        }
        CHECK(refusal(world, [&] { timer.rate(0); }) == invalid);
        CHECK(refusal(world, [&] { timer.rate(-2); }) == invalid);
        kith::entity dead = world.entity();
        dead.destruct();
        CHECK(refusal(world, [&] { timer.rate(1, dead); }) == kith::errc::invalid_entity);
        CHECK(refusal(world, [&] { timer.start(); }) == kith::errc::missing_component);
        CHECK(refusal(world, [&] { timer.stop(); }) == kith::errc::missing_component);
        CHECK(refusal(world, [&] { timer.reset(); }) == kith::errc::missing_component);
        CHECK(refusal(world, [&] { timer.scaled(); }) == kith::errc::missing_component);
        CHECK(error_of([&] { kith::timer(dead).interval(1); }) == kith::errc::invalid_entity);
        CHECK(error_of([&] { kith::timer().interval(1); }).has_value());
    }

    TEST_CASE("randomized timers start between 0 and their interval, the same in every run") {
        std::vector<float> starts[2];
        for (std::vector<float>& run : starts) {
            kith::world world;
            kith::timer before = world.timer().interval(10);
            world.randomize_timers();
            kith::timer after = world.timer().interval(10);
            for (const kith::timer& timer : {before, after}) {
                run.push_back(timer.get<kith::Timer>()->time);
                CHECK(run.back() > 0);
                CHECK(run.back() < 10);
            }
        }
        CHECK(starts[0] == starts[1]);
        kith::world other;
        other.set_seed(5);
        other.randomize_timers();
        CHECK(other.timer().interval(10).get<kith::Timer>()->time != starts[0][0]);
    }

    TEST_CASE("timers work after a restore of a state from before the first frame") {
        kith::world world;
        kith::entity source = world.entity("Source");
        kith::entity filter = world.entity("Filter");
        const kith::snapshot start = world.snapshot().take();
        frame(world, 1);  // declares the components of time
        start.restore();
        kith::timer(filter).rate(2, source);
        kith::timer(source).interval(1);
        CHECK(filter.has<kith::TickSource>());
        CHECK(ticking(world, kith::timer(filter), 4) == frames{2, 4});
    }

    TEST_CASE("a filter cannot lose its TickSource") {
        kith::world world;
        kith::timer filter = world.timer().rate(2);
        frame(world, 1);
        CHECK_THROWS_AS(filter.remove<kith::TickSource>(), kith::error);
        CHECK(ticking(world, filter, 4) == frames{1, 3});
    }

    TEST_CASE("timers that are changed while deferred change with the queue") {
        kith::world world;
        kith::timer timer = world.timer();
        world.defer([&] {
            timer.interval(1);
            CHECK_FALSE(timer.has<kith::Timer>());
        });
        CHECK(ticking(world, timer, 2) == frames{1, 2});
    }
}
