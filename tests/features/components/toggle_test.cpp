#include <kith/kith.hpp>

#include "support/errors.hpp"
#include "support/types.hpp"

using namespace kith_test;

TEST_SUITE("features.components.toggle") {
    TEST_CASE("a component is switched off and on without leaving its table") {
        kith::world world;
        kith::entity e = world.entity().set(Position{1, 2});
        const kith::table_t* table = e.table();
        CHECK(e.enabled<Position>());
        CHECK_FALSE(e.enabled<Velocity>());
        e.disable<Position>();
        CHECK_FALSE(e.enabled<Position>());
        CHECK(e.has<Position>());
        CHECK(e.get<Position>()->x == 1);
        CHECK(static_cast<kith::table_t*>(e.table()) == table);
        e.enable<Position>();
        CHECK(e.enabled<Position>());
    }

    TEST_CASE("an entity is switched off and on") {
        kith::world world;
        kith::entity e = world.entity();
        CHECK(e.enabled());
        e.disable();
        CHECK_FALSE(e.enabled());
        CHECK(e.has(kith::Disabled));
        e.enable();
        CHECK(e.enabled());
    }

    TEST_CASE("pairs are switched off one by one") {
        kith::world world;
        kith::entity a = world.entity();
        kith::entity b = world.entity();
        kith::entity e = world.entity().add<Likes>(a).add<Likes>(b);
        e.disable<Likes>(a);
        CHECK_FALSE(e.enabled<Likes>(a));
        CHECK(e.enabled<Likes>(b));
        e.enable<Likes>(a);
        CHECK(e.enabled<Likes>(a));
        e.disable(world.component<Likes>(), b);
        CHECK_FALSE(e.enabled(world.component<Likes>(), b));
    }

    TEST_CASE("the state goes with the entity through moves, and ends with the component") {
        kith::world world;
        kith::entity e = world.entity().set(Position{1, 2}).disable<Position>();
        e.add<Hot>().set(Label{"x"});
        CHECK_FALSE(e.enabled<Position>());
        e.remove<Position>().set(Position{3, 4});
        CHECK(e.enabled<Position>());
        e.disable<Position>();
        e.destruct();
        kith::entity next = world.entity().set(Position{5, 6});
        REQUIRE(kith::index_of(next) == kith::index_of(e));
        CHECK(next.enabled<Position>());
        next.disable<Position>().clear();
        next.set(Position{1, 1});
        CHECK(next.enabled<Position>());
        world.check();
    }

    TEST_CASE("disabling what is not there does not add it") {
        kith::world world;
        kith::entity e = world.entity();
        error_of([&] { e.disable<Position>(); });
        CHECK_FALSE(e.has<Position>());
        CHECK_FALSE(e.enabled<Position>());
        world.check();
    }

    TEST_CASE("deferred toggles run in order") {
        kith::world world;
        kith::entity e = world.entity();
        world.defer([&] {
            e.set(Position{1, 2});
            e.disable<Position>();
        });
        CHECK(e.has<Position>());
        CHECK_FALSE(e.enabled<Position>());
        world.defer([&] {
            e.remove<Position>();
            e.set(Position{1, 2});
        });
        CHECK(e.enabled<Position>());
        world.check();
    }
}
