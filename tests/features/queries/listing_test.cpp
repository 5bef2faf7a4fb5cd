// Runs that inlined code makes by the lists of a cached query: all tables, those that are asked
// what has changed, and those of one group.
#include <kith/kith.hpp>

#include "support/world_fixture.hpp"

#include <string>
#include <vector>

using namespace kith_test;

namespace {

struct fixture : world_fixture {
    // One entity in each of three tables.
    std::vector<kith::entity> three() {
        return {world.entity().set(Position{1, 0}), world.entity().set(Position{2, 0}).add<Hot>(),
                world.entity().set(Position{3, 0}).add<Cold>()};
    }
    // A table that inherits Position.
    void make_heir() {
        kith::entity base = world.prefab().set(Position{9, 0});
        world.entity().is_a(base).add<Likes>(base);
    }

    // The first x of each table that has changed.
    static std::string changes(const kith::query<const Position>& query) {
        std::string out;
        query.iter([&](kith::iter& it, const Position* values) {
            out += it.changed() ? std::to_string(values[0].x) : "";
        });
        return out;
    }
};

}  // namespace

TEST_SUITE("features.queries.listing") {
    TEST_CASE_FIXTURE(fixture, "a run goes on when a table with a base comes meanwhile") {
        three();
        auto query = world.query<const Position>();
        std::string seen;
        query.each([&](const Position& p) {
            if (seen.empty()) {
                make_heir();
            }
            seen += std::to_string(p.x);
        });
        CHECK(seen == "123");
    }

    TEST_CASE_FIXTURE(fixture, "a run that asks goes on when a table with a base comes meanwhile") {
        three();
        auto query = world.query<const Position>();
        changes(query);
        std::string seen;
        query.iter([&](kith::iter& it, const Position* values) {
            if (seen.empty()) {
                make_heir();
            }
            seen += std::to_string(values[0].x) + (it.changed() ? "!" : "");
        });
        CHECK(seen.substr(0, 3) == "123");
    }

    TEST_CASE_FIXTURE(fixture, "of each table it is told whether it has changed") {
        auto entities = three();
        auto query = world.query<const Position>();
        CHECK(changes(query) == "123");
        CHECK(changes(query).empty());
        entities[1].set(Position{5, 0});
        CHECK(changes(query) == "5");
        CHECK(changes(query).empty());
        entities[0].add<Cold>();
        CHECK(changes(query) == "3");
    }

    TEST_CASE_FIXTURE(fixture, "a scan hands out entities, fields and their ids") {
        auto entities = three();
        auto query = world.query_builder<const Position>().with<Hot>().optional().build();
        query.changed();
        query.iter([](kith::iter&) {});
        int count = 0;
        query.iter([&](kith::iter& it) {
            CHECK(it.field_count() == 2);
            CHECK(it.entity(0) == entities[static_cast<std::size_t>(count)]);
            CHECK(it.field<const Position>(1)[0].x == ++count);
            CHECK(it.id(1) == world.id<Position>());
            CHECK(it.is_readonly(1));
            CHECK(it.is_set(2) == (count == 2));
            CHECK(it.table() == entities[static_cast<std::size_t>(count) - 1].table());
            CHECK_FALSE(it.changed(0));
            it.skip();
        });
        CHECK(count == 3);
    }

    TEST_CASE_FIXTURE(fixture, "a scan sees rows that come to an empty table meanwhile") {
        auto entities = three();
        entities[2].remove<Cold>();  // its table is listed, and empty
        auto query = world.query<const Position>();
        changes(query);
        std::string seen;
        query.iter([&](kith::iter& it, const Position* values) {
            if (seen.empty()) {
                world.entity().add<Cold>().set(Position{7, 0});
            }
            seen += std::to_string(values[0].x) + (it.changed() ? "!" : "");
        });
        CHECK(seen == "127!");
        CHECK(changes(query).empty());
    }

    TEST_CASE_FIXTURE(fixture, "a scan passes over a table that is emptied meanwhile") {
        auto entities = three();
        auto query = world.query<const Position>();
        changes(query);
        std::string seen;
        query.iter([&](kith::iter&, const Position* values) {
            if (seen.empty()) {
                entities[1].destruct();
            }
            seen += std::to_string(values[0].x);
        });
        CHECK(seen == "13");
    }

    TEST_CASE_FIXTURE(fixture, "what is written while a scan runs is seen once") {
        auto entities = three();
        auto query = world.query<const Position>();
        changes(query);
        std::string seen;
        query.iter([&](kith::iter& it, const Position* values) {
            if (seen.empty()) {
                entities[2].set(Position{6, 0});
            }
            seen += std::to_string(values[0].x) + (it.changed() ? "!" : "");
        });
        CHECK(seen == "126!");
        CHECK(changes(query).empty());
    }

    TEST_CASE_FIXTURE(fixture, "a scan that ends early leaves the rest changed") {
        auto entities = three();
        auto query = world.query<const Position>();
        changes(query);
        for (kith::entity e : entities) {
            e.set(Position{8, 0});
        }
        query.iter([](kith::iter&) { return false; });
        CHECK(changes(query) == "88");
    }

    TEST_CASE_FIXTURE(fixture,
                      "a write during a repeated scan is seen once, by this one or the next") {
        auto entities = three();
        auto query = world.query<const Position>();
        for (int i = 0; i < 3; ++i) {
            changes(query);
        }
        std::string seen;
        query.iter([&](kith::iter& it, const Position* values) {
            if (seen.empty()) {
                entities[0].set(Position{4, 0});
                entities[2].set(Position{6, 0});
            }
            seen += std::to_string(values[0].x) + (it.changed() ? "!" : "");
        });
        CHECK(seen.substr(seen.find('2')) == "26!");
        changes(query);
        CHECK(changes(query).empty());
        CHECK_FALSE(query.changed());
    }

    TEST_CASE_FIXTURE(fixture, "rows that go after repeated scans are a change") {
        auto entities = three();
        auto query = world.query<const Position>();
        for (int i = 0; i < 4; ++i) {
            changes(query);
        }
        CHECK_FALSE(query.changed());
        entities[1].destruct();
        CHECK(query.changed());
        changes(query);
        CHECK_FALSE(query.changed());
    }

    TEST_CASE_FIXTURE(fixture, "what changes after a repeated scan that ended early is seen") {
        auto entities = three();
        auto query = world.query<const Position>();
        for (int i = 0; i < 3; ++i) {
            changes(query);
        }
        query.iter([](kith::iter&) { return false; });
        for (kith::entity e : entities) {
            e.set(Position{8, 0});
        }
        CHECK(changes(query) == "888");
    }

    TEST_CASE_FIXTURE(fixture, "a scan inside of a scan sees what the outer one has not seen") {
        auto entities = three();
        auto query = world.query<const Position>();
        changes(query);
        entities[0].set(Position{4, 0});
        entities[1].set(Position{5, 0});
        std::string inner;
        query.iter([&](kith::iter&) { inner += changes(query); });
        CHECK(inner == "5");
    }

    TEST_CASE_FIXTURE(fixture, "one group is found after tables came and went") {
        kith::entity likes = world.entity();
        kith::entity ann = world.entity();
        kith::entity bob = world.entity();
        auto query = world.query_builder<const Position>().group_by(likes).build();
        auto sum = [&](kith::entity group) {
            int total = 0;
            query.iter().set_group(group).each([&](const Position& p) { total += p.x; });
            return total;
        };
        CHECK(sum(ann) == 0);
        kith::entity first = world.entity().set(Position{1, 0}).add(likes, ann);
        CHECK(sum(ann) == 1);
        CHECK(sum(ann) == 1);
        world.entity().set(Position{20, 0}).add(likes, bob);
        CHECK(sum(bob) == 20);
        CHECK(sum(ann) == 1);
        world.entity().set(Position{2, 0}).add(likes, ann).add<Hot>();
        CHECK(sum(ann) == 3);
        first.destruct();
        CHECK(sum(ann) == 2);
        bob.destruct();
        CHECK(sum(bob) == 0);
        CHECK(sum(ann) == 2);
    }

    TEST_CASE_FIXTURE(fixture, "groups are told to end also if one group is all that is run") {
        static int ended;
        ended = 0;
        kith::entity likes = world.entity();
        kith::entity ann = world.entity();
        kith::entity bob = world.entity();
        auto query =
            world.query_builder<const Position>()
                .group_by(likes)
                .on_group_delete([](kith::world_t*, std::uint64_t, void*, void*) { ++ended; })
                .build();
        world.entity().set(Position{1, 0}).add(likes, ann);
        world.entity().set(Position{2, 0}).add(likes, bob);
        query.iter().set_group(ann).each([](const Position&) {});
        query.iter().set_group(ann).each([](const Position&) {});
        bob.destruct();
        query.iter().set_group(ann).each([](const Position&) {});
        CHECK(ended == 1);
    }

    TEST_CASE_FIXTURE(fixture, "a callback of one group may run another, and make tables") {
        kith::entity likes = world.entity();
        std::vector<kith::entity> groups;
        for (int i = 0; i < 4; ++i) {
            groups.push_back(world.entity());
            world.entity().set(Position{i, 0}).add(likes, groups.back());
        }
        auto query = world.query_builder<const Position>().group_by(likes).build();
        std::string seen;
        query.iter().set_group(groups[1]).each([](const Position&) {});
        query.iter().set_group(groups[1]).each([&](const Position& p) {
            seen += std::to_string(p.x);
            world.entity().set(Position{7, 0}).add(likes, groups[2]).add<Hot>();
            query.iter().set_group(groups[2]).each(
                [&](const Position& inner) { seen += std::to_string(inner.x); });
        });
        CHECK(seen == "127");
    }
}
