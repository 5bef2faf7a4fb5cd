// The loop of a program: frames, pauses with systems, quit, and the app.
#include <kith/kith.hpp>

#include "support/errors.hpp"

#include <limits>
#include <stdexcept>
#include <string>

#include <doctest/doctest.h>

using kith_test::error_of;

namespace {

struct Ship {};

}  // namespace

TEST_SUITE("features.systems.loop") {
    // spec 385
    TEST_CASE("frames of nanoseconds add up exactly") {
        kith::world world;
        for (int i = 0; i < 1000; ++i) {
            world.progress(kith::nanoseconds{16'666'667});
        }
        CHECK(world.get_info()->world_time_ns == 16'666'667'000);
        CHECK(world.get_info()->frame_count_total == 1000);
        CHECK(error_of([&] { world.progress(kith::nanoseconds{-1}); }) ==
              kith::errc::invalid_operation);
        CHECK(world.get_info()->frame_count_total == 1000);
    }

    // spec 390
    TEST_CASE("a paused world runs PreFrame and PostFrame only") {
        kith::world world;
        std::string log;
        const auto log_as = [&](const char* word) {
            return [&log, word](kith::iter& it) {
                log += word;
                log += it.delta_time() == 0 ? "0 " : "1 ";
            };
        };
        world.system("Begin").kind(kith::PreFrame).iter(log_as("pre"));
        world.system("Update").iter(log_as("update"));
        world.system("End").kind(kith::PostFrame).iter(log_as("post"));
        world.pause();
        world.progress(1);
        CHECK(log == "pre0 post0 ");
        log.clear();
        world.step_frames(1);
        world.progress(1);
        world.progress(1);
        CHECK(log == "pre1 update1 post1 pre0 post0 ");
        log.clear();
        world.resume();
        world.progress(1);
        CHECK(log == "pre1 update1 post1 ");
        CHECK(world.get_info()->world_time_total == 2.0f);
    }

    // spec 391
    TEST_CASE("quit completes the frame, and progress says so") {
        kith::world world;
        int later = 0;
        world.system("Stop").iter([](kith::iter& it) { it.world().quit(); });
        world.system("Later").iter([&](kith::iter&) { ++later; });
        CHECK_FALSE(world.progress(1));
        CHECK(later == 1);
        CHECK(world.should_quit());
    }

    TEST_CASE("frames inside of frames are refused") {
        kith::world world;
        int refused = 0;
        world.system("Nested").iter([&](kith::iter& it) {
            refused += error_of([&] { it.world().progress(1); }) == kith::errc::invalid_operation;
            refused +=
                error_of([&] { it.world().frame_begin(1); }) == kith::errc::invalid_operation;
            refused += error_of([&] { it.world().frame_end(); }) == kith::errc::invalid_operation;
        });
        world.progress(1);
        CHECK(refused == 3);
        world.frame_begin(1);
        CHECK(error_of([&] { world.progress(1); }) == kith::errc::invalid_operation);
        world.frame_end();
        CHECK(world.progress(1));
        CHECK(world.get_info()->frame_count_total == 3);
    }

    TEST_CASE("a frame that fails is closed") {
        kith::world world;
        bool fails = true;
        world.system("Fails").iter([&](kith::iter&) {
            if (fails) {
                throw std::runtime_error("no fuel");
            }
        });
        CHECK_THROWS_AS(world.progress(1), std::runtime_error);
        fails = false;
        CHECK(world.progress(1));
        CHECK(world.get_info()->frame_count_total == 2);
    }

    // spec 391
    TEST_CASE("an app runs frames until quit, and ends the world") {
        kith::world world;
        int frames = 0;
        int removed = 0;
        world.observer<Ship>().event(kith::OnRemove).each([&](kith::entity) { ++removed; });
        world.entity().add<Ship>();
        world.system("Count").iter([&](kith::iter& it) {
            if (++frames == 3) {
                it.world().quit();
            }
        });
        CHECK(world.app().target_fps(10'000).delta_time(1).run() == 0);
        CHECK(frames == 3);
        CHECK(removed == 1);
        CHECK(world.c_ptr() == nullptr);
    }

    // spec 391
    TEST_CASE("an app runs a number of frames") {
        kith::world world;
        int frames = 0;
        world.system("Count").iter([&](kith::iter& it) {
            ++frames;
            CHECK(it.delta_time() == 0.5f);
        });
        CHECK(world.app().target_fps(10'000).delta_time(0.5f).frames(100).run() == 0);
        CHECK(frames == 100);
    }

    TEST_CASE("an app keeps the target rate of its world, and has 60 without one") {
        static float rate;
        const auto note = [](kith::world_t* raw) {
            rate = kith::world(raw).get_info()->target_fps;
            return 0;
        };
        kith::world slow;
        slow.set_target_fps(5000);
        CHECK(slow.app().frames(1).init(note).run() == 0);
        CHECK(rate == 5000.0f);
        kith::world usual;
        CHECK(usual.app().frames(1).init(note).run() == 0);
        CHECK(rate == 60.0f);
    }

    // spec 391
    TEST_CASE("an app calls its init with its context, whose result may end it") {
        kith::world world;
        int context = 0;
        int frames = 0;
        world.system("Count").iter([&](kith::iter&) { ++frames; });
        const auto init = [](kith::world_t* raw) {
            *static_cast<int*>(kith::world(raw).get_ctx()) += 1;
            return 7;
        };
        CHECK(world.app().init(init).ctx(&context).run() == 7);
        CHECK(context == 1);
        CHECK(frames == 0);
    }

    TEST_CASE("an exception ends the app and its world") {
        kith::world world;
        world.system("Fails").iter([](kith::iter&) { throw std::runtime_error("no fuel"); });
        CHECK_THROWS_AS(world.app().frames(3).run(), std::runtime_error);
        CHECK(world.c_ptr() == nullptr);
    }

    TEST_CASE("an app that is not run changes nothing, and bad settings are refused") {
        kith::world world;
        world.app().target_fps(5).frames(3);
        CHECK(world.get_info()->target_fps == 0.0f);
        const auto invalid = kith::errc::invalid_operation;
        CHECK(error_of([&] { world.app().frames(-1).run(); }) == invalid);
        CHECK(error_of([&] { world.app().target_fps(-1).run(); }) == invalid);
        CHECK(error_of([&] {
                  world.app().delta_time(std::numeric_limits<float>::quiet_NaN()).run();
              }) == invalid);
        kith::world reference(world.c_ptr());
        CHECK(error_of([&] { reference.app().frames(1).run(); }) == invalid);
        CHECK(world.progress(1));
    }
}
