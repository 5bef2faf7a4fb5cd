// An edge in one call: the target of a relationship, and the value of the pair.
#include <kith/kith.hpp>

#include <doctest/doctest.h>

namespace {

struct Orbits {
    int distance = 0;
};
struct Near {};

}  // namespace

TEST_SUITE("features.relationships.edge") {
    TEST_CASE("an edge has its target and its value") {
        for (bool sparse : {false, true}) {
            kith::world world;
            world.relation<Orbits>(
                {.exclusive = true,
                 .storage = sparse ? kith::storage::sparse : kith::storage::dense});
            kith::entity sun = world.entity("sun");
            kith::entity earth = world.entity("earth");
            CHECK_FALSE(earth.edge<Orbits>());
            CHECK_FALSE(earth.edge<Orbits>().target());
            earth.set<Orbits>(sun, {150});
            auto edge = earth.edge<Orbits>();
            REQUIRE(edge);
            CHECK(edge.target() == sun);
            CHECK(edge->distance == 150);
            CHECK((*edge).distance == 150);
            CHECK(earth.edge<Orbits>(sun)->distance == 150);
            CHECK_FALSE(earth.edge<Orbits>(earth));
        }
    }

    TEST_CASE("the edge of a tag has a target and no value") {
        kith::world world;
        kith::entity a = world.entity("a");
        kith::entity b = world.entity("b").add<Near>(a);
        auto edge = b.edge<Near>();
        REQUIRE(edge);
        CHECK(edge.target() == a);
        CHECK_FALSE(edge.has_value());
    }

    TEST_CASE("an edge may be inherited") {
        kith::world world;
        kith::entity sun = world.entity("sun");
        kith::entity planet = world.prefab("planet").set<Orbits>(sun, {7});
        kith::entity mars = world.entity("mars").is_a(planet);
        REQUIRE(mars.edge<Orbits>());
        CHECK(mars.edge<Orbits>().target() == sun);
        CHECK(mars.edge<Orbits>()->distance == 7);
    }
}
