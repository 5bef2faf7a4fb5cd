// Deferring: changes that wait until it is safe to make them.

#include <kith/kith.hpp>

#include <cstdio>

struct Health {
    int points;
};
struct Poisoned {};
struct Dead {};
struct Sealed {
    explicit Sealed(int number) : value(number) {}  // no default constructor
    int value;
};

int main() {
    kith::world world;
    for (int points : {1, 5, 9}) {
        world.entity().set(Health{points}).add<Poisoned>();
    }

    // [defer]
    world.defer([&] {
        world.each([](kith::entity e, Health& health) {
            health.points -= 3;
            if (health.points <= 0) {
                e.add<Dead>().remove<Poisoned>();  // waits; the entity moves once
            }
        });
        std::printf("inside: %d dead\n", world.count<Dead>());
    });
    std::printf("outside: %d dead\n", world.count<Dead>());
    // [/defer]

    // [values]
    auto hero = world.entity().set(Health{1});
    world.defer_begin();
    hero.set(Health{2});
    std::printf("get sees the state before: %d\n", hero.get<Health>()->points);
    hero.set(Health{3});
    world.defer_end();
    std::printf("after: %d\n", hero.get<Health>()->points);
    // [/values]

    // [create]
    kith::entity minion;
    world.defer([&] {
        minion = world.entity("Minion").set(Health{4});  // the id is valid at once
        std::printf("alive %s, found by name %s, has Health %s\n", minion.is_alive() ? "yes" : "no",
                    world.lookup("Minion") ? "yes" : "no", minion.has<Health>() ? "yes" : "no");
    });
    std::printf("Health %d\n", minion.get<Health>()->points);
    // [/create]

    // [death]
    world.defer([&] {
        minion.destruct();
        minion.set(Health{100});  // dropped: the entity is gone by then
    });
    std::printf("minion is %s\n", minion.is_alive() ? "alive" : "gone");
    // [/death]

    // [errors]
    try {
        world.defer([&] {
            hero.add<Sealed>();  // cannot work: no default constructor
            hero.add<Dead>();    // runs all the same
        });
    } catch (const kith::error& failed) {
        std::printf("%s: %s\n", kith::to_string(failed.code()), failed.what());
    }
    std::printf("hero is dead: %s\n", hero.has<Dead>() ? "yes" : "no");
    // [/errors]
}
