// Counters and the end of a loop.
#include "time/loop.hpp"

namespace kith::scheduling {

// Each function is removed before its call: a function that adds others is not called twice.
void world_loop::end() noexcept {
    while (!at_end_.empty()) {
        const fini_action last = at_end_.back();
        at_end_.pop_back();
        last.function(world_, last.context);
    }
}

// Counters that frames maintain stay as they are; the others are read from their owners.
const world_info_t& world_loop::read_info() {
    const frame_clock& clock = time.clock();
    const world_stats stats = world_.stats();
    info.delta_time_raw = time.frame().delta_raw;
    info.delta_time = time.frame().delta;
    info.time_scale = clock.scale();
    info.target_fps = clock.target_rate();
    info.world_time_total = static_cast<ftime_t>(to_seconds(clock.total()));
    info.world_time_total_raw = static_cast<ftime_t>(to_seconds(clock.total_raw()));
    info.world_time_ns = clock.total();
    info.frame_time_ns = time.frame().scaled;
    info.frame_count_total = time.frame_count();
    info.table_count = static_cast<std::int32_t>(stats.tables);
    info.empty_table_count = static_cast<std::int32_t>(stats.empty_tables);
    return info;
}

}  // namespace kith::scheduling
