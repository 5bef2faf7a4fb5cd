// The time of a world: frames by hand, scale, totals, pause.
#include <kith/kith.hpp>

#include "support/errors.hpp"

#include <limits>
#include <string>

#include <doctest/doctest.h>

using kith_test::error_of;

namespace {

void frame(kith::world& world, float seconds) {
    world.frame_begin(seconds);
    world.frame_end();
}

}  // namespace

TEST_SUITE("features.systems.time") {
    // spec 386
    TEST_CASE("a frame that is measured has a time, and the first is not 0") {
        kith::world world;
        CHECK(world.delta_time() == 0.0f);
        CHECK(world.frame_begin() > 0);
        CHECK(world.delta_time() > 0);
        world.frame_end();
        CHECK(world.frame_begin() >= 0);
        world.frame_end();
        CHECK(world.get_info()->frame_count_total == 2);
    }

    // spec 386
    TEST_CASE("a scale changes the time that systems see; raw time goes on") {
        kith::world world;
        world.set_time_scale(0.5f);
        CHECK(world.frame_begin(2) == 1.0f);
        CHECK(world.delta_time() == 1.0f);
        world.frame_end();
        world.set_time_scale(0);
        CHECK(world.frame_begin(2) == 0.0f);
        world.frame_end();
        const kith::world_info_t* info = world.get_info();
        CHECK(info->delta_time_raw == 2.0f);
        CHECK(info->world_time_total_raw == 4.0f);
        CHECK(info->world_time_total == 1.0f);
        CHECK(info->world_time_ns == 1'000'000'000);
        CHECK(info->time_scale == 0.0f);
    }

    TEST_CASE("the clock can be reset") {
        kith::world world;
        frame(world, 3);
        world.reset_clock();
        CHECK(world.get_info()->world_time_total == 0.0f);
        CHECK(world.get_info()->world_time_total_raw == 0.0f);
        frame(world, 1);
        CHECK(world.get_info()->world_time_total == 1.0f);
        CHECK(world.get_info()->frame_count_total == 2);
    }

    TEST_CASE("frames wait for the target rate") {
        kith::world world;
        world.set_target_fps(200);
        CHECK(world.get_info()->target_fps == 200.0f);
        frame(world, 0);
        frame(world, 0);
        CHECK(world.get_info()->delta_time_raw >= 0.0049f);
    }

    TEST_CASE("bad times, scales and rates are refused, and nothing has changed") {
        kith::world world;
        const auto invalid = kith::errc::invalid_operation;
        for (float bad : {-1.0f, std::numeric_limits<float>::quiet_NaN(),
                          std::numeric_limits<float>::infinity()}) {
            CHECK(error_of([&] { world.frame_begin(bad); }) == invalid);
            CHECK(error_of([&] { world.set_time_scale(bad); }) == invalid);
            CHECK(error_of([&] { world.set_target_fps(bad); }) == invalid);
        }
        CHECK(world.get_info()->time_scale == 1.0f);
        CHECK(world.get_info()->target_fps == 0.0f);
        frame(world, 1);
        CHECK(world.get_info()->frame_count_total == 1);
    }

    TEST_CASE("frames that begin twice, or end without a begin, are refused") {
        kith::world world;
        CHECK(error_of([&] { world.frame_end(); }) == kith::errc::invalid_operation);
        world.frame_begin(1);
        CHECK(error_of([&] { world.frame_begin(1); }) == kith::errc::invalid_operation);
        world.frame_end();
        CHECK(error_of([&] { world.frame_end(); }) == kith::errc::invalid_operation);
    }

    TEST_CASE("a frame does not begin in a deferred part, an iteration or a callback") {
        kith::world world;
        world.timer().interval(1);
        const auto refused = [&] {
            return error_of([&] { world.frame_begin(1); }) == kith::errc::invalid_operation;
        };
        world.defer([&] { CHECK(refused()); });
        world.entity().add(kith::Prefab);
        world.filter_builder().with(kith::Prefab).build().each([&](kith::entity) {
            CHECK(refused());
        });
        world.frame_begin(1);
        world.frame_end();
        CHECK(world.get_info()->frame_count_total == 1);
    }

    TEST_CASE("time stands still in a paused world, and runs for single frames") {
        kith::world world;
        kith::timer timer = world.timer().interval(1);
        CHECK_FALSE(world.is_paused());
        world.pause();
        CHECK(world.is_paused());
        frame(world, 1);
        CHECK(world.delta_time() == 0.0f);
        CHECK_FALSE(timer.get<kith::TickSource>()->tick);
        world.step_frames(1);
        frame(world, 1);
        CHECK(timer.get<kith::TickSource>()->tick);
        frame(world, 1);
        CHECK_FALSE(timer.get<kith::TickSource>()->tick);
        world.resume();
        frame(world, 1);
        CHECK(world.get_info()->world_time_total == 2.0f);
        CHECK(world.get_info()->frame_count_total == 4);
        CHECK(error_of([&] { world.step_frames(-1); }) == kith::errc::invalid_operation);
    }

    TEST_CASE("quit is remembered") {
        kith::world world;
        CHECK_FALSE(world.should_quit());
        world.quit();
        CHECK(world.should_quit());
    }

    // spec 391
    TEST_CASE("functions at the end of a world are called last first, while entities exist") {
        static std::string log;
        log.clear();
        {
            kith::world world;
            world.entity("Earth");
            world.atfini([](kith::world_t*, void* word) { log += static_cast<const char*>(word); },
                         const_cast<char*>("first"));
            world.atfini(
                [](kith::world_t* raw, void*) {
                    log += kith::world(raw).lookup("Earth") ? "second " : "gone ";
                },
                nullptr);
            CHECK(error_of([&] { world.atfini(nullptr, nullptr); }) ==
                  kith::errc::invalid_operation);
        }
        CHECK(log == "second first");
    }
}
