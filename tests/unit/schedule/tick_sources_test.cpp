// Timers and rate filters of a world, frame by frame.
#include "time/tick_sources.hpp"

#include "support/errors.hpp"
#include "time/timer_entities.hpp"

#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace kith::scheduling;
using kith_test::error_of;
using kith_test::message_of;

namespace {

struct timed_world {
    kith::world world;
    tick_sources sources = [this] {
        declare_time_components(world);
        return tick_sources(world);
    }();

    kith::entity timer(double seconds, const char* name = nullptr) {
        kith::entity made = name ? world.entity(name) : world.entity();
        set_timer(made, seconds, false, nullptr);
        return made;
    }
    kith::entity rate(int n, kith::entity_t source, const char* name = nullptr) {
        kith::entity made = name ? world.entity(name) : world.entity();
        set_rate(made, n, source);
        return made;
    }
    void frame(double seconds, double scale = 1) {
        const ns_t raw = checked_duration(seconds, "a frame");
        sources.check();
        sources.advance({raw, static_cast<ns_t>(static_cast<double>(raw) * scale), 0, 0});
    }
    static bool ticks(const kith::entity& e) { return e.get<kith::TickSource>()->tick; }
    // The numbers of the frames, from 1, in which the entity ticks.
    std::vector<int> ticking(const kith::entity& e, int frames, double seconds = 1) {
        std::vector<int> found;
        for (int i = 1; i <= frames; ++i) {
            frame(seconds);
            if (ticks(e)) {
                found.push_back(i);
            }
        }
        return found;
    }
};

using frames = std::vector<int>;

}  // namespace

