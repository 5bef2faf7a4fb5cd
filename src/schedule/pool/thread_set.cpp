// Implements thread_set.hpp.
#include "pool/thread_set.hpp"

#include <kith/error.hpp>

#include <algorithm>
#include <string>
#include <system_error>
#include <utility>

namespace kith::scheduling {

namespace {

// The most threads of a world, the calling one included.
constexpr std::int32_t most_threads = 1024;

void check_thread_count(std::int32_t count, const char* call) {
    const std::string text = std::string(call) + "(" + std::to_string(count) + "): ";
    if (count < 0) {
        detail::raise_error(errc::invalid_operation,
                            (text + "the number of threads must be 0 or more").c_str());
    }
    if (count > most_threads) {
        detail::raise_error(errc::limit, (text + "a world has at most 1024 threads").c_str());
    }
}

// The calling thread works as well, so that the pool has one thread less.
std::unique_ptr<thread_pool> make_pool(std::int32_t count) {
#if defined(__cpp_exceptions)
    try {
        return std::make_unique<thread_pool>(static_cast<std::uint32_t>(count - 1));
    } catch (const std::system_error& failed) {
        detail::raise_error(errc::limit, ("set_threads(" + std::to_string(count) +
                                          "): no more threads can be started: " + failed.what())
                                             .c_str());
    }
#else
    return std::make_unique<thread_pool>(static_cast<std::uint32_t>(count - 1));
#endif
}

}  // namespace

// The threads start here and not at the end of the frame, so that a failure reaches the caller.
void thread_set::use_pool(std::int32_t count, bool for_tasks) {
    check_thread_count(count, for_tasks ? "set_task_threads" : "set_threads");
    setting made;
    made.count = std::max(count, 1);
    made.for_tasks = for_tasks && made.count > 1;
    if (made.count > 1) {
        made.pool = make_pool(made.count);
        made.threads = made.pool->as_executor();
    }
    take(std::move(made));
}

// At most 1023 threads of a capacity are used: with the caller, that is the limit of a world.
void thread_set::use_executor(const executor& given, std::int32_t count) {
    check_thread_count(count, "set_executor");
    if (!given.capacity || !given.start || !given.finish) {
        detail::raise_error(errc::invalid_operation,
                            "set_executor: an executor has three functions: capacity, start and "
                            "finish; none of them may be null");
    }
    setting made;
    made.threads = given;
    const std::uint32_t capacity = std::min(given.capacity(given.context), 1023u);
    made.count = count ? count : static_cast<std::int32_t>(capacity) + 1;
    take(std::move(made));
}

void thread_set::take(setting&& next) noexcept {
    next_ = std::move(next);
    has_next_ = true;
    if (!in_frame_) {
        end_frame();
    }
}

// A pool withdraws calls that have not begun; an executor of the program waits for its calls.
void thread_set::end_frame() noexcept {
    in_frame_ = false;
    if (std::exchange(has_next_, false)) {
        if (used_.threads.finish) {
            used_.threads.finish(used_.threads.context);
        }
        used_ = std::exchange(next_, setting{});
    }
}

void thread_set::stop() noexcept {
    next_ = setting{};
    has_next_ = true;
    end_frame();
}

}  // namespace kith::scheduling
