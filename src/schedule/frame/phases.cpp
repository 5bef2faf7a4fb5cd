// Implements phases.hpp.
#include "frame/phases.hpp"

#include <kith/world.hpp>

namespace kith::scheduling {

namespace {

constexpr entity_t phase_count = PostFrame - PreFrame + 1;
static_assert(detail::first_phase_neighbour + phase_count == detail::builtin_pipeline);

}  // namespace

// OnStart has no place among the others: its systems run in a pipeline of their own.
void make_phases(world_t* raw) {
    const world made(raw);
    made.entity(OnStart).add(Phase);
    for (entity_t i = 0; i < phase_count; ++i) {
        const entity_t neighbour = detail::first_phase_neighbour + i;
        made.make_alive(neighbour).add(ChildOf, Kith);
        if (i != 0) {
            made.entity(neighbour).add(DependsOn, neighbour - 1);
        }
        made.entity(PreFrame + i).add(Phase).add(DependsOn, neighbour);
    }
}

}  // namespace kith::scheduling
