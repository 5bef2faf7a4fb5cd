// Terms that look along a relationship, for their subject, predicate or object: the programs of the
// older manual, completed.
#include <kith/kith.hpp>

#include "support/bindings.hpp"
#include "support/queries.hpp"

#include <doctest/doctest.h>

namespace flecs = kith;

using kith_test::bindings_of;
using kith_test::results_of;

namespace {

struct Position {
    float x = 0, y = 0;
};

// a - b - c - d - e, from the top.
struct fixture {
    flecs::world world;
    flecs::entity a = world.entity("a");
    flecs::entity b = world.entity("a::b");
    flecs::entity c = world.entity("a::b::c");
    flecs::entity d = world.entity("a::b::c::d");
    flecs::entity e = world.entity("a::b::c::d::e");
};

}  // namespace

TEST_SUITE("seeds.manual_substitution") {
    TEST_CASE_FIXTURE(fixture, "super finds the component of a parent") {
        a.add<Position>();
        c.add<Position>();
        // Position(super(ChildOf))
        auto qb = world.query_builder<>().term<Position>().super(flecs::ChildOf);
        CHECK(results_of(qb.build()) ==
              "b: Position@a\nc: Position@a\nd: Position@c\ne: Position@c\n");
        CHECK(results_of(world.query_builder<>().term<Position>().parent().build()) ==
              results_of(qb.build()));
    }

    TEST_CASE_FIXTURE(fixture, "self and superset start with the entity, and stop at a depth") {
        a.add<Position>();
        // Position(self|super(ChildOf, 3))
        auto qb = world.query_builder<>()
                      .term<Position>()
                      .set(flecs::Self | flecs::SuperSet, flecs::ChildOf)
                      .max_depth(3);
        CHECK(results_of(qb.build()) ==
              "a: Position\nb: Position@a\nc: Position@a\nd: Position@a\n");
    }

    TEST_CASE_FIXTURE(fixture, "a search begins at a depth") {
        a.add<Position>();
        b.add<Position>();
        // Position(super(ChildOf, 2, 4))
        auto qb = world.query_builder<>()
                      .term<Position>()
                      .super(flecs::ChildOf)
                      .min_depth(2)
                      .max_depth(4);
        CHECK(results_of(qb.build()) == "c: Position@a\nd: Position@b\ne: Position@b\n");
    }

    TEST_CASE_FIXTURE(fixture, "all finds everyone on the way") {
        a.add<Position>();
        b.add<Position>();
        // Position(all|super(ChildOf))
        auto qb = world.query_builder<>().term<Position>().super(flecs::ChildOf).all();
        CHECK(results_of(qb.build()) ==
              "b: Position@a\n"
              "c: Position@a\nc: Position@b\n"
              "d: Position@a\nd: Position@b\n"
              "e: Position@a\ne: Position@b\n");
    }

    TEST_CASE_FIXTURE(fixture, "a search starts from an entity that is named") {
        // Position(Bob[super(ChildOf)])
        auto q = world.query_builder<>().term<Position>().src(d).super(flecs::ChildOf).build();
        CHECK(results_of(q) == "");
        d.add<Position>();
        CHECK(results_of(q) == "");
        b.add<Position>();
        CHECK(results_of(q) == "() Position@b\n");
    }

    TEST_CASE_FIXTURE(fixture, "an object is replaced by its parents") {
        flecs::entity Likes = world.entity("Likes");
        world.entity("fan").add(Likes, a);
        world.entity("friend").add(Likes, d);
        world.entity("child").add(Likes, e);
        // (Likes, Alice[super(ChildOf)])
        auto q = world.query_builder<>().term(Likes).second(d).super(flecs::ChildOf).build();
        CHECK(results_of(q) == "fan: (Likes,a)\n");
    }
}
