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

}  // namespace kith::detail
