// Counters of work, in builds with internal checks, for tests of how costs grow. Each thread has
// its own.
#pragma once

#include <cstdint>

#if defined(KITH_ASSERTS) && KITH_ASSERTS

namespace kith::base {

struct work_counts {
    std::uint64_t lookups = 0;  // in the index of ids
    std::uint64_t steps = 0;    // of plans of queries
    std::uint64_t names = 0;    // that were compared or looked up
    std::uint64_t visits = 0;   // of entries in lists: ids, tables, pairs, matches
    std::uint64_t folded = 0;   // ids looked at while commands are folded
    std::uint64_t rows = 0;     // and groups of rows that are asked whether they changed
    std::uint64_t entries = 0;  // of lists of listeners and monitors, when one comes or goes
};
inline thread_local work_counts work;

}  // namespace kith::base

#define KITH_COUNT(what) void(++::kith::base::work.what)
#else
#define KITH_COUNT(what) void(0)
#endif
