// Transitivity and the IsA relation: the programs of the older manual, completed.
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
struct Attack {
    float value = 0;
};
struct Defense {
    float value = 0;
};
struct MaxSpeed {
    float value = 0;
};

struct places {
    places() { e.add(LocatedIn, Mission); }

    flecs::world world;
    // Create the LocatedIn relation
    flecs::entity LocatedIn = world.entity("LocatedIn");

    // Create locations & their relations to each other
    flecs::entity US = world.entity("US");
    flecs::entity SanFrancisco = world.entity("SanFrancisco").add(LocatedIn, US);
    flecs::entity Mission = world.entity("Mission").add(LocatedIn, SanFrancisco);
    flecs::entity SOMA = world.entity("SOMA").add(LocatedIn, SanFrancisco);

    // An entity located in the Mission
    flecs::entity e = world.entity("e");
};

struct artworks {
    flecs::world world;
    flecs::entity Artwork = world.entity("Artwork");
    flecs::entity Painting = world.entity("Painting").is_a(Artwork);
    flecs::entity Portrait = world.entity("Portrait").is_a(Painting);
    flecs::entity SelfPortrait = world.entity("SelfPortrait").is_a(Portrait);
    flecs::entity MonaLisa = world.entity("MonaLisa").add(Portrait);
};

}  // namespace

TEST_SUITE("seeds.manual_transitivity") {
    TEST_CASE_FIXTURE(places, "a relation is transitive once it says so") {
        auto q = world.query_builder<>().term(LocatedIn, SanFrancisco).build();
        CHECK(bindings_of(q) == "Mission; SOMA");

        LocatedIn.add(flecs::Transitive);
        CHECK(bindings_of(q) == "Mission; SOMA; e");
        CHECK(bindings_of(world.query_builder<>().term(LocatedIn, US).build()) ==
              "Mission; SOMA; SanFrancisco; e");
    }

    TEST_CASE_FIXTURE(places, "a transitive relation replaces the object by its subsets") {
        LocatedIn.add(flecs::Traversable);
        // (LocatedIn, SanFrancisco[self|sub(LocatedIn)])
        auto written_out = world.query_builder<>()
                               .term(LocatedIn)
                               .second(SanFrancisco)
                               .self()
                               .sub(LocatedIn)
                               .build();
        CHECK(bindings_of(written_out) == "Mission; SOMA; e");
        LocatedIn.add(flecs::Transitive);
        CHECK(bindings_of(world.query_builder<>().term(LocatedIn, SanFrancisco).build()) ==
              bindings_of(written_out));
    }

    TEST_CASE_FIXTURE(places, "a transitive relation has no cycles") {
        LocatedIn.add(flecs::Transitive);
        CHECK(error_of([&] { US.add(LocatedIn, Mission); }) == flecs::errc::cycle);
        CHECK(bindings_of(world.query_builder<>().term(LocatedIn, US).build()) ==
              "Mission; SOMA; SanFrancisco; e");
    }

    TEST_CASE("is_a is short for a pair with IsA") {
        flecs::world world;
        auto Artwork = world.entity("Artwork");
        auto Painting = world.entity("Painting").add(flecs::IsA, Artwork);
        auto Portrait = world.entity("Portrait").is_a(Painting);
        auto MonaLisa = world.entity("MonaLisa").add(Portrait);
        CHECK(Portrait.has(flecs::IsA, Painting));
        CHECK(bindings_of(world.query_builder<>().term(Artwork).build()) == "MonaLisa");
        CHECK(MonaLisa.has(Portrait));
    }

    TEST_CASE_FIXTURE(artworks, "a query for a class finds instances of its subclasses") {
        CHECK(bindings_of(world.query_builder<>().term(Artwork).build()) == "MonaLisa");
        CHECK(bindings_of(world.query_builder<>().term(Painting).build()) == "MonaLisa");
        CHECK(bindings_of(world.query_builder<>().term(Portrait).build()) == "MonaLisa");
        CHECK(bindings_of(world.query_builder<>().term(SelfPortrait).build()) == "");
    }

    TEST_CASE_FIXTURE(artworks, "the implicit substitution of the predicate is written out") {
        // Artwork[self|all|sub(IsA)]
        auto by_relation =
            world.query_builder<>().term().first(Artwork).self().all().sub(flecs::IsA).build();
        CHECK(bindings_of(by_relation) == "MonaLisa");
        // Artwork[self|all|subset]
        auto by_default =
            world.query_builder<>().term().first(Artwork).set(flecs::Self | flecs::SubSet).all();
        CHECK(bindings_of(by_default.build()) == "MonaLisa");
    }

    TEST_CASE_FIXTURE(artworks, "a query for (IsA, class) finds the class and its subclasses") {
        CHECK(bindings_of(world.query_builder<>().term(flecs::IsA, Artwork).build()) ==
              "Artwork; Painting; Portrait; SelfPortrait");
        CHECK(bindings_of(world.query_builder<>().term(flecs::IsA, Portrait).build()) ==
              "Portrait; SelfPortrait");
    }

    TEST_CASE("components of a prefab are those of its instances") {
        flecs::world world;
        auto SpaceShip = world.prefab().set<Attack>({100}).set<Defense>({50}).set<MaxSpeed>({75});

        auto my_spaceship = world.entity("my_spaceship")
                                .is_a(SpaceShip)
                                .set<Position>({10, 20})
                                .set<Velocity>({5, 5});

        // MaxSpeed, Velocity
        auto q = world.query_builder<>().term<MaxSpeed>().term<Velocity>().build();
        CHECK(bindings_of(q) == "my_spaceship");
        // MaxSpeed(self|superset), Velocity(self|superset)
        auto written_out = world.query_builder<>()
                               .term<MaxSpeed>()
                               .set(flecs::Self | flecs::SuperSet)
                               .term<Velocity>()
                               .set(flecs::Self | flecs::SuperSet)
                               .build();
        CHECK(bindings_of(written_out) == "my_spaceship");
        written_out.iter([&](flecs::iter& it) {
            CHECK(it.src(1) == SpaceShip);
            CHECK(it.entity(0) == my_spaceship);
        });
    }

    TEST_CASE("a final entity has no subsets") {
        flecs::world world;
        // Don't try to substitute "Likes" in queries
        auto Likes = world.entity("Likes").add(flecs::Final);
        CHECK(error_of([&] { world.entity().is_a(Likes); }) == flecs::errc::constraint);
        world.entity("bob").add(Likes);
        CHECK(bindings_of(world.query_builder<>().term(Likes).build()) == "bob");
    }
}
