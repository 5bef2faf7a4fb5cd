// Operators, access, and the parts of terms: the programs of the older manual, completed.
#include <kith/kith.hpp>

#include "support/bindings.hpp"

#include <doctest/doctest.h>

namespace flecs = kith;

using kith_test::bindings_of;

namespace {

struct Position {
    float x = 0, y = 0;
};
struct Velocity {
    float x = 0, y = 0;
};
struct Mass {
    float value = 0;
};
struct Game {
    float speed = 1;
};
struct NPC {};
struct Enemy {};
struct Likes {};
struct Apples {};

struct fixture {
    flecs::entity mover(const char* name) const {
        return world.entity(name).add<Position>().add<Velocity>();
    }

    flecs::world world;
};

}  // namespace

TEST_SUITE("seeds.manual_concepts") {
    TEST_CASE_FIXTURE(fixture, "Not reverses a term") {
        mover("player");
        mover("npc").add<NPC>();
        auto qb = world.query_builder<Position, const Velocity>().term<NPC>().oper(flecs::Not);
        CHECK(bindings_of(qb.build()) == "player");
    }

    TEST_CASE_FIXTURE(fixture, "Optional does not restrict") {
        mover("player");
        mover("npc").add<NPC>();
        auto qb = world.query_builder<Position, const Velocity>().term<NPC>().oper(flecs::Optional);
        auto q = qb.build();
        CHECK(bindings_of(q) == "npc; player");
        q.iter([](flecs::iter& it) {
            for (auto i : it) {
                CHECK(it.is_set(3) == it.entity(i).has<NPC>());
            }
        });
    }

    TEST_CASE_FIXTURE(fixture, "every term of a chain says Or") {
        mover("player");
        mover("npc").add<NPC>();
        mover("enemy").add<Enemy>();
        auto qb = world.query_builder<Position, const Velocity>()
                      .term<NPC>()
                      .oper(flecs::Or)
                      .term<Enemy>()
                      .oper(flecs::Or);
        CHECK(bindings_of(qb.build()) == "enemy; npc");
    }

    TEST_CASE_FIXTURE(fixture, "a type entity lists components for AndFrom, OrFrom and NotFrom") {
        auto Bacon = world.entity();
        auto Eggs = world.entity();
        auto Tomato = world.entity();
        auto Lettuce = world.entity();
        auto Ingredients = world.type("Ingredients").add(Bacon).add(Eggs).add(Tomato).add(Lettuce);
        mover("all").add(Bacon).add(Eggs).add(Tomato).add(Lettuce);
        mover("some").add(Eggs);
        mover("none");

        auto qb =
            world.query_builder<Position, const Velocity>().term(Ingredients).oper(flecs::AndFrom);
        CHECK(bindings_of(qb.build()) == "all");
        CHECK(bindings_of(
                  world.query_builder<Position>().term(Ingredients).oper(flecs::OrFrom).build()) ==
              "all; some");
        CHECK(bindings_of(
                  world.query_builder<Position>().term(Ingredients).oper(flecs::NotFrom).build()) ==
              "none");
    }

    TEST_CASE_FIXTURE(fixture, "read access is stated on the term, or by const") {
        mover("player");
        auto qb = world.query_builder<Position>().term<Velocity>().inout(flecs::In);
        qb.build().iter([](flecs::iter& it) {
            CHECK_FALSE(it.is_readonly(1));
            CHECK(it.is_readonly(2));
        });

        auto q = world.query<Position, const Velocity>();
        int calls = 0;
        q.each([&](flecs::entity, Position& p, const Velocity& v) {
            p.x += v.x;
            p.y += v.y;
            ++calls;
        });
        CHECK(calls == 1);
        q.iter([](flecs::iter& it) { CHECK(it.is_readonly(2)); });
    }

    TEST_CASE_FIXTURE(fixture, "a component is a type") {
        mover("light");
        mover("heavy").add<Mass>();
        auto qb = world.query_builder<Position, const Velocity>().term<Mass>();
        CHECK(bindings_of(qb.build()) == "heavy");
    }

    TEST_CASE_FIXTURE(fixture, "a tag is an entity") {
        auto Npc = world.entity();
        world.entity("one").add(Npc);
        world.entity("two");
        auto qb = world.query_builder<>().term(Npc);
        CHECK(bindings_of(qb.build()) == "one");
    }

    TEST_CASE_FIXTURE(fixture, "a relation is two types, two entities, or a type and an entity") {
        flecs::entity likes = world.component<Likes>();
        flecs::entity apples = world.component<Apples>();
        world.entity("eater").add<Likes, Apples>();
        world.entity("other").add<Likes>(world.entity());

        // (Likes, Apples)
        auto by_types = world.query_builder<>().term<Likes, Apples>();
        auto by_entities = world.query_builder<>().term(likes, apples);
        auto by_both = world.query_builder<>().term<Likes>(apples);
        CHECK(bindings_of(by_types.build()) == "eater");
        CHECK(bindings_of(by_entities.build()) == "eater");
        CHECK(bindings_of(by_both.build()) == "eater");
    }

    TEST_CASE_FIXTURE(fixture, "a singleton is a component of itself") {
        mover("player");
        // $Game
        auto qb = world.query_builder<Position, const Velocity>().term<Game>().singleton();
        auto q = qb.build();
        CHECK(bindings_of(q) == "");
        world.set<Game>({2});
        CHECK(bindings_of(q) == "player");
        q.iter([&](flecs::iter& it) { CHECK(it.src(3) == world.component<Game>()); });
    }

    TEST_CASE_FIXTURE(fixture, "subject and object are set one by one") {
        flecs::entity likes = world.entity("likes");
        flecs::entity Alice = world.entity("Alice");
        world.entity("bob").add<Position>().add(likes, Alice);
        world.entity("carl").add<Position>().add(likes, world.entity("Dora"));
        world.entity("eve").add(likes, Alice);

        // Position(This), (Likes, Alice)
        auto qb =
            world.query_builder<>().term<Position>().subj(flecs::This).term(likes).object(Alice);
        CHECK(bindings_of(qb.build()) == "bob");
    }

    TEST_CASE_FIXTURE(fixture, "a wildcard gives a result for each object") {
        flecs::entity likes = world.entity("likes");
        world.entity("bob").add(likes, world.entity("Alice")).add(likes, world.entity("Dora"));
        world.entity("carl").add(likes, world.entity("Dora"));
        // (Likes, *)
        auto qb = world.query_builder<>().term(likes, flecs::Wildcard);
        CHECK(bindings_of(qb.build()) == "bob; bob; carl");
    }
}
