// Threads that wait for work. The pool knows nothing of worlds: it calls a function with an
// argument on some of its threads, which take pieces of work until none is left.
//
// Invariants
// 1. `pending_` calls were asked for and not begun; `running_` calls are under way.
// 2. `work_` and `argument_` are those of the newest start(); pending calls use them.
//
// Covered by tests/unit/schedule/pool_threads_test.cpp.
#pragma once

#include <kith/detail/threads.hpp>
#include <kith/executor.hpp>

#include <cstdint>
#include <vector>

namespace kith::scheduling {

// start() and finish() are called by one thread at a time; the work may run on all threads at once.
class thread_pool {
public:
    // Starts the threads. Throws std::system_error if there are no more threads to be had; then
    // none is left.
    explicit thread_pool(std::uint32_t count);
    ~thread_pool();
    thread_pool(const thread_pool&) = delete;
    thread_pool& operator=(const thread_pool&) = delete;

    std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(threads_.size()); }
    // Asks for up to `count` calls of work(argument), one on each thread; returns at once.
    void start(std::uint32_t count, void (*work)(void*), void* argument);
    // Withdraws calls that have not begun, and waits for those that have.
    void finish();
    // The pool as an executor. The pool must outlive it.
    executor as_executor() noexcept;

private:
    void run_thread();
    void stop() noexcept;

    detail::mutex lock_;
    detail::condition_variable work_is_there_;
    detail::condition_variable work_has_ended_;
    void (*work_)(void*) = nullptr;
    void* argument_ = nullptr;
    std::uint32_t pending_ = 0;
    std::uint32_t running_ = 0;
    bool stopping_ = false;
    // The last member: threads use all others.
    std::vector<detail::thread> threads_;
};

}  // namespace kith::scheduling
