// Timers: entities that tick, at intervals of time or at every n-th tick of another.
//
//   kith::timer second = world.timer("Second").interval(1);
//   world.timer().rate(60, second);             // once a minute
//
// Timers are advanced at the beginning of a frame. TickSource says whether one ticks in this frame.
// The compiled part is src/schedule/time.
//
// Covered by tests/features/systems/timer_test.cpp.
#pragma once

#include <kith/detail/time_ops.hpp>
#include <kith/world.hpp>

namespace kith {

// Counts time up to `timeout`. Active timers are advanced by raw time, scaled ones by the time that
// systems see. Programs may write the components in place, or use the class timer, which checks
// numbers.
struct Timer {
    seconds_t timeout;
    seconds_t time;       // since the last tick, with what that tick left over
    seconds_t overshoot;  // the part of `time` that the last tick left over
    std::int32_t fired_count;
    bool active;
    bool single_shot;  // becomes inactive with its first tick
    bool scaled;
    bool unused;  // in place of padding, see below

    static void describe(describer<Timer>& to);
};

// Ticks with every `rate`-th tick of its source.
struct RateFilter {
    entity_t src;  // 0: the Timer of the same entity, or each frame
    std::int32_t rate;
    std::int32_t tick_count;  // of the source, since the last tick
    seconds_t time_elapsed;   // since the last tick
    bool scaled;              // as its source; kept up to date by frames
    bool unused[7];

    static void describe(describer<RateFilter>& to);
};

// The result of both, for the current frame. Entities get the component together with Timer or
// RateFilter; the component of a system decides whether the system runs in a frame.
struct TickSource {
    bool tick;
    bool unused[7];
    seconds_t time_elapsed;  // since the tick before

    static void describe(describer<TickSource>& to);
};

// The account of a phase with fixed steps: time goes in by frames and comes out in whole steps.
struct FixedStep {
    seconds_t step;
    std::int64_t account;    // in nanoseconds, less than a step between frames
    std::int32_t max_steps;  // per frame
    std::int32_t unused;
    std::int64_t steps;    // all that were taken
    std::int64_t dropped;  // nanoseconds that max_steps has cost

    static void describe(describer<FixedStep>& to);
};

// The components have no padding, whose bytes would be left to chance: world::hash() is a number
// over bytes.
static_assert(std::has_unique_object_representations_v<Timer> &&
              std::has_unique_object_representations_v<RateFilter> &&
              std::has_unique_object_representations_v<TickSource> &&
              std::has_unique_object_representations_v<FixedStep>);

// A handle of an entity with a timer. Its functions may be called for any live entity.
class timer : public entity {
public:
    timer() noexcept = default;
    explicit timer(const kith::entity& timed) noexcept : kith::entity(timed) {}

    // Ticks every so many seconds; 0 takes the timer away. An error if negative or not finite.
    timer& interval(ftime_t seconds) {
        detail::set_timer(world_, id_, static_cast<double>(seconds), false);
        return *this;
    }
    // 0 if there is none.
    ftime_t interval() const { return detail::get_timeout(world_, id_, false); }
    // Ticks once, after so many seconds.
    timer& timeout(ftime_t seconds) {
        detail::set_timer(world_, id_, static_cast<double>(seconds), true);
        return *this;
    }
    ftime_t timeout() const { return detail::get_timeout(world_, id_, true); }
    // Ticks with every n-th tick of `source`; without source: of its own interval, or each n-th
    // frame. The count starts anew. An error if n < 1, or if the sources would form a circle.
    timer& rate(std::int32_t n, entity_t source = 0) {
        detail::set_rate(world_, id_, n, source);
        return *this;
    }

    // Lets the timer run from 0. An error without a timer.
    void start() const { detail::start_timer(world_, id_); }
    // An error without a timer.
    void stop() const { detail::stop_timer(world_, id_); }
    // Sets the time and the count to 0. An error if the entity has neither a timer nor a rate.
    void reset() const { detail::reset_timer(world_, id_); }
    // Counts the time that systems see instead of raw time. An error without a timer.
    timer& scaled(bool on = true) {
        detail::scale_timer(world_, id_, on);
        return *this;
    }
};

// -- world

template <class... Args>
timer world::timer(Args&&... args) const {
    return kith::timer(entity(std::forward<Args>(args)...));
}
template <class T>
timer world::timer() const {
    return kith::timer(entity<T>());
}

}  // namespace kith
