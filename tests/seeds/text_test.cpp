// Queries given as text: the programs of the documents, completed.
#include <kith/kith.hpp>

#include <string>

#include <doctest/doctest.h>

namespace flecs = kith;

namespace {

struct Position {
    float x = 0, y = 0;
};
struct Velocity {
    float x = 0, y = 0;
};
struct NPC {};
struct Npc {};

struct fixture {
    fixture() {
        world.component<Position>("Position");
        world.component<Velocity>("Velocity");
        world.component<NPC>("NPC");
    }
    flecs::world world;
    flecs::entity Likes = world.entity("Likes");
    flecs::entity Apples = world.entity("Apples");
    flecs::entity Alice = world.entity("Alice");
    flecs::entity Bob = world.entity("Bob");
};

std::string names_of(const flecs::filter<>& query) {
    std::string names;
    query.each([&](flecs::entity e) { names += std::string(e.name().c_str()) + " "; });
    return names;
}

}  // namespace

TEST_SUITE("seeds.text") {
    TEST_CASE_FIXTURE(fixture, "a builder takes an expression") {
        Bob.set<Position>({1, 2}).set<Velocity>({3, 4});
        Alice.set<Position>({5, 6});

        flecs::filter<> f = world.filter_builder().expr("Position, [in] Velocity").build();

        CHECK(names_of(f) == "Bob ");
        CHECK(f.term(1).inout() == flecs::In);
    }

    TEST_CASE_FIXTURE(fixture, "a descriptor takes an expression") {
        Bob.set<Position>({1, 2}).set<Velocity>({3, 4});

        flecs::query_desc desc;
        desc.expr = "Position, [in] Velocity";
        flecs::filter<> f = world.filter(desc);

        CHECK(names_of(f) == "Bob ");
    }

    TEST_CASE_FIXTURE(fixture, "an expression and terms of text go together") {
        Bob.set<Position>({}).set<Velocity>({}).add<NPC>().add(Likes, Apples);
        Alice.set<Position>({}).set<Velocity>({}).add<NPC>();

        auto q = world.query_builder()
                     .expr("Position, [in] Velocity")
                     .term("NPC")
                     .term("(Likes, Apples)")
                     .build();

        CHECK(names_of(q) == "Bob ");
        CHECK(q.field_count() == 4);
    }

    TEST_CASE_FIXTURE(fixture, "an expression follows the terms of a descriptor") {
        Bob.set<Position>({}).set<Velocity>({}).add<NPC>().add(Likes, Apples);
        Alice.set<Position>({}).set<Velocity>({});

        flecs::term_desc terms[2];
        terms[0].id = world.id<Position>();
        terms[1].id = world.id<Velocity>();
        flecs::query_desc desc;
        desc.terms = terms;
        desc.count = 2;
        desc.expr = "NPC, (Likes, Apples)";
        flecs::filter<> f = world.filter(desc);

        CHECK(names_of(f) == "Bob ");
    }

    TEST_CASE_FIXTURE(fixture, "wildcards in expressions") {
        Bob.add(Likes, Alice).add(Likes, Apples);
        Alice.add(Apples);

        auto q = world.query("(Likes, *)");

        CHECK(names_of(q) == "Bob Bob ");
        CHECK(names_of(world.query("(*, Alice)")) == "Bob ");
        // Names are pairs, too: everybody who has one.
        CHECK(names_of(world.filter("(*, *)")).find("Bob Bob Bob") != std::string::npos);
    }

    TEST_CASE_FIXTURE(fixture, "any named entity, and any id, can be an identifier") {
        // Register component type so we can look it up by name
        world.component<Npc>();

        // Create entity with name so we can look it up
        flecs::entity Platoon_01 = world.entity("Platoon_01");

        flecs::entity e = world.entity().add<Npc>().add(Platoon_01);

        const std::string npc = world.component<Npc>().path().c_str();
        CHECK(world.filter((npc + ", Platoon_01").c_str()).first() == e);
        const std::string ids =
            std::to_string(world.component<Npc>().id()) + ", " + std::to_string(Platoon_01.id());
        CHECK(world.filter(ids.c_str()).first() == e);
    }
}
