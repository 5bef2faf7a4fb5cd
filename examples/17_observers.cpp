// Events and observers: being told what happens to entities.
#include <kith/kith.hpp>

#include <cstdio>

namespace {

struct Position {
    float x, y;
};
struct Health {
    int points;
};
struct Burning {};
struct Wet {};
struct Likes {};

// [event]
struct Damaged {
    int points;
};
// [/event]

void observe_one() {
    kith::world world;
    // [one]
    world.observer<Position>().event(kith::OnSet).each([](kith::entity e, Position& p) {
        std::printf("%s is at %.0f, %.0f\n", e.name().c_str(), p.x, p.y);
    });
    auto ship = world.entity("Ship").set(Position{1, 2});
    ship.set(Position{3, 4});
    // [/one]
}

void observe_several() {
    kith::world world;
    // [several]
    world.observer<Health>()
        .with<Burning>()
        .without<Wet>()
        .event(kith::OnAdd)
        .event(kith::OnRemove)
        .each([](kith::iter& it, std::size_t row, Health& health) {
            std::printf("%s: %s burns (%d)\n", it.event().name().c_str(),
                        it.entity(row).name().c_str(), health.points);
        });
    auto tree = world.entity("Tree").set(Health{10});
    tree.add<Burning>();  // completes the match
    tree.add<Wet>();      // ends it
    tree.remove<Wet>();
    tree.destruct();  // the values can still be read
    // [/several]
}

void observe_pairs() {
    kith::world world;
    // [pairs]
    auto bob = world.entity("Bob");
    auto apples = world.entity("Apples");
    world.observer()
        .event(kith::OnAdd)
        .with<Likes>(kith::Wildcard)
        .each([](kith::iter& it, std::size_t row) {
            std::printf("%s likes %s\n", it.entity(row).name().c_str(),
                        it.pair(1).second().name().c_str());
        });
    bob.add<Likes>(apples);
    // [/pairs]
}

void observe_prefab() {
    kith::world world;
    // [prefab]
    auto frigate = world.prefab("Frigate").set(Health{100});
    world.entity("Aurora").is_a(frigate);
    world.observer<Health>().event(kith::OnSet).each([](kith::entity e, Health& health) {
        std::printf("%s has %d\n", e.name().c_str(), health.points);
    });
    frigate.set(Health{120});  // Aurora sees it
    // [/prefab]
}

void emit() {
    kith::world world;
    // [emit]
    world.observer<Health>().event<Damaged>().each([](kith::iter& it, std::size_t, Health& health) {
        health.points -= it.param<Damaged>()->points;
    });
    auto hero = world.entity("Hero").set(Health{20});
    world.event<Damaged>().id<Health>().entity(hero).ctx(Damaged{5}).emit();
    std::printf("%d left\n", hero.get<Health>()->points);
    // [/emit]
    // [entity]
    hero.observe<Damaged>([](kith::entity e, Damaged& damage) {
        std::printf("%s: ouch, %d\n", e.name().c_str(), damage.points);
    });
    hero.emit(Damaged{3});
    world.defer([&] {
        hero.enqueue(Damaged{4});
        std::printf("later:\n");
    });
    // [/entity]
}

void live() {
    kith::world world;
    // [life]
    world.entity("old").add<Burning>();
    auto watch = world.observer("watch")
                     .event(kith::OnAdd)
                     .with<Burning>()
                     .yield_existing()
                     .each([](kith::entity e) { std::printf("%s burns\n", e.name().c_str()); });
    watch.disable();
    world.entity("unseen").add<Burning>();
    watch.enable();
    world.entity("seen").add<Burning>();
    watch.destruct();
    world.entity("late").add<Burning>();
    // [/life]
}

void fail() {
    kith::world world;
    // [endless]
    world.observer<Health>("grow").event(kith::OnSet).each([](kith::entity e, Health& health) {
        e.set(Health{health.points + 1});
    });
    try {
        world.entity("hero").set(Health{1});
    } catch (const kith::error& e) {
        std::printf("%s\n", kith::to_string(e.code()));
    }
    // [/endless]
}

}  // namespace

int main() {
    observe_one();
    observe_several();
    observe_pairs();
    observe_prefab();
    emit();
    live();
    fail();
}
