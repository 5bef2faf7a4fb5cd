// The functions behind timers.
#include <kith/detail/time_ops.hpp>

#include "frame/state.hpp"
#include "time/nanoseconds.hpp"
#include "time/timer_entities.hpp"

#include <string>

namespace kith::detail {

namespace {

// The entity of a timer, and the tick sources of its world are ready.
entity timed(world_t* world, entity_t id) {
    if (!is_alive(world, id)) {
        const std::string message =
            "a timer of the entity #" + std::to_string(id) + ", which is null or not alive";
        raise_error(errc::invalid_entity, message.c_str());
    }
    scheduling::state_of(world).loop.time.sources();
    return entity(world, id);
}

}  // namespace

void set_timer(world_t* world, entity_t id, double seconds, bool single_shot) {
    const entity of = timed(world, id);
    scheduling::set_timer(of, seconds, single_shot,
                          scheduling::state_of(world).loop.time.random_start());
}

ftime_t get_timeout(const world_t* world, entity_t id, bool single_shot) {
    return scheduling::timeout_of(timed(const_cast<world_t*>(world), id), single_shot);
}

void set_rate(world_t* world, entity_t id, std::int32_t rate, entity_t source) {
    scheduling::set_rate(timed(world, id), rate, source);
}

void set_tick_source(world_t* world, entity_t id, entity_t source) {
    scheduling::set_tick_source(timed(world, id), source);
}

double checked_interval(double seconds) {
    scheduling::checked_duration(seconds, "the interval of a system");
    return seconds;
}

std::int32_t checked_rate(world_t* world, entity_t system, std::int32_t rate) {
    return scheduling::checked_rate(rate, entity(world, system));
}

entity_t checked_source(world_t* world, entity_t system, entity_t source) {
    scheduling::check_source(entity(world, system), source);
    return source;
}

// Settings of the builder become components of the system's entity. A rate with a source replaces a
// plain source, because both are a RateFilter.
void set_timing(world_t* world, entity_t system, const system_timing& timing) {
    if (timing.has_interval) {
        set_timer(world, system, timing.interval, false);
    }
    if (timing.rate) {
        set_rate(world, system, timing.rate, timing.source);
    } else if (timing.has_source) {
        set_tick_source(world, system, timing.source);
    }
}

void start_timer(world_t* world, entity_t id) {
    scheduling::start_timer(timed(world, id));
}

void stop_timer(world_t* world, entity_t id) {
    scheduling::stop_timer(timed(world, id));
}

void reset_timer(world_t* world, entity_t id) {
    scheduling::reset_timer(timed(world, id));
}

void scale_timer(world_t* world, entity_t id, bool on) {
    scheduling::set_scaled(timed(world, id), on);
}

void randomize_timers(world_t* world) {
    scheduling::state_of(world).loop.time.randomize_timers();
}

void set_seed(world_t* world, std::uint64_t seed) {
    scheduling::state_of(world).loop.time.set_seed(seed);
}

}  // namespace kith::detail
