// Forms of callbacks, locks and nesting.
#include <kith/kith.hpp>

#include "support/queries.hpp"
#include "support/world_fixture.hpp"

using namespace kith_test;
using kith::errc;
using kith::Wildcard;

namespace {

struct fixture : world_fixture {
    kith::entity tag = world.entity("Tag");
    kith::entity apple = world.entity("apple");
    kith::entity e1 = world.entity("e1").set(Position{1, 2}).set(Velocity{10, 0});
    kith::entity e2 = world.entity("e2").set(Position{3, 4}).set(Velocity{20, 0}).add<Hot>();
};

int function_sum = 0;
void add_positions(Position& p) {
    function_sum += p.x;
}

using eats_hot = kith::pair<Eats, Hot>;

}  // namespace

TEST_SUITE("features.queries.each") {
    // spec 165
    TEST_CASE_FIXTURE(fixture, "each takes the components by reference and writes in place") {
        auto check = [&](const auto& query, int expected) {
            query.each([](Position& p, const Velocity& v) { p.x += v.x; });
            CHECK(e1.get<Position>()->x == expected);
        };
        check(world.filter<Position, const Velocity>(), 11);
        check(world.query<Position, const Velocity>(), 21);
        check(world.rule<Position, const Velocity>(), 31);
        CHECK(e2.get<Position>()->x == 63);
    }

    // spec 166
    TEST_CASE_FIXTURE(fixture, "each may take the entity first") {
        entity_list rows;
        auto check = [&](const auto& query) {
            query.each([&](kith::entity e, Position& p) {
                CHECK(e.get<Position>() == &p);
                rows.push_back(e);
            });
        };
        check(world.filter<Position>());
        check(world.query<Position>());
        CHECK(rows == entity_list{e1, e2, e1, e2});
    }

    // spec 167
    TEST_CASE_FIXTURE(fixture, "each may take iterator and row first") {
        int rows = 0;
        auto check = [&](const auto& query) {
            query.each([&](kith::iter& it, std::size_t row, Position& p) {
                CHECK(it.entity(row).get<Position>() == &p);
                CHECK(it.id(1) == world.id<Position>());
                ++rows;
            });
        };
        check(world.filter<Position>());
        check(world.query<Position>());
        CHECK(rows == 4);
    }

    TEST_CASE_FIXTURE(fixture, "each may take nothing, where there is nothing to take") {
        int rows = 0;
        auto query = world.query_builder().with<Position>().build();
        query.each([&] { ++rows; });
        query.each([&](kith::entity) { ++rows; });
        query.each([&](kith::iter&, std::size_t) { ++rows; });
        CHECK(rows == 6);
    }

    TEST_CASE_FIXTURE(fixture, "functions are callbacks") {
        function_sum = 0;
        world.query<Position>().each(add_positions);
        world.query<Position>().each(&add_positions);
        CHECK(function_sum == 8);
    }

    // spec 168
    TEST_CASE_FIXTURE(fixture, "tags are taken by value, or left to the builder") {
        entity_list rows;
        world.query<Position, Hot>().each(
            [&](kith::entity e, Position&, Hot) { rows.push_back(e); });
        world.filter<Hot>().each([&](kith::entity e, Hot) { rows.push_back(e); });
        world.filter_builder<Position>().with<Hot>().build().each(
            [&](kith::entity e, Position&) { rows.push_back(e); });
        CHECK(rows == entity_list{e2, e2, e2});
        int calls = 0;
        world.query<Hot>().each([&](Hot) { ++calls; });
        CHECK(calls == 1);
    }

    // spec 169
    TEST_CASE_FIXTURE(fixture, "pairs are taken by value and point to theirs") {
        e1.set<Eats, Hot>({5});
        auto check = [&](const auto& query) {
            query.each([](eats_hot eats) { eats->amount += 1; });
            query.each([](kith::entity, eats_hot eats) { (*eats).amount += 1; });
            query.each([](Eats& eats) { eats.amount += 1; });
            query.iter([](kith::iter& it, Eats* eats) {
                for (auto row : it) {
                    eats[row].amount += 1;
                }
            });
        };
        check(world.filter<eats_hot>());
        CHECK(e1.get<Eats, Hot>()->amount == 9);
        check(world.query<eats_hot>());
        CHECK(e1.get<Eats, Hot>()->amount == 13);
    }

    TEST_CASE_FIXTURE(fixture, "an enum is handed out as the constant that the entity has") {
        e1.add(Color::Blue);
        e2.add(Color::Green);
        auto check = [&](const auto& query) {
            std::vector<Color> seen;
            query.each([&](kith::entity e, Color color) {
                CHECK(color == *e.get<Color>());
                seen.push_back(color);
            });
            CHECK(seen.size() == 2);
        };
        check(world.filter<Color>());
        check(world.query<Color>());
        int blue = 0;
        world.query<Position, const Color>().each(
            [&](Position&, Color color) { blue += color == Color::Blue; });
        CHECK(blue == 1);
    }

    TEST_CASE_FIXTURE(fixture, "constant and reference template arguments") {
        e1.add<Hot>();
        int calls = 0;
        world.query<const Hot>().each([&](kith::entity, Hot) { ++calls; });
        world.query<Position&, const Hot&>().each([&](Position&, Hot) { ++calls; });
        world.query<const Position&>().each([&](const Position&) { ++calls; });
        CHECK(calls == 6);
    }

    TEST_CASE_FIXTURE(fixture, "an optional pair is a pointer to its value") {
        e1.set<Eats, Hot>({5});
        int sum = 0;
        int null = 0;
        world.query<Position, eats_hot*>().each([&](Position&, Eats* eats) {
            sum += eats ? eats->amount : 0;
            null += eats == nullptr;
        });
        CHECK(sum == 5);
        CHECK(null == 1);
        world.query<const eats_hot>().each([&](const Eats& eats) { CHECK(eats.amount == 5); });
    }

    TEST_CASE_FIXTURE(fixture, "one component, twice, of different sources") {
        auto query = world.query_builder<Position, const Position>().arg(2).src(e2).build();
        int sum = 0;
        query.each([&](Position& own, const Position& other) { sum += 10 * own.x + other.x; });
        CHECK(sum == 10 + 3 + 30 + 3);
    }

    TEST_CASE_FIXTURE(fixture, "rows that are switched off are no part of any share or page") {
        entity_list all;
        for (int i = 0; i < 10; ++i) {
            all.push_back(world.entity().set(Wide{i}).set(Label{"x"}));
            if (i % 3 == 0) {
                all.back().disable<Label>();
            }
        }
        auto check = [&](const auto& query) {
            CHECK(query.count() == 6);
            int rows = 0;
            auto count = [&](Wide&, Label&) { ++rows; };
            for (int i = 0; i < 3; ++i) {
                query.worker(i, 3).each(count);
            }
            CHECK(rows == 6);
            for (int offset = 0; offset < 6; offset += 4) {
                query.page(offset, 4).each(count);
            }
            CHECK(rows == 12);
            query.iter([&](kith::iter& it, Wide* wide, Label* label) {
                for (auto row : it) {
                    CHECK(wide + row == it.entity(row).template get<Wide>());
                    CHECK(label + row == it.entity(row).template get<Label>());
                    ++rows;
                }
            });
            CHECK(rows == 18);
            CHECK(query.find([&](kith::entity e, Wide&, Label&) { return e == all[8]; }) == all[8]);
        };
        check(world.filter<Wide, Label>());
        check(world.query<Wide, Label>());
    }

    TEST_CASE_FIXTURE(fixture, "shares and pages of wildcards and searches add up") {
        kith::entity likes = world.entity();
        kith::entity parent = world.entity().add(tag);
        for (int i = 0; i < 7; ++i) {
            world.entity().set(Wide{i}).add(likes, tag).add(likes, parent).child_of(parent);
        }
        auto check = [&](const auto& query) {
            CHECK(query.count() == 14);
            for (int shares = 1; shares < 6; ++shares) {
                int rows = 0;
                int counted = 0;
                for (int i = 0; i < shares; ++i) {
                    query.worker(i, shares).each([&](Wide&) { ++rows; });
                    counted += query.worker(i, shares).count();
                }
                CHECK(rows == 14);
                CHECK(counted == 14);
            }
            int rows = 0;
            for (int offset = 0; offset < 14; offset += 3) {
                query.page(offset, 3).each([&](Wide&) { ++rows; });
                rows += query.page(offset, 3).count();
            }
            CHECK(rows == 28);
        };
        auto builder =
            world.query_builder<Wide>().with(likes, Wildcard).with(tag).up(kith::ChildOf);
        check(builder.build());
        check(builder.uncached().build());
    }

    TEST_CASE_FIXTURE(fixture, "rel tells the target and the value of a wildcard pair") {
        const bool sparse = for_both_storages();
        make_relation<Eats>(world, sparse);
        kith::entity pear = world.entity("pear");
        e1.set<Eats>(apple, {1}).set<Eats>(pear, {2});
        e2.set<Eats>(pear, {3});
        auto check = [&](const auto& query) {
            std::vector<std::string> seen;
            query.each([&](kith::entity e, kith::rel<Eats> eats) {
                CHECK(eats.id() == world.pair<Eats>(eats.target()));
                seen.push_back(std::string(e.name().c_str()) + " " + eats.target().name().c_str() +
                               " " + std::to_string(eats->amount));
                (*eats).amount += 0;
            });
            std::sort(seen.begin(), seen.end());
            CHECK(seen == std::vector<std::string>{"e1 apple 1", "e1 pear 2", "e2 pear 3"});
        };
        check(world.filter<kith::rel<Eats>>());
        check(world.query<kith::rel<Eats>>());
        int rows = 0;
        world.query<Position, kith::rel<Eats>>().each(
            [&](Position&, kith::rel<Eats> eats) { rows += eats->amount; });
        CHECK(rows == 6);
    }

    TEST_CASE_FIXTURE(fixture, "rel of a tag relationship has a target and no value") {
        e1.add<Likes>(apple);
        int calls = 0;
        world.query<kith::rel<Likes>>().each([&](kith::rel<Likes> likes) {
            CHECK(likes.target() == apple);
            ++calls;
        });
        CHECK(calls == 1);
    }

    TEST_CASE_FIXTURE(fixture, "optional values are pointers, null where they are not") {
        world.entity("e3").set(Position{5, 6});
        auto check = [&](const auto& query) {
            int null = 0;
            int sum = 0;
            query.each([&](Position&, const Velocity* v) {
                null += v == nullptr;
                sum += v ? v->x : 0;
            });
            CHECK(null == 1);
            CHECK(sum == 30);
        };
        check(world.filter<Position, const Velocity*>());
        check(world.query<Position, const Velocity*>());
    }

    TEST_CASE_FIXTURE(fixture, "a reference to what is not there is refused") {
        world.entity("e3").set(Position{5, 6});
        auto query = world.filter_builder<Position, Velocity>().arg(2).optional().build();
        int calls = 0;
        CHECK(error_of([&] { query.each([&](Position&, Velocity&) { ++calls; }); }) ==
              errc::invalid_query);
        CHECK(calls <= 2);
        query.each([&](Position&, Velocity*) { ++calls; });
        CHECK(calls <= 5);
    }

    // spec 177
    TEST_CASE_FIXTURE(fixture, "a structural change of the visited table is refused") {
        kith::entity outside = world.entity();
        auto check = [&](const auto& query) {
            int visits = 0;
            query.each([&](kith::entity e, Position&) {
                ++visits;
                auto refused = [&](auto&& change) { return refusal(world, all_values(), change); };
                CHECK(refused([&] { e.add(tag); }) == errc::locked);
                CHECK(refused([&] { e.remove<Position>(); }) == errc::locked);
                CHECK(refused([&] { e.destruct(); }) == errc::locked);
                CHECK(refused([&] { e.set(Label{"x"}); }) == errc::locked);
            });
            CHECK(visits == 2);
            query.iter([&](kith::iter& it) {
                CHECK(error_of([&] { it.entity(0).add(tag); }) == errc::locked);
                CHECK_NOTHROW(outside.add_if(!outside.has(tag), tag));
            });
            CHECK_NOTHROW(e1.add(tag));
            e1.remove(tag);
        };
        check(world.filter<Position>());
        check(world.query<Position>());
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "the refusal names entity, id and query, and says to defer") {
        std::string message;
        world.query<Position>().each(
            [&](kith::entity e, Position&) { message = message_of([&] { e.add(tag); }); });
        CHECK(contains(message, "e2"));
        CHECK(contains(message, "Tag"));
        CHECK(contains(message, "Position"));
        CHECK(contains(message, "defer"));
    }

    TEST_CASE_FIXTURE(fixture, "deferred changes happen after the run") {
        auto query = world.query<Position>();
        world.defer([&] {
            query.each([&](kith::entity e, Position&) {
                e.add(tag).remove<Velocity>();
                CHECK(e.has<Velocity>());
            });
        });
        CHECK(world.count(tag) == 2);
        CHECK(world.count<Velocity>() == 0);
        CHECK(query.count() == 2);
        world.defer([&] { query.each([](kith::entity e, Position&) { e.destruct(); }); });
        CHECK(query.count() == 0);
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "values may be set while iterating") {
        world.query<Position>().each([](kith::entity e, Position&) { e.set(Position{7, 7}); });
        CHECK(e2.get<Position>()->x == 7);
    }

    TEST_CASE_FIXTURE(fixture, "an exception from a callback leaves no lock") {
        auto check = [&](const auto& query) {
            CHECK_THROWS_AS(query.each([](Position&) { throw 1; }), int);
            CHECK_THROWS_AS(query.each([](kith::entity, Position&) { throw 1; }), int);
            CHECK_THROWS_AS(query.each([](kith::iter&, std::size_t, Position&) { throw 1; }), int);
            CHECK_THROWS_AS(query.iter([](kith::iter&) { throw 1; }), int);
            CHECK_THROWS_AS(query.find([](Position&) -> bool { throw 1; }), int);
            CHECK_THROWS_AS(query.page(0, 1).each([](Position&) { throw 1; }), int);
            CHECK_THROWS_AS(query.each_of(query, [](Position&) { throw 1; }), int);
            CHECK_NOTHROW(e1.add(tag));
            CHECK_NOTHROW(e1.remove(tag));
            CHECK(query.count() == 2);
        };
        check(world.filter<Position>());
        check(world.query<Position>());
        world.check();
    }

    // spec 179
    TEST_CASE_FIXTURE(fixture, "a query may be run inside of itself") {
        auto check = [&](const auto& query) {
            std::string text;
            query.each([&](kith::entity outer, Position&) {
                query.each([&](kith::entity inner, Position&) {
                    text += outer.name().c_str() + std::string(inner.name().c_str()) + " ";
                });
                CHECK(error_of([&] { outer.add(tag); }) == errc::locked);
            });
            CHECK(text == "e1e1 e1e2 e2e1 e2e2 ");
            int runs = 0;
            query.iter([&](kith::iter&) {
                auto inner = query.iter();
                while (inner.next()) {
                    runs += query.count();
                }
            });
            CHECK(runs == 8);
        };
        check(world.filter<Position>());
        check(world.query<Position>());
    }

    TEST_CASE_FIXTURE(fixture, "runs may end in another order than they began") {
        auto query = world.query<Position>();
        auto outer = std::make_unique<decltype(query.iter())>(query.iter());
        REQUIRE(outer->next());
        auto inner = query.iter();
        REQUIRE(inner.next());
        outer.reset();
        CHECK(error_of([&] { e1.add(tag); }) == errc::locked);
        while (inner.next()) {}
        CHECK_NOTHROW(e1.add(tag));
    }

    TEST_CASE_FIXTURE(fixture, "queries may be made, and end, inside of a run") {
        int found = 0;
        world.query<Position>().each([&](Position&) {
            auto inner = world.filter_builder().with<Velocity>().build();
            found += inner.count();
        });
        CHECK(found == 4);
    }

    TEST_CASE_FIXTURE(fixture, "tables made while a query runs do not upset it") {
        auto check = [&](const auto& query) {
            int visits = 0;
            query.each([&](Position& p) {
                ++visits;
                for (int i = 0; i < 30; ++i) {
                    world.entity().add(world.entity()).set(Label{std::to_string(p.x)});
                }
            });
            CHECK(visits == 2);
        };
        check(world.filter<Position>());
        check(world.query<Position>());
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "a matching table made while a query runs is no part of that run") {
        auto check = [&](const auto& query) {
            auto grow = [&](int visits) {
                if (visits < 1000) {
                    world.entity().add(world.entity()).set(Label{"x"}).set(Position{1, 1});
                }
            };
            int before = query.count();
            int visits = 0;
            query.each([&](Position&) { grow(++visits); });
            CHECK(visits == before);
            before = query.count();
            visits = 0;
            query.iter([&](kith::iter& it) { grow(visits += static_cast<int>(it.count())); });
            CHECK(visits == before);
            before = query.count();
            visits = 0;
            auto run = query.iter();
            while (run.next()) {
                grow(visits += static_cast<int>(run->count()));
            }
            CHECK(visits == before);
        };
        check(world.query<Position>());
        check(world.filter<Position>());
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "entities of other tables may die while a query runs") {
        entity_list others;
        for (int i = 0; i < 10; ++i) {
            others.push_back(world.entity().set(Label{"x"}).add(world.entity()));
        }
        world.query<Position>().each([&](Position&) {
            others.back().destruct();
            others.pop_back();
        });
        CHECK(world.count<Label>() == 8);
        world.check();
    }
}
