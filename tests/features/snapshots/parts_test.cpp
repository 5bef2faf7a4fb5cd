#include <kith/kith.hpp>
#include <kith/snapshot.hpp>

#include "support/errors.hpp"
#include "support/types.hpp"

#include <string>

#include <doctest/doctest.h>

using namespace kith_test;

namespace {

struct fleet {
    fleet() {
        register_all(world);
        likes = world.entity("likes");
        hot = world.entity("hot one").add<Hot>().set(Position{1, 1});
        cold = world.entity("cold one").add<Cold>().set(Position{2, 2});
        hot.add(likes, cold);
        hot_ones = world.query<const Hot>();
    }
    kith::world world;
    kith::entity likes;
    kith::entity hot;
    kith::entity cold;
    kith::query<const Hot> hot_ones;
};

}  // namespace

TEST_SUITE("features.snapshots.parts") {
    // spec 571
    TEST_CASE_FIXTURE(fleet, "a part gives its entities their ids and values back") {
        const kith::snapshot part = world.snapshot().take(hot_ones);
        hot.set(Position{7, 7}).remove(likes, cold).remove<Hot>().add<Cold>().set_name("x");
        cold.set(Position{8, 8});
        world.entity("new").add<Hot>();
        part.restore();
        CHECK(hot.get<Position>()->x == 1);
        CHECK(hot.has(likes, cold));
        CHECK(hot.has<Hot>());
        CHECK_FALSE(hot.has<Cold>());
        CHECK(hot.name() == "hot one");
        CHECK(cold.get<Position>()->x == 8);
        CHECK(world.lookup("new").is_alive());
        world.check();
    }

    // spec 571
    TEST_CASE_FIXTURE(fleet, "a part revives deleted entities with their ids") {
        const kith::snapshot part = world.snapshot().take(hot_ones);
        hot.destruct();
        part.restore();
        CHECK(hot.is_alive());
        CHECK(world.lookup("hot one") == hot);
        CHECK(hot.get<Position>()->x == 1);
    }

    // spec 571
    TEST_CASE_FIXTURE(fleet, "a part of some ids leaves the others alone") {
        const kith::snapshot part = world.snapshot().take(hot_ones, {world.id<Position>()});
        hot.set(Position{7, 7}).add<Cold>();
        part.restore();
        CHECK(hot.get<Position>()->x == 1);
        CHECK(hot.has<Cold>());
    }

    // spec 571
    TEST_CASE_FIXTURE(fleet, "an index that another entity has now is a conflict") {
        const kith::snapshot part = world.snapshot().take(hot_ones);
        hot.destruct();
        const kith::entity other = world.entity("other");
        REQUIRE(kith::index_of(other) == kith::index_of(hot));
        try {
            part.restore();
            FAIL_CHECK("restored");
        } catch (const kith::error& refused) {
            CHECK(refused.code() == kith::errc::conflict);
            CHECK(std::string(refused.what()).find("hot one") != std::string::npos);
        }
        CHECK(other.is_alive());
        CHECK_FALSE(hot.is_alive());
    }

    // spec 571
    TEST_CASE_FIXTURE(fleet, "pairs with entities that are gone are left out") {
        const kith::snapshot part = world.snapshot().take(hot_ones);
        hot.destruct();
        cold.destruct();
        part.restore();
        CHECK(hot.is_alive());
        CHECK_FALSE(hot.has(likes, kith::Wildcard));
    }

    // spec 571
    TEST_CASE_FIXTURE(fleet, "a part opens no other world") {
        const kith::snapshot part = world.snapshot().take(hot_ones);
        CHECK_THROWS_AS(part.open(), kith::error);
    }
}
