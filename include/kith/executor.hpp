// An executor: the functions by which kith asks a job system of the program for threads. See
// world::set_executor(). Not part of <kith/kith.hpp>.
#pragma once

#include <cstdint>

namespace kith {

struct executor {
    // How many calls can run beside the caller.
    std::uint32_t (*capacity)(void* context);
    // Asks for up to `count` calls of work(argument) on other threads, soon, and returns at once.
    // Calls may come late, in any number up to `count`, or never.
    void (*start)(void* context, std::uint32_t count, void (*work)(void* argument), void* argument);
    // Returns when no call of `work` is under way or can still come. Called when the executor is
    // replaced and when the world ends.
    void (*finish)(void* context);
    void* context;
};

}  // namespace kith
