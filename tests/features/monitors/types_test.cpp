// Monitors of queries whose results the types of tables decide, where more comes into play.
#include "support/monitor_log.hpp"

#include <vector>

#include <doctest/doctest.h>

using namespace kith_test;

TEST_SUITE("features.monitors.types") {
    TEST_CASE_FIXTURE(monitor_log, "an instance stays a result while one side of it has the id") {
        a.set(Fuel{1});
        b.is_a(a);
        auto watch = world.query<Fuel>().monitor(writer());
        b.add<Fuel>();
        CHECK(taken() == "");
        b.remove<Fuel>();
        CHECK(taken() == "");
        b.add<Fuel>();
        a.remove<Fuel>();
        CHECK(taken() == "-a ");
        b.remove<Fuel>();
        CHECK(taken() == "-b ");
    }

    TEST_CASE_FIXTURE(monitor_log, "an instance has the value of its base when it is told") {
        a.set(Fuel{7});
        auto watch = world.query<const Fuel>().monitor([&](kith::iter& it) {
            log += (it.event() == kith::OnAdd ? "+" : "-") +
                   std::to_string(it.field<const Fuel>(1)[0].amount) + " ";
        });
        b.is_a(a);
        CHECK(taken() == "+7 ");
        b.destruct();
        CHECK(taken() == "-7 ");
    }

    TEST_CASE_FIXTURE(monitor_log, "a term for the entity itself does not look at its bases") {
        a.add<Ship>();
        auto watch = world.query_builder().with<Ship>().self().build().monitor(writer());
        b.is_a(a);
        CHECK(taken() == "");
        b.add<Ship>();
        CHECK(taken() == "+b ");
    }

    TEST_CASE_FIXTURE(monitor_log, "what is switched off in a base ends what it gives") {
        a.add<Ship>();
        b.is_a(a);
        auto watch = world.query<Ship>().monitor(writer());
        a.disable<Ship>();
        const std::string ended = taken();
        CHECK(world.query<Ship>().count() == 2 - static_cast<int>(ended.size()) / 3);
        b.add<Planet>();
        CHECK(taken() == "");
    }

    TEST_CASE_FIXTURE(monitor_log, "an entity with something switched off is told of by its rest") {
        a.add<Ship>().add<Planet>();
        auto watch = world.query_builder<Ship>().without<Broken>().build().monitor(writer());
        a.disable<Planet>();
        CHECK(taken() == "");
        a.disable<Ship>();
        CHECK(taken() == "-a ");
        a.add<Broken>();
        a.enable<Ship>();
        CHECK(taken() == "");
        a.remove<Broken>();
        CHECK(taken() == "+a ");
    }

    TEST_CASE_FIXTURE(monitor_log, "kinds that come to be in a batch count at its end") {
        auto watch = world.query_builder().with(d).build().monitor(writer());
        world.defer([&] {
            a.add(c);
            c.is_a(d);
            b.add(c);
        });
        CHECK(taken() == "+a +b ");
        world.defer([&] {
            b.remove(c);
            c.remove(kith::IsA, d);
            b.add(d);
        });
        CHECK(taken() == "-a ");
    }

    TEST_CASE_FIXTURE(monitor_log, "a component that becomes sparse is watched on") {
        auto tag = world.entity("Tag");
        auto watch = world.query_builder().with(tag).build().monitor(writer());
        a.add(tag);
        CHECK(taken() == "+a ");
        tag.add(kith::Sparse);
        CHECK(taken() == "");
        b.add(tag);
        a.remove(tag);
        CHECK(taken() == "+b -a ");
    }

    TEST_CASE_FIXTURE(monitor_log, "any pair of a relationship is enough for a negated term") {
        a.add<Ship>();
        auto watch =
            world.query_builder<Ship>().without<DockedTo>(kith::Wildcard).build().monitor(writer());
        a.add<DockedTo>(b);
        CHECK(taken() == "-a ");
        a.add<DockedTo>(c);
        a.remove<DockedTo>(b);
        CHECK(taken() == "");
        a.remove<DockedTo>(c);
        CHECK(taken() == "+a ");
    }

    TEST_CASE_FIXTURE(monitor_log, "a parent is told of like others, whatever its children") {
        b.child_of(a);
        auto watch = world.query<Ship>().monitor(writer());
        a.add<Ship>();
        CHECK(taken() == "+a ");
        a.remove<Ship>();
        CHECK(taken() == "-a ");
    }

    TEST_CASE_FIXTURE(monitor_log, "a base that is also a relationship touches its instances") {
        a.add<Ship>();
        b.add(a, c);
        d.is_a(a);
        auto watch = world.query<Ship>().monitor(writer());
        a.remove<Ship>();
        CHECK(taken() == "-a -d ");
    }

    TEST_CASE_FIXTURE(monitor_log, "values that a callback writes count as changed for others") {
        a.set(Fuel{1}).add<Ship>();
        auto reader = world.query<const Fuel>();
        reader.changed();
        auto watch = world.query<Fuel, Ship>().on_enter(
            [](kith::iter& it) { it.field<Fuel>(1)[0].amount = 2; });
        a.disable<Ship>();
        reader.each([](const Fuel&) {});
        CHECK_FALSE(reader.changed());
        a.enable<Ship>();
        CHECK(reader.changed());
    }

    TEST_CASE_FIXTURE(monitor_log, "a monitor that looks has not seen changes for its query") {
        a.set(Fuel{1});
        auto query = world.query_builder<const Fuel>().without<Broken>().src(d).build();
        query.changed();
        query.iter([](kith::iter&) {});
        CHECK_FALSE(query.changed());
        auto watch = query.monitor([](kith::iter&) {});
        a.set(Fuel{2});
        world.defer([&] {
            d.add<Broken>();
            d.remove<Broken>();
        });
        CHECK(query.changed());
    }

    TEST_CASE_FIXTURE(monitor_log, "a monitor that tells has not seen changes for its query") {
        a.set(Fuel{1});
        auto query = world.query<const Fuel>();
        query.changed();
        query.iter([](kith::iter&) {});
        a.set(Fuel{2});
        SUBCASE("of what ends and begins") {
            auto watch = query.monitor(writer());
            a.disable();
            a.enable();
            CHECK(taken() == "-a +a ");
        }
        SUBCASE("of what is lost and comes back") {
            auto watch = query.monitor(writer());
            a.remove<Fuel>();
            a.add<Fuel>();
            CHECK(taken() == "-a +a ");
        }
        SUBCASE("of what there is") {
            auto watch = query.on_enter(writer(), kith::yield_existing);
            CHECK(taken() == "+a ");
        }
        CHECK(query.changed());
    }

    TEST_CASE_FIXTURE(monitor_log, "a callback knows whether what it is told of has changed") {
        a.set(Fuel{1});
        auto query = world.query<const Fuel>();
        query.changed();
        auto watch = query.on_leave([&](kith::iter& it) { log += it.changed() ? "1" : "0"; });
        query.iter([](kith::iter&) {});
        a.remove<Fuel>();
        CHECK(taken() == "0");
        a.set(Fuel{2});
        a.remove<Fuel>();
        CHECK(taken() == "1");
    }

    TEST_CASE_FIXTURE(monitor_log, "a result that is not told is not written") {
        a.set(Fuel{1}).add<DockedTo>(b);
        c.set(Fuel{1});
        auto reader = world.query<const Fuel>();
        reader.changed();
        auto query = world.query_builder<Fuel>()
                         .with<DockedTo>("$x")
                         .with<Planet>()
                         .src("$x")
                         .with<Ship>()
                         .optional()
                         .build();
        auto left = query.on_leave([](kith::iter&) {});
        b.add<Planet>();
        reader.each([](const Fuel&) {});
        world.defer([&] {
            b.disable<Planet>();
            b.enable<Planet>();
        });
        CHECK_FALSE(reader.changed());
        b.remove<Planet>();
        CHECK(reader.changed());
    }

    TEST_CASE_FIXTURE(monitor_log,
                      "a result that ends by what comes is told before that is there") {
        a.add<Ship>();
        auto watch = world.query_builder<Ship>().without<Broken>().build().on_leave(
            [&](kith::iter& it) { log += it.entity(0).has<Broken>() ? "late" : "early"; });
        a.add<Broken>();
        CHECK(taken() == "early");
    }

    TEST_CASE_FIXTURE(monitor_log, "another entity with the index of one that is gone is another") {
        auto gone = world.entity();
        auto watch = world.query_builder().with<Likes>(gone).build().monitor(writer());
        gone.destruct();
        auto next = world.entity();
        REQUIRE(kith::index_of(next) == kith::index_of(gone));
        a.add<Likes>(next);
        CHECK(taken() == "");
    }

    TEST_CASE_FIXTURE(monitor_log, "rows that a callback moves at once are told all the same") {
        a.set(Fuel{1});
        auto watch = world.query<const Fuel>().monitor([&](kith::iter& it) {
            if (it.event() == kith::OnRemove) {
                world.defer_suspend();
                b.add<Ship>();
                world.defer_resume();
                return;
            }
            for (auto row : it) {
                log += name_of(it.entity(row)) +
                       std::to_string(it.field<const Fuel>(1)[row].amount) + " ";
            }
        });
        world.defer([&] {
            a.disable<Fuel>();
            b.add<Planet>().set(Fuel{5});
            c.add<Planet>().set(Fuel{6});
        });
        CHECK(taken() == "b5 c6 ");
    }

    TEST_CASE_FIXTURE(monitor_log, "a monitor of a sorted query has the values of its rows") {
        auto watch =
            world.query_builder<const Fuel>()
                .order_by<Fuel>([](kith::entity_t, const Fuel* left, kith::entity_t,
                                   const Fuel* right) { return left->amount - right->amount; })
                .build()
                .on_enter([&](kith::iter& it) {
                    for (auto row : it) {
                        log += std::to_string(it.field<const Fuel>(1)[row].amount) + " ";
                    }
                });
        world.defer([&] {
            a.set(Fuel{3});
            b.set(Fuel{1});
        });
        CHECK(taken() == "1 3 ");
    }
}
