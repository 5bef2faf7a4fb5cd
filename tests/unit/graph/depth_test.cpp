#include "graph/depth.hpp"

#include "support/graph_fixture.hpp"

#include <doctest/doctest.h>

using namespace kith::graph;
using kith_test::graph_fixture;

namespace {

std::uint32_t depth_of(const graph_fixture& world, int node) {
    return depth_finder(world.store(), world.index()).find(kith::index_of(world.nodes[node]));
}

}  // namespace

TEST_SUITE("unit.graph.depth") {
    TEST_CASE("the depth is the length of the longest chain of targets") {
        for (bool sparse : {false, true}) {
            graph_fixture world(sparse);
            world.add({{1, 2}, {2, 3}, {3, 4}, {1, 4}, {5, 1}});
            CHECK(depth_of(world, 4) == 0);
            CHECK(depth_of(world, 3) == 1);
            CHECK(depth_of(world, 1) == 3);
            CHECK(depth_of(world, 5) == 4);
        }
    }

    TEST_CASE("a finder answers for several entities") {
        graph_fixture world;
        world.add({{1, 2}, {1, 3}, {2, 4}, {3, 4}, {6, 1}, {6, 3}});
        depth_finder finder(world.store(), world.index());
        CHECK(finder.find(kith::index_of(world.nodes[6])) == 3);
        CHECK(finder.find(kith::index_of(world.nodes[1])) == 2);
        CHECK(finder.find(kith::index_of(world.nodes[3])) == 1);
    }

    TEST_CASE("a chain that leads back to itself has no depth, wherever the search begins") {
        graph_fixture world;
        world.add({{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 2}});
        for (int start : {0, 1, 2, 3, 4}) {
            CAPTURE(start);
            depth_finder finder(world.store(), world.index());
            CHECK(finder.find(kith::index_of(world.nodes[start])) == depth_finder::no_depth);
            const int member = world.number(finder.cycle());
            CHECK(member >= 2);
            CHECK(member <= 4);
        }
    }

    TEST_CASE("a cycle behind a fork is found as well") {
        graph_fixture world;
        world.add({{0, 1}, {1, 2}, {1, 5}, {2, 3}, {3, 2}});
        depth_finder finder(world.store(), world.index());
        CHECK(finder.find(kith::index_of(world.nodes[0])) == depth_finder::no_depth);
        CHECK((finder.cycle() == world.nodes[2] || finder.cycle() == world.nodes[3]));
        CHECK(depth_of(world, 5) == 0);
    }

    TEST_CASE("an entity that is its own target has no depth") {
        graph_fixture world;
        world.add({{1, 1}});
        CHECK(depth_of(world, 1) == depth_finder::no_depth);
    }

    TEST_CASE("a chain remembers the depths of all ancestors") {
        graph_fixture world;
        for (int i = 1; i < 6; ++i) {
            world.nodes[i].child_of(world.nodes[i - 1]);
        }
        chain_depths depths(*kith::storage::find_links(world.store(), kith::ChildOf));
        CHECK(depths.below(0) == 0);
        CHECK(depths.below(kith::index_of(world.nodes[4])) == 5);
        CHECK(depths.below(kith::index_of(world.nodes[2])) == 3);
        CHECK(depths.above(kith::index_of(world.nodes[2])) == kith::index_of(world.nodes[1]));
        CHECK(depths.above(kith::index_of(world.nodes[0])) == 0);
    }
}
