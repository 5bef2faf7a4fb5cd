// The functions behind phases with fixed steps.
#include <kith/detail/time_ops.hpp>
#include <kith/kith.hpp>

#include "frame/fixed_phases.hpp"
#include "frame/scheduler.hpp"
#include "time/ticks.hpp"

#include <string>

namespace kith::detail {

namespace {

// The limit of steps per frame: a frame that takes longer than its steps must not lead to ever more
// steps.
constexpr std::int32_t usual_steps = 8;

// The scheduler is made here, because its observers have to see the components of phases.
entity checked_phase(world_t* world, entity_t id) {
    if (!is_alive(world, id)) {
        raise_error(errc::invalid_entity, "fixed: the phase is null or not alive");
    }
    scheduling::scheduler::of(world);
    return entity(world, id);
}

}  // namespace

void set_fixed(world_t* world, entity_t id, double seconds) {
    entity of = checked_phase(world, id);
    const scheduling::ns_t step = scheduling::checked_duration(seconds, "the step of a phase");
    if (step == 0) {
        of.remove<FixedStep>();
        return;
    }
    scheduling::check_not_nested(of);
    FixedStep fixed{};
    fixed.step.ns = step;
    fixed.max_steps = of.owns<FixedStep>() ? of.get<FixedStep>()->max_steps : usual_steps;
    of.set<FixedStep>(fixed);
}

void set_max_steps(world_t* world, entity_t id, std::int32_t steps) {
    entity of = checked_phase(world, id);
    if (steps < 1) {
        const std::string message =
            "max_steps(" + std::to_string(steps) + "), but the number must be 1 or more";
        raise_error(errc::invalid_operation, message.c_str());
    }
    if (!of.owns<FixedStep>()) {
        raise_error(errc::missing_component,
                    "max_steps: the phase has no steps; call fixed() first");
    }
    FixedStep fixed = *of.get<FixedStep>();
    fixed.max_steps = steps;
    of.set<FixedStep>(fixed);
}

ftime_t phase_alpha(const world_t* world, entity_t id) {
    const entity of = checked_phase(const_cast<world_t*>(world), id);
    return of.owns<FixedStep>() ? scheduling::alpha(*of.get<FixedStep>()) : 0;
}

}  // namespace kith::detail
