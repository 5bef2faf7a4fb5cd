// Values that are copied from values of the same world.
#include <kith/kith.hpp>

#include "support/types.hpp"

#include <string>

using namespace kith_test;

namespace {

struct Text {
    std::string text = "a text that is long enough to be on the heap";
};
struct Load {
    int weight = 0;
};
struct Carries {
    std::string what;
};

}  // namespace

TEST_SUITE("features.deferring.value_sources") {
    // A table that grows moves the value that is being copied.
    TEST_CASE("a value can be copied from another entity of the table that grows") {
        kith::world world;
        auto first = world.entity().set(Text{});
        for (int i = 0; i < 40; ++i) {
            auto by_set = world.entity();
            auto by_emplace = world.entity();
            by_set.set(*first.get<Text>());
            by_emplace.emplace<Text>(*first.get<Text>());
            REQUIRE(by_set.get<Text>()->text == Text{}.text);
            REQUIRE(by_emplace.get<Text>()->text == Text{}.text);
        }
        world.check();
    }

    TEST_CASE("a pair's value can be copied from another entity of the table that grows") {
        kith::world world;
        auto target = world.entity();
        auto first = world.entity().set<Carries>(target, {"a box that is too long for a string"});
        for (int i = 0; i < 40; ++i) {
            auto other = world.entity();
            other.set<Carries>(target, *first.get<Carries>(target));
            REQUIRE(other.get<Carries>(target)->what == first.get<Carries>(target)->what);
        }
    }

    TEST_CASE("new entities can be made of values of others") {
        kith::world world;
        auto first = world.entity(Load{7}, Position{1, 2});
        for (int i = 0; i < 40; ++i) {
            auto other = world.entity(*first.get<Load>(), *first.get<Position>());
            REQUIRE(other.get<Load>()->weight == 7);
            REQUIRE(other.get<Position>()->y == 2);
        }
    }

    TEST_CASE("many entities can be made of a column of their own table") {
        kith::world world;
        constexpr int count = 5;
        Load loads[count] = {{1}, {2}, {3}, {4}, {5}};
        auto first = world.bulk(count, loads)[0];
        for (int round = 0; round < 6; ++round) {
            const auto made = world.bulk(count, world.entity(first).get<Load>());
            for (int i = 0; i < count; ++i) {
                REQUIRE(world.entity(made[static_cast<std::size_t>(i)]).get<Load>()->weight ==
                        i + 1);
            }
        }
    }

    // The row moves, and the last row of the table takes its place.
    TEST_CASE("a value can be copied from another id of the same entity") {
        kith::world world;
        auto spare = world.entity("Spare");
        auto one = world.entity().set_second<Load>(spare, {7});
        auto other = world.entity().set_second<Load>(spare, {8});
        world.entity().set_second<Load>(spare, {9}).set(Load{1});
        one.set(*one.get_second<Load>(spare));
        other.set(*other.get_second<Load>(spare));
        CHECK(one.get<Load>()->weight == 7);
        CHECK(other.get<Load>()->weight == 8);
    }

    TEST_CASE("a value can be copied from the entity that gets more ids with it") {
        kith::world world;
        auto bundled = world.entity("Bundled");
        world.component<Carries>().add(kith::With, bundled);
        auto a = world.entity();
        auto b = world.entity();
        auto one = world.entity().set<Carries>(a, {"a box that is too long for a string"});
        world.entity().set<Carries>(a, {"another box that is too long for a string"});
        one.set<Carries>(b, *one.get<Carries>(a));
        CHECK(one.get<Carries>(b)->what == one.get<Carries>(a)->what);
        world.check();
    }
}
