// The program of the README.
// [program]
#include <kith/kith.hpp>

#include <cstdio>

struct Position {
    double x, y;
};
struct Velocity {
    double x, y;
};
struct Trades {
    int tons;
};
struct Damaged {};  // no members: a tag

int main() {
    kith::world world;

    // Entities have components, which are plain C++ types, and tags.
    auto earth = world.entity("Earth").set(Position{0, 0});
    auto ship = world.entity("Ship").set(Position{100, 40}).set(Velocity{-10, 5}).add<Damaged>();

    // Pairs of a relation and a target connect entities. A pair can hold a value.
    auto docked_to = world.entity("DockedTo");
    ship.add(docked_to, earth);
    ship.set<Trades>(earth, {12});

    // A system is a query with a callback. A frame runs all systems in one order.
    world.system<Position, const Velocity>("Move").each([](Position& p, const Velocity& v) {
        p.x += v.x;
        p.y += v.y;
    });
    world.progress(1);

    // Visit everything that has a component.
    world.each([](kith::entity e, const Position& p) {
        std::printf("%s is at %g,%g\n", e.name().c_str(), p.x, p.y);
    });
    std::printf("Ship is docked to %s and trades %d tons with it\n",
                ship.target(docked_to).name().c_str(), ship.get<Trades>(earth)->tons);

    // Deleting a target takes the pairs along: no id ever points to nothing.
    earth.destruct();
    std::printf("Ship has a dock: %s\n", ship.has(docked_to, kith::Wildcard) ? "yes" : "no");
}
// [/program]
