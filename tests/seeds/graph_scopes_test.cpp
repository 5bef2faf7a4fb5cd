// Terms in braces: the programs of the queries document, completed.
#include <kith/kith.hpp>

#include "support/bindings.hpp"
#include "support/errors.hpp"

#include <doctest/doctest.h>

namespace flecs = kith;

using kith_test::bindings_of;
using kith_test::error_of;

namespace {

struct Position {
    float x = 0, y = 0;
};
struct Velocity {
    float x = 0, y = 0;
};
struct Speed {
    float value = 0;
};
struct Mass {
    float value = 0;
};
struct Rotation {
    float angle = 0;
};

struct fixture {
    flecs::world world;
};

// Three parents: all children have Position, one of two has it, none has it; and one without.
struct family : fixture {
    family() {
        for (const char* name : {"all", "some", "none", "childless"}) {
            world.entity(name).add<Position>();
        }
        world.entity("all::a").add<Position>();
        world.entity("some::b").add<Position>();
        world.entity("some::c");
        world.entity("none::d");
        world.entity("none::e");
    }
};

}  // namespace

TEST_SUITE("seeds.graph_scopes") {
    TEST_CASE_FIXTURE(fixture, "a negated scope excludes what matches one of its terms") {
        world.entity("still").add<Position>();
        world.entity("moving").add<Position>().add<Velocity>();
        world.entity("fast").add<Position>().add<Speed>();
        world.entity("nowhere").add<Mass>();

        flecs::rule<> r = world
                              .rule_builder()
                              // Position, !{ Velocity || Speed }
                              .with<Position>()
                              .scope_open()
                              .not_()
                              .with<Velocity>()
                              .or_()
                              .with<Speed>()
                              .scope_close()
                              .build();
        CHECK(bindings_of(r) == "still");
    }

    TEST_CASE_FIXTURE(fixture, "a scope mixes operators") {
        world.entity("light").add<Position>().add<Velocity>();
        world.entity("still").add<Position>().add<Mass>();
        world.entity("moving").add<Position>().add<Mass>().add<Velocity>();
        world.entity("fast").add<Position>().add<Mass>().add<Speed>();
        world.entity("turning").add<Position>().add<Mass>().add<Velocity>().add<Rotation>();

        // Position, !{ Mass, Velocity || Speed, !Rotation }
        flecs::rule<> r = world.rule_builder()
                              .with<Position>()
                              .scope_open()
                              .not_()
                              .with<Mass>()
                              .with<Velocity>()
                              .or_()
                              .with<Speed>()
                              .without<Rotation>()
                              .scope_close()
                              .build();
        CHECK(bindings_of(r) == "light; still; turning");
    }

    TEST_CASE_FIXTURE(family, "a scope says that no child has the component") {
        // Position($this), !{ ChildOf($child, $this), Position($child) }
        flecs::rule<> r = world.rule_builder()
                              .with<Position>()
                              .src("$this")
                              .scope_open()
                              .not_()
                              .with(flecs::ChildOf, "$this")
                              .src("$child")
                              .with<Position>()
                              .src("$child")
                              .scope_close()
                              .build();
        // What has no children has none with Position.
        CHECK(bindings_of(r) == "a; b; childless; none");
    }

    TEST_CASE_FIXTURE(family, "a term says that there is a child without the component") {
        // Position($this), ChildOf($child, $this), !Position($child)
        flecs::rule<> r = world.rule_builder()
                              .with<Position>()
                              .src("$this")
                              .with(flecs::ChildOf, "$this")
                              .src("$child")
                              .without<Position>()
                              .src("$child")
                              .build();
        CHECK(bindings_of(r, {"child"}) == "none child=d; none child=e; some child=c");
    }

    TEST_CASE_FIXTURE(family, "a variable that a scope declares cannot be used behind it") {
        CHECK(error_of([&] {
                  world.rule_builder()
                      .with<Position>()
                      .scope_open()
                      .not_()
                      .with(flecs::ChildOf, "$this")
                      .src("$child")
                      .with<Position>()
                      .src("$child")
                      .scope_close()
                      .without(flecs::PredEq)
                      .src("$child")
                      .second(world.lookup("all::a"))
                      .build();
              }) == flecs::errc::invalid_query);
    }
}
