// Stepping through the systems of a frame.
#include <kith/kith.hpp>

#include "support/errors.hpp"

#include <stdexcept>
#include <string>

#include <doctest/doctest.h>

using kith_test::error_of;

namespace {

struct Mark {};

// Systems A, B and C, which write down that they ran.
struct abc {
    kith::world world;
    std::string log;
    kith::system a = add("A");
    kith::system b = add("B");
    kith::system c = add("C");

    kith::system add(const char* name) {
        return world.system(name).iter([this, name](kith::iter&) { log += name; });
    }
};

}  // namespace

TEST_SUITE("features.systems.stepping") {
    TEST_CASE("a frame without breakpoints runs as a whole") {
        abc systems;
        systems.world.stepping(true);
        systems.world.progress(1);
        CHECK(systems.log == "ABC");
        CHECK_FALSE(systems.world.stopped_at());
        CHECK(systems.world.get_info()->frame_count_total == 1);
    }

    // spec 394
    TEST_CASE("progress stops in front of a breakpoint, and goes on from there") {
        abc systems;
        systems.b.set_breakpoint();
        systems.world.progress(1);
        CHECK(systems.log == "ABC");
        systems.log.clear();
        systems.world.stepping(true);
        systems.world.progress(1);
        CHECK(systems.log == "A");
        CHECK(systems.world.stopped_at() == systems.b);
        CHECK(systems.world.get_info()->frame_count_total == 1);
        systems.world.progress(1);
        CHECK(systems.log == "ABC");
        CHECK_FALSE(systems.world.stopped_at());
        CHECK(systems.world.get_info()->frame_count_total == 2);
        CHECK(systems.world.get_info()->world_time_total == 2.0f);
    }

    // spec 394
    TEST_CASE("a step runs one system") {
        abc systems;
        systems.world.stepping(true);
        systems.world.step();
        systems.world.progress(1);
        CHECK(systems.log == "A");
        CHECK(systems.world.stopped_at() == systems.b);
        systems.world.step();
        systems.world.progress(1);
        CHECK(systems.log == "AB");
        systems.world.step();
        systems.world.progress(1);
        CHECK(systems.log == "ABC");
        CHECK_FALSE(systems.world.stopped_at());
        systems.world.progress(1);
        CHECK(systems.log == "ABCABC");
    }

    // spec 394
    TEST_CASE("the rest of a frame can be completed") {
        abc systems;
        systems.a.set_breakpoint();
        systems.c.set_breakpoint();
        systems.world.stepping(true);
        systems.world.progress(1);
        CHECK(systems.log.empty());
        systems.world.step_to_end();
        CHECK(systems.log == "ABC");
        CHECK_FALSE(systems.world.stopped_at());
        systems.world.progress(1);
        CHECK(systems.world.stopped_at() == systems.a);
    }

    TEST_CASE("changes are made behind each system, and the world can be changed in between") {
        kith::world world;
        kith::entity ship = world.entity();
        bool seen = false;
        world.system("Add").iter([&](kith::iter&) { ship.add<Mark>(); });
        world.system("See").iter([&](kith::iter&) { seen = ship.has<Mark>(); });
        world.stepping(true);
        world.step();
        world.progress(1);
        CHECK(ship.has<Mark>());
        ship.remove<Mark>();
        world.system("Late").iter([](kith::iter&) {});
        world.progress(1);
        CHECK_FALSE(seen);
        CHECK_FALSE(world.stopped_at());
    }

    TEST_CASE("a frame that has stopped ends with stepping, and with the world") {
        abc systems;
        systems.b.set_breakpoint();
        systems.world.stepping(true);
        systems.world.progress(1);
        systems.world.stepping(false);
        systems.world.progress(1);
        CHECK(systems.log == "ABC");
        systems.world.progress(1);
        CHECK(systems.log == "ABCABC");
        systems.world.stepping(true);
        systems.world.progress(1);
        CHECK(systems.world.stopped_at() == systems.b);
    }

    TEST_CASE("a system that fails ends the frame") {
        kith::world world;
        world.system("Fails").iter([](kith::iter&) { throw std::runtime_error("no fuel"); });
        world.stepping(true);
        CHECK_THROWS_AS(world.progress(1), std::runtime_error);
        CHECK_FALSE(world.stopped_at());
        CHECK(world.get_info()->frame_count_total == 1);
    }

    TEST_CASE("steps of a world that is not stepping are refused") {
        kith::world world;
        CHECK(error_of([&] { world.step(); }) == kith::errc::invalid_operation);
        CHECK(error_of([&] { world.step_to_end(); }) == kith::errc::invalid_operation);
        CHECK(error_of([&] { world.system(world.entity()).set_breakpoint(); }) ==
              kith::errc::missing_component);
    }
}
