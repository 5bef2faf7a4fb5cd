// Counters of elementary work (lookups, steps, visited entries), from which tests read how the cost
// of an operation grows. Only builds with KITH_ASSERTS count. Each thread has its own counters.
#pragma once

#include <cstdint>

#if defined(KITH_ASSERTS) && KITH_ASSERTS

namespace kith::base {

struct work_counts {
    std::uint64_t lookups = 0;  // searches in the component index
    std::uint64_t steps = 0;    // steps of query runs
    std::uint64_t names = 0;    // names that were compared or looked up
    std::uint64_t visits = 0;   // visited list entries: ids, tables, pairs, matches
    std::uint64_t folded = 0;   // ids visited while commands are folded
    std::uint64_t rows = 0;     // rows, and groups of rows, that were tested for changes
    std::uint64_t entries = 0;  // list entries visited to add or remove a listener or monitor
};
inline thread_local work_counts work;

}  // namespace kith::base

// Adds one to a field of work_counts.
#define KITH_COUNT(counter) void(++::kith::base::work.counter)
#else
#define KITH_COUNT(counter) void(0)
#endif
