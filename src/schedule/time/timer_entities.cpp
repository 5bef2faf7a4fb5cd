// Checked changes of timers and rate filters.
#include "time/timer_entities.hpp"

#include <kith/kith.hpp>

#include "time/nanoseconds.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace kith::scheduling {

namespace {

std::string path_of(const entity& named) {
    const kith::string path = named.path(".", "");
    return *path.c_str() ? path.c_str() : "#" + std::to_string(named.raw_id());
}

[[noreturn]] void raise(errc code, const std::string& message) {
    detail::raise_error(code, message.c_str());
}

// A copy of the timer, to be changed and set: `what` begins the message if the entity has none.
Timer timer_of(const entity& of, const char* what) {
    const Timer* timer = of.owns<Timer>() ? of.get<Timer>() : nullptr;
    if (!timer) {
        raise(errc::missing_component, std::string(what) + ": " + path_of(of) +
                                           " has no timer; give it one by interval() or timeout()");
    }
    return *timer;
}

// TickSource goes with the last component that needs it, so that a system without timers runs in
// each frame.
void remove_ticks(entity of) {
    if (!of.owns<Timer>() && !of.owns<RateFilter>()) {
        of.remove<TickSource>();
    }
}

// The chain of sources that begins at `source` must not lead to the entity.
void check_circle(const entity& of, entity_t source) {
    std::vector<entity_t> chain{of.raw_id()};
    for (entity at(of.world(), source); at && at.is_alive();) {
        if (at.raw_id() == of.raw_id()) {
            raise_circle(of.world(), chain);
        }
        // A circle that was written by hand is not this call's: frames report it.
        if (std::find(chain.begin(), chain.end(), at.raw_id()) != chain.end()) {
            return;
        }
        chain.push_back(at.raw_id());
        const RateFilter* filter = at.owns<RateFilter>() ? at.get<RateFilter>() : nullptr;
        at = entity(of.world(), filter ? filter->src : 0);
    }
}

}  // namespace

namespace {

// Entities that got the component before it implied TickSource, disabled ones and prefabs included.
template <class T>
void add_missing_ticks(const world& world) {
    const auto missing = world.filter_builder<const T>()
                             .template without<TickSource>()
                             .with(Disabled)
                             .optional()
                             .with(Prefab)
                             .optional()
                             .build();
    world.defer([&] { missing.each([](entity e, const T&) { e.add<TickSource>(); }); });
}

}  // namespace

// A state from before the first frame, when it is restored, takes the declaration away.
bool are_time_components_declared(const world& world) {
    const entity ticks = world.component<TickSource>();
    return world.component<Timer>().has(With, ticks) &&
           world.component<RateFilter>().has(With, ticks);
}

void declare_time_components(const world& world) {
    add_missing_ticks<Timer>(world);
    add_missing_ticks<RateFilter>(world);
    world.component<Timer>().add(With, world.component<TickSource>());
    world.component<RateFilter>().add(With, world.component<TickSource>());
    for (entity component :
         {entity(world.component<Timer>()), entity(world.component<RateFilter>()),
          entity(world.component<TickSource>()), entity(world.component<FixedStep>())}) {
        component.add(DontInherit);
    }
}

// A new timeout keeps the choice between raw and scaled time, and starts anew otherwise.
void set_timer(entity of, double seconds, bool single_shot, random_numbers* start) {
    const ns_t timeout = checked_duration(
        seconds, single_shot ? "the timeout of a timer" : "the interval of a timer");
    if (timeout == 0) {
        of.remove<Timer>();
        remove_ticks(of);
        return;
    }
    Timer timer{};
    timer.timeout.ns = timeout;
    timer.active = true;
    timer.single_shot = single_shot;
    timer.scaled = of.owns<Timer>() && of.get<Timer>()->scaled;
    if (start) {
        randomize(timer, *start);
    }
    of.set<Timer>(timer);
}

ftime_t timeout_of(const entity& of, bool single_shot) {
    const Timer* timer = of.owns<Timer>() ? of.get<Timer>() : nullptr;
    return timer && timer->single_shot == single_shot ? static_cast<ftime_t>(timer->timeout) : 0;
}

std::int32_t checked_rate(std::int32_t rate, const entity& of) {
    if (rate < 1) {
        raise(errc::invalid_operation, "the rate of " + path_of(of) + " is " +
                                           std::to_string(rate) + ", but must be 1 or more");
    }
    return rate;
}

void check_source(const entity& of, entity_t source) {
    if (source != 0 && !of.world().is_alive(source)) {
        raise(errc::invalid_entity, "the tick source #" + std::to_string(source) + " of " +
                                        path_of(of) + " is no entity that is alive");
    }
    check_circle(of, source);
}

void set_rate(entity of, std::int32_t rate, entity_t source) {
    checked_rate(rate, of);
    check_source(of, source);
    RateFilter filter{};
    filter.src = source;
    filter.rate = rate;
    of.set<RateFilter>(filter);
}

void set_tick_source(entity of, entity_t source) {
    if (source == 0) {
        of.remove<Timer>().remove<RateFilter>();
        remove_ticks(of);
        return;
    }
    set_rate(of, 1, source);
    of.remove<Timer>();
}

void start_timer(entity of) {
    Timer timer = timer_of(of, "start");
    timer.active = true;
    timer.time = timer.overshoot = 0;
    of.set<Timer>(timer);
}

void stop_timer(entity of) {
    Timer timer = timer_of(of, "stop");
    timer.active = false;
    of.set<Timer>(timer);
}

void set_scaled(entity of, bool on) {
    Timer timer = timer_of(of, "scaled");
    timer.scaled = on;
    of.set<Timer>(timer);
}

void reset_timer(entity of) {
    if (of.owns<RateFilter>()) {
        RateFilter filter = *of.get<RateFilter>();
        filter.tick_count = 0;
        filter.time_elapsed = 0;
        of.set<RateFilter>(filter);
    }
    if (of.owns<Timer>() || !of.owns<RateFilter>()) {
        Timer timer = timer_of(of, "reset");
        timer.time = timer.overshoot = 0;
        of.set<Timer>(timer);
    }
}

void randomize(Timer& timer, random_numbers& numbers) {
    timer.time.ns = numbers.between_zero_and(timer.timeout.ns);
    // The random part is no time that has passed: the first tick reports the time since the start.
    timer.overshoot = timer.time;
}

void raise_circle(const world& world, const std::vector<entity_t>& circle) {
    std::string message = "tick sources form a circle: ";
    for (entity_t one : circle) {
        message += path_of(entity(world, one)) + " counts ";
    }
    raise(errc::cycle, message + path_of(entity(world, circle.front())));
}

}  // namespace kith::scheduling
