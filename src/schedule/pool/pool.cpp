// Implements pool.hpp.
#include "pool/pool.hpp"

#include <algorithm>
#include <utility>

namespace kith::scheduling {

namespace {

// Calls an action when it is destroyed, unless released.
template <class Action>
struct on_failure {
    Action action;
    bool armed = true;
    ~on_failure() {
        if (armed) {
            action();
        }
    }
};

}  // namespace

thread_pool::thread_pool(std::uint32_t count) {
    if constexpr (!detail::has_threads) {
        return;  // The caller of the work does all of it.
    }
    threads_.reserve(count);
    auto undo = [this] { stop(); };
    on_failure<decltype(undo)> guard{undo};
    for (std::uint32_t i = 0; i < count; ++i) {
        threads_.emplace_back([this] { run_thread(); });
    }
    guard.armed = false;
}

thread_pool::~thread_pool() {
    stop();
}

// Calls that have not begun are withdrawn; calls that run are waited for by the joins.
void thread_pool::stop() noexcept {
    {
        const detail::lock_guard guard(lock_);
        stopping_ = true;
        pending_ = 0;
    }
    work_is_there_.notify_all();
    for (detail::thread& thread : threads_) {
        thread.join();
    }
    threads_.clear();
}

// Calls of an earlier start() that have not begun are replaced. One lock guards the function, its
// argument and the count, so that a thread never sees parts of two requests.
void thread_pool::start(std::uint32_t count, void (*work)(void*), void* argument) {
    {
        const detail::lock_guard guard(lock_);
        work_ = work;
        argument_ = argument;
        pending_ = std::min(count, size());
    }
    if (count == 1) {
        work_is_there_.notify_one();
    } else {
        work_is_there_.notify_all();
    }
}

void thread_pool::finish() {
    detail::unique_lock guard(lock_);
    pending_ = 0;
    work_has_ended_.wait(guard, [this] { return running_ == 0; });
}

// The function of the work must not throw: an exception would end the program.
void thread_pool::run_thread() {
    detail::unique_lock guard(lock_);
    for (;;) {
        work_is_there_.wait(guard, [this] { return pending_ != 0 || stopping_; });
        if (stopping_) {
            return;
        }
        --pending_;
        ++running_;
        void (*work)(void*) = work_;
        void* argument = argument_;
        guard.unlock();
        work(argument);
        guard.lock();
        if (--running_ == 0) {
            work_has_ended_.notify_all();
        }
    }
}

executor thread_pool::as_executor() noexcept {
    return {[](void* pool) { return static_cast<thread_pool*>(pool)->size(); },
            [](void* pool, std::uint32_t count, void (*work)(void*), void* argument) {
                static_cast<thread_pool*>(pool)->start(count, work, argument);
            },
            [](void* pool) { static_cast<thread_pool*>(pool)->finish(); }, this};
}

}  // namespace kith::scheduling
