#include <kith/kith.hpp>

#include "support/errors.hpp"
#include "support/monitor_log.hpp"

#include <array>
#include <optional>
#include <stdexcept>
#include <vector>

#include <doctest/doctest.h>

using namespace kith_test;

TEST_SUITE("features.monitors.monitor") {
    // spec 129
    // spec 319
    TEST_CASE_FIXTURE(monitor_log, "a monitor is told when entities start and stop to match") {
        auto query = world.query<Ship, Fuel>();
        auto watch = query.monitor(writer());
        a.add<Ship>();
        CHECK(taken() == "");
        a.add<Fuel>();
        CHECK(taken() == "+a ");
        a.add<Broken>();
        a.set(Fuel{3});
        a.add<Ship>();
        CHECK(taken() == "");
        a.remove<Ship>();
        CHECK(taken() == "-a ");
        a.remove<Fuel>();
        CHECK(taken() == "");
    }

    TEST_CASE_FIXTURE(monitor_log, "on_enter and on_leave tell of one side each") {
        auto query = world.query<Ship>();
        auto entered =
            query.on_enter([&](kith::iter& it) { log += "in:" + name_of(it.entity(0)); });
        auto left = query.on_leave([&](kith::iter& it) { log += "out:" + name_of(it.entity(0)); });
        a.add<Ship>();
        CHECK(taken() == "in:a");
        a.remove<Ship>();
        CHECK(taken() == "out:a");
    }

    // What was told to have ended begins again, also for one who heard nothing of the end.
    TEST_CASE_FIXTURE(monitor_log, "on_enter tells of results that have ended meanwhile") {
        auto likes = world.component<Likes>().add(kith::Exclusive);
        a.add<Ship>();
        a.add(likes, b);
        auto ships = world.query<Ship>();
        auto fans = world.query_builder().with(likes, b).build();
        auto both = [&](auto& query, const char* name) {
            return std::array{
                query.on_enter([this, name](kith::iter&) { log += std::string("+") + name + " "; }),
                query.on_leave(
                    [this, name](kith::iter&) { log += std::string("-") + name + " "; })};
        };
        auto watch = both(ships, "ship");
        auto other = both(fans, "fan");
        world.defer([&] {
            a.clear();
            a.add<Ship>();
        });
        CHECK(taken() == "-ship -fan +ship ");
        a.add(likes, b);
        CHECK(taken() == "+fan ");
        world.defer([&] {
            a.add(likes, c);
            c.destruct();
            a.add(likes, b);
        });
        CHECK(taken() == "-fan +fan ");
        world.defer([&] {
            world.remove_all(likes, b);
            a.add(likes, b);
        });
        CHECK(taken() == "-fan +fan ");
    }

    TEST_CASE_FIXTURE(monitor_log, "on_enter tells of results that another callback restores") {
        a.add<Ship>();
        auto query = world.query<Ship>();
        auto entered = query.on_enter(writer());
        SUBCASE("of an observer") {
            world.observer<Ship>().event(kith::OnRemove).each([](kith::entity each, Ship&) {
                each.add<Ship>();
            });
            a.remove<Ship>();
        }
        SUBCASE("of a monitor") {
            auto left = query.on_leave([](kith::iter& it) { it.entity(0).add<Ship>(); });
            a.remove<Ship>();
        }
        CHECK(a.has<Ship>());
        CHECK(taken() == "+a ");
    }

    TEST_CASE_FIXTURE(monitor_log, "what matches already is told if that is asked for") {
        a.add<Ship>();
        b.add<Ship>();
        auto silent = world.query<Ship>().monitor(writer());
        CHECK(taken() == "");
        auto watch = world.query<Ship>().monitor(writer(), kith::yield_existing);
        CHECK(taken() == "+a +b ");
        auto entered = world.query<Ship>().on_enter(writer(), kith::yield_existing);
        CHECK(taken() == "+a +b ");
    }

    TEST_CASE_FIXTURE(monitor_log, "a monitor ends with its handle") {
        std::optional<kith::monitor> watch = world.query<Ship>().monitor(writer());
        kith::monitor moved = std::move(*watch);
        watch.reset();
        a.add<Ship>();
        CHECK(taken() == "+a ");
        moved.destruct();
        CHECK_FALSE(moved);
        b.add<Ship>();
        CHECK(taken() == "");
    }

    TEST_CASE_FIXTURE(monitor_log, "a monitor may outlive its world") {
        kith::monitor watch;
        {
            kith::world other;
            watch = other.query<Ship>().monitor(writer());
            other.entity("x").add<Ship>();
        }
        CHECK(taken() == "+x ");
        watch.destruct();
    }

    TEST_CASE_FIXTURE(monitor_log, "entities of one table that are neighbours are told at once") {
        std::vector<std::size_t> counts;
        auto watch = world.query<Fuel>().monitor([&](kith::iter& it) {
            counts.push_back(it.count());
            auto fuel = it.field<const Fuel>(1);
            for (auto row : it) {
                CHECK(fuel[row].amount == 7);
            }
        });
        world.defer([&] {
            for (int i = 0; i < 10; ++i) {
                world.entity().set(Fuel{7});
            }
        });
        CHECK(counts == std::vector<std::size_t>{10});
    }

    TEST_CASE_FIXTURE(monitor_log, "what a batch undoes is not told") {
        auto watch = world.query<Ship>().monitor(writer());
        a.add<Ship>();
        taken();
        world.defer([&] {
            a.remove<Ship>();
            a.add<Ship>();
            b.add<Ship>();
            b.remove<Ship>();
        });
        CHECK(taken() == "");
    }

    TEST_CASE_FIXTURE(monitor_log, "of a batch, ends are told before beginnings") {
        auto watch = world.query_builder<Ship>().without<Broken>().build().monitor(writer());
        a.add<Ship>();
        taken();
        world.defer([&] {
            b.add<Ship>();
            a.add<Broken>();
        });
        CHECK(taken() == "-a +b ");
    }

    // spec 96
    TEST_CASE_FIXTURE(monitor_log, "values can be read when a result ends") {
        a.set(Fuel{5}).add<DockedTo>(b);
        auto watch = world.query_builder<const Fuel>()
                         .with<DockedTo>(kith::Wildcard)
                         .build()
                         .on_leave([&](kith::iter& it) {
                             log += std::to_string(it.field<const Fuel>(1)[0].amount) +
                                    name_of(it.pair(2).second()) + " ";
                         });
        SUBCASE("for lack of the value") {
            a.remove<Fuel>();
        }
        SUBCASE("for lack of the pair") {
            a.remove<DockedTo>(b);
        }
        SUBCASE("with its entity") {
            a.destruct();
        }
        SUBCASE("with the target") {
            b.destruct();
        }
        SUBCASE("in a batch") {
            world.defer([&] { a.destruct(); });
        }
        CHECK(taken() == "5b ");
    }

    TEST_CASE_FIXTURE(monitor_log, "values of both ends of a pair can be read when the tree goes") {
        auto child = world.entity("child").child_of(a).set(Fuel{1});
        a.set(Fuel{2});
        auto watch = world.query_builder<const Fuel>()
                         .with(kith::ChildOf, "$up")
                         .with<const Fuel>()
                         .src("$up")
                         .build()
                         .on_leave([&](kith::iter& it) {
                             log += std::to_string(it.field<const Fuel>(1)[0].amount) +
                                    std::to_string(it.field<const Fuel>(3)[0].amount) + " ";
                         });
        a.destruct();
        CHECK(taken() == "12 ");
        CHECK_FALSE(child.is_alive());
    }

    TEST_CASE_FIXTURE(monitor_log, "a negated term ends results when its id comes") {
        a.add<Ship>();
        auto watch = world.query_builder<Ship>().without<Broken>().build().monitor(writer());
        a.add<Broken>();
        CHECK(taken() == "-a ");
        a.remove<Broken>();
        CHECK(taken() == "+a ");
    }

    TEST_CASE_FIXTURE(monitor_log, "an optional term that finds something makes no new result") {
        auto watch = world.query_builder<Ship>().with<Fuel>().optional().build().monitor(writer());
        a.add<Ship>();
        CHECK(taken() == "+a ");
        a.add<Fuel>();
        a.remove<Fuel>();
        CHECK(taken() == "");
    }

    TEST_CASE_FIXTURE(monitor_log, "each target of a wildcard is a result") {
        std::vector<std::string> seen;
        auto watch =
            world.query_builder().with<Likes>(kith::Wildcard).build().monitor([&](kith::iter& it) {
                log += (it.event() == kith::OnAdd ? "+" : "-") + name_of(it.pair(1).second());
            });
        a.add<Likes>(b).add<Likes>(c);
        CHECK(taken() == "+b+c");
        a.remove<Likes>(b);
        CHECK(taken() == "-b");
        a.clear();
        CHECK(taken() == "-c");
    }

    TEST_CASE_FIXTURE(monitor_log, "variables have their values, on both sides of a pair") {
        auto watch = world.query_builder<Ship>()
                         .with<DockedTo>("$place")
                         .with<Planet>()
                         .src("$place")
                         .build()
                         .monitor(writer());
        a.add<Ship>().add<DockedTo>(c);
        b.add<Ship>().add<DockedTo>(c);
        CHECK(taken() == "");
        c.add<Planet>();
        CHECK(taken() == "+a,c +b,c ");
        b.remove<DockedTo>(c);
        CHECK(taken() == "-b,c ");
        c.remove<Planet>();
        CHECK(taken() == "-a,c ");
    }

    TEST_CASE_FIXTURE(monitor_log, "a result that uses one pair twice is told once") {
        auto watch =
            world.query_builder().with<Likes>("$x").with<Likes>("$this").src("$x").build().monitor(
                writer());
        a.add<Likes>(a);
        CHECK(taken() == "+a,a ");
        a.add<Likes>(b);
        CHECK(taken() == "");
        b.add<Likes>(a);
        CHECK(taken() == "+b,a +a,b ");
        a.clear();
        CHECK(taken() == "-a,a -a,b -b,a ");
    }

    TEST_CASE_FIXTURE(monitor_log, "what changes in a scope reaches the results around it") {
        auto watch = world.query_builder<Planet>()
                         .none([](auto& scope) {
                             scope.template with<DockedTo>("$this").src("$ship");
                             scope.template with<Broken>().src("$ship");
                         })
                         .build()
                         .monitor(writer());
        c.add<Planet>();
        d.add<Planet>();
        CHECK(taken() == "+c +d ");
        a.add<DockedTo>(c);
        CHECK(taken() == "");
        a.add<Broken>();
        CHECK(taken() == "-c ");
        b.add<Broken>().add<DockedTo>(c);
        a.remove<Broken>();
        CHECK(taken() == "");
        b.destruct();
        CHECK(taken() == "+c ");
    }

    TEST_CASE_FIXTURE(monitor_log,
                      "alternatives that take the place of each other are one result") {
        auto watch =
            world.query_builder().with<Ship>().or_().with<Planet>().build().monitor(writer());
        a.add<Ship>();
        CHECK(taken() == "+a ");
        a.add<Planet>();
        a.remove<Ship>();
        CHECK(taken() == "");
        a.remove<Planet>();
        CHECK(taken() == "-a ");
    }

    TEST_CASE_FIXTURE(monitor_log,
                      "a term that may be left out does not say what a scope is about") {
        a.add<Ship>();
        b.add<Ship>();
        auto query = world.query_builder<Ship>()
                         .scope_open()
                         .with<DockedTo>("$y")
                         .src("$x")
                         .with<Likes>(d)
                         .src("$y")
                         .with<Likes>("$x")
                         .optional()
                         .scope_close()
                         .or_()
                         .with<Planet>()
                         .build();
        auto watch = query.monitor(writer());
        c.add<Likes>(d);
        CHECK(taken() == "+a,c +b,c ");
        c.remove<Likes>(d);
        CHECK(taken() == "-a,c -b,c ");
    }

    TEST_CASE_FIXTURE(monitor_log, "a search upwards follows changes on its way") {
        auto watch = world.query_builder().with<Ship>().parent().build().monitor(writer());
        b.child_of(a);
        c.child_of(b);
        CHECK(taken() == "");
        a.add<Ship>();
        CHECK(taken() == "+b +c ");
        b.remove(kith::ChildOf, a);
        CHECK(taken() == "-b -c ");
    }

    TEST_CASE_FIXTURE(monitor_log, "instances follow what their base has") {
        auto watch = world.query<Fuel>().monitor(writer());
        b.is_a(a);
        c.is_a(b);
        CHECK(taken() == "");
        a.add<Fuel>();
        CHECK(taken() == "+b +c +a ");
        c.add<Fuel>();
        a.remove<Fuel>();
        CHECK(taken() == "-a -b ");
    }

    TEST_CASE_FIXTURE(monitor_log, "transitive relationships tell of all that follows") {
        auto within = world.relation("Within", {.transitive = true});
        auto watch = world.query_builder().with(within, d).build().monitor(writer());
        a.add(within, b);
        c.add(within, d);
        CHECK(taken() == "+c ");
        b.add(within, c);
        CHECK(taken() == "+a +b ");
        b.remove(within, c);
        CHECK(taken() == "-b -a ");
    }

    TEST_CASE_FIXTURE(monitor_log, "sparse relationships and components are told of like others") {
        auto knows = world.relation("Knows", {.storage = kith::storage::sparse});
        world.component<Fuel>().add(kith::Sparse);
        auto watch =
            world.query_builder<const Fuel>().with(knows, "$whom").build().monitor(writer());
        a.set(Fuel{1});
        a.add(knows, b);
        CHECK(taken() == "+a,b ");
        a.remove<Fuel>();
        CHECK(taken() == "-a,b ");
    }

    TEST_CASE_FIXTURE(monitor_log, "kinds of a component come and go") {
        auto watch = world.query_builder().with(d).build().monitor(writer());
        a.add(c);
        CHECK(taken() == "");
        c.is_a(d);
        CHECK(taken() == "+a ");
        b.add(c);
        CHECK(taken() == "+b ");
        c.remove(kith::IsA, d);
        CHECK(taken() == "-a -b ");
    }

    TEST_CASE_FIXTURE(monitor_log,
                      "switching off ends results, and so do the tags that hide entities") {
        auto watch = world.query<Ship>().monitor(writer());
        a.add<Ship>();
        taken();
        a.disable<Ship>();
        CHECK(taken() == "-a ");
        a.enable<Ship>();
        CHECK(taken() == "+a ");
        a.disable();
        CHECK(taken() == "-a ");
        a.enable();
        CHECK(taken() == "+a ");
        a.add(kith::Prefab);
        CHECK(taken() == "-a ");
    }

    TEST_CASE_FIXTURE(monitor_log, "names that change are told of") {
        auto watch =
            world.query_builder<Ship>()
                .with(kith::PredMatch)
                .second("x")
                .flags(kith::IsName)
                .build()
                .monitor([&](kith::iter& it) { log += it.event() == kith::OnAdd ? "+" : "-"; });
        a.add<Ship>();
        CHECK(taken() == "");
        a.set_name("xa");
        CHECK(taken() == "+");
        world.defer([&] { a.set_name("a"); });
        CHECK(taken() == "-");
    }

    TEST_CASE_FIXTURE(monitor_log, "entities without anything are told of if they can be results") {
        int there = 0;
        auto watch = world.query_builder().without<Ship>().build().monitor([&](kith::iter& it) {
            there += (it.event() == kith::OnAdd ? 1 : -1) * static_cast<int>(it.count());
        });
        auto e = world.entity();
        CHECK(there == 1);
        e.add<Ship>();
        CHECK(there == 0);
        e.remove<Ship>();
        CHECK(there == 1);
        e.destruct();
        CHECK(there == 0);
        watch.destruct();
        world.entity();
        CHECK(there == 0);
    }

    TEST_CASE_FIXTURE(monitor_log, "an entity that waits in the queue is no result") {
        auto query =
            world.query_builder().without<Ship>().src("$a").with(kith::PredEq).second("$a").build();
        auto watch = query.monitor(writer());
        world.defer([&] {
            auto e = world.entity("e");
            CHECK(query.iter().set_var("a", e).count() == 0);
        });
        CHECK(taken() == "+e,e ");
    }

    TEST_CASE_FIXTURE(monitor_log, "properties that change are told of") {
        auto within = world.entity("Within");
        auto watch = world.query_builder().with(within, c).build().monitor(writer());
        a.add(within, b);
        b.add(within, c);
        CHECK(taken() == "+b ");
        within.add(kith::Transitive);
        CHECK(taken() == "+a ");
    }

    TEST_CASE_FIXTURE(monitor_log,
                      "what a search finds does not change with the storage of its way") {
        auto flows =
            world.relation("FlowsTo", {.traversable = true, .storage = kith::storage::sparse});
        b.add(flows, a);
        c.add(flows, b);
        d.add(flows, c).add(flows, b);
        auto query = world.query_builder().with(flows, kith::Wildcard).up(flows).build();
        auto write = [&](kith::iter& it) {
            log += (it.event() == kith::OnAdd ? "+" : "-") + name_of(it.pair(1).second());
        };
        auto found_by_d = [&] {
            std::string found;
            query.iter([&](kith::iter& it) {
                for (auto row : it) {
                    found += it.entity(row) == d ? name_of(it.pair(1).second()) : "";
                }
            });
            std::sort(found.begin(), found.end());
            return found;
        };
        auto watch = query.monitor(write);
        CHECK(found_by_d() == "ab");
        flows.remove(kith::Sparse);
        CHECK(found_by_d() == "ab");
        CHECK(taken() == "");
    }

    TEST_CASE_FIXTURE(monitor_log, "an entity that is taken back ends the results that name it") {
        auto owes = world.entity("Owes");
        b.add(kith::IsA, a).child_of(a).add(owes, b);
        a.add(kith::Prefab);
        c.add<Ship>();
        auto query =
            world.query_builder<Ship>().with(owes, "$x").src("$y").or_().with<Planet>().build();
        auto watch = query.monitor(counter(), kith::yield_existing);
        taken();
        CHECK_THROWS_AS(b.clone(), kith::error);
        std::string told = taken();
        CHECK(std::count(told.begin(), told.end(), '+') ==
              std::count(told.begin(), told.end(), '-'));
    }

    TEST_CASE_FIXTURE(monitor_log, "a query without $this has results without rows") {
        auto watch =
            world.query_builder().with<Ship>().src(a).with<Likes>("$x").src(b).build().monitor(
                writer());
        b.add<Likes>(c);
        CHECK(taken() == "");
        a.add<Ship>();
        CHECK(taken() == "+,c ");
        a.destruct();
        CHECK(taken() == "-,c ");
    }

    TEST_CASE_FIXTURE(monitor_log, "changes that callbacks make are told in the next round") {
        auto first = world.query<Ship>().on_enter([&](kith::iter& it) {
            for (auto row : it) {
                it.entity(row).add<Planet>();
                log += "ship ";
            }
        });
        auto second = world.query<Planet>().monitor(writer());
        a.add<Ship>();
        CHECK(taken() == "ship +a ");
    }

    TEST_CASE_FIXTURE(monitor_log,
                      "a callback may end its own monitor and others, and make new ones") {
        kith::monitor first;
        kith::monitor second;
        kith::monitor third;
        first = world.query<Ship>().monitor([&](kith::iter&) {
            log += "first ";
            first.destruct();
            second.destruct();
            third = world.query<Ship>().monitor(writer());
        });
        second = world.query<Ship>().monitor([&](kith::iter&) { log += "second "; });
        a.add<Ship>();
        CHECK(taken() == "first ");
        b.add<Ship>();
        CHECK(taken() == "+b ");
    }

    TEST_CASE_FIXTURE(monitor_log, "a monitor that is made while a result ends knows of that") {
        kith::monitor inner;
        auto outer = world.query<Ship>().on_leave(
            [&](kith::iter&) { inner = world.query<Ship>().monitor(writer()); });
        a.add<Ship>();
        a.remove<Ship>();
        CHECK(taken() == "-a ");
        b.add<Ship>();
        CHECK(taken() == "+b ");
    }

#if defined(__cpp_exceptions)
    TEST_CASE_FIXTURE(monitor_log,
                      "an error of a callback reaches the caller, and the rest is told") {
        auto bad = world.query<Ship>().monitor([&](kith::iter& it) {
            throw std::runtime_error(it.event() == kith::OnAdd ? "enter" : "leave");
        });
        auto good = world.query<Ship>().monitor(writer());
        CHECK_THROWS_WITH(a.add<Ship>(), "enter");
        CHECK(taken() == "+a ");
        CHECK_THROWS_WITH(a.remove<Ship>(), "leave");
        CHECK(taken() == "-a ");
        CHECK_FALSE(a.has<Ship>());
    }

    TEST_CASE_FIXTURE(monitor_log, "a monitor whose first call fails is not made") {
        a.add<Ship>();
        auto make = [&] {
            auto watch = world.query<Ship>().monitor(
                [&](kith::iter&) { throw std::runtime_error("no"); }, kith::yield_existing);
        };
        CHECK_THROWS_WITH(make(), "no");
        b.add<Ship>();
    }
#endif

    TEST_CASE_FIXTURE(monitor_log, "a query that was never made cannot be watched") {
        kith::query<Ship> none;
        CHECK(message_of([&] { static_cast<void>(none.monitor(writer())); }) ==
              "a query that was never made was used");
    }

    TEST_CASE_FIXTURE(monitor_log, "an observer of Monitor is told OnAdd and OnRemove") {
        auto observer = world.observer<Ship, const Fuel>()
                            .event(kith::Monitor)
                            .each([&](kith::iter& it, std::size_t row, Ship&, const Fuel& fuel) {
                                log += name_of(it.event()) + " " + name_of(it.entity(row)) +
                                       std::to_string(fuel.amount) + "; ";
                            });
        a.add<Ship>().set(Fuel{2});
        CHECK(taken() == "OnAdd a2; ");
        a.disable();
        CHECK(taken() == "OnRemove a2; ");
        a.enable();
        taken();
        observer.disable();
        b.add<Ship>().set(Fuel{3});
        CHECK(taken() == "");
        observer.enable();
        a.destruct();
        CHECK(taken() == "OnRemove a2; ");
        observer.destruct();
        b.destruct();
        CHECK(taken() == "");
    }

    TEST_CASE_FIXTURE(monitor_log, "an observer of Monitor tells of what is there if it is to") {
        a.add<Ship>();
        world.observer<Ship>().event(kith::Monitor).yield_existing().each([&](kith::entity e) {
            log += name_of(e);
        });
        CHECK(taken() == "a");
    }
}
