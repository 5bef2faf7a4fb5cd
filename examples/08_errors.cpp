// What goes wrong, what kith says about it, and what is left behind.

#include <kith/kith.hpp>

#include <cstdio>
#include <stdexcept>

struct Position {
    double x, y;
};
struct Velocity {
    double dx, dy;
};
struct Tag {};
struct Fussy {
    Fussy() { throw std::runtime_error("no Fussy today"); }
    int value = 0;
};

// [show]
template <class Action>
static void show(Action&& action) {
    try {
        action();
    } catch (const kith::error& failed) {
        std::printf("%s: %s\n", kith::to_string(failed.code()), failed.what());
    }
}
// [/show]

int main() {
    kith::world world;
    auto ship = world.entity("Ship").set(Position{1, 2});

    // [absence]
    std::printf("no component: %s\n", ship.get<Velocity>() ? "a pointer" : "null");
    std::printf("no entity: %s\n", world.lookup("Nobody") ? "found" : "the null entity");
    ship.remove<Tag>();  // not there: nothing happens
    // [/absence]

    // [misuse]
    auto dead = world.entity();
    dead.destruct();
    show([&] { dead.add<Tag>(); });
    show([&] { ship.add(kith::Wildcard); });
    show([&] { ship.emplace<Position>(3.0, 4.0); });
    show([&] { world.entity("Boat").set_name("Ship"); });
    show([&] { ship.modified<Tag>(); });
    // [/misuse]

    // [locked]
    show([&] {
        world.each([](kith::entity e, Position&) { e.add<Tag>(); });  // its own table
    });
    world.defer([&] {
        world.each([](kith::entity e, Position&) { e.add<Tag>(); });  // after the loop
    });
    std::printf("added: %s\n", ship.has<Tag>() ? "yes" : "no");
    // [/locked]

    // [throwing]
    try {
        ship.add<Fussy>();
    } catch (const std::runtime_error& failed) {
        std::printf("%s; ship has: %s\n", failed.what(), ship.type().str().c_str());
    }
    world.check();
    // [/throwing]
}
