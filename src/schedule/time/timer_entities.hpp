// Changing timers and rate filters of entities, with their checks. A timer of a system is on the
// entity of the system.
//
// Covered by tests/unit/schedule/tick_sources_test.cpp.
#pragma once

#include <kith/timer.hpp>

#include "time/random.hpp"

#include <vector>

namespace kith::scheduling {

// Lets Timer and RateFilter imply TickSource, and keeps instances from inheriting them. To be
// called before anything else of this file, for a new world and when a restored state is
// undeclared.
bool are_time_components_declared(const world& world);
void declare_time_components(const world& world);

// A timer that starts at 0, or at random if there are numbers. 0 seconds take it away.
void set_timer(entity of, double seconds, bool single_shot, random_numbers* start);
// In seconds; 0 if the entity has no timer, or one of the other sort.
ftime_t timeout_of(const entity& of, bool single_shot);
// Raises invalid_operation if the rate is less than 1.
std::int32_t checked_rate(std::int32_t rate, const entity& of);
// Raises invalid_entity if the source is not alive, cycle if its chain of sources leads to the
// entity.
void check_source(const entity& of, entity_t source);
// The count starts anew. `source` 0: the timer of the entity, or each frame.
void set_rate(entity of, std::int32_t rate, entity_t source);
// Ticks when `source` ticks; the entity loses a timer of its own. 0: each frame.
void set_tick_source(entity of, entity_t source);

// These raise missing_component if the entity has no timer.
void start_timer(entity of);
void stop_timer(entity of);
void set_scaled(entity of, bool on);
// Sets the time and the count of ticks to 0, of whichever the entity has.
void reset_timer(entity of);

// Lets a timer start at a time between 0 and its interval. Requires: the timeout is set.
void randomize(Timer& timer, random_numbers& numbers);

// Raises cycle; the message has the entities with their paths.
[[noreturn]] void raise_circle(const world& world, const std::vector<entity_t>& circle);

}  // namespace kith::scheduling
