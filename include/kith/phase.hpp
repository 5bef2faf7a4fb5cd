// Phases of frames: entities that systems depend on, in an order that DependsOn gives.
//
//   kith::phase physics = world.phase("Physics").depends_on(kith::OnUpdate).fixed(1 / 60.);
//   world.system<Position>("Move").kind(physics).each(…);
//
// The compiled part is src/schedule.
//
// Covered by tests/features/systems/fixed_step_test.cpp.
#pragma once

#include <kith/timer.hpp>

namespace kith {

// A handle of an entity with the tag Phase. A disabled phase disables its systems, and those of
// phases that depend on it.
class phase : public entity {
public:
    phase() noexcept = default;
    explicit phase(const kith::entity& handle) noexcept : kith::entity(handle) {}

    // The systems of the phase come behind those of `other`. Phases may depend on several others;
    // circles are an error.
    phase& depends_on(entity_t other) {
        add(DependsOn, other);
        return *this;
    }
    // The systems of the phase come before or behind `other`: a system, a set, a phase or a module.
    phase& before(entity_t other) {
        add(Before, other);
        return *this;
    }
    phase& after(entity_t other) {
        add(After, other);
        return *this;
    }
    // Membership of a set.
    phase& in(entity_t set) {
        add(InSet, set);
        return *this;
    }

    // The phase, and all phases that depend on it, run in steps of so many seconds: as many per
    // frame as the scaled time of frames holds. 0: once per frame again. An error if negative or
    // not finite, or if a phase around or inside of it has steps already.
    phase& fixed(double seconds) {
        detail::set_fixed(world_, id_, seconds);
        return *this;
    }
    // The number of steps that a frame may run; time for more is dropped. 8 in the beginning. An
    // error if it is less than 1, or if the phase has no steps.
    phase& max_steps(std::int32_t steps) {
        detail::set_max_steps(world_, id_, steps);
        return *this;
    }
    // The time that is left over, as a fraction of a step. 0 if the phase has no steps. From 0 to
    // below 1, for drawing between two steps.
    ftime_t alpha() const { return detail::phase_alpha(world_, id_); }
};

// -- world

inline phase world::phase(text_view name) const {
    return kith::phase((entity(name)).add(Phase));
}
inline phase world::phase(entity_t existing) const {
    return kith::phase(entity(existing).add(Phase));
}

}  // namespace kith
