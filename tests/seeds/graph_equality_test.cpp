// Comparing variables with entities and names: the programs of the queries document, completed.
#include <kith/kith.hpp>

#include "support/bindings.hpp"

#include <doctest/doctest.h>

namespace flecs = kith;

using kith_test::bindings_of;

namespace {

struct fixture {
    flecs::world world;
    flecs::entity Foo = world.entity("Foo");
    flecs::entity Bar = world.entity("Bar");
    flecs::entity Fog = world.entity("Fog");
};

}  // namespace

TEST_SUITE("seeds.graph_equality") {
    TEST_CASE_FIXTURE(fixture, "all four comparisons in one rule leave one entity") {
        flecs::rule<> r = world
                              .rule_builder()
                              // $this == Foo
                              .with(flecs::PredEq, Foo)
                              // $this != Bar
                              .without(flecs::PredEq, Bar)
                              // $this == "Foo"
                              .with(flecs::PredEq)
                              .second("Foo")
                              .flags(flecs::IsName)
                              // $this ~= "Fo"
                              .with(flecs::PredMatch)
                              .second("Fo")
                              .flags(flecs::IsName)
                              .build();
        CHECK(bindings_of(r) == "Foo");
        CHECK(r.count() == 1);
        CHECK(r.first() == Foo);
    }

    TEST_CASE_FIXTURE(fixture, "$this equals an entity") {
        flecs::rule<> r = world.rule_builder().with(flecs::PredEq, Foo).build();
        CHECK(bindings_of(r) == "Foo");
    }

    TEST_CASE_FIXTURE(fixture, "$this equals the entity of a name, which need not exist yet") {
        flecs::rule<> r =
            world.rule_builder().with(flecs::PredEq).second("Later").flags(flecs::IsName).build();
        CHECK(bindings_of(r) == "");
        flecs::entity later = world.entity("Later");
        CHECK(bindings_of(r) == "Later");
        later.destruct();
        CHECK(bindings_of(r) == "");
    }

    TEST_CASE_FIXTURE(fixture, "$this has a name with a substring") {
        flecs::rule<> r =
            world.rule_builder().with(flecs::PredMatch).second("Fo").flags(flecs::IsName).build();
        CHECK(bindings_of(r) == "Fog; Foo");
    }

    TEST_CASE_FIXTURE(fixture, "equality gives a value to a variable that has none") {
        flecs::entity Likes = world.entity("Likes");
        Foo.add(Likes, Bar);
        Fog.add(Likes, Foo);
        flecs::rule<> r = world.rule_builder()
                              .with(flecs::PredEq)
                              .src("$x")
                              .second(Bar)
                              .with(Likes)
                              .second("$x")
                              .build();
        CHECK(bindings_of(r, {"x"}) == "Foo x=Bar");
    }

    TEST_CASE_FIXTURE(fixture, "comparisons combine with And, Not and Or, and give no data") {
        flecs::entity Tag = world.entity("Tag");
        Foo.add(Tag);
        Bar.add(Tag);
        Fog.add(Tag);
        flecs::rule<> either = world.rule_builder()
                                   .with(Tag)
                                   .with(flecs::PredEq, Foo)
                                   .or_()
                                   .with(flecs::PredEq, Bar)
                                   .build();
        CHECK(bindings_of(either) == "Bar; Foo");
        either.iter([](flecs::iter& it) {
            CHECK(it.is_set(1));
            CHECK_FALSE(it.is_set(2));
        });
        flecs::rule<> neither = world.rule_builder()
                                    .with(Tag)
                                    .without(flecs::PredEq, Foo)
                                    .without(flecs::PredEq, Bar)
                                    .build();
        CHECK(bindings_of(neither) == "Fog");
    }
}
