// Windows of 60 values for seconds, minutes and hours.
#include "statistics/windows.hpp"

#include <doctest/doctest.h>

using namespace kith::scheduling;

namespace {

constexpr ns_t s = ns_per_second;

// A world whose frames last `frame` and spend `spent` each.
struct world_time {
    time_windows windows;
    ns_t now = 0;

    void run(int frames, ns_t frame, ns_t spent) {
        for (int i = 0; i < frames; ++i) {
            windows.add(spent);
            windows.advance(now, now + frame);
            now += frame;
        }
    }
};

}  // namespace

TEST_SUITE("unit.schedule.windows") {
    TEST_CASE("a window has the last 60 values") {
        window values;
        for (ns_t i = 1; i <= 100; ++i) {
            values.push(i);
        }
        CHECK(values.count() == 60);
        CHECK(values.at(0) == 100);
        CHECK(values.at(59) == 41);
    }

    TEST_CASE("the time of the frames of a second is its value") {
        world_time world;
        world.run(25, s / 10, 7);
        REQUIRE(world.windows.seconds().count() == 2);
        CHECK(world.windows.seconds().at(0) == 70);
        CHECK(world.windows.minutes().count() == 0);
    }

    TEST_CASE("minutes and hours are sums of seconds") {
        world_time world;
        world.run(2 * 3600, s, 3);
        CHECK(world.windows.seconds().count() == 60);
        REQUIRE(world.windows.minutes().count() == 60);
        CHECK(world.windows.minutes().at(59) == 180);
        REQUIRE(world.windows.hours().count() == 2);
        CHECK(world.windows.hours().at(0) == 10'800);
    }

    TEST_CASE("a long frame leaves empty periods behind") {
        world_time world;
        world.run(1, 130 * s, 5);
        CHECK(world.windows.seconds().count() == 60);
        CHECK(world.windows.seconds().at(0) == 0);
        REQUIRE(world.windows.minutes().count() == 2);
        CHECK(world.windows.minutes().at(1) == 5);
        CHECK(world.windows.minutes().at(0) == 0);
        world.run(1, longest_duration, 5);
        CHECK(world.windows.hours().count() == 60);
    }
}
