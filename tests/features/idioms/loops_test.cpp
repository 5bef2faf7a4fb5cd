// Loops with a callback end when it returns false.
#include <kith/kith.hpp>

#include <doctest/doctest.h>

namespace {

struct Position {
    float x = 0;
};
struct Tag {};
struct Likes {};

struct fixture {
    kith::world world;
    kith::entity parent = world.entity("parent");
    int calls = 0;

    fixture() {
        for (int i = 0; i < 3; ++i) {
            world.entity().set(Position{1}).add<Tag>().add<Likes>(parent).child_of(parent);
        }
        // Another table.
        world.entity().set(Position{2}).add<Tag>().add<Likes>(parent).add(world.entity("other"));
    }
    auto once() {
        return [this](kith::entity) { return ++calls < 1; };
    }
};

}  // namespace

TEST_SUITE("features.idioms.loops") {
    TEST_CASE_FIXTURE(fixture, "world.each stops at false") {
        world.each([&](Position&) { return ++calls < 2; });
        CHECK(calls == 2);
        calls = 0;
        world.each([&](kith::entity, const Position&) { return ++calls < 2; });
        CHECK(calls == 2);
        calls = 0;
        world.each<Tag>(once());
        CHECK(calls == 1);
        calls = 0;
        world.each(kith::type_id<Tag>(), once());
        CHECK(calls == 1);
        calls = 0;
        world.each(kith::type_id<Likes>(), parent, once());
        CHECK(calls == 1);
    }

    TEST_CASE_FIXTURE(fixture, "children stop at false, and those of the root") {
        parent.children(once());
        CHECK(calls == 1);
        calls = 0;
        world.children(once());
        CHECK(calls == 1);
        calls = 0;
        parent.children<Likes>(once());
        CHECK(calls == 1);
    }

    TEST_CASE_FIXTURE(fixture, "each_source stops at false") {
        parent.each_source<Likes>(once());
        CHECK(calls == 1);
    }

    TEST_CASE_FIXTURE(fixture, "the ids and targets of an entity stop at false") {
        kith::entity e = world.entity().add<Likes>(parent).add<Likes>(world.entity()).add<Tag>();
        e.each([&](kith::id) { return ++calls < 2; });
        CHECK(calls == 2);
        calls = 0;
        e.each<Likes>(once());
        CHECK(calls == 1);
        calls = 0;
        e.each(kith::type_id<Likes>(), kith::Wildcard, [&](kith::id) { return ++calls < 1; });
        CHECK(calls == 1);
        calls = 0;
        e.match(kith::make_pair(kith::type_id<Likes>(), kith::Wildcard),
                [&](kith::id) { return ++calls < 1; });
        CHECK(calls == 1);
    }

    TEST_CASE_FIXTURE(fixture, "queries stop at false, and what is asked about them") {
        world.query<Position>().each([&](Position&) { return ++calls < 2; });
        CHECK(calls == 2);
        calls = 0;
        world.query<Position, Tag>().each_term([&](kith::term&) { return ++calls < 1; });
        CHECK(calls == 1);
    }

    TEST_CASE_FIXTURE(fixture, "callbacks that return nothing see all") {
        world.each<Tag>([&](kith::entity) { ++calls; });
        CHECK(calls == 4);
        calls = 0;
        parent.children([&](kith::entity) { ++calls; });
        CHECK(calls == 3);
    }
}
