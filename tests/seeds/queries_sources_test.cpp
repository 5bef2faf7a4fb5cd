// Terms that are matched on a given entity, and singletons: the programs of the queries document,
// completed.
#include <kith/kith.hpp>

#include "support/errors.hpp"

namespace flecs = kith;

using kith_test::error_of;

namespace {

struct Position {
    float x = 0, y = 0;
};
struct Velocity {
    float x = 0, y = 0;
};
struct SimTime {
    float value = 0;
};
struct SimConfig {
    float sim_speed = 0;
};
struct Input {
    float dx = 0;
};
struct Player {};

struct fixture {
    fixture() {
        a.set<Position>({10, 20}).set<Velocity>({1, 2});
        b.set<Position>({30, 40}).set<Velocity>({3, 4});
        Game.set<SimTime>({2});
        Cfg.set<SimConfig>({5});
    }
    void check_moved_twice() const {
        CHECK(a.get<Position>()->x == 12);
        CHECK(a.get<Position>()->y == 24);
        CHECK(b.get<Position>()->x == 36);
        CHECK(b.get<Position>()->y == 48);
    }

    flecs::world world;
    flecs::entity a = world.entity();
    flecs::entity b = world.entity();
    flecs::entity Game = world.entity("Game");
    flecs::entity Cfg = world.entity("Cfg");
};

}  // namespace

TEST_SUITE("seeds.queries_sources") {
    TEST_CASE_FIXTURE(fixture, "a term may be matched on a given entity") {
        flecs::filter<> f = world.filter_builder()
                                .term<Position>()
                                .term<Velocity>()
                                .term<SimTime>()
                                .src(Game)
                                .build();

        int results = 0;
        f.iter([&](flecs::iter& it) {
            auto p = it.field<Position>(1);
            auto v = it.field<Velocity>(2);
            auto st = it.field<const SimTime>(3);

            for (auto i : it) {
                CHECK(i == 0);
                p[i].x += v[i].x * st[i].value;
                p[i].y += v[i].y * st[i].value;
            }
            ++results;
        });
        check_moved_twice();
        CHECK(results == 2);  // one for each entity
    }

    TEST_CASE_FIXTURE(fixture, "the value of a given entity is for reading, unless stated") {
        auto build = [&](flecs::inout_kind_t access) {
            return world.filter_builder()
                .term<Position>()
                .term<SimTime>()
                .src(Game)
                .inout(access)
                .build();
        };
        build(flecs::InOutDefault).iter([](flecs::iter& it) {
            CHECK(error_of([&] { it.field<SimTime>(2); }) == flecs::errc::invalid_query);
        });
        build(flecs::InOut).iter([](flecs::iter& it) { it.field<SimTime>(2)->value += 1; });
        CHECK(Game.get<SimTime>()->value == 4);
    }

    TEST_CASE_FIXTURE(fixture, "each hands the given entity's value to every row") {
        flecs::filter<Position, Velocity, SimTime> f =
            world.filter_builder<Position, Velocity, SimTime>().arg(3).src(Game).build();

        f.each([](flecs::entity, Position& p, Velocity& v, SimTime& st) {
            p.x += v.x * st.value;
            p.y += v.y * st.value;
        });
        check_moved_twice();
    }

    TEST_CASE_FIXTURE(fixture, "a query of given entities only has results without rows") {
        flecs::filter<SimConfig, SimTime> f =
            world.filter_builder<SimConfig, SimTime>().arg(1).src(Cfg).arg(2).src(Game).build();

        f.iter([](flecs::iter& it, SimConfig* sc, SimTime* st) {
            CHECK(it.count() == 0);
            st->value += sc->sim_speed;
        });
        CHECK(Game.get<SimTime>()->value == 7);

        f.each([](SimConfig& sc, SimTime& st) { st.value += sc.sim_speed; });
        CHECK(Game.get<SimTime>()->value == 12);

        f.each([](flecs::iter&, size_t, SimConfig& sc, SimTime& st) { st.value += sc.sim_speed; });
        CHECK(Game.get<SimTime>()->value == 17);

        // There is no entity to pass to the first parameter
        CHECK(error_of([&] {
                  f.each(
                      [](flecs::entity, SimConfig& sc, SimTime& st) { st.value += sc.sim_speed; });
              }) == flecs::errc::invalid_query);
        CHECK(Game.get<SimTime>()->value == 17);
    }

    TEST_CASE_FIXTURE(fixture, "the given entity may be named") {
        flecs::filter<SimConfig, SimTime> f =
            world.filter_builder<SimConfig, SimTime>().arg(1).src("Cfg").arg(2).src("Game").build();
        f.each([](SimConfig& sc, SimTime& st) { st.value += sc.sim_speed; });
        CHECK(Game.get<SimTime>()->value == 7);
    }

    TEST_CASE_FIXTURE(fixture, "a singleton is matched on its own component") {
        a.add<Player>();
        auto check = [&](const flecs::filter<Player, Position>& f) {
            world.remove<Input>();
            CHECK(f.count() == 0);
            world.set<Input>({7});
            CHECK(f.count() == 1);
            int calls = 0;
            f.iter([&](flecs::iter& it, Player*, Position* p) {
                auto input = it.field<const Input>(3);
                p[0].x = 10 + input->dx;
                ++calls;
            });
            CHECK(calls == 1);
            CHECK(a.get<Position>()->x == 17);
        };
        check(world.filter_builder<Player, Position>().term<Input>().src<Input>().build());
        check(world.filter_builder<Player, Position>().term<Input>().singleton().build());
    }
}
