#include "graph/walk.hpp"

#include "support/graph_fixture.hpp"

#include <doctest/doctest.h>

using namespace kith::graph;
using kith_test::graph_fixture;

namespace {

using numbers = std::vector<int>;

// The visited nodes, as ten times the level plus the number.
numbers walk_up(const graph_fixture& world, int start, repeat repeats,
                cycles expected = cycles::impossible, std::uint32_t max_level = 0xFFFFFFFF) {
    up_walk walk(world.store(), world.index(), world.nodes[start], repeats, expected);
    numbers result;
    visit step{world.nodes[start], 0};
    for (bool deeper = true; walk.next(step, deeper); deeper = step.level < max_level) {
        result.push_back(static_cast<int>(step.level) * 10 + world.number(step.entity));
    }
    return result;
}

numbers walk_down_from(const graph_fixture& world, int start, repeat repeats,
                       std::uint32_t max_depth = 0xFFFFFFFF) {
    numbers result;
    walk_down(world.store(), world.index(), world.nodes[start], max_depth, repeats,
              [&](kith::entity_t entity, std::uint32_t level) {
                  result.push_back(static_cast<int>(level) * 10 + world.number(entity));
                  return true;
              });
    return result;
}

}  // namespace

TEST_SUITE("unit.graph.walk") {
    TEST_CASE("a walk up a chain visits its entities from the nearest on") {
        for (bool sparse : {false, true}) {
            graph_fixture world(sparse);
            world.add({{1, 2}, {2, 3}, {3, 4}});
            CHECK(walk_up(world, 1, repeat::never) == numbers{12, 23, 34});
            CHECK(walk_up(world, 4, repeat::never).empty());
        }
    }

    TEST_CASE("a walk up is depth first, and visits an entity at the end of two paths once") {
        graph_fixture world;
        world.add({{1, 2}, {1, 3}, {2, 4}, {3, 4}, {4, 5}});
        CHECK(walk_up(world, 1, repeat::never) == numbers{12, 24, 35, 13});
    }

    TEST_CASE("by level, an entity at the ends of paths of two lengths is visited twice") {
        graph_fixture world;
        world.add({{1, 2}, {1, 4}, {2, 3}, {3, 4}});
        CHECK(walk_up(world, 1, repeat::never) == numbers{12, 23, 34});
        CHECK(walk_up(world, 1, repeat::by_level) == numbers{12, 23, 34, 14});
    }

    TEST_CASE("a walk does not continue beyond visits that are not opened") {
        graph_fixture world;
        world.add({{1, 2}, {2, 3}, {3, 4}});
        CHECK(walk_up(world, 1, repeat::never, cycles::impossible, 2) == numbers{12, 23});
    }

    TEST_CASE("a walk that expects cycles ends, and does not visit its start again") {
        graph_fixture world;
        world.add({{1, 2}, {2, 3}, {3, 1}});
        CHECK(walk_up(world, 1, repeat::never, cycles::possible) == numbers{12, 23});
        world.add({{2, 4}, {4, 2}});
        CHECK(walk_up(world, 1, repeat::never, cycles::possible) == numbers{12, 23, 24});
    }

    TEST_CASE("a copy of a walk continues by itself") {
        graph_fixture world;
        auto two = [&](auto&& add) {
            add(world.nodes[2]);
            add(world.nodes[3]);
        };
        depth_first walk(repeat::never, cycles::possible);
        visit step{world.nodes[1], 0};
        walk.open(step, two);
        REQUIRE(walk.next(step));
        depth_first copy = walk;
        REQUIRE(copy.next(step));
        CHECK(step.entity == world.nodes[3]);
        CHECK_FALSE(copy.next(step));
        REQUIRE(walk.next(step));
        CHECK(step.entity == world.nodes[3]);
    }

    TEST_CASE("a walk down visits level by level, up to its limit") {
        for (bool sparse : {false, true}) {
            graph_fixture world(sparse);
            world.add({{2, 1}, {3, 1}, {4, 2}, {5, 3}, {5, 2}, {6, 5}});
            CHECK(walk_down_from(world, 1, repeat::never).size() == 5);
            numbers two_levels = walk_down_from(world, 1, repeat::never, 2);
            std::sort(two_levels.begin(), two_levels.end());
            CHECK(two_levels == numbers{12, 13, 24, 25});
        }
    }

    TEST_CASE("a walk down by level visits an entity on each level that it has") {
        graph_fixture world;
        world.add({{2, 1}, {3, 2}, {3, 1}});
        CHECK(walk_down_from(world, 1, repeat::never).size() == 2);
        CHECK(walk_down_from(world, 1, repeat::by_level).size() == 3);
    }

    TEST_CASE("a walk down ends when the visitor says so, and in cycles") {
        graph_fixture world;
        world.add({{2, 1}, {3, 2}, {1, 3}});
        CHECK(walk_down_from(world, 1, repeat::never) == numbers{12, 23});
        int visits = 0;
        walk_down(world.store(), world.index(), world.nodes[1], 100, repeat::by_level,
                  [&](kith::entity_t, std::uint32_t) { return ++visits < 5; });
        CHECK(visits == 5);
    }
}
