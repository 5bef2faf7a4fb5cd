// Counters of systems and frames, and times while they are measured.
#include <kith/kith.hpp>
#include <kith/statistics.hpp>

#include "support/errors.hpp"

#include <doctest/doctest.h>

using kith_test::error_of;

namespace {

struct Ship {};
struct Fuel {
    int left;
};

volatile int work = 0;
void spend_time() {
    for (int i = 0; i < 20'000; ++i) {
        work = work + 1;
    }
}

}  // namespace

TEST_SUITE("features.systems.statistics") {
    TEST_CASE("runs, skips and frames without a tick are always counted") {
        kith::world world;
        bool open = true;
        kith::system system =
            world.system("Beat").interval(2).run_if([&] { return open; }).iter([](kith::iter&) {});
        for (int i = 0; i < 4; ++i) {
            world.progress(1);
        }
        open = false;
        world.progress(2);
        const kith::system_stats stats = system.stats();
        CHECK(stats.runs == 2);
        CHECK(stats.waited == 2);
        CHECK(stats.skipped == 1);
        CHECK(stats.time.count == 0);
        CHECK(world.frame_stats().frames == 5);
        CHECK(world.get_info()->systems_ran_frame == 0);
    }

    TEST_CASE("a system that matches nothing does not run, measured or not") {
        kith::world world;
        kith::system system = world.system<Fuel>("Burn").each([](Fuel&) {});
        world.progress(1);
        world.measure_system_time(true);
        world.progress(1);
        CHECK(system.stats().runs == 0);
        CHECK(system.stats().time.count == 0);
        world.entity().set(Fuel{1});
        world.progress(1);
        CHECK(system.stats().runs == 1);
        CHECK(system.stats().time.count == 1);
    }

    // spec 392
    TEST_CASE("times are taken while they are measured, and not otherwise") {
        kith::world world;
        kith::system system = world.system("Work").iter([](kith::iter&) { spend_time(); });
        world.progress(1);
        CHECK(system.stats().time.total == 0);
        world.measure_system_time(true);
        world.measure_frame_time(true);
        world.progress(1);
        world.progress(1);
        world.measure_system_time(false);
        world.measure_frame_time(false);
        world.progress(1);
        const kith::time_stats time = system.stats().time;
        CHECK(time.count == 2);
        CHECK(time.total > 0);
        CHECK(time.last > 0);
        CHECK(time.longest >= time.mean());
        const kith::frame_stats frames = world.frame_stats();
        CHECK(frames.time.count == 2);
        CHECK(frames.time.total >= time.total);
        CHECK(world.get_info()->system_time_total > 0);
        CHECK(world.get_info()->frame_time_total >= world.get_info()->system_time_total);
    }

    // spec 392
    TEST_CASE("windows hold the time of the last seconds and minutes") {
        kith::world world;
        kith::system system = world.system("Work").iter([](kith::iter&) { spend_time(); });
        world.measure_system_time(true);
        for (int i = 0; i < 150; ++i) {
            world.progress(1);
        }
        const kith::time_stats time = system.stats().time;
        CHECK(time.seconds.count == 60);
        CHECK(time.seconds.values[0] > 0);
        CHECK(time.seconds.values[59] > 0);
        CHECK(time.minutes.count == 2);
        CHECK(time.minutes.values[0] > time.seconds.values[0]);
        CHECK(time.hours.count == 0);
    }

    TEST_CASE("sync points with commands are counted") {
        kith::world world;
        kith::entity ship = world.entity();
        world.system("Idle").iter([](kith::iter&) {});
        world.progress(1);
        CHECK(world.get_info()->merge_count_total == 0);
        world.system("Add").iter([&](kith::iter&) { ship.add<Ship>(); });
        world.progress(1);
        CHECK(world.get_info()->merge_count_total == 1);
        CHECK(world.get_info()->systems_ran_frame == 2);
        CHECK(world.get_info()->pipeline_build_count_total > 0);
    }

    // spec 392
    TEST_CASE("rows and commands by kind are counted while systems are measured") {
        kith::world world;
        struct Value {
            int v = 0;
        };
        struct Other {
            int v = 0;
        };
        struct Tag {};
        for (int i = 0; i < 3; ++i) {
            world.entity().set(Value{i});
        }
        kith::system s = world.system<Value>("Changes").each([](kith::entity e, Value&) {
            e.add<Tag>();
            e.set(Other{1});
            e.world().entity().add<Tag>();
        });
        kith::system reads = world.system<const Value>("Reads").each([](const Value&) {});
        world.progress(1);
        CHECK(s.stats().rows == 0);
        CHECK(s.stats().commands.total() == 0);
        world.measure_system_time(true);
        world.progress(1);
        const kith::system_stats stats = s.stats();
        CHECK(stats.rows == 3);
        CHECK(stats.commands.add == 6);
        CHECK(stats.commands.set == 3);
        CHECK(stats.commands.remove == 0);
        CHECK(stats.commands.total() == 9);
        CHECK(stats.commands.entities == 3);
        CHECK(reads.stats().rows == 3);
        CHECK(reads.stats().commands.total() == 0);
        CHECK(world.frame_stats().commands.total() == 9);
    }

    // spec 392
    TEST_CASE("a pipeline counts its runs, and its time while it is measured") {
        kith::world world;
        kith::entity tag = world.entity("Tag");
        kith::pipeline<> pipeline = world.pipeline().with(kith::System).with(tag).build();
        world.system("A").kind(tag).each([] {});
        world.system("B").kind(tag).barrier().each([] {});
        world.run_pipeline(pipeline, 1);
        CHECK(pipeline.stats().runs == 1);
        CHECK(pipeline.stats().time.count == 0);
        CHECK(pipeline.stats().systems == 2);
        CHECK(pipeline.stats().stretches == 2);
        world.measure_system_time(true);
        world.set_pipeline(pipeline);
        world.progress(1);
        CHECK(pipeline.stats().runs == 2);
        CHECK(pipeline.stats().time.count == 1);
    }

    TEST_CASE("an entity that is no system has no statistics") {
        kith::world world;
        CHECK(error_of([&] { world.system(world.entity()).stats(); }) ==
              kith::errc::missing_component);
    }
}
