// Reflexive relationships: the programs of the queries document, completed.
#include <kith/kith.hpp>

#include "support/bindings.hpp"

#include <doctest/doctest.h>

namespace flecs = kith;

using kith_test::bindings_of;

TEST_SUITE("seeds.graph_reflexive") {
    TEST_CASE("a tree is a tree, and so is an oak") {
        flecs::world world;
        flecs::entity Tree = world.entity("Tree");
        flecs::entity Oak = world.entity("Oak").is_a(Tree);
        world.entity("Rock");

        // Matches Tree, Oak
        flecs::rule<> r = world.rule_builder().term(flecs::IsA, Tree).build();
        CHECK(bindings_of(r) == "Oak; Tree");
        CHECK(bindings_of(world.rule_builder().term(flecs::IsA, Oak).build()) == "Oak");
    }

    TEST_CASE("a relationship that is made reflexive holds between an entity and itself") {
        flecs::world world;
        flecs::entity Knows = world.entity("Knows").add(flecs::Reflexive);
        flecs::entity Bob = world.entity("Bob");
        flecs::entity Alice = world.entity("Alice").add(Knows, Bob);

        CHECK(bindings_of(world.rule_builder().term(Knows, Bob).build()) == "Alice; Bob");
        CHECK(bindings_of(world.rule_builder().term(Knows, Alice).build()) == "Alice");
    }
}
