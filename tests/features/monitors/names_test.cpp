// Monitors of queries that compare names and paths.
#include "support/monitor_log.hpp"

#include <functional>
#include <iterator>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace kith_test;

namespace {

struct names : monitor_log {
    kith::query<> containing(const char* part) {
        return world.query_builder()
            .with<Ship>()
            .with(kith::PredMatch)
            .second(part)
            .flags(kith::IsName)
            .build();
    }
    kith::query<> at(const char* path) {
        return world.query_builder()
            .with<Ship>()
            .with(kith::PredEq)
            .second(path)
            .flags(kith::IsName)
            .build();
    }
    // Signs alone: names change on the way.
    auto signs() {
        return [this](kith::iter& it) {
            for (std::size_t row = 0; row < it.count(); ++row) {
                log += it.event() == kith::OnAdd ? "+" : "-";
            }
        };
    }
    // Beginnings less ends.
    auto balance(int& count) {
        return [&count](kith::iter& it) {
            count += (it.event() == kith::OnAdd ? 1 : -1) * static_cast<int>(it.count());
        };
    }
};

}  // namespace

TEST_SUITE("features.monitors.names") {
    TEST_CASE_FIXTURE(names, "a name that a callback queues begins and ends results") {
        a.add<Ship>();
        auto parts = containing("new").monitor(signs());
        auto path = at("new").monitor(signs());
        auto trigger = world.query<Planet>().monitor(
            [&](kith::iter& it) { a.set_name(it.event() == kith::OnAdd ? "new" : "old"); });
        b.add<Planet>();
        CHECK(taken() == "++");
        b.remove<Planet>();
        CHECK(taken() == "--");
    }

    TEST_CASE_FIXTURE(names, "it makes no difference which monitor is the first") {
        a.add<Ship>();
        auto trigger = world.query<Planet>().monitor(
            [&](kith::iter& it) { a.set_name(it.event() == kith::OnAdd ? "new" : "old"); });
        auto parts = containing("new").monitor(signs());
        auto path = at("new").monitor(signs());
        b.add<Planet>();
        CHECK(taken() == "++");
        b.remove<Planet>();
        CHECK(taken() == "--");
    }

    TEST_CASE_FIXTURE(names, "a name that an observer queues begins and ends results") {
        a.add<Ship>();
        auto parts = containing("new").monitor(signs());
        auto path = at("new").monitor(signs());
        world.observer<Planet>().event(kith::OnAdd).each([&](kith::entity) { a.set_name("new"); });
        world.observer<Planet>().event(kith::OnRemove).each([&](kith::entity) {
            a.set_name("old");
        });
        b.add<Planet>();
        CHECK(taken() == "++");
        b.remove<Planet>();
        CHECK(taken() == "--");
        world.defer([&] { b.add<Planet>(); });
        CHECK(taken() == "++");
    }

    TEST_CASE_FIXTURE(names, "a name that waits in the queue is not there yet") {
        a.add<Ship>();
        auto query = at("new");
        world.defer([&] {
            a.set_name("new");
            CHECK(query.count() == 0);
        });
        CHECK(query.count() == 1);
    }

#if defined(__cpp_exceptions)
    TEST_CASE_FIXTURE(names, "a queued name that turns out to be taken begins no result") {
        a.add<Ship>();
        auto trigger = world.query<Planet>().on_enter([&](kith::iter&) {
            c.set_name("new");
            a.set_name("new");
        });
        auto path = at("new").monitor(signs());
        CHECK_THROWS_AS(b.add<Planet>(), kith::error);
        CHECK(taken() == "");
    }
#endif

    TEST_CASE_FIXTURE(names, "a callback that renames what begins leaves nothing untold") {
        for (const char* kind : {"part", "path"}) {
            int there = 0;
            auto query =
                *kind == 'p' && kind[1] == 'a' && kind[2] == 'r' ? containing("x") : at("x");
            auto count = balance(there);
            auto watch = query.monitor([&](kith::iter& it) {
                count(it);
                if (it.event() == kith::OnAdd) {
                    it.entity(0).set_name("y");
                }
            });
            auto made = world.entity("x").add<Ship>();
            CHECK(there == query.count());
            CHECK(there == 0);
            made.destruct();
        }
    }

    TEST_CASE_FIXTURE(names, "a result that a callback renames before it is told still begins") {
        int there = 0;
        auto query = world.query_builder()
                         .with<Ship>()
                         .with(kith::PredEq)
                         .second("x")
                         .flags(kith::IsName)
                         .or_()
                         .with(kith::PredEq)
                         .second("y")
                         .flags(kith::IsName)
                         .build();
        auto x = named("x").add<Ship>();
        auto y = named("y");
        auto count = balance(there);
        auto watch = query.monitor(
            [&](kith::iter& it) {
                count(it);
                if (it.event() == kith::OnRemove && it.entity(0) == x) {
                    y.set_name("z");
                }
            },
            kith::yield_existing);
        CHECK(there == 1);
        world.defer([&] {
            y.add<Ship>();
            x.set_name("w");
        });
        CHECK(there == query.count());
    }

    TEST_CASE_FIXTURE(names, "a new parent, and a new name of it, change paths") {
        a.add<Ship>();
        auto path = at("b::a").monitor(signs());
        a.child_of(b);
        CHECK(taken() == "+");
        b.set_name("other");
        CHECK(taken() == "-");
        auto trigger = world.query<Planet>().monitor([&](kith::iter& it) {
            if (it.event() == kith::OnAdd) {
                b.set_name("b");
            } else {
                a.remove(kith::ChildOf, b);
            }
        });
        c.add<Planet>();
        CHECK(taken() == "+");
        c.remove<Planet>();
        CHECK(taken() == "-");
    }

    TEST_CASE_FIXTURE(names, "a name that is queued for a new entity begins results") {
        auto parts = containing("new").monitor(signs());
        auto path = at("new").monitor(signs());
        auto trigger =
            world.query<Planet>().on_enter([&](kith::iter&) { world.entity("new").add<Ship>(); });
        b.add<Planet>();
        CHECK(taken() == "++");
        world.defer([&] { world.lookup("new").set_name(""); });
        CHECK(taken() == "--");
    }

#if defined(__cpp_exceptions)
    TEST_CASE_FIXTURE(names, "names that change at random, at once or queued, are mirrored") {
        auto other = [&](const char* path) {
            return world.query_builder()
                .with<Likes>("$x")
                .with(kith::PredEq)
                .src("$x")
                .second(path)
                .flags(kith::IsName)
                .build();
        };
        const kith::query<> queries[] = {containing("x"), at("x"),    at("b::x"),
                                         at("x::y"),      other("x"), other("b::y")};
        std::set<kith::entity_t> mirrors[std::size(queries)];
        std::vector<kith::monitor> watches;
        std::function<void(kith::iter&)> change_more;
        auto first = world.query<Planet>().monitor([&](kith::iter& it) { change_more(it); });
        for (std::size_t i = 0; i < std::size(queries); ++i) {
            watches.push_back(queries[i].monitor([&mirror = mirrors[i]](kith::iter& it) {
                for (auto row : it) {
                    const kith::entity_t one = it.entity(row);
                    CHECK((it.event() == kith::OnAdd ? mirror.insert(one).second
                                                     : mirror.erase(one) != 0));
                }
            }));
        }
        std::minstd_rand random(7);
        auto pick = [&](auto& from) -> auto& {
            return from[random() % std::size(from)];
        };
        kith::entity all[] = {a, b, c, d};
        const char* texts[] = {"x", "y", "xy", "b", "q"};
        auto change = [&] {
            kith::entity one = pick(all);
            switch (random() % 5) {
                case 0:
                    one.add<Ship>().add<Likes>(pick(all));
                    break;
                case 1:
                    one.remove<Ship>();
                    break;
                case 2:
                    one.child_of(pick(all));
                    break;
                case 3:
                    one.remove(kith::ChildOf, kith::Wildcard);
                    break;
                default:
                    one.set_name(pick(texts));
                    break;
            }
        };
        auto change_some = [&](kith::iter&) {
            for (auto count = random() % 4; count > 0; --count) {
                change();
            }
        };
        change_more = change_some;
        auto last = world.query<Planet>().monitor(change_some);
        for (int i = 0; i < 3000; ++i) {
            try {
                switch (i % 4) {
                    case 0:
                        change();
                        break;
                    case 1:
                        world.defer([&] {
                            change();
                            change();
                            change();
                        });
                        break;
                    case 2:
                        d.add<Planet>().add<Broken>();
                        break;
                    default:
                        d.remove<Planet>().remove<Broken>();
                        break;
                }
            } catch (const kith::error&) {
                // The name was taken, or a child would be its own parent.
            }
            for (std::size_t q = 0; q < std::size(queries); ++q) {
                std::set<kith::entity_t> fresh;
                queries[q].iter([&](kith::iter& it) {
                    for (auto row : it) {
                        fresh.insert(it.entity(row));
                    }
                });
                INFO("step ", i, ", query ", q);
                REQUIRE(fresh == mirrors[q]);
            }
        }
    }
#endif
}
