// Ranges of ids: types are in each of them, and they reach up to the last index.
#include <kith/kith.hpp>

#include "support/errors.hpp"

#include <cstdint>

#include <doctest/doctest.h>

using namespace kith_test;

namespace ranged {
struct Tag {};
struct Position {
    int x = 0;
};
struct Settings {
    int value = 0;
};
}  // namespace ranged

TEST_SUITE("features.names.id_ranges") {
    TEST_CASE("types become known while ranges are checked") {
        kith::world world;
        world.set_entity_range(10000, 20000);
        world.enable_range_check();
        kith::entity e = world.entity().add<ranged::Tag>().set(ranged::Position{1});
        CHECK(e.has<ranged::Tag>());
        CHECK(world.component<ranged::Tag>().name() == "Tag");
        CHECK(world.lookup("ranged::Tag") == world.component<ranged::Tag>());
        CHECK(world.component<ranged::Position>().has<kith::Component>());
        world.set(ranged::Settings{3});
        world.component<ranged::Tag>().add(kith::DontInherit);
        world.check();
    }

    TEST_CASE("a range without an end starts where it is told to") {
        for (std::uint32_t first : {0x0FFFFFF0u, 0x10000000u, 0x80000000u}) {
            kith::world world;
            world.set_entity_range(first, 0);
            CHECK(kith::index_of(world.entity()) == first);
            CHECK(kith::index_of(world.entity()) == first + 1);
        }
    }

    TEST_CASE("the last indices can be used") {
        kith::world world;
        world.make_alive(0xFFFFFFFEull);
        kith::entity e(world, kith::entity_t{0xFFFFFFFE});
        e.set(ranged::Position{4}).set_name("last");
        CHECK(e.get<ranged::Position>()->x == 4);
        int seen = 0;
        world.each([&](ranged::Position&) { ++seen; });
        CHECK(seen == 1);
        kith::entity child = world.entity().child_of(e);
        CHECK(world.query_builder<const ranged::Position>()
                  .arg(1)
                  .up(kith::ChildOf)
                  .build()
                  .count() == 1);
        CHECK(child.parent() == e);
        world.check();
        e.destruct();
        CHECK_FALSE(child.is_alive());
        world.check();
    }

    TEST_CASE("a range up to the last index is used up in the end") {
        kith::world world;
        world.set_entity_range(0xFFFFFFFD, 0);
        CHECK(kith::index_of(world.entity()) == 0xFFFFFFFD);
        CHECK(kith::index_of(world.entity()) == 0xFFFFFFFE);
        CHECK(error_of([&] { world.entity(); }) == kith::errc::limit);
        world.check();
    }

    TEST_CASE("bulk creation that does not fit into the range makes nothing") {
        kith::world world;
        world.set_entity_range(10000, 10010);
        CHECK(refusal(world, [&] { world.bulk(11); }) == kith::errc::limit);
        CHECK(world.bulk(10).size() == 10);
        world.entity(10003).destruct();
        CHECK(refusal(world, [&] { world.bulk(2); }) == kith::errc::limit);
        CHECK(world.bulk(1).size() == 1);
        world.set_entity_range(0, 0);
        CHECK(world.bulk(20).size() == 20);
        world.check();
    }
}
