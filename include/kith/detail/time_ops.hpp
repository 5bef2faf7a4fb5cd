// The compiled functions behind timers, time and the loop of a program. Internal: programs call the
// classes instead. Implemented in src/schedule.
#pragma once

#include <kith/fwd.hpp>
#include <kith/id.hpp>
#include <kith/time.hpp>

namespace kith::detail {

void set_timer(world_t* world, entity_t entity, double seconds, bool single_shot);
// In seconds; 0: there is none of this kind.
ftime_t get_timeout(const world_t* world, entity_t entity, bool single_shot);
void set_rate(world_t* world, entity_t entity, std::int32_t rate, entity_t source);
// Ticks with `source`; 0: in each frame. The entity loses its own timer.
void set_tick_source(world_t* world, entity_t entity, entity_t source);
void start_timer(world_t* world, entity_t entity);
void stop_timer(world_t* world, entity_t entity);
void reset_timer(world_t* world, entity_t entity);
void scale_timer(world_t* world, entity_t entity, bool on);
void randomize_timers(world_t* world);
void set_seed(world_t* world, std::uint64_t seed);

// The timer, rate and source of a system that is being made.
struct system_timing {
    double interval = 0;
    entity_t source = 0;
    std::int32_t rate = 0;  // 0: none
    bool has_interval = false;
    bool has_source = false;
};
double checked_interval(double seconds);
std::int32_t checked_rate(world_t* world, entity_t system, std::int32_t rate);
// Raises invalid_entity if the source is not alive, cycle if it counts the system.
entity_t checked_source(world_t* world, entity_t system, entity_t source);
void set_timing(world_t* world, entity_t system, const system_timing& timing);

// -- phases with fixed steps
void set_fixed(world_t* world, entity_t phase, double seconds);
void set_max_steps(world_t* world, entity_t phase, std::int32_t steps);
ftime_t phase_alpha(const world_t* world, entity_t phase);

// -- time and frames
void set_time_scale(world_t* world, ftime_t scale);
void set_target_fps(world_t* world, ftime_t rate);
void reset_clock(world_t* world);
ftime_t delta_time(const world_t* world);
ftime_t frame_begin(world_t* world, ftime_t seconds);
void frame_end(world_t* world);
void pause(world_t* world, bool on);
bool is_paused(const world_t* world);
void step_frames(world_t* world, std::int32_t frames);

// -- the loop
void quit(world_t* world);
bool should_quit(const world_t* world);
void at_fini(world_t* world, void (*function)(world_t* world, void* context), void* context);
const world_info_t* get_info(const world_t* world);

// -- threads
void set_threads(world_t* world, std::int32_t count, bool for_tasks);
std::int32_t get_threads(const world_t* world);
bool using_task_threads(const world_t* world);
// Null: the threads of an executor end, and there are no others.
void set_executor(world_t* world, const executor* used, std::int32_t threads);
void set_parallel(world_t* world, bool on);
void check_access(world_t* world, bool on);

// -- statistics, traces, stepping
void measure_frame_time(world_t* world, bool on);
void measure_system_time(world_t* world, bool on);
void trace_start(world_t* world, std::size_t events);
void trace_stop(world_t* world);
string trace_json(const world_t* world);
void set_stepping(world_t* world, bool on);
void step_system(world_t* world, const char* call);
void step_to_end(world_t* world);
entity_t stopped_at(const world_t* world);
void set_breakpoint(world_t* world, entity_t system, bool on);

struct app_settings {
    ftime_t target_fps = 0;
    bool has_target = false;  // else that of the world, or 60
    ftime_t delta_time = 0;
    std::int32_t frames = 0;
    std::int32_t threads = 0;
    bool has_threads = false;  // else those of the world
    int (*init)(world_t* world) = nullptr;
    void* context = nullptr;
    bool rest = false;
    bool monitor = false;
};
// Raises an error if the loop cannot be run.
void check_app(const world_t* world, const app_settings& settings, bool is_owned);
int run_app(world_t* world, const app_settings& settings);

}  // namespace kith::detail
