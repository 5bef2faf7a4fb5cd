// Queries: who has what.
#include <kith/kith.hpp>

#include <cstdio>

struct Position {
    float x, y;
};
struct Velocity {
    float x, y;
};
struct Mass {
    float kilograms;
};
struct Clock {
    float step;
};
struct Npc {};
struct Frozen {};
struct Eats {
    int daily;
};
struct Apples {};

int main() {
    kith::world world;
    auto ann = world.entity("ann").set(Position{0, 0}).set(Velocity{1, 2}).add<Npc>();
    auto ben = world.entity("ben").set(Position{5, 5}).set(Velocity{0, 1}).add<Frozen>();
    auto tree = world.entity("tree").set(Position{9, 9});

    // [ask]
    auto moving = world.query<Position, const Velocity>();
    moving.each([](Position& position, const Velocity& velocity) {
        position.x += velocity.x;
        position.y += velocity.y;
    });
    // [/ask]
    // [entity]
    moving.each([](kith::entity who, Position& position, const Velocity&) {
        std::printf("%s is at %g, %g\n", who.name().c_str(), position.x, position.y);
    });
    // [/entity]

    // [builder]
    auto free = world.filter_builder<Position>().with<Velocity>().without<Frozen>().build();
    std::printf("%d may move\n", free.count());
    // [/builder]

    // [ranges]
    for (auto [who, position, velocity] : moving) {
        std::printf("%s moves by %g\n", who.name().c_str(), velocity.x);
    }
    auto resting = world.query_builder().with<Position>().without<Velocity>().build();
    for (auto row : resting) {
        std::printf("%s does not\n", row.entity().name().c_str());
    }
    // [/ranges]

    // [tables]
    moving.iter([](kith::iter& it, Position* position, const Velocity* velocity) {
        for (auto row : it) {
            position[row].x -= velocity[row].x;
        }
    });
    // [/tables]
    // [fields]
    auto placed = world.filter_builder().term<Position>().term<Velocity>().optional().build();
    placed.iter([](kith::iter& it) {
        auto position = it.field<Position>(1);
        for (auto row : it) {
            std::printf("%s: %g%s\n", it.entity(row).name().c_str(), position[row].x,
                        it.is_set(2) ? ", moves" : "");
        }
    });
    // [/fields]

    // [pairs]
    ann.set<Eats, Apples>({3});
    ann.set<Eats>(tree, {1});
    world.filter_builder()
        .term<Eats>(kith::Wildcard)
        .build()
        .each([](kith::iter& it, std::size_t row) {
            std::printf("%s: %s\n", it.entity(row).name().c_str(), it.pair(1).str().c_str());
        });
    world.filter<kith::rel<Eats>>().each([](kith::entity who, kith::rel<Eats> meal) {
        std::printf("%s eats %d of %s\n", who.name().c_str(), meal->daily,
                    meal.target().name().c_str());
    });
    // [/pairs]

    // [sources]
    world.set(Clock{0.5f});
    auto stepped =
        world.filter_builder<Position, const Velocity, const Clock>().arg(3).singleton().build();
    stepped.each([](Position& position, const Velocity& velocity, const Clock& clock) {
        position.x += velocity.x * clock.step;
    });
    // [/sources]
    std::printf("ann is at %g\n", ann.get<Position>()->x);

    // [inherit]
    auto rock = world.prefab("rock").set(Mass{70});
    world.entity("pebble").is_a(rock).set(Position{1, 1});
    world.filter<const Position, const Mass>().each(
        [](kith::entity who, const Position&, const Mass& mass) {
            std::printf("%s weighs %g\n", who.name().c_str(), mass.kilograms);
        });
    // [/inherit]

    // [parents]
    world.entity("nest").child_of(tree).set(Position{1, 2});
    world.entity("egg").child_of(world.lookup("tree::nest")).set(Position{0.5f, 0});
    auto places =
        world.query_builder<const Position, const Position*>().arg(2).parent().cascade().build();
    places.each([](kith::entity who, const Position& own, const Position* parent) {
        if (parent) {
            std::printf("%s: %g in %g\n", who.name().c_str(), own.x, parent->x);
        }
    });
    // [/parents]

    // [lists]
    auto creature = world.prefab("creature").add<Position>().add<Velocity>();
    auto creatures = world.filter_builder().with(creature).and_from().build();
    std::printf("%d creatures\n", creatures.count());
    creature.add<Npc>();
    std::printf("%d now that they are npcs\n", creatures.count());
    // [/lists]

    // [matches]
    std::printf("ben %s\n", moving.matches(ben) ? "moves" : "stays");
    auto found =
        moving.find([](const Position& position, const Velocity&) { return position.y > 5; });
    std::printf("found %s\n", found.name().c_str());
    // [/matches]

    // [defer]
    world.defer([&] {
        moving.each([](kith::entity who, Position&, const Velocity&) { who.add<Frozen>(); });
    });
    // [/defer]
    std::printf("%d may move\n", free.count());

    // [explain]
    std::printf(
        "%s",
        world.filter_builder<Position>().with<Velocity>().without<Npc>().build().explain().c_str());
    // [/explain]

    // [error]
    try {
        world.filter_builder().term<Position>().up(world.entity("Likes")).build();
    } catch (const kith::error& refused) {
        std::printf("%s\n", refused.what());
    }
    // [/error]
}
