// A frame loop: simulation in fixed steps, reactions, drawing. Systems and observers are made once;
// each frame runs the systems in the order of their phases.

#include <kith/kith.hpp>

#include <cstdio>

// [components]
struct Position {
    float x;
};
struct Velocity {
    float x;
};
struct Lifetime {
    float seconds;
};
struct Expired {};  // the event that a shot emits when its time is over
// [/components]

// [simulation]
// A module: systems that belong together, and end together.
struct Simulation {
    explicit Simulation(kith::world& world) {
        kith::phase step = world.phase("Step").depends_on(kith::OnUpdate).fixed(0.25);
        world.system<Position, const Velocity>("Move").kind(step).each(
            [](kith::iter& it, std::size_t, Position& p, const Velocity& v) {
                p.x += v.x * it.delta_time();  // the same on every machine
            });
        world.system<Lifetime>("Age").kind(step).each(
            [](kith::iter& it, std::size_t row, Lifetime& left) {
                left.seconds -= it.delta_time();
                if (left.seconds <= 0) {
                    kith::entity e = it.entity(row);
                    it.world().event<Expired>().id<Position>().entity(e).emit();
                    e.destruct();  // a command: it runs at the end of the step
                }
            });
    }
};
// [/simulation]

// [drawing]
struct Drawing {
    explicit Drawing(kith::world& world) {
        world.observer<const Position>().event<Expired>().each(
            [](kith::entity e, const Position& at) {
                std::printf("  %s fizzles out at %g\n", e.name().c_str(), at.x);
            });
        // Skipped while no position has changed.
        world.system<const Position>("Draw")
            .kind(kith::OnStore)
            .run_if_changed()
            .run([](kith::iter& it) {
                std::printf("draw:");
                while (it.next()) {
                    kith::column<const Position> at = it.field<const Position>(1);
                    for (std::size_t row : it) {
                        std::printf(" %s at %g", it.entity(row).name().c_str(), at[row].x);
                    }
                }
                std::printf("\n");
            });
    }
};
// [/drawing]

int main() {
    // [main]
    kith::world world;
    world.import <Simulation>();
    world.import <Drawing>();
    world.entity("Wall").set(Position{10});
    world.entity("Shot").set(Position{0}).set(Velocity{4}).set(Lifetime{0.5f});
    for (float elapsed : {0.25f, 0.125f, 0.125f, 0.5f}) {
        std::printf("frame of %g s\n", elapsed);
        world.progress(elapsed);
    }
    // [/main]
}
