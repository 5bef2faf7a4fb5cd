// The pool of threads: calls come on other threads, late calls can be withdrawn.
#include "pool/pool.hpp"

#include <atomic>
#include <chrono>
#include <thread>

#include <doctest/doctest.h>

using kith::scheduling::thread_pool;

TEST_SUITE_BEGIN("unit.schedule.pool_threads");

TEST_CASE("a pool calls the work on its threads, at most as often as it was asked") {
    thread_pool pool(3);
    CHECK(pool.size() == 3);
    std::atomic<int> calls{0};
    for (int round = 0; round < 50; ++round) {
        calls = 0;
        pool.start(
            2, [](void* counter) { ++*static_cast<std::atomic<int>*>(counter); }, &calls);
        while (calls == 0) {
            std::this_thread::yield();
        }
        pool.finish();
        const int seen = calls;
        CHECK(seen >= 1);
        CHECK(seen <= 2);
    }
}

TEST_CASE("finish waits for calls that have begun, and no call begins after it") {
    thread_pool pool(2);
    struct state {
        std::atomic<int> begun{0}, ended{0};
    } seen;
    pool.start(
        2,
        [](void* context) {
            auto& counters = *static_cast<state*>(context);
            ++counters.begun;
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
            ++counters.ended;
        },
        &seen);
    pool.finish();
    const int begun = seen.begun;
    CHECK(begun == seen.ended);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    CHECK(seen.begun == begun);
}

TEST_CASE("a pool without threads accepts work that nobody does") {
    thread_pool pool(0);
    bool called = false;
    pool.start(
        4, [](void* flag) { *static_cast<bool*>(flag) = true; }, &called);
    pool.finish();
    CHECK_FALSE(called);
    const kith::executor threads = pool.as_executor();
    CHECK(threads.capacity(threads.context) == 0);
}

TEST_SUITE_END();
