// Terms for components, by type, id and name, and lone wildcards: the programs of the queries
// document, completed.
#include <kith/kith.hpp>

#include <algorithm>
#include <vector>

#include <doctest/doctest.h>

namespace flecs = kith;

namespace {

struct Position {
    float x = 0, y = 0;
};
struct Velocity {
    float x = 0, y = 0;
};
struct Mass {
    float value = 0;
};
struct Npc {};

struct fixture {
    // What matched, once per result.
    template <class Query>
    std::vector<flecs::entity> found_by(const Query& query) const {
        std::vector<flecs::entity> found;
        query.iter([&](flecs::iter& it) {
            for (auto i : it) {
                found.push_back(it.entity(i));
            }
        });
        return found;
    }

    flecs::world world;
};

using entities = std::vector<flecs::entity>;

}  // namespace

TEST_SUITE("seeds.queries_components") {
    TEST_CASE_FIXTURE(fixture, "an entity matches if it has all components, and may have more") {
        flecs::entity e1 = world.entity().add<Position>();
        flecs::entity e2 = world.entity().add<Position>().add<Velocity>();
        flecs::entity e3 = world.entity().add<Position>().add<Velocity>().add<Mass>();

        auto found = found_by(world.filter<Position, Velocity>());
        CHECK(found == entities{e2, e3});
        CHECK(std::find(found.begin(), found.end(), e1) == found.end());
    }

    TEST_CASE_FIXTURE(fixture, "template arguments decide what each hands out") {
        flecs::entity e = world.entity().set<Position>({1, 2}).set<Velocity>({3, 4});
        flecs::filter<Position, const Velocity> f = world.filter<Position, const Velocity>();

        int calls = 0;
        f.each([&](Position& p, const Velocity& v) {
            CHECK(&p == e.get<Position>());
            CHECK(&v == e.get<Velocity>());
            ++calls;
        });
        CHECK(calls == 1);
    }

    TEST_CASE_FIXTURE(fixture, "terms of a builder stand behind the template arguments") {
        flecs::entity e = world.entity().set<Position>({1, 2}).set<Velocity>({3, 4});
        world.entity().set<Position>({5, 6});

        flecs::filter<Position> f = world.filter_builder<Position>().term<const Velocity>().build();
        int calls = 0;
        f.each([&](Position& p) {
            CHECK(p.x == 1);
            ++calls;
        });
        CHECK(calls == 1);
        CHECK(f.term(0).id() == world.id<Position>());
        CHECK(f.term(1).id() == world.id<Velocity>());
        CHECK(f.first() == e);
    }

    TEST_CASE_FIXTURE(fixture, "entities made at run time can be asked for") {
        flecs::entity Npc = world.entity();
        flecs::entity Platoon_01 = world.entity();
        flecs::entity e = world.entity().add(Npc).add(Platoon_01);
        world.entity().add(Npc);
        world.entity().add(Platoon_01);

        flecs::filter<> f = world.filter_builder().term(Npc).term(Platoon_01).build();
        CHECK(found_by(f) == entities{e});
    }

    TEST_CASE_FIXTURE(fixture, "components and entities can be asked for by name") {
        world.component<Position>();
        flecs::entity Npc = world.entity("Npc");
        flecs::entity e = world.entity().add<Position>().add(Npc);
        world.entity().add<Position>();

        flecs::filter<> f = world.filter_builder().term("Position").term("Npc").build();
        CHECK(found_by(f) == entities{e});
    }

    TEST_CASE_FIXTURE(fixture, "a tag type and a named entity are matched alike") {
        world.component<Npc>();
        flecs::entity Platoon_01 = world.entity("Platoon_01");

        flecs::entity e = world.entity().add<Npc>().add(Platoon_01);
        world.entity().add<Npc>();

        CHECK(found_by(world.filter_builder().term("Npc").term("Platoon_01").build()) ==
              entities{e});
        CHECK(found_by(world.filter_builder().term<Npc>().term(Platoon_01).build()) == entities{e});
    }

    TEST_CASE_FIXTURE(fixture, "Wildcard gives a result for each component") {
        flecs::entity e = world.entity().add<Position>().add<Velocity>();

        flecs::filter<> f = world.filter_builder().term(flecs::Wildcard).build();

        std::vector<flecs::id_t> ids;
        f.iter([&](flecs::iter& it) {
            for (auto i : it) {
                if (it.entity(i) == e) {
                    ids.push_back(it.id(1));
                }
            }
        });
        std::sort(ids.begin(), ids.end());
        std::vector<flecs::id_t> wanted = {world.id<Position>(), world.id<Velocity>()};
        std::sort(wanted.begin(), wanted.end());
        CHECK(ids == wanted);
    }

    TEST_CASE_FIXTURE(fixture, "Any gives one result, the same one each time") {
        flecs::entity e = world.entity().add<Position>().add<Velocity>();

        flecs::filter<> f = world.filter_builder().term(flecs::Any).build();

        auto matched = [&] {
            std::vector<flecs::id_t> ids;
            f.iter([&](flecs::iter& it) {
                for (auto i : it) {
                    if (it.entity(i) == e) {
                        ids.push_back(it.id(1));
                    }
                }
            });
            return ids;
        };
        const auto first = matched();
        REQUIRE(first.size() == 1);
        CHECK((first[0] == world.id<Position>() || first[0] == world.id<Velocity>()));
        CHECK(matched() == first);
    }
}
