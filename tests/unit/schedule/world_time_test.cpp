// Frames of a world's time: order of calls, pause, single frames, the end of the loop.
#include "time/world_time.hpp"

#include "support/errors.hpp"
#include "time/timer_entities.hpp"

#include <doctest/doctest.h>

using namespace kith::scheduling;
using kith_test::error_of;

namespace {

void run_frame(world_time& time, float seconds) {
    time.begin_frame(seconds);
    time.end_frame();
}

}  // namespace

TEST_SUITE("unit.schedule.world_time") {
    TEST_CASE("frames are counted when they end") {
        kith::world world;
        world_time time(world);
        time.begin_frame(kith::nanoseconds{5});
        CHECK(time.frame_count() == 0);
        CHECK(time.frame().raw == 5);
        time.end_frame();
        CHECK(time.frame_count() == 1);
    }

    TEST_CASE("a frame inside of a frame, and an end without a begin, are refused") {
        kith::world world;
        world_time time(world);
        CHECK(error_of([&] { time.end_frame(); }) == kith::errc::invalid_operation);
        time.begin_frame(1.0f);
        CHECK(error_of([&] { time.begin_frame(1.0f); }) == kith::errc::invalid_operation);
        time.end_frame();
        CHECK(error_of([&] { time.begin_frame(-1.0f); }) == kith::errc::invalid_operation);
        CHECK(error_of([&] { time.end_frame(); }) == kith::errc::invalid_operation);
        CHECK(time.clock().total_raw() == ns_per_second);
    }

    TEST_CASE("time and timers stand still while the world is paused, except in single frames") {
        kith::world world;
        world_time time(world);
        time.sources();
        kith::entity timer = world.entity();
        set_timer(timer, 1, false, nullptr);
        run_frame(time, 1);
        CHECK(timer.get<kith::TickSource>()->tick);
        time.pause();
        run_frame(time, 1);
        CHECK(time.is_frame_paused());
        CHECK(time.frame().delta == 0.0f);
        CHECK_FALSE(timer.get<kith::TickSource>()->tick);
        CHECK(time.frame_count() == 2);
        time.step_frames(2);
        run_frame(time, 1);
        CHECK_FALSE(time.is_frame_paused());
        CHECK(timer.get<kith::TickSource>()->tick);
        run_frame(time, 1);
        run_frame(time, 1);
        CHECK(time.clock().total_raw() == 3 * ns_per_second);
        time.resume();
        run_frame(time, 1);
        CHECK(time.clock().total_raw() == 4 * ns_per_second);
        CHECK(error_of([&] { time.step_frames(-1); }) == kith::errc::invalid_operation);
    }

    TEST_CASE("a circle of sources keeps time where it is") {
        kith::world world;
        world_time time(world);
        time.sources();
        kith::entity e = world.entity();
        set_rate(e, 1, 0);
        e.get_mut<kith::RateFilter>()->src = e;
        CHECK(error_of([&] { time.begin_frame(1.0f); }) == kith::errc::cycle);
        CHECK(time.clock().total_raw() == 0);
        CHECK(error_of([&] { time.end_frame(); }) == kith::errc::invalid_operation);
    }

    TEST_CASE("timers start at random times, those that exist and later ones, the same each time") {
        ns_t first[2] = {};
        for (ns_t& start : first) {
            kith::world world;
            world_time time(world);
            time.set_seed(42);
            time.sources();
            kith::entity timer = world.entity();
            set_timer(timer, 5, false, time.random_start());
            CHECK(timer.get<kith::Timer>()->time == 0);
            time.randomize_timers();
            start = timer.get<kith::Timer>()->time.ns;
            CHECK(start > 0);
            kith::entity later = world.entity();
            set_timer(later, 5, false, time.random_start());
            CHECK(later.get<kith::Timer>()->time > 0);
        }
        CHECK(first[0] == first[1]);
    }
}
