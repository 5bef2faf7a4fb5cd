// Statistics of systems and frames: counts, and times while they are measured.
//
//   world.measure_system_time(true);
//   …
//   kith::system_stats stats = move.stats();
//   stats.time.mean(), stats.time.seconds.values[0]
//
// Covered by tests/features/systems/statistics_test.cpp.
#pragma once

#include <kith/detail/system_ops.hpp>
#include <kith/pipeline.hpp>

namespace kith {

// The nanoseconds that were spent in each of the last 60 periods of raw time, the last complete one
// first.
struct time_window {
    std::int64_t values[60] = {};
    std::int32_t count = 0;
};

// Measured times in nanoseconds. All are 0 while nothing is measured.
struct time_stats {
    std::int64_t count = 0;
    std::int64_t last = 0;
    std::int64_t total = 0;
    std::int64_t longest = 0;
    time_window seconds;
    time_window minutes;
    time_window hours;

    std::int64_t mean() const noexcept { return count ? total / count : 0; }
};

// Queued changes by kind.
struct command_counts {
    std::int64_t add = 0;
    std::int64_t remove = 0;
    std::int64_t set = 0;
    std::int64_t get_mut = 0;  // of values that were missing
    std::int64_t modified = 0;
    std::int64_t clear = 0;
    std::int64_t destruct = 0;
    std::int64_t other = 0;
    std::int64_t entities = 0;  // that were created; not part of the total

    std::int64_t total() const noexcept {
        return add + remove + set + get_mut + modified + clear + destruct + other;
    }
};

// Runs, skips and waits are always counted, the others by world.measure_system_time().
struct system_stats {
    std::int64_t runs = 0;
    std::int64_t skipped = 0;  // because of a condition
    std::int64_t waited = 0;   // frames in which it did not tick
    std::int64_t parts = 0;    // of all runs, if it is parallel or split
    std::int64_t rows = 0;     // that were visited
    command_counts commands;
    time_stats time;  // of its runs, by world.measure_system_time()
};

struct pipeline_stats {
    std::int64_t runs = 0;
    std::int64_t systems = 0;    // of its plan
    std::int64_t stretches = 0;  // of its plan
    time_stats time;             // of its runs, by world.measure_system_time()
};

struct frame_stats {
    std::int64_t frames = 0;
    time_stats time;          // of frames, by world.measure_frame_time()
    time_stats merges;        // of sync points, by world.measure_system_time()
    command_counts commands;  // of all systems, by world.measure_system_time()
};

namespace detail {
void read_system_stats(const world_t* world, entity_t system, system_stats& stats);
void read_pipeline_stats(const world_t* world, entity_t pipeline, pipeline_stats& stats);
void read_frame_stats(const world_t* world, kith::frame_stats& stats);
}  // namespace detail

inline system_stats system::stats() const {
    system_stats stats;
    detail::read_system_stats(world_, id_, stats);
    return stats;
}
template <class... Ts>
pipeline_stats pipeline<Ts...>::stats() const {
    pipeline_stats stats;
    detail::read_pipeline_stats(world_, id_, stats);
    return stats;
}
inline frame_stats world::frame_stats() const {
    kith::frame_stats stats;
    detail::read_frame_stats(world_, stats);
    return stats;
}

}  // namespace kith
