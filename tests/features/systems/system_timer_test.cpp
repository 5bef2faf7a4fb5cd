// Systems that run at intervals, at rates and with tick sources; the times that they see.
#include <kith/kith.hpp>

#include "support/errors.hpp"

#include <limits>
#include <vector>

#include <doctest/doctest.h>

using kith_test::error_of;

namespace {

struct Clock {};

using frames = std::vector<int>;

// A world whose systems write down the frames in which they run.
struct logged_world {
    kith::world world;
    int frame = 0;

    auto log(frames& into) {
        return [this, &into](kith::iter&) { into.push_back(frame); };
    }
    void run(int count, float seconds = 1) {
        for (int i = 0; i < count; ++i) {
            ++frame;
            world.progress(seconds);
        }
    }
};

}  // namespace

TEST_SUITE("features.systems.system_timer") {
    TEST_CASE("a system with an interval runs when its time has passed") {
        logged_world game;
        frames ran;
        kith::system system = game.world.system("Beat").interval(2.1f).iter(game.log(ran));
        CHECK(system.interval() == 2.1f);
        game.run(8);
        CHECK(ran == frames{3, 5, 7});
        system.interval(0);
        CHECK(system.interval() == 0.0f);
        game.run(2);
        CHECK(ran == frames{3, 5, 7, 9, 10});
    }

    TEST_CASE("a timeout runs a system once") {
        logged_world game;
        frames ran;
        kith::system system = game.world.system("Once").iter(game.log(ran));
        system.timeout(1.5f);
        CHECK(system.timeout() == 1.5f);
        game.run(5);
        CHECK(ran == frames{2});
        system.start();
        game.run(3);
        CHECK(ran == frames{2, 7});
    }

    TEST_CASE("a system can be stopped and started") {
        logged_world game;
        frames ran;
        kith::system system = game.world.system("Beat").interval(1).iter(game.log(ran));
        game.run(1);
        system.stop();
        game.run(2);
        system.start();
        game.run(1);
        CHECK(ran == frames{1, 4});
    }

    TEST_CASE("a rate counts frames, and ticks of an interval of the system") {
        logged_world game;
        frames third;
        frames both;
        game.world.system("Third").rate(3).iter(game.log(third));
        game.world.system("Both").interval(2).rate(2).iter(game.log(both));
        game.run(9);
        CHECK(third == frames{3, 6, 9});
        CHECK(both == frames{4, 8});
    }

    // spec 388
    TEST_CASE("systems are sources for others; rates multiply, and tick in the same frame") {
        logged_world game;
        frames third;
        frames sixth;
        kith::system root = game.world.system("Root").iter([](kith::iter&) {});
        kith::system slow = game.world.system("Slow").rate(root, 3).iter(game.log(third));
        game.world.system("Slower").rate(slow, 2).iter(game.log(sixth));
        game.run(12);
        CHECK(third == frames{3, 6, 9, 12});
        CHECK(sixth == frames{6, 12});
        root.disable();
        game.run(6);
        CHECK(third.size() == 4);
    }

    // spec 387
    TEST_CASE("systems share a timer, by entity and by type") {
        logged_world game;
        frames one;
        frames two;
        kith::timer timer = game.world.timer<Clock>();
        timer.interval(2);
        game.world.system("One").tick_source(timer).iter(game.log(one));
        kith::system other = game.world.system("Two").tick_source<Clock>().iter(game.log(two));
        game.run(4);
        CHECK(one == frames{2, 4});
        CHECK(two == frames{2, 4});
        other.set_tick_source(kith::entity());
        game.run(2);
        CHECK(one == frames{2, 4, 6});
        CHECK(two == frames{2, 4, 5, 6});
        other.set_tick_source<Clock>();
        game.run(2);
        CHECK(two == frames{2, 4, 5, 6, 8});
        timer.destruct();
        game.run(4);
        CHECK(one.size() == 4);
    }

    TEST_CASE("a system sees the time of the frame, and the time since it last ran") {
        kith::world world;
        std::vector<float> seen;
        world.system("Each").iter([&](kith::iter& it) {
            seen.push_back(it.delta_time());
            seen.push_back(it.delta_system_time());
        });
        world.system("Beat").interval(2).iter([&](kith::iter& it) {
            seen.push_back(it.delta_time());
            seen.push_back(it.delta_system_time());
        });
        world.progress(1);
        CHECK(seen == std::vector<float>{1, 1});
        world.progress(2);
        CHECK(seen == std::vector<float>{1, 1, 2, 2, 2, 3});
        world.progress(2);
        CHECK(seen == std::vector<float>{1, 1, 2, 2, 2, 3, 2, 2, 2, 2});
    }

    TEST_CASE("the time since a run goes on while a condition skips the system") {
        kith::world world;
        bool open = false;
        std::vector<float> seen;
        const auto log = [&](kith::iter& it) { seen.push_back(it.delta_system_time()); };
        world.system("Plain").run_if([&] { return open; }).iter(log);
        world.system("Timed").interval(1).run_if([&] { return open; }).iter(log);
        world.progress(1);
        world.progress(2);
        open = true;
        world.progress(3);
        CHECK(seen == std::vector<float>{6, 6});
    }

    TEST_CASE("a one-off run ignores timers, and so does a pipeline outside of a frame") {
        logged_world game;
        frames ran;
        kith::system system = game.world.system("Rare").interval(100).iter(game.log(ran));
        system.run();
        CHECK(ran == frames{0});
        game.world.run_pipeline(0, 1);
        CHECK(ran == frames{0, 0});
        game.run(1);
        CHECK(ran.size() == 2);
    }

    TEST_CASE("a disabled system keeps its time") {
        logged_world game;
        frames ran;
        kith::system system = game.world.system("Beat").interval(3).iter(game.log(ran));
        game.run(2);
        system.disable();
        game.run(5);
        system.enable();
        game.run(1);
        CHECK(ran == frames{8});
    }

    TEST_CASE("a system that is replaced keeps its timer") {
        logged_world game;
        frames ran;
        game.world.system("Beat").interval(2).iter([](kith::iter&) {});
        game.world.system("Beat").iter(game.log(ran));
        game.run(4);
        CHECK(ran == frames{2, 4});
    }

    TEST_CASE("bad times, rates and sources are refused, and there is no system") {
        kith::world world;
        const auto invalid = kith::errc::invalid_operation;
        const float nan = std::numeric_limits<float>::quiet_NaN();
        const auto nothing = [](kith::iter&) {};
        CHECK(error_of([&] { world.system("A").interval(-1).iter(nothing); }) == invalid);
        CHECK(error_of([&] { world.system("A").interval(nan).iter(nothing); }) == invalid);
        CHECK(error_of([&] { world.system("A").rate(0).iter(nothing); }) == invalid);
        CHECK(error_of([&] { world.system("A").rate(-1).iter(nothing); }) == invalid);
        kith::entity dead = world.entity();
        dead.destruct();
        CHECK(error_of([&] { world.system("A").rate(dead, 1).iter(nothing); }) ==
              kith::errc::invalid_entity);
        CHECK(error_of([&] { world.system("A").tick_source(dead).iter(nothing); }) ==
              kith::errc::invalid_entity);
        CHECK_FALSE(world.lookup("A"));
        kith::system a = world.system("A").rate(2).iter(nothing);
        kith::system b = world.system("B").rate(a, 2).iter(nothing);
        CHECK(error_of([&] { a.set_tick_source(b); }) == kith::errc::cycle);
        CHECK(error_of([&] { world.system("A").tick_source(b).iter(nothing); }) ==
              kith::errc::cycle);
        CHECK(error_of([&] { a.rate(0); }) == invalid);
        CHECK(error_of([&] { a.interval(-1); }) == invalid);
        CHECK(error_of([&] { a.start(); }) == kith::errc::missing_component);
        world.progress(1);
    }
}
