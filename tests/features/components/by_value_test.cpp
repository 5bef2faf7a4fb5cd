// Entities that become components by the value of Component.
#include <kith/kith.hpp>

#include "support/errors.hpp"

#include <doctest/doctest.h>

using kith::Component;
using kith::errc;
using kith_test::refusal;

TEST_SUITE("features.components.by_value") {
    TEST_CASE("setting size and alignment makes a component") {
        kith::world world;
        auto number = world.entity("Number");
        SUBCASE("set") {
            number.set<Component>({4, 4});
        }
        SUBCASE("emplace") {
            number.emplace<Component>(4, 4);
        }
        SUBCASE("deferred") {
            world.defer([&] { number.set<Component>({4, 4}); });
        }
        const int value = 7;
        auto e = world.entity().set_ptr(number, sizeof value, &value);
        REQUIRE(e.get(number) != nullptr);
        CHECK(*static_cast<const int*>(e.get(number)) == 7);
        CHECK(number.get<Component>()->size == 4);
        world.check();
    }

    TEST_CASE("a component keeps its size and alignment") {
        kith::world world;
        auto number = world.entity("Number").set<Component>({4, 4});
        number.set<Component>({4, 4});
        CHECK(refusal(world, [&] { number.set<Component>({8, 8}); }) == errc::type_conflict);
        auto type = world.component<int>();
        CHECK(refusal(world, [&] { type.set<Component>({8, 8}); }) == errc::type_conflict);
        CHECK(number.get<Component>()->size == 4);
    }

    TEST_CASE("sizes that values cannot have are refused") {
        kith::world world;
        auto e = world.entity("e");
        CHECK(refusal(world, [&] { e.set<Component>({-4, 4}); }) == errc::invalid_type);
        CHECK(refusal(world, [&] { e.set<Component>({4, 3}); }) == errc::invalid_type);
        CHECK_FALSE(e.has<Component>());
    }

    TEST_CASE("a tag that is in use cannot become a component") {
        kith::world world;
        auto tag = world.entity("tag");
        world.entity().add(tag);
        CHECK(refusal(world, [&] { tag.set<Component>({4, 4}); }) == errc::in_use);
        CHECK_FALSE(tag.has<Component>());
    }

    TEST_CASE("components cannot be made in bulk") {
        kith::world world;
        const Component values[] = {{4, 4}, {8, 8}};
        CHECK(refusal(world, [&] { world.bulk(2, values); }).has_value());
    }
}
