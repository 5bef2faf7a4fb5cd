// What callbacks get from queries with variables: rows, values, access, runs of all kinds.
#include <kith/kith.hpp>

#include "support/bindings.hpp"
#include "support/queries.hpp"
#include "support/world_fixture.hpp"

#include <set>

using namespace kith_test;
using kith::Wildcard;

namespace {

struct fixture : world_fixture {
    kith::filter_builder<> build() const { return world.filter_builder(); }

    bool sparse = for_both_storages();
    kith::entity tag = world.entity("Tag");
    kith::entity likes = make_relation(world, sparse, "Likes");
    kith::entity eats = make_relation<Eats>(world, sparse);
};

// 1000 entities in a ring; each likes the next three.
struct ring : fixture {
    static constexpr int size = 1000;

    ring() {
        for (int i = 0; i < size; ++i) {
            nodes.push_back(world.entity().set(Position{i, 0}));
        }
        for (int i = 0; i < size; ++i) {
            for (int step = 1; step <= 3; ++step) {
                nodes[i].add(likes, nodes[(i + step) % size]);
            }
        }
    }
    int number(kith::entity e) const { return e.get<Position>()->x; }

    std::vector<kith::entity> nodes;
};

}  // namespace

TEST_SUITE("features.queries.graph_results") {
    TEST_CASE_FIXTURE(ring, "each row has the values of its own variables") {
        for (bool keep : {false, true}) {
            auto builder = build().with(likes, "$x").with(likes, "$y").src("$x");
            auto query = keep ? builder.cached().build() : builder.build();
            std::set<std::pair<int, int>> seen[4];
            int rows = 0;
            query.each([&](kith::iter& it, std::size_t row) {
                const int here = number(it.entity(row));
                const int x = (number(it.get_var("x")) - here + size) % size;
                const int y = (number(it.get_var("y")) - here + size) % size;
                CHECK((x >= 1 && x <= 3));
                CHECK((y - x >= 1 && y - x <= 3));
                CHECK(seen[x].insert({here, y}).second);
                CHECK(it.id(1) == world.pair(likes, it.get_var("x")));
                CHECK(it.id(2) == world.pair(likes, it.get_var("y")));
                ++rows;
            });
            CHECK(rows == 9 * size);
            CHECK(query.count() == 9 * size);
        }
    }

    TEST_CASE_FIXTURE(ring, "rows that come together share the values of variables") {
        int rows = 0;
        build().with(likes, "$x").build().iter([&](kith::iter& it) {
            for (auto row : it) {
                CHECK(it.entity(row).has(likes, it.get_var("x")));
                ++rows;
            }
        });
        CHECK(rows == 3 * size);
    }

    TEST_CASE_FIXTURE(ring, "shares and pages have each result once") {
        auto query = build().with(likes, "$x").build();
        std::set<std::pair<int, int>> seen;
        for (int share = 0; share < 7; ++share) {
            query.worker(share, 7).each([&](kith::iter& it, std::size_t row) {
                CHECK(seen.insert({number(it.entity(row)), number(it.get_var("x"))}).second);
            });
        }
        CHECK(seen.size() == 3 * size);
        seen.clear();
        for (int from = 0; from < 3 * size; from += 250) {
            int rows = 0;
            query.page(from, 250).each([&](kith::iter& it, std::size_t row) {
                CHECK(seen.insert({number(it.entity(row)), number(it.get_var("x"))}).second);
                ++rows;
            });
            CHECK(rows == 250);
        }
        CHECK(seen.size() == 3 * size);
    }

    TEST_CASE_FIXTURE(ring, "find, first and matches") {
        auto query = build()
                         .with(likes, nodes[10])
                         .with(likes, "$x")
                         .with(likes, nodes[13])
                         .src("$x")
                         .build();
        // 7, 8 and 9 like 10; of what they like, 10, 11 and 12 like 13.
        CHECK(query.count() == 1 + 2 + 3);
        CHECK(query.matches(nodes[7]));
        CHECK_FALSE(query.matches(nodes[6]));
        CHECK_FALSE(query.matches(nodes[10]));
        CHECK(query.find([&](kith::entity e) { return e == nodes[9]; }) == nodes[9]);
        CHECK_FALSE(query.find([&](kith::entity e) { return e == nodes[5]; }));
        CHECK(query.first());
    }

    TEST_CASE_FIXTURE(ring, "results of another query restrict $this") {
        nodes[3].add(tag);
        nodes[4].add(tag);
        auto tagged = build().with(tag).build();
        auto query = build().with(likes, "$x").build();
        int rows = 0;
        query.each_of(tagged, [&](kith::entity e) {
            CHECK((e == nodes[3] || e == nodes[4]));
            ++rows;
        });
        CHECK(rows == 6);
    }

    TEST_CASE_FIXTURE(fixture, "values of variables' pairs and components are written") {
        kith::entity ann = world.entity("ann");
        kith::entity ben = world.entity("ben").set(Position{1, 2});
        ann.set<Eats>(ben, {5});
        auto query = world.query_builder()
                         .term<Eats>("$x")
                         .inout()
                         .term<Position>()
                         .inout()
                         .src("$x")
                         .build();
        query.iter([&](kith::iter& it) {
            auto meal = it.field<Eats>(1);
            auto position = it.field<Position>(2);
            for (auto row : it) {
                meal[row].amount += 1;
                position[row].x += 10;
            }
        });
        CHECK(ann.get<Eats>(ben)->amount == 6);
        CHECK(ben.get<Position>()->x == 11);
    }

    TEST_CASE_FIXTURE(fixture, "what belongs to another entity is to be read, unless stated") {
        kith::entity ann = world.entity("ann");
        kith::entity ben = world.entity("ben").set(Position{1, 2});
        ann.add(likes, ben);
        auto query = build().with(likes, "$x").term<Position>().src("$x").build();
        int calls = 0;
        query.iter([&](kith::iter& it) {
            CHECK(it.is_readonly(2));
            CHECK_FALSE(it.is_self(2));
            CHECK(it.src(2) == ben);
            CHECK(it.field<const Position>(2)[0].x == 1);
            CHECK(error_of([&] { it.field<Position>(2); }).has_value());
            ++calls;
        });
        CHECK(calls == 1);
    }

    TEST_CASE_FIXTURE(fixture, "typed callbacks with values of $this and of a variable") {
        kith::entity ann = world.entity("ann").set(Position{1, 2});
        kith::entity ben = world.entity("ben").set(Position{10, 20}).add(likes, ann);
        kith::entity cat = world.entity("cat").set(Position{30, 40});
        auto query = world.query_builder<Position, const Position*>()
                         .arg(2)
                         .src("$x")
                         .with(likes, "$x")
                         .optional()
                         .build();
        query.each([](Position& own, const Position* other) {
            if (other) {
                own.x += other->x;
            }
        });
        CHECK(ann.get<Position>()->x == 1);
        CHECK(ben.get<Position>()->x == 11);
        CHECK(cat.get<Position>()->x == 30);
    }

    TEST_CASE_FIXTURE(fixture,
                      "a relationship with values as a template argument, beside a variable") {
        kith::entity ann = world.entity("ann");
        kith::entity ben = world.entity("ben").add(tag);
        kith::entity cat = world.entity("cat");
        ann.set<Eats>(ben, {1}).set<Eats>(cat, {2});
        auto query =
            world.query_builder<kith::rel<Eats>>().with<Eats>("$x").with(tag).src("$x").build();
        std::set<std::string> seen;
        query.each([&](kith::iter& it, std::size_t, kith::rel<Eats> meal) {
            seen.insert(std::string(it.get_var("x").name().c_str()) + " " +
                        meal.target().name().c_str() + " " + std::to_string(meal->amount));
        });
        CHECK(seen == std::set<std::string>{"ben ben 1", "ben cat 2"});
    }

    TEST_CASE_FIXTURE(fixture, "rows of one table that share all variables come together") {
        kith::entity hub = world.entity("hub").add(tag);
        for (int i = 0; i < 100; ++i) {
            world.entity().set(Position{i, 0}).add(likes, hub);
        }
        int rows = 0;
        int sum = 0;
        auto query = world.query_builder<Position>()
                         .with(likes, "$x")
                         .with(tag)
                         .src("$x")
                         .instanced()
                         .build();
        query.iter([&](kith::iter& it, Position* position) {
            CHECK(it.get_var("x") == hub);
            for (auto row : it) {
                sum += position[row].x;
                ++rows;
            }
        });
        CHECK(rows == 100);
        CHECK(sum == 99 * 100 / 2);
    }

    TEST_CASE_FIXTURE(fixture, "a hub with many sources and a source with many targets") {
        kith::entity hub = world.entity("hub");
        std::vector<kith::entity> fans;
        for (int i = 0; i < 500; ++i) {
            fans.push_back(world.entity().add(likes, hub));
            hub.add(likes, fans.back());
        }
        CHECK(question(world, {[&](auto& q) { q.with(likes, "$x"); },
                               [&](auto& q) { q.with(likes, "$this").src("$x"); }})
                  .count() == 1000);
        CHECK(question(world, {[&](auto& q) { q.with(likes, "$x"); },
                               [&](auto& q) { q.with(kith::PredEq, fans[250]); }})
                  .count() == 1);
        fans[7].add(tag);
        CHECK(question(world, {[&](auto& q) { q.with(likes, "$x"); },
                               [&](auto& q) { q.with(tag).src("$x"); }})
                  .count() == 1);
    }

    TEST_CASE_FIXTURE(fixture, "symmetric and exclusive relationships") {
        kith::entity married =
            make_relation(world, sparse, "Married").add(kith::Symmetric).add(kith::Exclusive);
        kith::entity ann = world.entity("ann");
        kith::entity ben = world.entity("ben");
        kith::entity cat = world.entity("cat");
        ann.add(married, ben);
        question couples(world, {[&](auto& q) { q.with(married, "$x"); }}, {"x"});
        CHECK(couples.answer() == "ann x=ben; ben x=ann");
        ben.add(married, cat);
        CHECK(couples.answer() == "ben x=cat; cat x=ben");
    }

    TEST_CASE_FIXTURE(fixture, "a relationship changes its storage under existing queries") {
        kith::entity ann = world.entity("ann");
        kith::entity ben = world.entity("ben").add(tag);
        ann.add(likes, ben);
        question who(
            world, {[&](auto& q) { q.with(likes, "$x"); }, [&](auto& q) { q.with(tag).src("$x"); }},
            {"x"});
        CHECK(who.answer() == "ann x=ben");
        if (sparse) {
            likes.remove(kith::Sparse);
        } else {
            likes.add(kith::Sparse);
        }
        CHECK(who.answer() == "ann x=ben");
        ben.add(likes, ben);
        CHECK(who.answer() == "ann x=ben; ben x=ben");
    }

    TEST_CASE_FIXTURE(fixture, "the children of what a variable is") {
        kith::entity ship = world.entity("ship").add(tag);
        kith::entity engine = world.entity("ship::engine");
        kith::entity wing = world.entity("ship::wing");
        world.entity("ship::engine::fan").add(likes, wing);
        CHECK(answer(world,
                     {[&](auto& q) { q.with(kith::ChildOf, "$part"); },
                      [&](auto& q) { q.with(kith::ChildOf, "$ship").src("$part"); },
                      [&](auto& q) { q.with(tag).src("$ship"); },
                      [&](auto& q) { q.with(likes, "$other"); },
                      [&](auto& q) { q.with(kith::ChildOf, "$ship").src("$other"); }},
                     {"part", "ship", "other"}) == "fan part=engine ship=ship other=wing");
        CHECK(engine.is_alive());
        CHECK(ship.is_alive());
    }

    TEST_CASE_FIXTURE(fixture, "searches from what a variable is") {
        kith::entity top = world.entity("top").add(tag);
        world.entity("top::middle");
        kith::entity leaf = world.entity("top::middle::leaf");
        kith::entity ann = world.entity("ann").add(likes, leaf);
        world.entity("ben").add(likes, ann);
        CHECK(answer(world,
                     {[&](auto& q) { q.with(likes, "$x"); },
                      [&](auto& q) { q.with(tag).src("$x").up(kith::ChildOf); }},
                     {"x"}) == "ann x=leaf");
        CHECK(results_of(build().with(likes, "$x").with(tag).src("$x").up(kith::ChildOf)) ==
              "ann: (Likes,top.middle.leaf), Tag@top\n");
        CHECK(top.is_alive());
    }

    TEST_CASE_FIXTURE(fixture, "lists of components of what a variable is") {
        kith::entity list = world.prefab("list").add(tag).add<Hot>();
        kith::entity ann = world.entity("ann").add(tag).add<Hot>();
        kith::entity ben = world.entity("ben").add(tag);
        world.entity("cat").add(likes, ann).add(likes, ben);
        CHECK(answer(world,
                     {[&](auto& q) { q.with(likes, "$x"); },
                      [&](auto& q) { q.with(list).src("$x").and_from(); }},
                     {"x"}) == "cat x=ann");
        CHECK(answer(world,
                     {[&](auto& q) { q.with(likes, "$x"); },
                      [&](auto& q) { q.with(list).src("$x").or_from(); }},
                     {"x"}) == "cat x=ann; cat x=ben");
    }

    TEST_CASE_FIXTURE(fixture, "results in order of depth, with variables") {
        kith::entity a = world.entity("a");
        kith::entity b = world.entity("a::b");
        kith::entity c = world.entity("a::b::c");
        for (kith::entity e : {c, a, b}) {
            e.set(Position{}).add(likes, e);
        }
        std::string order;
        world.query_builder()
            .with<Position>()
            .with<Position>()
            .cascade(kith::ChildOf)
            .optional()
            .with(likes, "$x")
            .build()
            .each([&](kith::iter& it, std::size_t row) {
                order += it.entity(row).name().c_str();
                CHECK(it.get_var("x") == it.entity(row));
            });
        CHECK(order == "abc");
    }

    TEST_CASE("a query outlives its world") {
        kith::filter<> query;
        kith::filter<> cached;
        {
            kith::world world;
            kith::entity likes = world.entity("Likes");
            world.entity().add(likes, world.entity());
            query = world.filter_builder().with(likes, "$x").with(likes, "$y").src("$x").build();
            cached = world.filter_builder().with(likes, "$x").cached().build();
            CHECK(cached.count() == 1);
        }
        CHECK(error_of([&] { query.count(); }).has_value());
        CHECK(error_of([&] { cached.count(); }).has_value());
    }
}
