// Runs of uncached queries over many tables, while callbacks create and delete tables.
#include <kith/kith.hpp>

#include <set>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

namespace {

struct Mass {
    int kilograms;
};
struct Charge {
    double coulombs;
};
struct Orbits {};

// A query that runs for the first time, or again: later runs are inlined loops.
template <class T>
kith::filter<T> first_or_again(const kith::world& world) {
    auto query = world.filter<T>();
    SUBCASE("the first run") {}
    SUBCASE("a later run") {
        query.each([](const T&) {});
    }
    return query;
}

}  // namespace

TEST_SUITE("features.queries.table_walk") {
    TEST_CASE("an uncached query visits every table once") {
        kith::world world;
        std::set<kith::entity_t> expected;
        for (int i = 0; i < 100; ++i) {
            kith::entity planet = world.entity().set<Mass>({i}).add<Orbits>(world.entity());
            if (i % 3 == 0) {
                planet.add(kith::Disabled);
            } else {
                expected.insert(planet.id());
            }
        }
        std::set<kith::entity_t> visited;
        auto masses = first_or_again<const Mass>(world);
        masses.each([&](kith::entity planet, const Mass& mass) {
            CHECK(visited.insert(planet.id()).second);
            CHECK(planet.get<Mass>() == &mass);
        });
        CHECK(visited == expected);
    }

    TEST_CASE(
        "an uncached query skips tables that a callback deletes, and reads renumbered ones right") {
        kith::world world;
        std::vector<kith::entity> suns;
        std::vector<kith::entity> planets;
        for (int i = 0; i < 40; ++i) {
            suns.push_back(world.entity());
            planets.push_back(world.entity().set<Mass>({i}).add<Orbits>(suns.back()));
        }
        std::set<kith::entity_t> visited;
        bool changed = false;
        auto masses = first_or_again<Mass>(world);
        masses.each([&](kith::entity planet, Mass& mass) {
            CHECK(visited.insert(planet.id()).second);
            CHECK(planet.get<Mass>() == &mass);
            if (!std::exchange(changed, true)) {
                // The tables of these planets end, and their numbers go to tables with other
                // columns.
                for (int i : {5, 6, 7, 20, 38}) {
                    suns[static_cast<std::size_t>(i)].destruct();
                }
                for (int i = 0; i < 5; ++i) {
                    world.entity()
                        .set<Charge>({0.5})
                        .set<Mass>({1000 + i})
                        .add<Orbits>(suns[0])
                        .add(world.entity());
                }
            }
        });
        CHECK(visited.size() >= 35);
        CHECK_NOTHROW(world.check());
    }

    TEST_CASE("an uncached query that finds nothing at first finds entities of later tables") {
        kith::world world;
        auto masses = world.filter<const Mass, const Charge>();
        int count = 0;
        auto add = [&](const Mass&, const Charge&) { ++count; };
        masses.each(add);
        CHECK(count == 0);
        world.entity().set<Mass>({1}).set<Charge>({2});
        world.entity().set<Mass>({1});
        masses.each(add);
        CHECK(count == 1);
    }

    TEST_CASE("an uncached query hands out inherited values once there are bases") {
        kith::world world;
        auto masses = world.filter<const Mass>();
        int sum = 0;
        auto add = [&](const Mass& mass) { sum += mass.kilograms; };
        world.entity().set<Mass>({1});
        masses.each(add);
        CHECK(sum == 1);
        kith::entity base = world.prefab().set<Mass>({10});
        world.entity().is_a(base);
        masses.each(add);
        CHECK(sum == 12);
    }

    TEST_CASE("an uncached query that its callback drops is run to its end") {
        kith::world world;
        world.entity().set<Mass>({1});
        world.entity().set<Mass>({2}).add<Orbits>();
        auto masses = world.filter<const Mass>();
        masses.each([](const Mass&) {});
        int sum = 0;
        masses.each([&](const Mass& mass) {
            masses = {};
            sum += mass.kilograms;
        });
        CHECK(sum == 3);
    }

    TEST_CASE("an uncached query finds optional and unwanted components in each table") {
        kith::world world;
        world.entity().set<Mass>({1});
        world.entity().set<Mass>({2}).set<Charge>({0.5});
        world.entity().set<Mass>({4}).set<Charge>({0.5}).add<Orbits>();
        auto masses = world.filter_builder<const Mass, const Charge*>().without<Orbits>().build();
        int charged = 0;
        int neutral = 0;
        auto add = [&](const Mass& mass, const Charge* charge) {
            (charge ? charged : neutral) += mass.kilograms;
        };
        masses.each(add);
        masses.each(add);
        CHECK(charged == 4);
        CHECK(neutral == 2);
    }

    TEST_CASE("an uncached query is refused after the end of its world") {
        kith::filter<const Mass> masses;
        {
            kith::world world;
            world.entity().set<Mass>({1});
            masses = world.filter<const Mass>();
            masses.each([](const Mass&) {});
        }
        CHECK_THROWS_AS(masses.each([](const Mass&) {}), kith::error);
    }

    TEST_CASE("the callback of an uncached query can end the run") {
        kith::world world;
        for (int i = 0; i < 50; ++i) {
            world.entity().set<Mass>({i}).add(world.entity());
        }
        int count = 0;
        first_or_again<const Mass>(world).each([&](const Mass&) { return ++count < 20; });
        CHECK(count == 20);
    }

    // More tables than a walk visits in the order of a list.
    constexpr int many = 600;

    TEST_CASE(
        "a walk over most tables of a world visits each once, without tables made meanwhile") {
        kith::world world;
        std::vector<kith::entity> suns;
        std::set<kith::entity_t> expected;
        for (int i = 0; i < many; ++i) {
            suns.push_back(world.entity());
            kith::entity planet = world.entity().set<Mass>({i}).add<Orbits>(suns.back());
            i % 5 == 0 ? planet.destruct() : void(expected.insert(planet.id()));
        }
        auto masses = first_or_again<const Mass>(world);
        std::set<kith::entity_t> visited;
        masses.each([&](kith::entity planet, const Mass& mass) {
            CHECK(visited.insert(planet.id()).second);
            CHECK(planet.get<Mass>() == &mass);
            if (visited.size() % 50 == 0) {
                world.entity().set<Mass>({-1}).add<Orbits>(planet);
            }
            if (visited.size() == 100) {
                suns[300].destruct();
                world.entity().set<Charge>({1}).set<Mass>({-1}).add(world.entity());
            }
        });
        for (kith::entity_t planet : visited) {
            expected.erase(planet);
        }
        CHECK(expected.empty());
        CHECK_NOTHROW(world.check());
    }

    TEST_CASE("all ways to ask for a pair find the same among many tables") {
        kith::world world;
        kith::entity likes = world.entity("Likes");
        kith::entity knows = world.entity("Knows");
        std::vector<kith::entity> people;
        for (int i = 0; i < many; ++i) {
            people.push_back(world.entity().set<Mass>({i}));
        }
        std::set<std::pair<kith::entity_t, kith::entity_t>> expected;
        for (std::size_t i = 0; i < people.size(); ++i) {
            for (std::size_t step : {1, 2, 3}) {
                people[i].add(likes, people[(i + step) % people.size()]);
                people[i].add(knows, people[(i + step * step) % people.size()]);
            }
            // 1 is the step of both, and 4 none of the first.
            expected.insert({people[i].id(), people[(i + 1) % people.size()].id()});
        }
        std::set<std::pair<kith::entity_t, kith::entity_t>> found;
        auto both = world.filter("(Likes, $x), (Knows, $x)");
        const int x = both.find_var("x");
        both.each([&](kith::iter& it, std::size_t row) {
            CHECK(found.insert({it.entity(row).id(), it.get_var(x).id()}).second);
        });
        CHECK(found == expected);
        CHECK(world.filter("(Likes, *)").count() == 3 * many);
        CHECK(world.query("(Likes, *), Mass").count() == 3 * many);
        CHECK(world.filter("(Likes, _), (Knows, _)").count() == many);
    }

    TEST_CASE("a cached query that is made among many empty tables follows those that get rows") {
        kith::world world;
        std::vector<kith::entity> suns;
        for (int i = 0; i < many; ++i) {
            suns.push_back(world.entity());
            world.entity().set<Mass>({i}).add<Orbits>(suns.back()).destruct();
        }
        world.entity().set<Mass>({1});
        auto masses = world.query<const Mass>();
        CHECK(masses.count() == 1);
        for (int i = 0; i < many; i += 3) {
            world.entity().set<Mass>({i}).add<Orbits>(suns[static_cast<std::size_t>(i)]);
        }
        CHECK(masses.count() == 1 + many / 3);
        CHECK(world.query<const Mass>().count() == 1 + many / 3);
        CHECK(world.filter<const Mass>().count() == 1 + many / 3);
        CHECK_NOTHROW(world.check());
    }
}
