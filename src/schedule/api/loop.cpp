// The functions behind time, frames by hand, and the loop of a program.
#include <kith/detail/time_ops.hpp>

#include "frame/state.hpp"

#include <string>

namespace kith::detail {

namespace {

scheduling::world_loop& loop_of(const world_t* world) {
    return scheduling::state_of(world).loop;
}

// Null: the world has no schedule yet, and everything is as in the beginning.
scheduling::world_loop* find_loop(const world_t* world) {
    scheduling::state* found = scheduling::find_state(world);
    return found ? &found->loop : nullptr;
}

}  // namespace

void set_time_scale(world_t* world, ftime_t scale) {
    loop_of(world).time.clock().set_scale(scale);
}

void set_target_fps(world_t* world, ftime_t rate) {
    loop_of(world).time.clock().set_target_rate(rate);
}

void reset_clock(world_t* world) {
    loop_of(world).time.clock().reset_totals();
}

ftime_t delta_time(const world_t* world) {
    const scheduling::world_loop* loop = find_loop(world);
    return loop ? loop->time.frame().delta : 0;
}

ftime_t frame_begin(world_t* world, ftime_t seconds) {
    return loop_of(world).time.begin_frame(seconds).delta;
}

void frame_end(world_t* world) {
    loop_of(world).time.end_frame();
}

void pause(world_t* world, bool on) {
    scheduling::world_time& time = loop_of(world).time;
    on ? time.pause() : time.resume();
}

bool is_paused(const world_t* world) {
    const scheduling::world_loop* loop = find_loop(world);
    return loop && loop->time.is_paused();
}

void step_frames(world_t* world, std::int32_t frames) {
    loop_of(world).time.step_frames(frames);
}

void quit(world_t* world) {
    loop_of(world).time.quit();
}

bool should_quit(const world_t* world) {
    const scheduling::world_loop* loop = find_loop(world);
    return loop && loop->time.should_quit();
}

void at_fini(world_t* world, void (*function)(world_t* world, void* context), void* context) {
    if (!function) {
        raise_error(errc::invalid_operation, "atfini: the function is null");
    }
    loop_of(world).at_end(function, context);
}

const world_info_t* get_info(const world_t* world) {
    return &loop_of(world).read_info();
}

}  // namespace kith::detail
