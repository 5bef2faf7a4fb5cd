// Inheritance and prefabs: what many entities share is said once.

#include <kith/kith.hpp>

#include <cstdio>

struct Defense {
    int value = 0;
};
struct Speed {
    int value = 0;
};
struct Cargo {
    int tons = 0;
};
struct Experimental {};

int main() {
    kith::world world;

    // [share]
    auto ship = world.entity("Ship").set(Defense{50}).set(Speed{100});
    auto frigate = world.entity("Frigate").is_a(ship).set(Defense{75});
    auto scout = world.entity("Scout").is_a(frigate).set(Speed{200});
    std::printf("frigate: defense %d, speed %d\n", frigate.get<Defense>()->value,
                frigate.get<Speed>()->value);
    std::printf("scout: defense %d, speed %d\n", scout.get<Defense>()->value,
                scout.get<Speed>()->value);
    // [/share]

    // [owns]
    std::printf("has speed: %s, owns speed: %s\n", frigate.has<Speed>() ? "yes" : "no",
                frigate.owns<Speed>() ? "yes" : "no");
    std::printf("is a ship: %s\n", scout.has(kith::IsA, ship) ? "yes" : "no");
    // [/owns]

    // [own_copy]
    frigate.get_mut<Speed>()->value += 20;  // starts from the base's value
    std::printf("frigate %d, ship %d\n", frigate.get<Speed>()->value, ship.get<Speed>()->value);
    frigate.remove<Speed>();  // the base's again
    std::printf("frigate %d\n", frigate.get<Speed>()->value);
    // [/own_copy]

    // [dont_inherit]
    world.component<Experimental>().add(kith::DontInherit);
    ship.add<Experimental>();
    std::printf("frigate experimental: %s\n", frigate.has<Experimental>() ? "yes" : "no");
    // [/dont_inherit]

    // [final]
    auto probe = world.entity("Probe").add(kith::Final);
    try {
        world.entity("Copy").is_a(probe);
    } catch (const kith::error& e) {
        std::printf("%s\n", e.what());
    }
    // [/final]

    // [prefab]
    auto freighter = world.prefab("Freighter").set(Defense{20}).set_override(Cargo{40});
    auto bridge = world.prefab("Bridge").child_of(freighter).slot();
    world.prefab("Captain").child_of(bridge);
    // [/prefab]

    // [instance]
    auto nostromo = world.entity("Nostromo").is_a(freighter);
    std::printf("cargo: %s, defense: %s\n", nostromo.owns<Cargo>() ? "own" : "shared",
                nostromo.owns<Defense>() ? "own" : "shared");
    for (auto [depth, part] : nostromo.traverse(kith::ChildOf)) {
        std::printf("%*s%s\n", depth * 2, "", part.name().c_str());
    }
    // [/instance]

    // [slot]
    auto own_bridge = nostromo.target(bridge);
    std::printf("%s\n", own_bridge.path().c_str());
    // [/slot]
}
