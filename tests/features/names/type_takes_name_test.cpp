// A C++ type that is used for the first time when an entity has its name already: the type takes
// the place of the entity everywhere.
#include <kith/kith.hpp>
#include <kith/reflect.hpp>
#include <kith/world_text.hpp>

#include "support/errors.hpp"

#include <string>

#include <doctest/doctest.h>

using namespace kith_test;

namespace taken {
struct Ship {};
struct Likes {};
struct Planet {};
struct Engine {
    int power = 7;
};
struct Hull {
    int plates = 0;
    explicit Hull(int count) : plates(count) {}
};
struct Orbits {};
struct Watched {};
struct Visited {};
struct Part {};
struct Slot {};
struct Off {};
struct Weight {
    int value = 0;
};
struct Held {};
struct Named {};
}  // namespace taken

namespace {

struct Crew {
    kith::handle captain;
};

struct fixture {
    kith::world world;
    kith::entity scope = world.entity("taken");
    kith::entity plain(const char* name) { return world.entity((std::string("taken::") + name)); }
};

}  // namespace

TEST_SUITE("features.names.type_takes_name") {
    TEST_CASE_FIXTURE(fixture, "tags, pairs and targets of a text stay when the types are used") {
        kith::load_text(world,
                        "taken.Rocinante: taken.Ship, (taken.Likes, taken.Ceres)\n"
                        "taken.Canterbury: taken.Ship, (taken.Likes, taken.Ship)\n"
                        "taken.Planet(taken.Ceres)\n");
        kith::entity rocinante = world.lookup("taken::Rocinante");
        kith::entity canterbury = world.lookup("taken::Canterbury");
        int ships = 0;
        world.each<taken::Ship>([&](kith::entity) { ++ships; });
        CHECK(ships == 2);
        world.component<taken::Likes>();
        world.component<taken::Planet>();
        CHECK(rocinante.has<taken::Ship>());
        CHECK(rocinante.has<taken::Likes>(world.lookup("taken::Ceres")));
        CHECK(canterbury.has<taken::Likes, taken::Ship>());
        CHECK(world.lookup("taken::Ceres").has<taken::Planet>());
        CHECK(world.lookup("taken::Ship") == world.component<taken::Ship>());
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "queries that were made before follow") {
        kith::entity e = world.entity().add(plain("Ship"));
        kith::entity other = world.entity().add(plain("Likes"), plain("Ship"));
        auto cached = world.query("taken.Ship");
        auto uncached = world.filter("taken.Ship");
        auto pairs = world.query("(taken.Likes, $x)");
        CHECK(cached.count() == 1);
        world.component<taken::Ship>();
        world.component<taken::Likes>();
        CHECK(e.has<taken::Ship>());
        CHECK(cached.count() == 1);
        CHECK(uncached.count() == 1);
        CHECK(other.has<taken::Likes, taken::Ship>());
        CHECK(pairs.count() == 1);
        world.entity().add<taken::Ship>();
        CHECK(cached.count() == 2);
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "a tag becomes a component with a default value") {
        kith::entity e = world.entity().add(plain("Engine"));
        world.component<taken::Engine>();
        REQUIRE(e.get<taken::Engine>());
        CHECK(e.get<taken::Engine>()->power == 7);
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "a tag that its holder sets or emplaces becomes a component") {
        kith::entity e = world.entity().add(plain("Engine"));
        kith::entity other = world.entity().add(plain("Engine"));
        SUBCASE("set") {
            e.set(taken::Engine{9});
            CHECK(e.get<taken::Engine>()->power == 9);
        }
        SUBCASE("emplace") {
            CHECK(error_of([&] { e.emplace<taken::Engine>(9); }) == kith::errc::already_exists);
        }
        CHECK(other.get<taken::Engine>()->power == 7);
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "a type without a default value is refused, and nothing changes") {
        kith::entity e = world.entity().add(plain("Hull"));
        CHECK(refusal(world, [&] { world.component<taken::Hull>(); }) ==
              kith::errc::not_constructible);
        CHECK(e.has(world.lookup("taken::Hull")));
        CHECK(refusal(world, [&] { world.component<taken::Hull>(); }) ==
              kith::errc::not_constructible);
    }

    TEST_CASE_FIXTURE(fixture, "properties and exclusive pairs stay") {
        kith::entity orbits = plain("Orbits").add(kith::Exclusive);
        kith::entity sun = world.entity();
        kith::entity e = world.entity().add(orbits, sun);
        CHECK(world.component<taken::Orbits>().has(kith::Exclusive));
        CHECK(e.has<taken::Orbits>(sun));
        kith::entity moon = world.entity();
        e.add<taken::Orbits>(moon);
        CHECK(e.target<taken::Orbits>() == moon);
        CHECK(e.target<taken::Orbits>(1) == 0);
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "sparse pairs, and pairs with values, stay") {
        kith::entity visited = plain("Visited").add(kith::Sparse);
        kith::entity sun = world.entity();
        kith::entity e = world.entity().add(visited, sun);
        e.set<taken::Weight>(plain("Part"), {4});
        world.component<taken::Visited>();
        world.component<taken::Part>();
        CHECK(e.has<taken::Visited>(sun));
        CHECK(e.has<taken::Weight, taken::Part>());
        REQUIRE(e.get<taken::Weight, taken::Part>());
        CHECK(e.get<taken::Weight, taken::Part>()->value == 4);
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "children, instances, override marks and switches stay") {
        kith::entity slot = plain("Slot");
        kith::entity child = world.entity().child_of(slot);
        kith::entity marked = world.prefab().add(slot).override(slot);
        kith::entity off = world.entity().add(plain("Off"));
        off.disable(plain("Off"));
        kith::entity instance = world.entity().is_a(plain("Slot"));
        kith::entity type = world.component<taken::Slot>();
        world.component<taken::Off>();
        CHECK(child.parent() == type);
        CHECK(marked.has<taken::Slot>());
        CHECK(marked.owns(kith::Override | type.id()));
        CHECK(instance.has(kith::IsA, type));
        CHECK_FALSE(off.enabled<taken::Off>());
        CHECK(off.has<taken::Off>());
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "an entity that observers listen to keeps its place") {
        kith::entity watched = plain("Watched");
        world.observer().with(watched).event(kith::OnAdd).each([](kith::entity) {});
        CHECK(refusal(world, [&] { world.component<taken::Watched>(); }) == kith::errc::in_use);
        CHECK(world.lookup("taken::Watched") == watched);
    }

    TEST_CASE("an entity that handles with a policy name keeps its place and its uses") {
        const kith::entity_t policies[] = {kith::Clear, kith::Remove, kith::Delete};
        for (const kith::entity_t policy : policies) {
            kith::world world;
            world.component<Crew>().reflect().on("captain").on_delete_target(policy);
            kith::entity named = world.entity("taken::Named");
            kith::entity ship = world.entity().set(Crew{named});
            kith::entity tagged = world.entity().add(named).add(named, ship);
            kith::entity part = world.entity().child_of(named);
            CHECK(refusal(world, [&] { world.component<taken::Named>(); }) == kith::errc::in_use);
            CHECK(world.lookup("taken::Named") == named);
            CHECK(tagged.has(named));
            CHECK(tagged.has(named, ship));
            CHECK(part.parent() == named);
            REQUIRE(ship.get<Crew>());
            CHECK(ship.get<Crew>()->captain == named);
            world.check();
            ship.destruct();
            CHECK(tagged.has(world.component<taken::Named>()));
        }
    }

    TEST_CASE_FIXTURE(fixture, "an entity whose row is being iterated keeps its place") {
        kith::entity visited = plain("Visited").set(taken::Weight{3});
        bool refused = false;
        world.each([&](kith::entity, taken::Weight&) {
            refused = error_of([&] { world.component<taken::Visited>(); }) == kith::errc::locked;
        });
        CHECK(refused);
        CHECK(world.lookup("taken::Visited") == visited);
        world.check();
        CHECK(world.component<taken::Visited>().get<taken::Weight>()->value == 3);
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "a type is not made known inside of an iteration of such entities") {
        kith::entity e = world.entity().add(plain("Held"));
        bool refused = false;
        world.each(plain("Held"), [&](kith::entity) {
            refused = error_of([&] { world.component<taken::Held>(); }) == kith::errc::locked;
        });
        CHECK(refused);
        world.component<taken::Held>();
        CHECK(e.has<taken::Held>());
        world.check();
    }
}
