// What the benchmarks share: the data they work on, and a scenario, which times kith's loop and the
// same work on plain arrays side by side. The ratio of the two is the figure to track: it moves
// less than nanoseconds do from machine to machine.
#pragma once

#include <kith/kith.hpp>
#include <kith/memory_resource.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include <benchmark/benchmark.h>
#include <time.h>

namespace bench {

struct Position {
    float x = 0, y = 0, z = 0;
};
struct Velocity {
    float x = 0, y = 0, z = 0;
};
template <int I>
struct Other {
    float x = 0, y = 0;
};
struct Mark {};
struct SparseValue {
    float value = 0;
};

inline constexpr std::size_t ten_thousand = 10'000;
inline constexpr std::size_t million = 1'000'000;

using entity_ids = std::vector<kith::entity_t>;

// Keeps the compiler from dropping what computes `value`.
template <class T>
inline void use(const T& value) {
    asm volatile("" : : "r,m"(value) : "memory");
}

inline kith::entity handle(const kith::world& world, kith::entity_t id) {
    return kith::entity(world, id);
}

// 0 … count - 1, always in the same random order.
inline std::vector<std::uint32_t> shuffled(std::size_t count) {
    std::vector<std::uint32_t> order(count);
    for (std::size_t i = 0; i < count; ++i) {
        order[i] = static_cast<std::uint32_t>(i);
    }
    std::shuffle(order.begin(), order.end(), std::mt19937(7));
    return order;
}

// Counts what a world takes from the heap.
class counting_memory final : public std::pmr::memory_resource {
public:
    std::size_t allocations() const noexcept { return allocations_; }
    std::size_t bytes() const noexcept { return bytes_; }

private:
    void* do_allocate(std::size_t size, std::size_t alignment) override {
        ++allocations_;
        bytes_ += size;
        return std::pmr::new_delete_resource()->allocate(size, alignment);
    }
    void do_deallocate(void* block, std::size_t size, std::size_t alignment) override {
        bytes_ -= size;
        std::pmr::new_delete_resource()->deallocate(block, size, alignment);
    }
    bool do_is_equal(const memory_resource& other) const noexcept override {
        return this == &other;
    }

    std::size_t allocations_ = 0;
    std::size_t bytes_ = 0;
};

// A world whose allocations are counted.
struct counted_world {
    counting_memory memory;
    kith::world world{kith::use_memory(memory)};
};

// One benchmark. Shows, beside the time of all operations: `ns` per operation (best round), `raw`,
// the same for plain arrays, `ratio` of the two, and `allocs` per operation.
class scenario {
public:
    scenario(benchmark::State& state, std::size_t operations)
        : state_(state), operations_(static_cast<double>(operations)) {}
    ~scenario() {
        state_.counters["ns"] = best_;
        state_.counters["allocs"] = allocations_;
        if (best_raw_ < infinite) {
            state_.counters["raw"] = best_raw_;
            state_.counters["ratio"] = best_ / best_raw_;
        }
    }
    scenario(const scenario&) = delete;
    scenario& operator=(const scenario&) = delete;

    // Times `loop`, which must do all operations once. The last round's allocations are shown.
    template <class Loop>
    void kith(const counting_memory& memory, Loop&& loop) {
        std::size_t before = memory.allocations();
        double seconds = time(loop);
        allocations_ = static_cast<double>(memory.allocations() - before) / operations_;
        state_.SetIterationTime(seconds);
        best_ = std::min(best_, seconds * 1e9 / operations_);
    }
    // Times the same work without an entity component system.
    template <class Loop>
    void raw(Loop&& loop) {
        best_raw_ = std::min(best_raw_, time(loop) * 1e9 / operations_);
    }
    void show(const char* name, double value) { state_.counters[name] = value; }

private:
    static constexpr double infinite = std::numeric_limits<double>::infinity();

    // Time of this thread: on a shared machine other programs' turns do not count.
    static double now() noexcept {
        timespec time;
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
    }
    template <class Loop>
    static double time(Loop& loop) {
        double start = now();
        loop();
        benchmark::ClobberMemory();
        return now() - start;
    }

    benchmark::State& state_;
    double operations_;
    double best_ = infinite;
    double best_raw_ = infinite;
    double allocations_ = 0;
};

// Where an entity's row is, in the plain arrays.
struct raw_record {
    std::uint32_t row;
    std::uint32_t table;
    std::uint32_t generation;
};

}  // namespace bench

// The scenarios time themselves.
#define KITH_BENCHMARK(function) BENCHMARK(function)->UseManualTime()->Unit(benchmark::kMicrosecond)
// The same with further arguments for the function.
#define KITH_BENCHMARK_WITH(function, name, ...) \
    BENCHMARK_CAPTURE(function, name, __VA_ARGS__)->UseManualTime()->Unit(benchmark::kMicrosecond)
// How the cost of one operation grows. What is measured takes much less time than what goes before,
// so the number of rounds is fixed.
#define KITH_GROWTH(function, name, ...)                                                     \
    KITH_BENCHMARK_WITH(function, name, __VA_ARGS__)->Arg(1000)->Arg(10000)->Iterations(20); \
    KITH_BENCHMARK_WITH(function, name, __VA_ARGS__)->Arg(100000)->Arg(1000000)->Iterations(2)
