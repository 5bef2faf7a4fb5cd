// The counters of a world, as world.get_info() shows them.
#pragma once

#include <kith/time.hpp>

namespace kith {

// Times are in seconds unless their name ends in `ns`. Times that are measured are 0 while nobody
// asks for them: see world.measure_frame_time() and measure_system_time().
struct world_info_t {
    ftime_t delta_time_raw = 0;  // of the current frame, unscaled
    ftime_t delta_time = 0;
    ftime_t time_scale = 1;
    ftime_t target_fps = 0;
    ftime_t frame_time_total = 0;   // measured
    ftime_t system_time_total = 0;  // measured
    ftime_t merge_time_total = 0;   // measured
    ftime_t world_time_total = 0;
    ftime_t world_time_total_raw = 0;

    std::int64_t frame_count_total = 0;
    std::int64_t merge_count_total = 0;
    std::int64_t pipeline_build_count_total = 0;
    std::int64_t systems_ran_frame = 0;

    std::int32_t table_count = 0;
    std::int32_t empty_table_count = 0;

    std::int64_t world_time_ns = 0;  // scaled
    std::int64_t frame_time_ns = 0;  // of the current frame, scaled
    std::int32_t threads = 1;
    std::int32_t stretches_frame = 0;
    std::int32_t parts_frame = 0;
    std::int64_t turn_time_ns = 0;  // that parts of the current frame waited for their turns
};

}  // namespace kith
