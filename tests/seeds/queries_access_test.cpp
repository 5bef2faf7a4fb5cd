// What a query says about reading and writing: the programs of the queries document, completed.
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

struct fixture {
    fixture() { world.entity().set<Position>({1, 2}).set<Velocity>({3, 4}); }
    flecs::world world;
};

template <class Query>
flecs::inout_kind_t access_of(const Query& query, int index) {
    const flecs::term term = query.term(index);
    return term.inout();
}

}  // namespace

TEST_SUITE("seeds.queries_access") {
    TEST_CASE_FIXTURE(fixture, "inout states the access of a term") {
        flecs::filter<> f =
            world.filter_builder().term<Position>().term<Velocity>().inout(flecs::In).build();
        CHECK(access_of(f, 0) == flecs::InOutDefault);
        CHECK(access_of(f, 1) == flecs::In);
    }

    TEST_CASE_FIXTURE(fixture, "const template arguments are read only") {
        flecs::filter<Position, const Velocity> f = world.filter<Position, const Velocity>();
        CHECK(access_of(f, 1) == flecs::In);
        f.iter([](flecs::iter& it) {
            CHECK_FALSE(it.is_readonly(1));
            CHECK(it.is_readonly(2));
        });
    }

    TEST_CASE_FIXTURE(fixture, "const types of terms are read only") {
        flecs::filter<> f = world.filter_builder().term<Position>().term<const Velocity>().build();
        CHECK(access_of(f, 1) == flecs::In);
    }

    TEST_CASE_FIXTURE(fixture, "a field that is read only must be asked for as const") {
        flecs::filter<> f =
            world.filter_builder().term<Position>().term<Velocity>().inout(flecs::In).build();

        int calls = 0;
        f.iter([&](flecs::iter& it) {
            CHECK(it.field<Position>(1)->x == 1);
            CHECK(it.field<const Position>(1)->y == 2);
            CHECK(it.field<const Velocity>(2)->x == 3);
            CHECK(error_of([&] { it.field<Velocity>(2); }) == flecs::errc::invalid_query);
            ++calls;
        });
        CHECK(calls == 1);
    }

    TEST_CASE_FIXTURE(fixture, "each access has a short form") {
        flecs::filter<> f =
            world.filter_builder().term<Position>().inout().term<Velocity>().in().build();
        CHECK(access_of(f, 0) == flecs::InOut);
        CHECK(access_of(f, 1) == flecs::In);
        flecs::filter<> g =
            world.filter_builder().term<Position>().out().term<Velocity>().inout_none().build();
        CHECK(access_of(g, 0) == flecs::Out);
        CHECK(access_of(g, 1) == flecs::InOutNone);
    }
}
