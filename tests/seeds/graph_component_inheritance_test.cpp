// Components that are subsets of others: the programs of the queries document, completed.
#include <kith/kith.hpp>

#include "support/bindings.hpp"
#include "support/errors.hpp"

#include <doctest/doctest.h>

namespace flecs = kith;

using kith_test::bindings_of;
using kith_test::error_of;

namespace {

struct Tower {};
struct StoneTower {};
struct WoodenTower {};

}  // namespace

TEST_SUITE("seeds.graph_component_inheritance") {
    TEST_CASE("a rule for a tag matches those that are derived from it") {
        flecs::world world;
        flecs::entity Unit = world.entity();
        flecs::entity MeleeUnit = world.entity().is_a(Unit);
        flecs::entity RangedUnit = world.entity().is_a(Unit);

        flecs::entity unit_01 = world.entity("unit_01").add(MeleeUnit);
        flecs::entity unit_02 = world.entity("unit_02").add(RangedUnit);
        world.entity("unit_03").add(Unit);
        world.entity("tree").add(world.entity());

        // Matches entities with Unit, MeleeUnit and RangedUnit
        flecs::rule<> r = world.rule_builder().term(Unit).build();
        CHECK(bindings_of(r) == "unit_01; unit_02; unit_03");
        r.each([&](flecs::iter& it, size_t row) {
            if (it.entity(row) == unit_01) {
                CHECK(it.id(1) == MeleeUnit);
            } else if (it.entity(row) == unit_02) {
                CHECK(it.id(1) == RangedUnit);
            } else {
                CHECK(it.id(1) == Unit);
            }
        });
    }

    TEST_CASE("a rule for an empty type matches those that are derived from it") {
        flecs::world world;
        world.component<StoneTower>().is_a<Tower>();
        world.component<WoodenTower>().is_a<Tower>();

        world.entity("tower_01").add<StoneTower>();
        world.entity("tower_02").add<WoodenTower>();
        world.entity("tower_03").add<Tower>();

        flecs::rule<Tower> r = world.rule<Tower>();
        CHECK(bindings_of(r) == "tower_01; tower_02; tower_03");
        int towers = 0;
        r.each([&](flecs::entity, Tower) { ++towers; });
        CHECK(towers == 3);
    }

    TEST_CASE("a final tag has nothing derived from it") {
        flecs::world world;
        flecs::entity Unit = world.entity();
        flecs::entity MeleeUnit = world.entity().is_a(Unit);
        world.entity("unit_01").add(MeleeUnit);
        world.entity("unit_02").add(Unit);
        CHECK(bindings_of(world.rule_builder().term(Unit).build()) == "unit_01; unit_02");

        flecs::entity Rank = world.entity().add(flecs::Final);
        world.entity("unit_03").add(Rank);
        CHECK(error_of([&] { world.entity().is_a(Rank); }) == flecs::errc::constraint);
        CHECK(bindings_of(world.rule_builder().term(Rank).build()) == "unit_03");
    }
}
