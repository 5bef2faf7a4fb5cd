// An executor: the functions by which a dispatcher of parts asks a job system of the program for
// threads. Not part of <kith/kith.hpp>.
#pragma once

#include <cstdint>

namespace kith {

// The job system must live until finish() was called. All functions are called by the thread of the
// world, and must not throw.
struct executor {
    // The number of calls that can run at the same time as the caller.
    std::uint32_t (*capacity)(void* context);
    // Asks for up to `count` calls of work(argument) on other threads, soon, and returns at once.
    // Calls may come late, in any number up to `count`, or never. `work` may be called by any
    // thread, and by several at once; calls that find nothing to do return at once.
    void (*start)(void* context, std::uint32_t count, void (*work)(void* argument), void* argument);
    // Returns when no call of `work` is under way or can still come. Called when the executor is
    // replaced and when the world ends.
    void (*finish)(void* context);
    void* context;
};

}  // namespace kith
