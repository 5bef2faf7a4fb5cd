// Variables: the programs of the queries document, completed.
#include <kith/kith.hpp>

#include "support/bindings.hpp"

#include <doctest/doctest.h>

namespace flecs = kith;

using kith_test::bindings_of;

namespace {

struct Position {
    float x = 0, y = 0;
};
struct Velocity {
    float x = 0, y = 0;
};
struct SpaceShip {};
struct DockedTo {};
struct Planet {};
struct Station {};
struct Serializable {};

struct fixture {
    flecs::world world;
};

struct harbour : fixture {
    flecs::entity earth = world.entity("earth").add<Planet>();
    flecs::entity mars = world.entity("mars").add<Planet>();
    flecs::entity mir = world.entity("mir").add<Station>();
    flecs::entity eagle = world.entity("eagle").add<SpaceShip>().add<DockedTo>(earth);
    flecs::entity viking = world.entity("viking").add<SpaceShip>().add<DockedTo>(mars);
    flecs::entity soyuz = world.entity("soyuz").add<SpaceShip>().add<DockedTo>(mir);
    flecs::entity free = world.entity("free").add<SpaceShip>();
    flecs::entity truck = world.entity("truck").add<DockedTo>(earth);
};

}  // namespace

TEST_SUITE("seeds.graph_variables") {
    TEST_CASE_FIXTURE(fixture, "the entity that a query looks for is a variable") {
        world.entity("moving").add<Position>().add<Velocity>();
        world.entity("still").add<Position>();
        world.entity("nowhere").add<Velocity>();

        // Position($This), Velocity($This)
        flecs::rule<> r = world.rule_builder()
                              .term<Position>()
                              .src("$This")
                              .term<Velocity>()
                              .src("$This")
                              .build();
        CHECK(bindings_of(r) == "moving");
        CHECK(bindings_of(world.rule<Position, Velocity>()) == "moving");
    }

    TEST_CASE_FIXTURE(harbour, "a wildcard finds ships that are docked to anything") {
        // SpaceShip, (DockedTo, *)
        flecs::rule<> r =
            world.rule_builder().term<SpaceShip>().term<DockedTo>(flecs::Wildcard).build();
        CHECK(bindings_of(r) == "eagle; soyuz; viking");
    }

    TEST_CASE_FIXTURE(harbour, "a variable holds what the ship is docked to") {
        // SpaceShip($This), DockedTo($This, $Location)
        flecs::rule<> r =
            world.rule_builder().term<SpaceShip>().term<DockedTo>().second("$Location").build();
        CHECK(bindings_of(r, {"Location"}) ==
              "eagle Location=earth; soyuz Location=mir; viking Location=mars");
    }

    TEST_CASE_FIXTURE(harbour, "a variable restricts ships to those docked to a planet") {
        auto r = world.rule_builder()
                     .term<SpaceShip>()
                     .term<DockedTo>()
                     .second("$Location")
                     .term<Planet>()
                     .src("$Location")
                     .build();
        CHECK(bindings_of(r, {"Location"}) == "eagle Location=earth; viking Location=mars");
    }

    TEST_CASE_FIXTURE(harbour, "variables are also named by var") {
        auto r = world.rule_builder()
                     .term<SpaceShip>()
                     .term<DockedTo>()
                     .second()
                     .var("Location")
                     .term<Planet>()
                     .src()
                     .var("Location")
                     .build();
        CHECK(bindings_of(r, {"Location"}) == "eagle Location=earth; viking Location=mars");
    }

    TEST_CASE_FIXTURE(fixture, "a variable restricts components") {
        world.component<Position>().add<Serializable>();
        world.component<Planet>().add<Serializable>();
        world.entity("both").add<Position>().add<Planet>().add<Velocity>();
        world.entity("one").add<Planet>();
        world.entity("none").add<Velocity>();

        // Serializable($Component), $Component($This)
        flecs::rule<> r = world.rule_builder()
                              .term<Serializable>()
                              .src("$Component")
                              .term("$Component")
                              .src("$This")
                              .build();
        CHECK(bindings_of(r, {"Component"}) ==
              "both Component=Planet; both Component=Position; one Component=Planet");
    }

    TEST_CASE_FIXTURE(harbour, "a variable is set by its index before iterating") {
        auto r = world.rule_builder()
                     .term<SpaceShip>()
                     .term<DockedTo>()
                     .second("$Location")
                     .term<Planet>()
                     .src("$Location")
                     .build();

        int32_t location_var = r.find_var("Location");
        int ships = 0;
        r.iter().set_var(location_var, earth).each([&] { ++ships; });
        CHECK(ships == 1);
        CHECK(bindings_of(r.iter().set_var(location_var, mars), {"Location"}) ==
              "viking Location=mars");
        CHECK(bindings_of(r.iter().set_var(location_var, mir)) == "");
        CHECK(bindings_of(r) == "eagle; viking");
    }

    TEST_CASE_FIXTURE(harbour, "a variable is set by its name before iterating") {
        auto r =
            world.rule_builder().term<SpaceShip>().term<DockedTo>().second("$Location").build();

        int ships = 0;
        r.iter().set_var("Location", earth).each([&] { ++ships; });
        CHECK(ships == 1);
        r.iter().set_var("Location", mir).each([&](flecs::entity ship) {
            CHECK(ship == soyuz);
            ++ships;
        });
        CHECK(ships == 2);
    }

    TEST_CASE_FIXTURE(harbour, "$This is set like any other variable, also together with one") {
        auto r =
            world.rule_builder().term<SpaceShip>().term<DockedTo>().second("$Location").build();

        CHECK(bindings_of(r.iter().set_var("This", eagle), {"Location"}) == "eagle Location=earth");
        CHECK(bindings_of(r.iter().set_var(0, viking), {"Location"}) == "viking Location=mars");
        CHECK(bindings_of(r.iter().set_var("This", eagle).set_var("Location", earth)) == "eagle");
        CHECK(bindings_of(r.iter().set_var("This", eagle).set_var("Location", mars)) == "");
        CHECK(bindings_of(r.iter().set_var("This", free)) == "");
    }
}
