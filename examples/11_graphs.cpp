// Following relationships: a solar system as a tree, and a network of roads.

#include <kith/kith.hpp>

#include <cstdio>

struct Orbits {};
struct Mass {
    double earths;
};

// [module]
struct Navigation {
    explicit Navigation(kith::world& world) : route(world.relation("Route", {.symmetric = true})) {
        world.entity("Beacon");
    }
    kith::entity route;
};
// [/module]

int main() {
    kith::world world;

    // [declare]
    world.relation<Orbits>({.exclusive = true, .acyclic = true, .storage = kith::storage::sparse});
    auto visits = world.relation("Visits", {.on_delete_target = kith::Remove});
    // [/declare]

    // [tree]
    auto sun = world.entity("Sun").set(Mass{333'000});
    auto earth = world.entity("Earth").add<Orbits>(sun).set(Mass{1});
    auto moon = world.entity("Moon").add<Orbits>(earth);
    auto mars = world.entity("Mars").add<Orbits>(sun);
    world.entity("Phobos").add<Orbits>(mars);
    world.entity("Deimos").add<Orbits>(mars);
    // [/tree]

    // [traverse]
    for (auto [depth, body] : sun.traverse<Orbits>()) {
        std::printf("%*s%s\n", depth * 2, "", body.name().c_str());
    }
    // [/traverse]

    // [sources]
    mars.each_source<Orbits>([](kith::entity e) { std::printf("%s\n", e.name().c_str()); });
    // [/sources]

    // [walk_up]
    moon.walk_up<Orbits>([](kith::entity body, std::int32_t depth) {
        std::printf("%d: %s\n", depth, body.name().c_str());
    });
    // [/walk_up]

    // [depth]
    std::printf("sun %d, moon %d\n", sun.depth<Orbits>(), moon.depth<Orbits>());
    // [/depth]

    // [target_for]
    std::printf("nearest mass: %s\n", moon.target_for<Mass>(world.id<Orbits>()).name().c_str());
    // [/target_for]

    // [cycle]
    auto a = world.entity("A");
    auto b = world.entity("B").add(visits, a);
    a.add(visits, b);  // nobody said that this cannot be
    for (auto [depth, place] : a.traverse(visits)) {
        std::printf("%d %s\n", depth, place.name().c_str());
    }
    try {
        a.walk_up(visits, [](kith::entity) {});
    } catch (const kith::error& e) {
        std::printf("%s\n", e.what());
    }
    // [/cycle]

    // [import]
    auto module = world.import <Navigation>();
    world.import <Navigation>();  // nothing happens
    std::printf("%s has %s\n", module.path().c_str(), module.lookup("Beacon").name().c_str());
    auto road = world.get<Navigation>()->route;
    std::printf("%s\n", road.path().c_str());
    // [/import]
}
