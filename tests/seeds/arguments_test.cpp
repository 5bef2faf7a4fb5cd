// Queries that take targets when they are run: the examples of the Javelin notes, completed.
#include <kith/kith.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace flecs = kith;

namespace {

struct OnTeam {};
struct InVehicle {};
struct InSystem {};
struct Orbits {
    int period = 0;
};
struct Geometry {
    int radius = 0;
};

using lines = std::vector<std::string>;

lines sorted(lines list) {
    std::sort(list.begin(), list.end());
    return list;
}

struct battle {
    // The names of those that a run with arguments finds.
    template <class Query, class... Arguments>
    static lines found_by(const Query& query, Arguments... arguments) {
        lines found;
        query.each(arguments..., [&](flecs::entity e) { found.push_back(e.name().c_str()); });
        return sorted(found);
    }

    flecs::world world;
    flecs::entity red = world.entity("red");
    flecs::entity blue = world.entity("blue");
    flecs::entity jeep = world.entity("jeep");
    flecs::entity tank = world.entity("tank");
    flecs::entity e1 = world.entity("e1").add<OnTeam>(red).add<InVehicle>(jeep);
};

struct sky {
    flecs::entity body(const char* name, int radius) const {
        return world.entity(name).set<Geometry>({radius});
    }

    flecs::world world;
    flecs::entity star_1 = world.entity("star_1");
    flecs::entity star_2 = world.entity("star_2");
    flecs::entity system_1 = world.entity("system_1");
    flecs::entity system_2 = world.entity("system_2");
};

}  // namespace

