// Time stamps of traces and statistics: cheap numbers that grow, and their conversion to
// nanoseconds.
#pragma once

#include <cstdint>
#if !defined(__x86_64__)
#include <chrono>
#endif

namespace kith::scheduling {

// A moment in units of the processor's counter, or of the steady clock where there is none.
using stamp_t = std::uint64_t;

// The counter is read without a barrier: a stamp may be some instructions early or late.
inline stamp_t read_stamp() noexcept {
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#else
    return static_cast<stamp_t>(std::chrono::steady_clock::now().time_since_epoch().count());
#endif
}

// Nanoseconds per unit of a stamp: measured once per process, in about a millisecond, when it is
// asked for first.
double ns_per_stamp();

}  // namespace kith::scheduling
