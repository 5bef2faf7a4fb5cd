// The operations that callgrind counts: their loops, and the data they work on. See
// instructions.cpp.
#pragma once

#include <kith/kith.hpp>

#include <cstdio>
#include <vector>

#include <valgrind/callgrind.h>

namespace bench {

struct Position {
    float x = 0, y = 0, z = 0;
};
struct Velocity {
    float x = 0, y = 0, z = 0;
};

inline constexpr int entity_count = 10'000;

using entity_ids = std::vector<kith::entity_t>;

// Keeps the compiler from dropping what computes `value`.
template <class T>
inline void use(const T& value) {
    asm volatile("" : : "r,m"(value) : "memory");
}

inline kith::entity handle(kith::world& world, kith::entity_t id) {
    return kith::entity(world, id);
}

// Runs body once to warm up and once to be counted, `after` behind each.
template <class Body, class After>
[[gnu::noinline]] void measure(const char* name, int operations, double goal, Body&& body,
                               After&& after) {
    body();
    after();
    CALLGRIND_ZERO_STATS;
    body();
    CALLGRIND_DUMP_STATS_AT(name);
    after();
    std::printf("%s\t%d\t%g\n", name, operations, goal);
    std::fflush(stdout);
}

template <class Body>
void measure(const char* name, int operations, double goal, Body&& body) {
    measure(name, operations, goal, body, [] {});
}

// Descriptions, JSON, snapshots and save files.
void value_operations();

}  // namespace bench
