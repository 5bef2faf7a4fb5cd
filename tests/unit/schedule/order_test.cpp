// The total order of systems as a function of groups, edges and numbers.
#include "order/edge_ways.hpp"

#include <doctest/doctest.h>

namespace {

using kith::scheduling::find_order;
using kith::scheduling::order_edge;
using kith::scheduling::order_node;
using sequence = std::vector<std::uint32_t>;

// Systems 0, 1, … with these groups, in the order of declaration.
std::vector<order_node> systems(const std::vector<std::uint32_t>& groups) {
    std::vector<order_node> nodes;
    for (std::size_t i = 0; i < groups.size(); ++i) {
        nodes.push_back({5000 + i, groups[i], static_cast<std::int64_t>(i), false});
    }
    return nodes;
}

}  // namespace

TEST_SUITE("unit.schedule.order") {
    TEST_CASE("groups come before edges and numbers") {
        CHECK(find_order(systems({1, 0, 1, 0}), {}).sequence == sequence{1, 3, 0, 2});
    }
    TEST_CASE("equal numbers are ordered by entity") {
        std::vector<order_node> nodes = systems({0, 0});
        nodes[0].entity = 6000;
        nodes[0].number = nodes[1].number;
        CHECK(find_order(nodes, {}).sequence == sequence{1, 0});
    }
    TEST_CASE("an edge delays a system, and leaves the others in their order") {
        CHECK(find_order(systems({0, 0, 0}), {{2, 0}}).sequence == sequence{1, 2, 0});
    }
    TEST_CASE("ways lead through systems and gates, by position") {
        using kith::scheduling::edge_ways;
        // The nodes 2, 0, 1 are systems in this order, and 3 is a gate: 2 -> 3 -> 0 -> 1.
        const edge_ways ways(4, {{2, 3}, {3, 0}, {0, 1}}, {2, 0, 1});
        CHECK(ways.leads(0, 1));
        CHECK(ways.leads(0, 2));
        CHECK(ways.leads(1, 2));
        CHECK_FALSE(ways.leads(2, 0));
        CHECK(ways.find_behind(0) == std::vector<bool>{false, true, true});
        CHECK_FALSE(edge_ways(3, {}, {0, 1, 2}).leads(0, 1));
    }
    TEST_CASE("gates connect sets without a place of their own") {
        std::vector<order_node> nodes = systems({0, 0, 0});
        nodes.push_back({9000, 0, 0, true});
        // Systems 1 and 2 end before the gate, system 0 begins behind it.
        CHECK(find_order(nodes, {{1, 3}, {2, 3}, {3, 0}}).sequence == sequence{1, 2, 0});
    }
    TEST_CASE("a cycle is a closed way") {
        const auto result = find_order(systems({0, 0, 0}), {{0, 1}, {1, 2}, {2, 0}});
        CHECK(result.sequence.empty());
        REQUIRE(result.contradiction.size() == 3);
        for (std::size_t i = 0; i < 3; ++i) {
            CHECK(result.contradiction[i].after == result.contradiction[(i + 1) % 3].before);
            CHECK(!result.contradiction[i].by_group);
        }
    }
    TEST_CASE("a way of edges against the groups is found through other systems") {
        const auto result = find_order(systems({1, 0, 0}), {{0, 1}, {1, 2}});
        CHECK(result.sequence.empty());
        REQUIRE(!result.contradiction.empty());
        CHECK(result.contradiction.front().before == 0);
        CHECK(result.contradiction.back().by_group);
        CHECK(result.contradiction.back().after == 0);
    }
    TEST_CASE("an edge from a system to itself is a cycle") {
        const auto result = find_order(systems({0, 0}), {{1, 1}});
        REQUIRE(result.contradiction.size() == 1);
        CHECK(result.contradiction[0].before == 1);
        CHECK(result.contradiction[0].after == 1);
    }
}
