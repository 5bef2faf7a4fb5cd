// What the core has in the place of src/schedule/time, where that is left out: timers, frames and
// the loop of a program are refused.
#include <kith/kith.hpp>
#include <kith/statistics.hpp>

namespace kith::detail {

namespace {

[[noreturn]] void refuse_time() {
    raise_error(errc::invalid_operation,
                "this program was linked with kith::core, which has no timers and no frames; link "
                "kith::kith");
}

}  // namespace

void set_timer(world_t*, entity_t, double, bool) {
    refuse_time();
}
ftime_t get_timeout(const world_t*, entity_t, bool) {
    refuse_time();
}
void set_rate(world_t*, entity_t, std::int32_t, entity_t) {
    refuse_time();
}
void set_tick_source(world_t*, entity_t, entity_t) {
    refuse_time();
}
void start_timer(world_t*, entity_t) {
    refuse_time();
}
void stop_timer(world_t*, entity_t) {
    refuse_time();
}
void reset_timer(world_t*, entity_t) {
    refuse_time();
}
void scale_timer(world_t*, entity_t, bool) {
    refuse_time();
}
void randomize_timers(world_t*) {
    refuse_time();
}
void set_seed(world_t*, std::uint64_t) {
    refuse_time();
}
double checked_interval(double) {
    refuse_time();
}
std::int32_t checked_rate(world_t*, entity_t, std::int32_t) {
    refuse_time();
}
entity_t checked_source(world_t*, entity_t, entity_t) {
    refuse_time();
}
void set_timing(world_t*, entity_t, const system_timing&) {
    refuse_time();
}
void set_fixed(world_t*, entity_t, double) {
    refuse_time();
}
void set_max_steps(world_t*, entity_t, std::int32_t) {
    refuse_time();
}
ftime_t phase_alpha(const world_t*, entity_t) {
    refuse_time();
}
void set_time_scale(world_t*, ftime_t) {
    refuse_time();
}
void set_target_fps(world_t*, ftime_t) {
    refuse_time();
}
void reset_clock(world_t*) {
    refuse_time();
}
ftime_t delta_time(const world_t*) {
    refuse_time();
}
ftime_t frame_begin(world_t*, ftime_t) {
    refuse_time();
}
void frame_end(world_t*) {
    refuse_time();
}
void pause(world_t*, bool) {
    refuse_time();
}
bool is_paused(const world_t*) {
    refuse_time();
}
void step_frames(world_t*, std::int32_t) {
    refuse_time();
}
void quit(world_t*) {
    refuse_time();
}
bool should_quit(const world_t*) {
    refuse_time();
}
void at_fini(world_t*, void (*)(world_t*, void*), void*) {
    refuse_time();
}
const world_info_t* get_info(const world_t*) {
    refuse_time();
}
void set_threads(world_t*, std::int32_t, bool) {
    refuse_time();
}
std::int32_t get_threads(const world_t*) {
    return 1;
}
bool using_task_threads(const world_t*) {
    return false;
}
void set_executor(world_t*, const executor*, std::int32_t) {
    refuse_time();
}
void set_parallel(world_t*, bool) {
    refuse_time();
}
void check_access(world_t*, bool) {
    refuse_time();
}
void measure_frame_time(world_t*, bool) {
    refuse_time();
}
void measure_system_time(world_t*, bool) {
    refuse_time();
}
void trace_start(world_t*, std::size_t) {
    refuse_time();
}
void trace_stop(world_t*) {
    refuse_time();
}
string trace_json(const world_t*) {
    refuse_time();
}
void set_stepping(world_t*, bool) {
    refuse_time();
}
void step_system(world_t*, const char*) {
    refuse_time();
}
void step_to_end(world_t*) {
    refuse_time();
}
entity_t stopped_at(const world_t*) {
    refuse_time();
}
void set_breakpoint(world_t*, entity_t, bool) {
    refuse_time();
}
void check_app(const world_t*, const app_settings&, bool) {
    refuse_time();
}
int run_app(world_t*, const app_settings&) {
    refuse_time();
}
void read_system_stats(const world_t*, entity_t, system_stats&) {
    refuse_time();
}
void read_pipeline_stats(const world_t*, entity_t, pipeline_stats&) {
    refuse_time();
}
void read_frame_stats(const world_t*, kith::frame_stats&) {
    refuse_time();
}

}  // namespace kith::detail
