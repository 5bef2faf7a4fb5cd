// Results that are neighbours in a table are told in one call.
#include "support/monitor_log.hpp"

#include <vector>

#include <doctest/doctest.h>

using namespace kith_test;

namespace {

struct ranges : monitor_log {
    std::vector<kith::entity> make(int count) {
        std::vector<kith::entity> made;
        for (int i = 0; i < count; ++i) {
            made.push_back(world.entity().set(Fuel{i}));
        }
        return made;
    }
};

}  // namespace

TEST_SUITE("observe.monitor_ranges") {
    TEST_CASE_FIXTURE(ranges, "rows that begin in one batch come at once") {
        auto watch = world.query<Fuel>().monitor(counter());
        world.defer([&] { make(10); });
        CHECK(taken() == "+10 ");
    }

    TEST_CASE_FIXTURE(ranges, "rows of several tables come table by table") {
        auto watch = world.query<Fuel>().monitor(counter());
        world.defer([&] {
            for (int i = 0; i < 6; ++i) {
                auto made = world.entity().set(Fuel{});
                if (i % 2) {
                    made.add<Ship>();
                }
            }
        });
        CHECK(taken() == "+3 +3 ");
    }

    TEST_CASE_FIXTURE(ranges, "rows that end with what they are joined with come at once") {
        auto watch = world.query_builder<const Fuel>()
                         .with<DockedTo>("$place")
                         .with<Planet>()
                         .src("$place")
                         .build()
                         .monitor(counter());
        c.add<Planet>();
        for (kith::entity each : make(5)) {
            each.add<DockedTo>(c);
        }
        taken();
        c.remove<Planet>();
        CHECK(taken() == "-5 ");
    }

    TEST_CASE_FIXTURE(ranges, "rows that turn out to have ended come at once, with their values") {
        auto watch = world.query_builder<const Fuel>()
                         .with<Planet>()
                         .src(d)
                         .or_()
                         .with<Ship>()
                         .src(d)
                         .build()
                         .on_leave([&](kith::iter& it) {
                             int sum = 0;
                             for (auto row : it) {
                                 sum += it.field<const Fuel>(1)[row].amount;
                             }
                             log += std::to_string(it.count()) + ":" + std::to_string(sum) + " ";
                         });
        d.add<Planet>();
        make(5);
        d.remove<Planet>();
        CHECK(taken() == "5:10 ");
    }

    TEST_CASE_FIXTURE(ranges, "rows with other values of variables are no neighbours") {
        auto knows = world.relation("Knows", {.storage = kith::storage::sparse});
        auto watch =
            world.query_builder<const Fuel>().with(knows, "$whom").build().monitor(counter());
        std::vector<kith::entity> made = make(4);
        world.defer([&] {
            made[0].add(knows, a);
            made[1].add(knows, a);
            made[2].add(knows, b);
            made[3].add(knows, b);
        });
        CHECK(taken() == "+2 +2 ");
    }

    TEST_CASE_FIXTURE(ranges,
                      "what is inherited is told entity by entity, unless it is instanced") {
        a.set(Fuel{1}).add(kith::Prefab);
        std::vector<std::size_t> counts;
        auto count = [&](kith::iter& it) { counts.push_back(it.count()); };
        auto single = world.query<const Fuel>().on_enter(count);
        world.defer([&] {
            world.entity().is_a(a);
            world.entity().is_a(a);
        });
        CHECK(counts == std::vector<std::size_t>{1, 1});
        single.destruct();
        counts.clear();
        auto together = world.query_builder<const Fuel>().instanced().build().on_enter(count);
        world.defer([&] {
            world.entity().is_a(a);
            world.entity().is_a(a);
        });
        CHECK(counts == std::vector<std::size_t>{2});
    }

    TEST_CASE_FIXTURE(ranges, "a table whose rows are told cannot be changed meanwhile") {
        make(3);
        auto watch = world.query<Fuel>().on_leave([&](kith::iter& it) {
            world.defer_suspend();
            CHECK_THROWS_AS(it.entity(0).add<Ship>(), kith::error);
            world.defer_resume();
        });
        a.set(Fuel{}).remove<Fuel>();
    }
}
