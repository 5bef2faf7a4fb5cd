// Condition variables and threads for kith's own sources. Platforms with threads use the types of
// the standard library. Without (see mutex.hpp), no thread can be started.
#pragma once

#include <kith/detail/mutex.hpp>

#if defined(KITH_NO_THREADS)

#include <chrono>
#include <ctime>

namespace kith::detail {

// Nobody can make a condition true while the only thread waits: wait() requires that it holds.
struct condition_variable {
    void notify_one() noexcept {}
    void notify_all() noexcept {}
    template <class Lock, class Condition>
    void wait(Lock&, Condition) noexcept {}
    template <class Lock>
    void wait(Lock&) noexcept {}
    template <class Lock, class Condition>
    bool wait_for(Lock&, std::chrono::nanoseconds duration, Condition holds) {
        if (!holds() && duration.count() > 0) {
            constexpr long long second = 1'000'000'000;
            const timespec pause{static_cast<std::time_t>(duration.count() / second),
                                 static_cast<long>(duration.count() % second)};
            ::nanosleep(&pause, nullptr);
        }
        return holds();
    }
};

// The function is never called. Pools make no such object.
struct thread {
    template <class Function>
    explicit thread(Function&&) noexcept {}
    void join() noexcept {}
};

}  // namespace kith::detail

#else

#include <condition_variable>
#include <thread>

namespace kith::detail {

using std::condition_variable;
using std::thread;

}  // namespace kith::detail

#endif
