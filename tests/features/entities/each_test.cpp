#include <kith/kith.hpp>

#include "support/errors.hpp"
#include "support/types.hpp"

using namespace kith_test;
using kith::errc;

namespace {

struct fixture {
    fixture() {
        register_all(world);
        for (int i = 0; i < 3; ++i) {
            all.push_back(world.entity().set(Position{i, 0}));
        }
    }

    kith::world world;
    std::vector<kith::entity> all;
};

int free_function_sum = 0;
void add_to_sum(Position& p) {
    free_function_sum += p.x;
}

}  // namespace

TEST_SUITE("features.entities.each") {
    TEST_CASE_FIXTURE(fixture, "values are visited in all tables, by reference") {
        all[1].add<Hot>();
        int sum = 0;
        world.each([&](Position& p) { sum += p.x += 10; });
        CHECK(sum == 33);
        CHECK(all[1].get<Position>()->x == 11);
        world.each([&](kith::entity e, const Position& p) { CHECK(e.get<Position>() == &p); });
        world.each<Position>([&](Position& p) { p.x = 0; });
        CHECK(all[2].get<Position>()->x == 0);
    }

    TEST_CASE_FIXTURE(fixture, "a function is a callback too") {
        free_function_sum = 0;
        world.each(add_to_sum);
        CHECK(free_function_sum == 3);
    }

    TEST_CASE_FIXTURE(fixture, "tags, pairs and ids are visited by entity") {
        all[0].add<Hot>();
        all[2].add<Likes>(all[0]);
        std::vector<kith::entity> seen;
        world.each<Hot>([&](kith::entity e) { seen.push_back(e); });
        world.each(world.pair<Likes>(all[0]), [&](kith::entity e) { seen.push_back(e); });
        world.each(kith::make_pair(world.component<Likes>(), kith::Wildcard),
                   [&](kith::entity e) { seen.push_back(e); });
        CHECK(seen == std::vector<kith::entity>{all[0], all[2], all[2]});
    }

    TEST_CASE_FIXTURE(fixture,
                      "a structural change of the visited table is refused and changes nothing") {
        int visits = 0;
        world.each([&](kith::entity e, Position&) {
            ++visits;
            auto refused = [&](auto&& change) { return refusal(world, all_values(), change); };
            CHECK(refused([&] { e.add<Hot>(); }) == errc::locked);
            CHECK(refused([&] { e.set(Velocity{1, 2}); }) == errc::locked);
            CHECK(refused([&] { e.set(Label{"x"}); }) == errc::locked);
            CHECK(refused([&] { e.remove<Position>(); }) == errc::locked);
            CHECK(refused([&] { e.destruct(); }) == errc::locked);
            CHECK(refused([&] { e.clear(); }) == errc::locked);
            CHECK(refused([&] { e.clone(); }) == errc::locked);
            CHECK(refused([&] { e.set_name("x"); }) == errc::locked);
            CHECK(refused([&] { world.entity(Position{1, 2}); }) == errc::locked);
            CHECK(refused([&] { world.delete_with<Position>(); }) == errc::locked);
            CHECK(refused([&] { world.remove_all<Position>(); }) == errc::locked);
            const Position value{};
            CHECK(refused([&] { world.bulk(1, &value); }) == errc::locked);
        });
        CHECK(visits == 3);
    }

    TEST_CASE_FIXTURE(fixture, "moving into a visited table is refused") {
        kith::entity outside = world.entity();
        world.each([&](Position&) {
            CHECK(refusal(world, all_values(), [&] {
                      outside.set(Position{1, 1});
                  }) == errc::locked);
            CHECK(refusal(world, all_values(), [&] { outside.add<Position>(); }) == errc::locked);
        });
        CHECK_NOTHROW(outside.add<Position>());
    }

    TEST_CASE_FIXTURE(fixture, "other tables may change, values may be written") {
        kith::entity outside = world.entity().set(Velocity{1, 1});
        int visits = 0;
        world.each([&](kith::entity e, Position&) {
            outside.add_if<Hot>(visits % 2 == 0);
            outside.add_if<Cold>(visits % 2 == 1);
            world.entity().set(Label{"new"});
            e.set(Position{9, 9});
            ++visits;
        });
        CHECK(visits == 3);
        CHECK(all[2].get<Position>()->x == 9);
        CHECK(world.count<Label>() == 3);
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "deferred changes of the visited table are legal") {
        world.defer([&] {
            world.each([&](kith::entity e, Position& p) {
                if (p.x == 1) {
                    e.destruct();
                } else {
                    e.add<Hot>();
                }
            });
        });
        CHECK_FALSE(all[1].is_alive());
        CHECK(world.count<Hot>() == 2);
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "a flush inside of an iteration is refused command by command") {
        CHECK(error_of([&] {
                  world.each(
                      [&](kith::entity e, Position&) { world.defer([&] { e.add<Hot>(); }); });
              }) == errc::locked);
        CHECK(world.count<Hot>() == 0);
        CHECK_NOTHROW(all[0].add<Hot>());
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "an exception from the callback leaves no lock") {
        CHECK_THROWS_AS(world.each([](Position&) { throw 1; }), int);
        CHECK_NOTHROW(all[0].add<Hot>());
        CHECK_THROWS_AS(all[1].get([](const Position&) { throw 2; }), int);
        CHECK_NOTHROW(all[1].add<Hot>());
        kith::entity child = world.entity().child_of(all[1]);
        CHECK_THROWS_AS(all[1].children([](kith::entity) { throw 2; }), int);
        CHECK_NOTHROW(child.add<Cold>());
    }

    TEST_CASE_FIXTURE(fixture, "iterations nest, and the inner one unlocks only its own") {
        int pairs = 0;
        world.each([&](kith::entity e, Position&) {
            world.each([&](Position&) { ++pairs; });
            CHECK(error_of([&] { e.add<Hot>(); }) == errc::locked);
        });
        CHECK(pairs == 9);
    }

    TEST_CASE_FIXTURE(fixture, "disabled components are not visited") {
        all[1].disable<Position>();
        std::vector<int> seen;
        world.each([&](Position& p) { seen.push_back(p.x); });
        CHECK(seen == std::vector<int>{0, 2});
        all[1].enable<Position>();
        int count = 0;
        world.each([&](Position&) { ++count; });
        CHECK(count == 3);
    }

    TEST_CASE_FIXTURE(fixture, "tables made during the iteration do not upset it") {
        int visits = 0;
        world.each([&](Position& p) {
            ++visits;
            for (int i = 0; i < 50; ++i) {
                world.entity().add(world.entity()).set(Velocity{p.x, i});
            }
        });
        CHECK(visits == 3);
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "tables deleted during the iteration do not upset it") {
        std::vector<kith::entity> tags;
        for (int i = 0; i < 10; ++i) {
            tags.push_back(world.entity());
            world.entity().add(tags.back()).set(Velocity{i, 0});
        }
        world.each([&](Position&) {
            if (!tags.empty()) {
                tags.back().destruct();
                tags.pop_back();
            }
        });
        CHECK(tags.size() == 7);
        CHECK(world.count<Velocity>() == 10);
        world.check();
    }
}
