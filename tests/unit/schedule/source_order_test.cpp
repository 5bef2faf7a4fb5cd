// The order of tick sources.
#include "time/source_order.hpp"

#include <doctest/doctest.h>

using namespace kith::scheduling;
using entities = std::vector<kith::entity_t>;

TEST_SUITE("unit.schedule.source_order") {
    TEST_CASE("entities without sources keep their order") {
        CHECK(order_sources({{5, 0}, {3, 0}, {4, 0}}).entities == entities{5, 3, 4});
    }

    TEST_CASE("a source comes before whoever counts it, however long the chain") {
        CHECK(order_sources({{1, 2}, {2, 3}, {3, 4}, {4, 0}}).entities == entities{4, 3, 2, 1});
        CHECK(order_sources({{2, 3}, {1, 3}, {3, 9}}).entities == entities{3, 2, 1});
    }

    TEST_CASE("a source without a link is no part of the order") {
        CHECK(order_sources({{1, 77}}).entities == entities{1});
        CHECK(order_sources({}).entities.empty());
    }

    TEST_CASE("a circle is named from the entity at which it was entered") {
        const source_order order = order_sources({{1, 2}, {2, 3}, {3, 4}, {4, 2}});
        CHECK(order.entities.empty());
        CHECK(order.circle == entities{2, 3, 4});
        CHECK(order_sources({{8, 0}, {6, 6}}).circle == entities{6});
    }

    TEST_CASE("a chain of a hundred thousand does not overflow the stack") {
        std::vector<source_link> links;
        for (kith::entity_t i = 1; i <= 100'000; ++i) {
            links.push_back({i, i + 1});
        }
        const source_order order = order_sources(links);
        REQUIRE(order.entities.size() == 100'000);
        CHECK(order.entities.front() == 100'000);
        CHECK(order.entities.back() == 1);
    }
}
