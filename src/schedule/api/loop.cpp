// The functions behind time, frames by hand, and the loop of a program.
#include <kith/detail/stage_ops.hpp>
#include <kith/detail/time_ops.hpp>
#include <kith/kith.hpp>

#include "frame/frame.hpp"
#include "frame/state.hpp"

#include <string>

namespace kith::detail {

namespace {

// Calls that only use time do not make a scheduler, so that a world without systems has no phases
// and no observers for them.
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

// Timers are written at once, and the first frame adds components.
ftime_t frame_begin(world_t* world, ftime_t seconds) {
    scheduling::world_time& time = loop_of(world).time;
    check_frame(world, "frame_begin");
    return time.begin_frame(seconds).delta;
}

// progress() ends its own frame. A frame that has stopped in front of a system is still open,
// although progress() has returned.
void frame_end(world_t* world) {
    const scheduling::scheduler* schedule = scheduling::scheduler::find(world);
    if (schedule && (schedule->frame.running || schedule->stopped)) {
        raise_error(errc::invalid_operation,
                    "frame_end() inside of progress(), which ends its frame");
    }
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

// The pointer is valid as long as the world; the numbers are those of the call. Times of frames,
// systems and merges are 0 unless they are measured.
const world_info_t* get_info(const world_t* world) {
    const scheduling::scheduler& owner = scheduling::scheduler::of(const_cast<world_t*>(world));
    const scheduling::ns_t now = owner.loop.time.raw_age();
    world_info_t& info = loop_of(world).info;
    const auto seconds = [](scheduling::ns_t time) {
        return static_cast<ftime_t>(scheduling::to_seconds(time));
    };
    info.threads = owner.threads.count();
    info.frame_time_total = seconds(owner.observed.frames.read(now).total);
    info.system_time_total = seconds(owner.observed.system_total);
    info.merge_time_total = seconds(owner.observed.merges.read(now).total);
    return &loop_of(world).read_info();
}

// The checks come before the world is moved into the loop, so that a refused run() leaves the
// handle of the program as it was.
void check_app(const world_t* world, const app_settings& settings, bool is_owned) {
    if (!is_owned) {
        raise_error(errc::invalid_operation,
                    "app().run() ends its world: call it on the object that owns the world");
    }
    check_idle(world, "app().run()");
    scheduling::checked_duration(static_cast<double>(settings.delta_time), "app().delta_time()");
    scheduling::checked_duration(static_cast<double>(settings.target_fps), "app().target_fps()");
    if (settings.threads < 0) {
        raise_error(errc::invalid_operation, "app().threads(): the number must be 0 or more");
    }
    if (settings.frames < 0) {
        const std::string message = "app().frames(" + std::to_string(settings.frames) +
                                    "), but the number must be 0 or more";
        raise_error(errc::invalid_operation, message.c_str());
    }
}

// The caller owns the world and ends it after the return. Exceptions of frames leave the function.
int run_app(world_t* raw, const app_settings& settings) {
    const world running(raw);
    if (settings.rest || settings.monitor) {
        write_log(
            "app().enable_rest() and enable_monitor() have no effect: kith has no such module");
    }
    if (settings.context) {
        running.set_ctx(settings.context);
    }
    if (settings.has_target) {
        running.set_target_fps(settings.target_fps);
    } else if (loop_of(raw).time.clock().target_rate() == 0) {
        running.set_target_fps(60);
    }
    if (settings.has_threads) {
        running.set_threads(settings.threads);
    }
    const int failed = settings.init ? settings.init(raw) : 0;
    std::int32_t left = settings.frames;
    while (failed == 0 && running.progress(settings.delta_time) &&
           (settings.frames == 0 || --left > 0)) {}
    return failed;
}

}  // namespace kith::detail
