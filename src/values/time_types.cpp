// Descriptions of the components of timers, rate filters and fixed steps, so that worlds that have
// them can be written. Members in place of padding are no part of the values.
#include <kith/reflect.hpp>
#include <kith/timer.hpp>

namespace kith {

void seconds_t::describe(describer<seconds_t>& to) {
    to.member("ns", &seconds_t::ns);
}

void Timer::describe(describer<Timer>& to) {
    to.member("timeout", &Timer::timeout)
        .member("time", &Timer::time)
        .member("overshoot", &Timer::overshoot)
        .member("fired_count", &Timer::fired_count)
        .member("active", &Timer::active)
        .member("single_shot", &Timer::single_shot)
        .member("scaled", &Timer::scaled);
}

void RateFilter::describe(describer<RateFilter>& to) {
    to.member(
          "src", [](const RateFilter& filter) { return handle(filter.src); },
          [](RateFilter& filter, handle source) { filter.src = source; })
        .member("rate", &RateFilter::rate)
        .member("tick_count", &RateFilter::tick_count)
        .member("time_elapsed", &RateFilter::time_elapsed)
        .member("scaled", &RateFilter::scaled);
}

void TickSource::describe(describer<TickSource>& to) {
    to.member("tick", &TickSource::tick).member("time_elapsed", &TickSource::time_elapsed);
}

void FixedStep::describe(describer<FixedStep>& to) {
    to.member("step", &FixedStep::step)
        .member("account", &FixedStep::account)
        .member("max_steps", &FixedStep::max_steps)
        .member("steps", &FixedStep::steps)
        .member("dropped", &FixedStep::dropped);
}

}  // namespace kith
