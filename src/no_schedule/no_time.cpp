// What the core has in the place of src/schedule/time, where that is left out: timers, frames and
// the loop of a program are refused.
#include <kith/detail/time_ops.hpp>
#include <kith/error.hpp>

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

}  // namespace kith::detail