TEST_SUITE("unit.schedule.tick_sources") {
    TEST_CASE("a timeout ticks once, and again after a start") {
        timed_world time;
        kith::entity once = time.world.entity();
        set_timer(once, 1.5, true, nullptr);
        CHECK(time.ticking(once, 6) == frames{2});
        CHECK_FALSE(once.get<kith::Timer>()->active);
        start_timer(once);
        CHECK(time.ticking(once, 6) == frames{2});
        CHECK(timeout_of(once, true) == 1.5f);
        CHECK(timeout_of(once, false) == 0.0f);
    }

    TEST_CASE("the ticks of a rate cannot be removed alone") {
        timed_world timed;
        kith::entity every_other = timed.rate(2, 0);
        CHECK(error_of([&] { every_other.remove<kith::TickSource>(); }) == kith::errc::constraint);
        CHECK(timed.ticking(every_other, 4) == frames{2, 4});
    }

    TEST_CASE("a timer whose time is set to 0 by hand begins anew") {
        timed_world time;
        kith::entity timer = time.timer(2.1);
        time.frame(1);
        time.frame(1);
        timer.get_mut<kith::Timer>()->time = 0;
        CHECK(timer.get<kith::Timer>()->time == 0);
        CHECK(time.ticking(timer, 4) == frames{3});
    }

    TEST_CASE("stop keeps the time, start begins at 0, reset keeps it running") {
        timed_world time;
        kith::entity timer = time.timer(2);
        time.frame(1);
        stop_timer(timer);
        CHECK(time.ticking(timer, 3).empty());
        start_timer(timer);
        CHECK(time.ticking(timer, 2) == frames{2});
        time.frame(1);
        reset_timer(timer);
        CHECK(time.ticking(timer, 2) == frames{2});
    }

    TEST_CASE("an interval of 0 takes timer and ticks away") {
        timed_world time;
        kith::entity timer = time.timer(1);
        set_timer(timer, 0, false, nullptr);
        CHECK_FALSE(timer.has<kith::Timer>());
        CHECK_FALSE(timer.has<kith::TickSource>());
        set_rate(timer, 2, 0);
        set_timer(timer, 0, false, nullptr);
        CHECK(timer.has<kith::TickSource>());
    }

    TEST_CASE("a chain of rates ticks in one frame, whatever the order of declaration") {
        timed_world time;
        kith::entity last = time.world.entity();
        kith::entity middle = time.world.entity();
        kith::entity timer = time.timer(1);
        set_rate(middle, 2, timer);
        set_rate(last, 3, middle);
        CHECK(time.ticking(last, 13) == frames{6, 12});
    }

    TEST_CASE("a rate alone counts frames, and with an interval its ticks") {
        timed_world time;
        kith::entity plain = time.rate(3, 0);
        CHECK(time.ticking(plain, 9) == frames{3, 6, 9});
        kith::entity both = time.timer(2);
        set_rate(both, 2, 0);
        CHECK(time.ticking(both, 9) == frames{4, 8});
        CHECK(both.get<kith::TickSource>()->time_elapsed == 4.0f);
    }

    TEST_CASE("an entity without timer or filter ticks each frame, unless disabled or gone") {
        timed_world time;
        kith::entity source = time.world.entity();
        kith::entity counted = time.rate(1, source);
        CHECK(time.ticking(counted, 2) == frames{1, 2});
        source.disable();
        CHECK(time.ticking(counted, 2).empty());
        source.enable();
        CHECK(time.ticking(counted, 1) == frames{1});
        source.destruct();
        CHECK(time.ticking(counted, 2).empty());
    }

    TEST_CASE(
        "a disabled timer stands still and does not tick, although it did in the last frame") {
        timed_world time;
        kith::entity timer = time.timer(2);
        kith::entity counted = time.rate(1, timer);
        CHECK(time.ticking(timer, 2) == frames{2});
        timer.disable();
        CHECK(time.ticking(counted, 5).empty());
        CHECK_FALSE(time.ticks(timer));
        timer.enable();
        CHECK(time.ticking(counted, 2) == frames{2});
    }

    TEST_CASE("a source that a program changes in place is followed from the next frame on") {
        timed_world time;
        kith::entity fast = time.timer(1);
        kith::entity slow = time.timer(3);
        kith::entity counted = time.rate(1, fast);
        time.frame(1);
        counted.get_mut<kith::RateFilter>()->src = slow;
        CHECK(time.ticking(counted, 5) == frames{2, 5});
    }

    TEST_CASE("scaled timers, and rates behind them, count scaled time") {
        timed_world time;
        kith::entity raw = time.timer(2);
        kith::entity scaled = time.timer(2);
        set_scaled(scaled, true);
        kith::entity counted = time.rate(1, scaled);
        for (int i = 0; i < 3; ++i) {
            time.frame(1, 0.5);
            CHECK_FALSE(time.ticks(scaled));
        }
        time.frame(1, 0.5);
        CHECK(time.ticks(scaled));
        CHECK(time.ticks(raw));
        CHECK(time.ticks(counted));
        CHECK(counted.get<kith::TickSource>()->time_elapsed == 2.0f);
    }

    TEST_CASE("circles are refused by the call that closes them, with their way") {
        timed_world time;
        kith::entity a = time.rate(1, 0, "A");
        kith::entity b = time.rate(1, a, "B");
        kith::entity c = time.rate(1, b, "C");
        CHECK(message_of([&] { set_rate(a, 2, c); }) ==
              "tick sources form a circle: A counts C counts B counts A");
        CHECK(error_of([&] { set_rate(a, 2, c); }) == kith::errc::cycle);
        CHECK(error_of([&] { set_rate(a, 2, a); }) == kith::errc::cycle);
        CHECK(a.get<kith::RateFilter>()->src == 0);
        CHECK(a.get<kith::RateFilter>()->rate == 1);
    }

    TEST_CASE("circles that are written by hand are refused by the frame, which changes nothing") {
        timed_world time;
        kith::entity timer = time.timer(5);
        kith::entity a = time.rate(1, 0, "A");
        kith::entity b = time.rate(1, a, "B");
        a.get_mut<kith::RateFilter>()->src = b;
        CHECK(error_of([&] { time.frame(1); }) == kith::errc::cycle);
        CHECK(timer.get<kith::Timer>()->time == 0.0f);
        CHECK(error_of([&] { time.frame(1); }) == kith::errc::cycle);
        a.get_mut<kith::RateFilter>()->src = 0;
        CHECK(time.ticking(b, 1) == frames{1});
    }

    TEST_CASE("bad numbers and sources are refused") {
        timed_world time;
        kith::entity e = time.world.entity();
        const auto invalid = kith::errc::invalid_operation;
        CHECK(error_of([&] { set_timer(e, -1, false, nullptr); }) == invalid);
        CHECK(error_of([&] {
                  set_timer(e, std::numeric_limits<double>::quiet_NaN(), true, nullptr);
              }) == invalid);
        CHECK(error_of([&] { set_rate(e, 0, 0); }) == invalid);
        CHECK(error_of([&] { set_rate(e, -3, 0); }) == invalid);
        kith::entity dead = time.world.entity();
        dead.destruct();
        CHECK(error_of([&] { set_rate(e, 1, dead); }) == kith::errc::invalid_entity);
        CHECK(error_of([&] { set_tick_source(e, dead); }) == kith::errc::invalid_entity);
        for (auto change : {start_timer, stop_timer, reset_timer}) {
            CHECK(error_of([&] { change(e); }) == kith::errc::missing_component);
        }
        CHECK_FALSE(e.has<kith::TickSource>());
    }

    TEST_CASE("random starts are the same for the same seed, and report the time since the start") {
        timed_world time;
        random_numbers numbers;
        random_numbers again;
        kith::entity a = time.world.entity();
        kith::entity b = time.world.entity();
        set_timer(a, 10, false, &numbers);
        set_timer(b, 10, false, &again);
        const kith::Timer start = *a.get<kith::Timer>();
        CHECK(start.time.ns == b.get<kith::Timer>()->time.ns);
        CHECK(start.time > 0);
        CHECK(start.time < 10);
        int passed = 0;
        for (; !time.ticks(a) && passed < 20; ++passed) {
            time.frame(1);
        }
        CHECK(a.get<kith::TickSource>()->time_elapsed == static_cast<float>(passed));
    }

    TEST_CASE("a tick source takes the place of a timer, and can be taken away") {
        timed_world time;
        kith::entity source = time.timer(3);
        kith::entity e = time.timer(1);
        set_tick_source(e, source);
        CHECK_FALSE(e.has<kith::Timer>());
        CHECK(time.ticking(e, 6) == frames{3, 6});
        set_tick_source(e, 0);
        CHECK_FALSE(e.has<kith::TickSource>());
    }
}
