// Results that are neighbours in a table are told in one call.
#include "support/monitor_log.hpp"
#include "support/relations.hpp"

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

TEST_SUITE("features.monitors.ranges") {
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

    // spec 96
    // spec 319
    TEST_CASE_FIXTURE(ranges, "rows that are deleted together come at once, table by table") {
        std::vector<int> sums;
        auto watch = world.query<const Fuel>().on_leave([&](kith::iter& it) {
            int sum = 0;
            for (auto row : it) {
                sum += it.field<const Fuel>(1)[row].amount;
                CHECK(it.entity(row).has<Fuel>());
            }
            sums.push_back(sum);
        });
        SUBCASE("by what they have") {
            make(4);
            for (kith::entity each : make(3)) {
                each.add<Ship>();
            }
            world.delete_with<Fuel>();
            CHECK(sums == std::vector<int>{6, 3});
        }
        SUBCASE("with their parent") {
            for (kith::entity each : make(4)) {
                each.child_of(a);
            }
            a.destruct();
            CHECK(sums == std::vector<int>{6});
        }
        SUBCASE("by commands in a queue") {
            for (kith::entity each : make(4)) {
                each.child_of(a);
            }
            world.defer([&] { a.destruct(); });
            CHECK(sums == std::vector<int>{6});
        }
    }

    // spec 96
    TEST_CASE_FIXTURE(ranges, "rows that lose a deleted target come at once, table by table") {
        auto watch = world.query_builder<const Fuel>()
                         .with<DockedTo>(kith::Wildcard)
                         .build()
                         .on_leave([&](kith::iter& it) {
                             int sum = 0;
                             for (auto row : it) {
                                 sum += it.field<const Fuel>(1)[row].amount;
                             }
                             log += name_of(it.pair(2).second()) + std::to_string(sum) + " ";
                         });
        for (kith::entity each : make(4)) {
            each.add<DockedTo>(c).add<DockedTo>(d);
        }
        c.destruct();
        CHECK(taken() == "c6 ");
    }

    TEST_CASE("rows that lose an id together come at once") {
        struct losing : ranges {
            kith::entity knows, tag;
        };
        struct way {
            const char* why;
            void (*lose)(losing& from);
        };
        constexpr way ways[] = {
            {"by name", [](losing& from) { from.world.remove_all(from.tag); }},
            {"a pair", [](losing& from) { from.world.remove_all(from.knows, from.c); }},
            {"a pattern", [](losing& from) { from.world.remove_all(from.knows, kith::Wildcard); }},
            {"in a queue",
             [](losing& from) { from.world.defer([&] { from.world.remove_all(from.tag); }); }},
            {"with the target", [](losing& from) { from.c.destruct(); }},
            {"with the relationship", [](losing& from) { from.knows.destruct(); }},
            {"with the tag", [](losing& from) { from.tag.destruct(); }},
        };
        const bool sparse = for_both_storages();
        for (const way& each : ways) {
            CAPTURE(each.why);
            losing from;
            from.knows = make_relation(from.world, sparse);
            from.tag = make_relation(from.world, sparse);
            auto watch = from.world.query_builder<const Fuel>()
                             .with(from.knows, kith::Wildcard)
                             .with(from.tag)
                             .build()
                             .monitor(from.counter());
            for (kith::entity made : from.make(5)) {
                made.add(from.tag).add(from.knows, from.c);
            }
            from.taken();
            each.lose(from);
            CHECK(from.taken() == "-5 ");
            from.world.check();
        }
    }

    TEST_CASE_FIXTURE(ranges, "instances of a base that is deleted come at once") {
        auto base = world.prefab().set(Fuel{1});
        kith::monitor watch;
        SUBCASE("by the pair") {
            watch = world.query_builder().with(kith::IsA, base).build().monitor(counter());
        }
        SUBCASE("by what they inherit") {
            watch = world.query<const Fuel>().monitor(counter());
        }
        for (int i = 0; i < 4; ++i) {
            world.entity().is_a(base);
        }
        taken();
        base.destruct();
        CHECK(taken() == "-4 ");
    }

    TEST_CASE_FIXTURE(ranges, "rows come at once, also where changes are asked for") {
        auto fuels = world.query<const Fuel>();
        auto watch = fuels.monitor(counter());
        fuels.changed();
        const Fuel values[4] = {};
        world.bulk(4, values);
        CHECK(taken() == "+4 ");
        SUBCASE("that are deleted") {
            world.delete_with<Fuel>();
        }
        SUBCASE("that lose it") {
            world.remove_all<Fuel>();
        }
        CHECK(taken() == "-4 ");
    }

    TEST_CASE_FIXTURE(ranges,
                      "joined results of entities that are deleted together are told once") {
        auto watch = world.query_builder().with<Likes>("$x").build().monitor(writer());
        auto e = named("e");
        a.child_of(e).add<Likes>(b);
        b.child_of(e).add<Likes>(a);
        taken();
        e.destruct();
        std::string told = taken();
        CHECK((told == "-a,b -b,a " || told == "-b,a -a,b "));
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
