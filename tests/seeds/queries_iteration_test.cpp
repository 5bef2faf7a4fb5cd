// Ways to go through the results of a query, and what may be changed meanwhile: the programs of the
// queries document, completed.
#include <kith/kith.hpp>

#include "support/errors.hpp"

#include <sstream>

namespace flecs = kith;

using kith_test::error_of;

namespace {

struct Position {
    float x = 0, y = 0;
};
struct Velocity {
    float x = 0, y = 0;
};
struct Tag {};

struct fixture {
    fixture() {
        a.set<Position>({10, 20}).set<Velocity>({1, 2});
        b.set<Position>({30, 40}).set<Velocity>({3, 4});
    }
    void check_moved_once() const {
        CHECK(a.get<Position>()->x == 11);
        CHECK(a.get<Position>()->y == 22);
        CHECK(b.get<Position>()->x == 33);
        CHECK(b.get<Position>()->y == 44);
    }

    flecs::world world;
    flecs::entity a = world.entity("a");
    flecs::entity b = world.entity("b");
    std::ostringstream cout;
};

}  // namespace

TEST_SUITE("seeds.queries_iteration") {
    TEST_CASE_FIXTURE(fixture, "each takes the components by reference") {
        auto f = world.filter<Position, const Velocity>();

        f.each([](Position& p, const Velocity& v) {
            p.x += v.x;
            p.y += v.y;
        });
        check_moved_once();
    }

    TEST_CASE_FIXTURE(fixture, "each may take the entity first") {
        auto f = world.filter<Position>();

        f.each([&](flecs::entity e, Position& p) {
            cout << e.name() << ": " << p.x << ", " << p.y << std::endl;
        });
        CHECK(cout.str() == "a: 10, 20\nb: 30, 40\n");
    }

    TEST_CASE_FIXTURE(fixture, "each may take an iterator and a row, which tell the matched id") {
        flecs::entity Likes = world.entity("Likes");
        a.add(Likes, b);
        auto f = world.filter_builder<Position>().term(Likes, flecs::Wildcard).build();

        f.each([&](flecs::iter& it, size_t index, Position& p) {
            flecs::entity e = it.entity(index);
            cout << e.name() << ": " << it.id(2).str() << " " << p.x << std::endl;
        });
        CHECK(cout.str() == "a: (Likes,b) 10\n");
    }

    TEST_CASE_FIXTURE(fixture, "a tag is taken by value") {
        b.add<Tag>();
        auto f = world.filter<Tag>();

        f.each([&](flecs::entity e, Tag) { cout << e.name() << std::endl; });
        CHECK(cout.str() == "b\n");
    }

    TEST_CASE_FIXTURE(fixture, "a tag that is no template argument is no parameter") {
        b.add<Tag>();
        auto f = world.filter_builder().term<Tag>().build();

        f.each([&](flecs::entity e) { cout << e.name() << std::endl; });
        CHECK(cout.str() == "b\n");
    }

    TEST_CASE_FIXTURE(fixture, "iter hands out arrays, with a loop over the iterator") {
        auto f = world.filter<Position, const Velocity>();

        f.iter([&](flecs::iter& it, Position* p, const Velocity* v) {
            for (auto i : it) {
                p[i].x += v[i].x;
                p[i].y += v[i].y;
                cout << it.entity(i).name() << ": " << p[i].x << ", " << p[i].y << std::endl;
            }
        });
        check_moved_once();
        CHECK(cout.str() == "a: 11, 22\nb: 33, 44\n");
    }

    TEST_CASE_FIXTURE(fixture, "iter hands out arrays, with a loop by count") {
        auto f = world.filter<Position, const Velocity>();

        f.iter([](flecs::iter& it, Position* p, const Velocity* v) {
            for (size_t i = 0; i < it.count(); i++) {
                p[i].x += v[i].x;
                p[i].y += v[i].y;
            }
        });
        check_moved_once();
    }

    TEST_CASE_FIXTURE(fixture, "a callback of iter may drop const, as the document does") {
        auto f = world.filter<Position, const Velocity>();
        float sum = 0;

        f.iter([&](flecs::iter& it, Position* p, Velocity* v) {
            for (auto i : it) {
                sum += p[i].x + v[i].x;
            }
        });
        CHECK(sum == 44);
    }

    TEST_CASE_FIXTURE(fixture, "iter may leave out the components and ask for fields") {
        auto f = world.filter<Position, const Velocity>();

        f.iter([](flecs::iter& it) {
            auto p = it.field<Position>(1);
            auto v = it.field<const Velocity>(2);

            for (auto i : it) {
                p[i].x += v[i].x;
                p[i].y += v[i].y;
            }
        });
        check_moved_once();
    }

    TEST_CASE_FIXTURE(fixture, "fields can be read without knowing their type") {
        auto f = world.filter<Position, const Velocity>();

        int calls = 0;
        f.iter([&](flecs::iter& it) {
            void* ptr = it.field(1);
            flecs::id type_id = it.id(1);

            CHECK(type_id == world.id<Position>());
            CHECK(ptr == a.get<Position>());
            CHECK(it.size(1) == sizeof(Position));
            ++calls;
        });
        CHECK(calls == 1);
    }

    TEST_CASE_FIXTURE(fixture, "a component cannot be added to what is being visited") {
        flecs::entity still = world.entity().set<Position>({1, 1});
        auto f = world.filter_builder<Position>().without<Velocity>().build();

        CHECK(error_of([&] { f.each([](flecs::entity e, Position&) { e.add<Velocity>(); }); }) ==
              flecs::errc::locked);
        CHECK_FALSE(still.has<Velocity>());
    }

    TEST_CASE_FIXTURE(fixture, "inside of defer it can, and happens at the end") {
        flecs::entity still = world.entity().set<Position>({1, 1});
        auto f = world.filter<Position>();

        world.defer([&] {
            f.each([](flecs::entity e, Position&) { e.add<Velocity>(); });
            CHECK_FALSE(still.has<Velocity>());
        });
        CHECK(still.has<Velocity>());
    }

    TEST_CASE_FIXTURE(fixture, "defer_begin and defer_end do the same") {
        flecs::entity still = world.entity().set<Position>({1, 1});
        auto f = world.filter<Position>();

        world.defer_begin();

        f.each([](flecs::entity e, Position&) { e.add<Velocity>(); });
        CHECK_FALSE(still.has<Velocity>());

        world.defer_end();
        CHECK(still.has<Velocity>());
    }
}
