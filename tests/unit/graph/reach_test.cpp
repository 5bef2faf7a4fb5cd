#include "graph/reach.hpp"

#include "support/graph_fixture.hpp"

#include <random>

#include <doctest/doctest.h>

using namespace kith::graph;
using kith_test::graph_fixture;

namespace {

using numbers = std::vector<int>;

numbers path(const graph_fixture& world, int from, int to, std::uint32_t limit = 100) {
    return world.numbers(
        shortest_path(world.store(), world.index(), world.nodes[from], world.nodes[to], limit));
}

bool reaches(const graph_fixture& world, int from, int to, bool exclusive = false) {
    auto& mem = const_cast<kith::containers::memory&>(world.store().mem);
    return is_reachable(world.store(), mem, world.index(), exclusive,
                        kith::index_of(world.nodes[from]), kith::index_of(world.nodes[to]));
}

}  // namespace

TEST_SUITE("unit.graph.reach") {
    TEST_CASE("entities are reached from the nearest on, up to a limit") {
        graph_fixture world;
        world.add({{1, 2}, {2, 3}, {3, 1}, {3, 4}});
        auto reached = [&](std::size_t limit) {
            return world.numbers(reached_from(world.store(), world.index(), world.nodes[1], limit));
        };
        CHECK(reached(10) == numbers{2, 3, 4});
        CHECK(reached(2) == numbers{2, 3});
        CHECK(world.numbers(reached_from(world.store(), world.index(), world.nodes[4], 3)).empty());
    }

    TEST_CASE("a shortest path includes both ends") {
        for (bool sparse : {false, true}) {
            graph_fixture world(sparse);
            world.add({{1, 2}, {2, 3}, {3, 4}, {4, 5}, {2, 6}, {6, 5}});
            CHECK(path(world, 1, 5) == numbers{1, 2, 6, 5});
            CHECK(path(world, 1, 2) == numbers{1, 2});
            CHECK(path(world, 5, 1).empty());
        }
    }

    TEST_CASE("a path is found within the nearest entities only") {
        graph_fixture world;
        world.add({{1, 2}, {2, 3}, {3, 4}});
        CHECK(path(world, 1, 4, 3) == numbers{1, 2, 3, 4});
        CHECK(path(world, 1, 4, 2).empty());
    }

    TEST_CASE("reachability agrees with paths, in random graphs") {
        std::mt19937 random(3);
        for (int round = 0; round < 40; ++round) {
            graph_fixture world(round % 2 != 0);
            for (int i = 0; i < 12; ++i) {
                world.add({{static_cast<int>(random() % 10), static_cast<int>(random() % 10)}});
            }
            bool agree = true;
            for (int from = 0; from < 10; ++from) {
                for (int to = 0; to < 10; ++to) {
                    agree &=
                        from == to || reaches(world, from, to) == !path(world, from, to).empty();
                }
            }
            CHECK(agree);
        }
    }

    TEST_CASE("an exclusive relationship is searched without a set of visits") {
        graph_fixture world;
        world.add({{1, 2}, {2, 3}, {4, 3}, {5, 4}});
        CHECK(reaches(world, 1, 3, true));
        CHECK(reaches(world, 5, 3, true));
        CHECK_FALSE(reaches(world, 5, 2, true));
    }

    TEST_CASE("a relation without cycles has none, and a pair of a cycle is found") {
        for (bool sparse : {false, true}) {
            graph_fixture world(sparse);
            CHECK(find_cycle(world.store(), world.index()).source == 0);
            world.add({{1, 2}, {1, 3}, {2, 4}, {3, 4}, {4, 5}});
            CHECK(find_cycle(world.store(), world.index()).source == 0);
            world.add({{5, 3}});
            const cycle_edge edge = find_cycle(world.store(), world.index());
            REQUIRE(edge.source != 0);
            // The pair closes a path from its target back to its source.
            CHECK_FALSE(path(world, world.number(edge.target), world.number(edge.source)).empty());
            CHECK(path(world, world.number(edge.source), world.number(edge.target)).size() == 2);
        }
    }

    TEST_CASE("an entity that is its own target is a cycle") {
        graph_fixture world;
        world.add({{7, 7}});
        const cycle_edge edge = find_cycle(world.store(), world.index());
        CHECK(edge.source == world.nodes[7]);
        CHECK(edge.target == world.nodes[7]);
    }

    TEST_CASE("subtypes are the entity and its direct and indirect instances") {
        graph_fixture world;
        CHECK(world.numbers(subtypes_of(world.store(), world.nodes[1])) == numbers{1});
        world.nodes[2].is_a(world.nodes[1]);
        world.nodes[3].is_a(world.nodes[2]);
        world.nodes[4].is_a(world.nodes[5]);
        CHECK(world.numbers(subtypes_of(world.store(), world.nodes[1])) == numbers{1, 2, 3});
        auto is_subtype = [&](int of, int base) {
            return is_subtype_of(world.store(), kith::index_of(world.nodes[of]), world.nodes[base]);
        };
        CHECK(is_subtype(3, 1));
        CHECK(is_subtype(1, 1));
        CHECK_FALSE(is_subtype(1, 3));
        CHECK_FALSE(is_subtype(4, 1));
    }
}
