// The end of a loop, called from another thread.
#include "time/world_time.hpp"

#include <thread>

#include <doctest/doctest.h>

using namespace kith::scheduling;

namespace {

void run_frame(world_time& time, float seconds) {
    time.begin_frame(seconds);
    time.end_frame();
}

}  // namespace

TEST_SUITE("unit.schedule.world_time_threads") {
    TEST_CASE("quit from another thread ends the wait for the next frame") {
        kith::world world;
        world_time time(world);
        time.clock().set_target_rate(0.01f);  // a frame every 100 seconds
        run_frame(time, 1);
        std::thread other([&] { time.quit(); });
        run_frame(time, 1);
        other.join();
        CHECK(time.should_quit());
    }
}