TEST_SUITE("seeds.arguments") {
    TEST_CASE_FIXTURE(battle, "a run is given the team and the vehicle") {
        world.entity("e2").add<OnTeam>(red).add<InVehicle>(tank);
        world.entity("e3").add<OnTeam>(blue).add<InVehicle>(jeep);
        world.entity("e4").add<OnTeam>(red);

        // type(OnTeam, InVehicle)
        auto query = world.query_builder()
                         .with<OnTeam>(flecs::Wildcard)
                         .with<InVehicle>(flecs::Wildcard)
                         .build();
        flecs::entity t = red;
        flecs::entity v = jeep;
        query.each(t, v, [&](flecs::entity e) {
            // `e` is on team `t` and in vehicle `v`
            CHECK(e == e1);
        });
        CHECK(found_by(query, red, jeep) == lines{"e1"});
        CHECK(found_by(query, red, tank) == lines{"e2"});
        CHECK(found_by(query, blue, jeep) == lines{"e3"});
        CHECK(found_by(query, blue, tank) == lines{});
    }

    TEST_CASE_FIXTURE(battle, "lists are live") {
        auto query = world.query_builder()
                         .with<OnTeam>(flecs::Wildcard)
                         .with<InVehicle>(flecs::Wildcard)
                         .build();
        CHECK(found_by(query, red, jeep) == lines{"e1"});
        flecs::entity e2 = world.entity("e2").add<OnTeam>(red).add<InVehicle>(jeep);
        CHECK(found_by(query, red, jeep) == lines{"e1", "e2"});
        e1.remove<InVehicle>(jeep);
        CHECK(found_by(query, red, jeep) == lines{"e2"});
        e2.destruct();
        CHECK(found_by(query, red, jeep) == lines{});
    }

    TEST_CASE_FIXTURE(battle, "a spy is found on each of its teams") {
        e1.add<OnTeam>(blue);
        auto query = world.query_builder()
                         .with<OnTeam>(flecs::Wildcard)
                         .with<InVehicle>(flecs::Wildcard)
                         .build();
        CHECK(found_by(query, red, jeep) == lines{"e1"});
        CHECK(found_by(query, blue, jeep) == lines{"e1"});
    }

    TEST_CASE_FIXTURE(battle, "two teams are given in any order") {
        e1.add<OnTeam>(blue);
        world.entity("e2").add<OnTeam>(red).add<InVehicle>(jeep);

        // type(OnTeam, OnTeam, InVehicle)
        auto q = world.query_builder()
                     .with<OnTeam>(flecs::Wildcard)
                     .with<OnTeam>(flecs::Wildcard)
                     .with<InVehicle>(flecs::Wildcard)
                     .build();
        CHECK(found_by(q, red, blue, jeep) == lines{"e1"});
        CHECK(found_by(q, blue, red, jeep) == lines{"e1"});
        CHECK(found_by(q, red, red, jeep) == lines{});
        CHECK(found_by(q, red, blue, tank) == lines{});
    }

    TEST_CASE_FIXTURE(sky, "a wildcard gives the target and the value of each orbit") {
        flecs::entity planet_1 = body("planet_1", 10).set<Orbits>(star_1, {1});
        body("planet_2", 20).set<Orbits>(star_1, {2});

        // type(Orbits, Geometry)
        auto q = world.query<flecs::rel<Orbits>, const Geometry>();
        auto results = [&] {
            lines found;
            q.each(flecs::Wildcard, [&](flecs::entity e, flecs::rel<Orbits> orbit,
                                        const Geometry& geometry) {
                found.push_back(
                    std::string(e.name().c_str()) + " " + orbit.target().name().c_str() + " " +
                    std::to_string(orbit->period) + " " + std::to_string(geometry.radius));
            });
            return sorted(found);
        };
        CHECK(results() == lines{"planet_1 star_1 1 10", "planet_2 star_1 2 20"});

        body("moon_1", 5).set<Orbits>(planet_1, {3});
        CHECK(results() ==
              lines{"moon_1 planet_1 3 5", "planet_1 star_1 1 10", "planet_2 star_1 2 20"});
    }

    TEST_CASE_FIXTURE(sky, "wildcards for two relations give every combination") {
        flecs::entity planet_1 =
            body("planet_1", 10).add<InSystem>(system_1).set<Orbits>(star_1, {1});
        body("planet_2", 20).add<InSystem>(system_2).set<Orbits>(star_2, {2});
        body("moon_1", 5).add<InSystem>(system_1).set<Orbits>(planet_1, {3});

        // type(InSystem, Orbits, Geometry)
        auto q = world.query<flecs::rel<InSystem>, flecs::rel<Orbits>, const Geometry>();
        auto text = [](flecs::entity e, flecs::rel<InSystem> system, flecs::rel<Orbits> orbit) {
            return std::string(e.name().c_str()) + " " + system.target().name().c_str() + " " +
                   orbit.target().name().c_str() + " " + std::to_string(orbit->period);
        };
        lines found;
        q.each(flecs::Wildcard,  // InSystem
               flecs::Wildcard,  // Orbits
               [&](flecs::entity e, flecs::rel<InSystem> system, flecs::rel<Orbits> orbit,
                   const Geometry&) { found.push_back(text(e, system, orbit)); });
        CHECK(sorted(found) == lines{"moon_1 system_1 planet_1 3", "planet_1 system_1 star_1 1",
                                     "planet_2 system_2 star_2 2"});

        found.clear();
        q.each(system_1, flecs::Wildcard,
               [&](flecs::entity e, flecs::rel<InSystem> system, flecs::rel<Orbits> orbit,
                   const Geometry&) { found.push_back(text(e, system, orbit)); });
        CHECK(sorted(found) == lines{"moon_1 system_1 planet_1 3", "planet_1 system_1 star_1 1"});
    }

    TEST_CASE_FIXTURE(sky, "one relation with two targets gives a result for each") {
        body("planet_1", 10)
            .add<InSystem>(system_1)
            .set<Orbits>(star_1, {1})
            .set<Orbits>(star_2, {2});
        auto q = world.query<flecs::rel<InSystem>, flecs::rel<Orbits>, const Geometry>();
        lines found;
        q.each(flecs::Wildcard, flecs::Wildcard,
               [&](flecs::entity e, flecs::rel<InSystem> system, flecs::rel<Orbits> orbit,
                   const Geometry&) {
                   found.push_back(
                       std::string(e.name().c_str()) + " " + system.target().name().c_str() + " " +
                       orbit.target().name().c_str() + " " + std::to_string(orbit->period));
               });
        CHECK(sorted(found) == lines{"planet_1 system_1 star_1 1", "planet_1 system_1 star_2 2"});
    }
}
