// Many entities at once, where ids are few.
#include <kith/kith.hpp>

#include "support/errors.hpp"

using kith::errc;
using kith_test::refusal;

TEST_SUITE("features.entities.bulk_range") {
    TEST_CASE("entities that do not fit into the range of ids are not made") {
        kith::world world;
        world.set_entity_range(10000, 10010);
        CHECK(refusal(world, [&] { world.bulk(11); }) == errc::limit);
        world.check();
        CHECK(world.bulk(10).size() == 10);
        world.check();
        world.set_entity_range(0, 0);
        for (int i = 0; i < 20; ++i) {
            world.entity();
        }
        world.check();
    }

    TEST_CASE("free ids of the range count") {
        kith::world world;
        world.set_entity_range(10000, 10010);
        const auto first = world.bulk(10);
        kith::entity_t gone[] = {first[2], first[7]};
        for (kith::entity_t one : gone) {
            world.entity(one).destruct();
        }
        CHECK(refusal(world, [&] { world.bulk(3); }) == errc::limit);
        world.check();
        world.bulk(2);
        world.check();
    }

    TEST_CASE("ids that were made alive before are passed over") {
        kith::world world;
        world.set_entity_range(10000, 10010);
        world.make_alive(10003);
        world.make_alive(10005);
        CHECK(refusal(world, [&] { world.bulk(9); }) == errc::limit);
        world.check();
        world.bulk(8);
        world.check();
    }
}
