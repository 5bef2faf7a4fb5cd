// The threads of a world: a pool of its own, or an executor of the program.
//
// Covered by tests/features/systems/frame_threads_test.cpp.
#pragma once

#include <kith/executor.hpp>

#include "pool/pool.hpp"

#include <cstdint>
#include <memory>

namespace kith::scheduling {

// A change inside of a frame counts from its end on. The thread of the world calls all functions.
class thread_set {
public:
    thread_set() = default;
    ~thread_set() { stop(); }
    thread_set(const thread_set&) = delete;
    thread_set& operator=(const thread_set&) = delete;

    // `count` threads in all, the caller included; 0 and 1: no others. Throws [invalid_operation]
    // for a negative number, [limit] if there are no more threads to be had; the threads of before
    // stay then. `for_tasks` is kept for is_for_tasks() only.
    void use_pool(std::int32_t count, bool for_tasks);
    // Threads of the program. `count` 0: as many as the executor can run, and the caller. Throws
    // [invalid_operation] if a function is missing.
    void use_executor(const executor& given, std::int32_t count);

    // Between these calls, changes wait.
    void begin_frame() noexcept { in_frame_ = true; }
    void end_frame() noexcept;
    // Ends all threads: no call of an executor can come any more.
    void stop() noexcept;

    // The number of threads in use, the caller included.
    std::int32_t count() const noexcept { return used_.count; }
    bool is_for_tasks() const noexcept { return used_.for_tasks; }
    // Null if there are no other threads.
    const executor* threads() const noexcept { return used_.count > 1 ? &used_.threads : nullptr; }

private:
    struct setting {
        std::int32_t count = 1;
        bool for_tasks = false;
        executor threads{};
        std::unique_ptr<thread_pool> pool;  // null: the executor belongs to the program
    };
    void take(setting&& next) noexcept;

    setting used_;
    setting next_;
    bool has_next_ = false;
    bool in_frame_ = false;
};

}  // namespace kith::scheduling
