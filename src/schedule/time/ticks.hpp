// The rules by which timers and rate filters tick and fixed steps are taken, on their components.
//
// Covered by tests/unit/schedule/ticks_test.cpp.
#pragma once

#include <kith/detail/assert.hpp>
#include <kith/timer.hpp>

#include "time/nanoseconds.hpp"

namespace kith::scheduling {

// Advances a timer by a frame, if it is active. It ticks at most once; a remainder of more than one
// interval is dropped.
inline void advance(Timer& timer, TickSource& source, ns_t frame) noexcept {
    source.tick = false;
    if (!timer.active) {
        return;
    }
    const ns_t time = add_times(timer.time.ns, frame);
    if (time < timer.timeout.ns) {
        timer.time.ns = time;
        return;
    }
    const ns_t over = time - timer.timeout.ns;
    source.tick = true;
    source.time_elapsed.ns = time - timer.overshoot.ns;
    timer.time.ns = over > timer.timeout.ns ? 0 : over;
    timer.overshoot = timer.time;
    ++timer.fired_count;
    timer.active = !timer.single_shot;
}

// Advances a filter: every `rate`-th tick of what it counts is a tick of its own.
inline void advance(RateFilter& filter, TickSource& source, bool counted, ns_t frame) noexcept {
    filter.time_elapsed.ns = add_times(filter.time_elapsed.ns, frame);
    source.tick = counted && ++filter.tick_count >= filter.rate;
    if (source.tick) {
        source.time_elapsed = filter.time_elapsed;
        filter.tick_count = 0;
        filter.time_elapsed.ns = 0;
    }
}

// Adds the time of a frame to the account of a phase. Returns how many steps the frame runs; beyond
// max_steps, the rest of the account is dropped. Requires: a positive step.
inline std::int32_t take_steps(FixedStep& fixed, ns_t scaled) noexcept {
    KITH_ASSERT(fixed.step.ns > 0, "steps take time");
    fixed.account = add_times(fixed.account, scaled);
    const ns_t held = fixed.account / fixed.step.ns;
    const auto taken = held > fixed.max_steps ? fixed.max_steps : static_cast<std::int32_t>(held);
    fixed.account -= taken * fixed.step.ns;
    if (fixed.account >= fixed.step.ns) {
        fixed.dropped = add_times(fixed.dropped, fixed.account);
        fixed.account = 0;
    }
    fixed.steps += taken;
    return taken;
}

// The account as a fraction of a step, from 0 to below 1.
inline ftime_t alpha(const FixedStep& fixed) noexcept {
    return static_cast<ftime_t>(static_cast<double>(fixed.account) /
                                static_cast<double>(fixed.step.ns));
}

}  // namespace kith::scheduling
