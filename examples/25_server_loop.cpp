// A server without a window: fixed steps of a simulation, a report at an interval, an end.

#include <kith/kith.hpp>

#include <cstdio>

struct Position {
    float x;
};
struct Velocity {
    float x;
};
struct Player {};

int main() {
    // [server]
    kith::world world;
    kith::phase simulation = world.phase("Simulation").depends_on(kith::OnUpdate).fixed(0.05);

    world.system<Position, const Velocity>("Move")
        .kind(simulation)
        .each([](kith::iter& it, std::size_t, Position& p, const Velocity& v) {
            p.x += v.x * it.delta_time();
        });
    world.system<const Position>("Leave")
        .kind(simulation)
        .each([](kith::entity e, const Position& p) {
            if (p.x >= 2) {
                std::printf("%s arrives\n", e.name().c_str());
                e.destruct();
            }
        });
    world.system("Report").kind(kith::PostFrame).interval(0.5f).iter([](kith::iter& it) {
        std::printf("%d players\n", static_cast<int>(it.world().count<Player>()));
    });
    world.system("Shutdown").kind(kith::PostFrame).iter([](kith::iter& it) {
        if (it.world().count<Player>() == 0) {
            it.world().quit();
        }
    });

    world.entity("Ann").set(Position{0}).set(Velocity{2}).add<Player>();
    world.entity("Bob").set(Position{0}).set(Velocity{1.25f}).add<Player>();
    // A real server leaves delta_time out: frames are measured, and wait for the target rate.
    return world.app().target_fps(1000).delta_time(0.1f).run();
    // [/server]
}
