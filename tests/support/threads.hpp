// Threads for tests that read a world from several of them.
#pragma once

#include <atomic>
#include <thread>
#include <vector>

namespace kith_test {

// Runs func(i) on several threads at about the same time.
template <class Func>
void on_threads(int count, Func func) {
    std::atomic<int> waiting{count};
    std::vector<std::thread> threads;
    for (int i = 0; i < count; ++i) {
        threads.emplace_back([&, i] {
            --waiting;
            while (waiting > 0) {
                std::this_thread::yield();
            }
            func(i);
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
}

}  // namespace kith_test
