// The end of a loop, asked for by another thread.
#include <kith/kith.hpp>

#include <thread>

#include <doctest/doctest.h>

TEST_SUITE("features.systems.loop_threads") {
    // spec 391
    TEST_CASE("quit may be the first call about frames, at the same time as the first frame") {
        for (int i = 0; i < 50; ++i) {
            kith::world world;
            int frames = 0;
            std::thread other([&] { world.quit(); });
            world.system().each([&] { ++frames; });
            while (world.progress(1)) {
                std::this_thread::yield();
            }
            other.join();
            CHECK(frames >= 1);
            CHECK(world.should_quit());
        }
    }
}
