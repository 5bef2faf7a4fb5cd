// Kinds of queries, and making them with template arguments and with builders: the programs of the
// queries document, completed.
#include <kith/kith.hpp>

#include <doctest/doctest.h>

namespace flecs = kith;

namespace {

struct Position {
    float x = 0, y = 0;
};
struct Velocity {
    float x = 0, y = 0;
};
struct Npc {};

struct fixture {
    fixture() {
        mover.set<Position>({10, 20}).set<Velocity>({1, 2});
        npc.set<Position>({30, 40}).set<Velocity>({3, 4}).add<Npc>();
        idle.set<Position>({5, 6});
    }
    void check_moved_once() const {
        CHECK(mover.get<Position>()->x == 11);
        CHECK(mover.get<Position>()->y == 22);
        CHECK(npc.get<Position>()->x == 33);
        CHECK(npc.get<Position>()->y == 44);
        CHECK(idle.get<Position>()->x == 5);
    }

    flecs::world world;
    flecs::entity mover = world.entity();
    flecs::entity npc = world.entity();
    flecs::entity idle = world.entity();
};

template <class Query>
flecs::inout_kind_t access_of(const Query& query, int index) {
    const flecs::term term = query.term(index);
    return term.inout();
}

}  // namespace

TEST_SUITE("seeds.queries_creation") {
    TEST_CASE_FIXTURE(fixture, "a filter moves what has both components") {
        flecs::filter<Position, Velocity> f = world.filter<Position, Velocity>();

        f.each([](Position& p, Velocity& v) {
            p.x += v.x;
            p.y += v.y;
        });
        check_moved_once();
    }

    TEST_CASE_FIXTURE(fixture, "a cached query moves what has both components") {
        flecs::query<Position, Velocity> q = world.query<Position, Velocity>();

        q.each([](Position& p, Velocity& v) {
            p.x += v.x;
            p.y += v.y;
        });
        check_moved_once();
    }

    TEST_CASE_FIXTURE(fixture, "a rule moves what has both components") {
        flecs::rule<Position, Velocity> r = world.rule<Position, Velocity>();

        r.each([](Position& p, Velocity& v) {
            p.x += v.x;
            p.y += v.y;
        });
        check_moved_once();
    }

    TEST_CASE_FIXTURE(fixture, "a const template argument is handed out as const") {
        flecs::filter<Position, const Velocity> f = world.filter<Position, const Velocity>();

        f.each([](Position& p, const Velocity& v) {
            p.x += v.x;
            p.y += v.y;
        });
        check_moved_once();
    }

    TEST_CASE_FIXTURE(fixture, "a builder collects terms, some of them on a condition") {
        auto build = [&](bool add_npc) {
            auto f = world.filter_builder<Position>();
            f.term<const Velocity>();

            if (add_npc) {
                f.term<Npc>();
            }

            return f.build();
        };
        flecs::filter<Position> all = build(false);
        flecs::filter<Position> npcs = build(true);
        CHECK(all.count() == 2);
        CHECK(npcs.count() == 1);
        CHECK(npcs.first() == npc);
    }

    TEST_CASE_FIXTURE(fixture, "each kind of query has its builder") {
        flecs::filter<Position> f = world.filter_builder<Position>().term<Npc>().build();
        flecs::query<Position> q = world.query_builder<Position>().term<Npc>().build();
        flecs::rule<Position> r = world.rule_builder<Position>().term<Npc>().build();
        CHECK(f.first() == npc);
        CHECK(q.first() == npc);
        CHECK(r.first() == npc);
    }

    TEST_CASE_FIXTURE(fixture, "with and without stand for term, and for term with not_") {
        CHECK(world.filter_builder<Position>().with<Velocity>().build().count() ==
              world.filter_builder<Position>().term<Velocity>().build().count());
        flecs::filter<Position> short_form =
            world.filter_builder<Position>().without<Velocity>().build();
        flecs::filter<Position> long_form =
            world.filter_builder<Position>().term<Velocity>().not_().build();
        CHECK(short_form.first() == idle);
        CHECK(short_form.count() == 1);
        CHECK(long_form.first() == idle);
        CHECK(long_form.count() == 1);
    }

    TEST_CASE_FIXTURE(fixture,
                      "read and write without arguments are those of the last term's type") {
        flecs::filter<> f = world.filter_builder<Position>()
                                .term<Velocity>()
                                .write()
                                .term<Velocity>()
                                .read()
                                .build();
        CHECK(access_of(f, 1) == flecs::Out);
        CHECK(access_of(f, 2) == flecs::In);
        CHECK(f.count() == world.filter<Position>().count());  // Velocity is not matched
    }
}
