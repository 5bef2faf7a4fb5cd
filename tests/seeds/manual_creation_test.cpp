// Making and iterating queries: the programs of the older manual, completed.
#include <kith/kith.hpp>

#include "support/errors.hpp"

#include <cstring>
#include <sstream>

#include <doctest/doctest.h>

namespace flecs = kith;

using kith_test::error_of;

namespace {

struct Position {
    float x = 0, y = 0;
};
struct Velocity {
    float x = 0, y = 0;
};
struct Mass {
    float value = 1;
};
struct NPC {};

struct fixture {
    flecs::world world;
    flecs::entity Likes = world.entity("Likes");
    flecs::entity Apples = world.entity("Apples");
    flecs::entity a = world.entity("a").set<Position>({10, 20}).set<Velocity>({1, 2});
    flecs::entity b =
        world.entity("b").set<Position>({30, 40}).set<Velocity>({3, 4}).add<NPC>().add(Likes,
                                                                                       Apples);
    flecs::entity c = world.entity("c").set<Position>({50, 60}).set<Velocity>({5, 6}).add<NPC>();
    std::ostringstream cout;
};

}  // namespace

TEST_SUITE("seeds.manual_creation") {
    TEST_CASE_FIXTURE(fixture, "a list of types makes a query") {
        // q will be of type flecs::query<Position, const Velocity>
        auto q = world.query<Position, const Velocity>();
        static_assert(std::is_same_v<decltype(q), flecs::query<Position, const Velocity>>);
        CHECK(q.count() == 3);
    }

    TEST_CASE_FIXTURE(fixture, "a builder adds terms to the types") {
        // q will be of type flecs::query<Position, const Velocity>
        auto q =
            world.query_builder<Position, const Velocity>().term<NPC>().term(Likes, Apples).build();
        static_assert(std::is_same_v<decltype(q), flecs::query<Position, const Velocity>>);
        CHECK(q.count() == 1);
        CHECK(q.first() == b);
    }

    TEST_CASE_FIXTURE(fixture, "a query is built in parts") {
        for (bool add_fruit : {false, true}) {
            auto qb = world.query_builder<Position, const Velocity>().term<NPC>();

            if (add_fruit) {
                qb.term(Likes, Apples);
            }

            auto q = qb.build();
            CHECK(q.count() == (add_fruit ? 1 : 2));
        }
    }

    TEST_CASE_FIXTURE(fixture, "each visits entities one by one") {
        // q will be of type flecs::query<Position, const Velocity>
        auto q = world.query_builder<Position, const Velocity>().term<NPC>().build();

        q.each([&](flecs::entity e, Position& p, const Velocity& v) {
            p.x += v.x;
            p.y += v.y;
            cout << e.name() << " ";
        });
        CHECK((cout.str() == "b c " || cout.str() == "c b "));
        CHECK(a.get<Position>()->x == 10);
        CHECK(b.get<Position>()->x == 33);
        CHECK(c.get<Position>()->y == 66);
    }

    TEST_CASE_FIXTURE(fixture, "iter visits tables, with arrays of components") {
        auto q = world.query_builder<Position, const Velocity>().term<NPC>().build();

        q.iter([](flecs::iter& it, Position* p, const Velocity* v) {
            for (auto i : it) {
                p[i].x += v[i].x;
                p[i].y += v[i].y;
            }
        });
        CHECK(a.get<Position>()->x == 10);
        CHECK(b.get<Position>()->x == 33);
        CHECK(c.get<Position>()->y == 66);
    }

    TEST_CASE_FIXTURE(fixture, "iter reads components that are not template arguments") {
        b.set<Mass>({2});
        auto q = world.query_builder<Position, const Velocity>().term<Mass>().build();

        q.iter([](flecs::iter& it, Position* p, const Velocity* v) {
            auto mass = it.term<Mass>(3);  // 3rd term of the query

            for (auto i : it) {
                p[i].x += v[i].x / mass[i].value;
                p[i].y += v[i].y / mass[i].value;
            }
        });
        CHECK(a.get<Position>()->x == 10);
        CHECK(b.get<Position>()->x == 31.5f);
        CHECK(b.get<Position>()->y == 42);
    }

    TEST_CASE_FIXTURE(fixture, "a term read as another type is an error") {
        b.set<Mass>({2});
        auto q = world.query_builder<Position, const Velocity>().term<Mass>().build();
        CHECK(error_of([&] { q.iter([](flecs::iter& it) { it.term<Velocity>(3); }); }).has_value());
    }

    TEST_CASE_FIXTURE(fixture, "the iterator tells what a wildcard matched") {
        auto q = world.query_builder<>().term(Likes, flecs::Wildcard).build();

        q.iter([&](flecs::iter& it) {
            // Get the type id for the first term.
            auto likes = it.id(1);

            // Extract the object from the pair
            cout << "Entities like " << likes.second().name() << std::endl;
        });
        CHECK(cout.str() == "Entities like Apples\n");
    }

    TEST_CASE_FIXTURE(fixture, "a callback works without knowing the terms") {
        auto q = world.query_builder<>().term<Position>().term<NPC>().term<Velocity>().build();
        float sum = 0;
        q.iter([&](flecs::iter& it) {
            for (int t = 1; t <= it.field_count(); t++) {
                auto id = it.id(t);
                auto data = static_cast<char*>(it.term(t));

                // Use id & data, for example for reflection
                for (auto i : it) {
                    if (data) {
                        float first = 0;
                        std::memcpy(&first, data + i * it.size(t), sizeof(first));
                        sum += first;
                    } else {
                        CHECK(id == world.id<NPC>());
                    }
                }
            }
        });
        CHECK(sum == 30 + 3 + 50 + 5);
    }
}
