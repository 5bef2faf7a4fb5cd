// changed() and skip(), for all kinds of queries and terms.
#include <kith/kith.hpp>

#include "support/changes.hpp"
#include "support/errors.hpp"
#include "support/types.hpp"

#include <functional>
#include <map>

#include <doctest/doctest.h>

using namespace kith_test;

namespace {

template <class Query>
bool changes(const Query& query, const std::function<void()>& operation) {
    look(query);
    CHECK_FALSE(query.changed());
    operation();
    return query.changed();
}

}  // namespace

TEST_SUITE("features.changes.detection") {
    TEST_CASE("a query that was never iterated has changed") {
        kith::world world;
        auto query = world.query<const Position>();
        CHECK(query.changed());
        CHECK(query.changed());
        world.entity().set<Position>({});
        CHECK(query.changed());
        look(query);
        CHECK_FALSE(query.changed());
    }

    TEST_CASE("the first question counts, also in the middle of a run") {  // spec 270
        kith::world world;
        world.entity().set<Position>({});
        world.entity().set<Position>({}).add<Hot>();
        auto query = world.query<const Position>();
        CHECK(look(query) == seen{2, 2});
        CHECK(look(query) == seen{0, 2});
        CHECK_FALSE(query.changed());
        world.entity().set<Position>({});
        CHECK(look(query) == seen{1, 2});
    }

    TEST_CASE("every kind of change is detected") {  // spec 267
        kith::world world;
        kith::entity e = world.entity().set<Position>({}).set<Velocity>({});
        kith::entity other = world.entity();
        auto query = world.query<const Position>();
        query.changed();
        CHECK(changes(query, [&] { e.set<Position>({1, 2}); }));
        CHECK(changes(query, [&] { e.modified<Position>(); }));
        CHECK(changes(query, [&] { other.add<Position>(); }));
        CHECK(changes(query, [&] { other.add<Hot>(); }));
        CHECK(changes(query, [&] { other.remove<Hot>(); }));
        CHECK(changes(query, [&] { other.remove<Position>(); }));
        CHECK(changes(query, [&] { other.emplace<Position>(1, 2); }));
        CHECK(changes(query, [&] { other.destruct(); }));
        CHECK(changes(query, [&] { e.clone(); }));
        CHECK(changes(query, [&] { world.defer([&] { e.set<Position>({3, 4}); }); }));
        CHECK(changes(query, [&] { e.disable<Position>(); }));
        CHECK(changes(query, [&] { e.enable<Position>(); }));
        CHECK(changes(query, [&] { e.disable(); }));
        CHECK(changes(query, [&] { e.enable(); }));
        CHECK(changes(query, [&] { world.query<Position>().each([](Position&) {}); }));
        CHECK(changes(query, [&] { world.filter<Position>().each([](Position&) {}); }));
        CHECK(changes(query, [&] { world.each([](Position&) {}); }));
        CHECK(changes(query, [&] { world.each<Position>([](auto&) {}); }));
        CHECK_FALSE(changes(query, [&] { world.each([](const Position&) {}); }));
        CHECK_FALSE(changes(query, [&] { world.each([](kith::entity, Position) {}); }));
        CHECK(changes(query, [&] { world.delete_with<Position>(); }));
    }

    TEST_CASE("sparse values that each() hands out to be written count") {
        kith::world world;
        world.component<Position>().add(kith::Sparse);
        world.entity().set<Position>({});
        auto query = world.query<const Position>();
        query.changed();
        CHECK(changes(query, [&] { world.each([](kith::entity, Position&) {}); }));
        CHECK_FALSE(changes(query, [&] { world.each([](const Position&) {}); }));
    }

    TEST_CASE("what is written behind the back of the world is not detected") {  // spec 268
        kith::world world;
        kith::entity e = world.entity().set<Position>({});
        auto ref = e.get_ref<Position>();
        auto query = world.query<const Position>();
        query.changed();
        CHECK_FALSE(changes(query, [&] { e.get_mut<Position>()->x = 1; }));
        CHECK_FALSE(changes(query, [&] { ref->x = 2; }));
        CHECK(changes(query, [&] { e.modified<Position>(); }));
    }

    TEST_CASE("only what is matched counts") {  // spec 272
        kith::world world;
        kith::entity e = world.entity().set<Position>({}).set<Velocity>({});
        kith::entity other = world.entity().set<Velocity>({});
        auto query = world.query<const Position>();
        auto both = world.query_builder<const Position, const Velocity>().build();
        query.changed();
        both.changed();
        look(both);
        CHECK_FALSE(changes(query, [&] { e.set<Velocity>({1, 1}); }));
        CHECK(both.changed());
        CHECK_FALSE(changes(query, [&] { other.set<Velocity>({1, 1}); }));
        CHECK_FALSE(changes(query, [&] { other.destruct(); }));
        CHECK_FALSE(changes(both, [&] { world.entity().set<Position>({}); }));
        CHECK_FALSE(changes(query, [&] { world.query<Velocity>().each([](Velocity&) {}); }));
    }

    TEST_CASE("a table stays changed until the query iterates it") {  // spec 269
        kith::world world;
        kith::entity a = world.entity().set<Position>({}).add<Hot>();
        kith::entity b = world.entity().set<Position>({}).add<Cold>();
        auto query = world.query<const Position>();
        look(query);
        look(query);
        a.set<Position>({1, 1});
        b.set<Position>({1, 1});
        CHECK(query.changed());
        CHECK(query.changed());
        // Only the first table.
        int results = 0;
        query.iter([&](kith::iter& it) {
            CHECK(it.changed());
            return ++results < 1;
        });
        CHECK(query.changed());
        CHECK(look(query) == seen{1, 2});
        CHECK_FALSE(query.changed());
    }

    TEST_CASE("a table that was emptied, or deleted, is a change, once") {
        kith::world world;
        kith::entity tag = world.entity();
        kith::entity a = world.entity().set<Position>({}).add(tag);
        world.entity().set<Position>({});
        auto query = world.query<const Position>();
        query.changed();
        look(query);
        a.remove(tag);
        CHECK(query.changed());
        look(query);
        CHECK_FALSE(query.changed());
        kith::entity c = world.entity().set<Position>({}).add(tag);
        look(query);
        CHECK_FALSE(query.changed());
        c.destruct();
        tag.destruct();
        CHECK(query.changed());
        look(query);
        CHECK_FALSE(query.changed());
        // The number of the table may be used again.
        world.entity().set<Velocity>({}).add(world.entity()).add<Hot>();
        CHECK_FALSE(query.changed());
    }

    TEST_CASE("skip() leaves what was not written unchanged") {  // spec 271
        kith::world world;
        world.entity().set<Position>({}).add<Hot>();
        world.entity().set<Position>({}).add<Cold>();
        auto query = world.query<const Position>();
        auto writer = world.query<Position>();
        query.changed();
        CHECK_FALSE(
            changes(query, [&] { writer.iter([](kith::iter& it, Position*) { it.skip(); }); }));
        CHECK_FALSE(changes(query, [&] {
            writer.each([](kith::iter& it, std::size_t, Position&) { it.skip(); });
        }));
        look(query);
        int number = 0;
        writer.iter([&](kith::iter& it, Position*) {
            if (number++ == 0) {
                it.skip();
            }
        });
        CHECK(look(query) == seen{1, 2});
    }

    TEST_CASE("only access to write is writing") {
        kith::world world;
        kith::entity e = world.entity().set<Position>({}).set<Velocity>({});
        auto query = world.query<const Position>();
        query.changed();
        auto runs = [&](auto&& other) {
            return changes(query, [&] { other.iter([](kith::iter&) {}); });
        };
        CHECK(runs(world.filter_builder().term<Position>().build()));
        CHECK(runs(world.filter_builder().term<Position>().inout().build()));
        CHECK(runs(world.filter_builder().term<Position>().out().build()));
        CHECK(runs(world.filter_builder().term<Velocity>().term<Position>().optional().build()));
        CHECK(runs(world.filter_builder().with<Position>().inout().build()));
        CHECK_FALSE(runs(world.filter_builder().term<Position>().in().build()));
        CHECK_FALSE(runs(world.filter_builder().term<Position>().inout_none().build()));
        CHECK_FALSE(runs(world.filter_builder().with<Position>().build()));
        CHECK_FALSE(runs(world.filter_builder<const Position>().build()));
        CHECK_FALSE(runs(world.filter_builder().term<Position>().src(e).build()));
        CHECK(runs(world.filter_builder().term<Position>().src(e).inout().build()));
        CHECK_FALSE(runs(world.filter_builder<Velocity>().build()));
        CHECK(runs(world.filter_builder().term(kith::Wildcard).build()));
    }

    TEST_CASE("counting and testing results is neither reading nor writing") {
        kith::world world;
        kith::entity e = world.entity().set<Position>({});
        auto query = world.query<const Position>();
        auto writer = world.query<Position>();
        query.changed();
        look(query);
        writer.count();
        writer.is_true();
        writer.first();
        writer.iter().count();
        CHECK_FALSE(query.changed());
        e.set<Position>({1, 1});
        query.count();
        query.is_true();
        query.first();
        query.iter().first();
        CHECK(query.changed());
        writer.find([](Position&) { return true; });
        look(query);
        CHECK(changes(query, [&] { writer.find([](Position&) { return true; }); }));
    }

    TEST_CASE("all ways to iterate write") {
        kith::world world;
        kith::entity food = world.entity();
        kith::entity e = world.entity().set<Position>({}).add<Likes>(food);
        auto query = world.query<const Position>();
        query.changed();
        auto writer = world.query<Position>();
        auto open = world.query_builder<Position>().term<Likes>(kith::Wildcard).build();
        auto nothing = [](Position&) {};
        CHECK(changes(query, [&] { writer.each(nothing); }));
        CHECK(changes(query, [&] { writer.page(0, 1).each(nothing); }));
        CHECK(changes(query, [&] { writer.worker(0, 1).each(nothing); }));
        CHECK(changes(query, [&] { writer.iter().set_var(0, e).each(nothing); }));
        CHECK(changes(query, [&] { writer.each_of(query, nothing); }));
        CHECK(changes(query, [&] { open.each(food, nothing); }));
        CHECK(changes(query, [&] { open.bind(food).each(nothing); }));
        CHECK(changes(query, [&] {
            auto it = writer.iter();
            while (it.next()) {}
        }));
        CHECK(
            changes(query, [&] { CHECK_THROWS_AS(writer.each([](Position&) { throw 1; }), int); }));
    }

    TEST_CASE("a query does not see its own writes, others do") {  // spec 273
        kith::world world;
        kith::entity e = world.entity().set<Position>({}).set<Velocity>({});
        world.entity().set<Position>({}).set<Velocity>({}).add<Hot>();
        auto one = world.query<Position, const Velocity>();
        auto two = world.query<Position>();
        one.changed();
        two.changed();
        look(one);
        look(two);
        CHECK(look(one) == seen{2, 2});  // two wrote
        CHECK(look(one) == seen{0, 2});
        CHECK_FALSE(one.changed());
        CHECK(two.changed());
        e.set<Position>({1, 2});
        CHECK(look(one) == seen{1, 2});
        CHECK(look(one) == seen{0, 2});
        e.set<Velocity>({1, 2});
        CHECK(look(one) == seen{1, 2});
    }

    TEST_CASE("writes of others while a query runs are seen") {
        kith::world world;
        kith::entity e = world.entity().set<Position>({});
        auto query = world.query<Position>();
        query.changed();
        look(query);
        query.each([&](Position&) { e.set<Position>({5, 5}); });
        CHECK(query.changed());
        look(query);
        CHECK_FALSE(query.changed());
    }

    TEST_CASE("all kinds of queries can be asked") {  // spec 275
        kith::world world;
        kith::entity e = world.entity().set<Position>({});
        auto filter = world.filter<const Position>();
        auto rule = world.rule_builder<const Position>().build();
        auto text = world.query_builder().expr("[in] kith_test.Position").build();
        CHECK(filter.changed());
        CHECK(rule.changed());
        CHECK(text.changed());
        CHECK(changes(filter, [&] { e.set<Position>({1, 1}); }));
        CHECK(changes(rule, [&] { e.set<Position>({1, 1}); }));
        CHECK_FALSE(changes(filter, [&] { world.entity().set<Velocity>({1, 1}); }));
        CHECK(changes(filter, [&] { e.destruct(); }));
    }

    TEST_CASE("inherited values count") {
        kith::world world;
        kith::entity base = world.prefab().set<Position>({});
        kith::entity instance = world.entity().is_a(base);
        kith::entity own = world.entity().set<Position>({});
        auto query = world.query<const Position>();
        query.changed();
        CHECK(look(query).all == 2);
        CHECK(changes(query, [&] { base.set<Position>({1, 1}); }));
        look(query);
        base.set<Position>({2, 2});
        CHECK(look(query) == seen{1, 2});
        CHECK(changes(query, [&] { base.remove<Position>(); }));
        CHECK(look(query).all == 1);
        CHECK(changes(query, [&] { base.set<Position>({3, 3}); }));
        CHECK(look(query).all == 2);
        CHECK(changes(query, [&] { instance.set<Position>({}); }));
        CHECK_FALSE(changes(query, [&] { world.entity().set<Velocity>({}); }));
        static_cast<void>(own);
    }

    TEST_CASE("absence that depends on a base counts") {
        kith::world world;
        kith::entity base = world.prefab().add<Hot>();
        world.entity().is_a(base).set<Position>({});
        auto query = world.query_builder<const Position>().without<Cold>().build();
        query.changed();
        CHECK(look(query).all == 1);
        CHECK(changes(query, [&] { base.add<Cold>(); }));
        CHECK(look(query).all == 0);
        CHECK(changes(query, [&] { base.remove<Cold>(); }));
        CHECK(look(query).all == 1);
    }

    TEST_CASE("a pair that a base loses with its target counts") {
        for (const char* text :
             {"kith_test.Hot, [in] (kith_test.Eats, *)", "kith_test.Hot, !(kith_test.Eats, *)",
              "kith_test.Hot, [in] ?(kith_test.Eats, *)",
              "kith_test.Hot, [in] (kith_test.Eats, $x)"}) {
            CAPTURE(text);
            kith::world world;
            register_all(world);
            kith::entity food = world.entity();
            kith::entity base = world.prefab().set<Eats>(food, {1});
            world.entity().is_a(base).add<Hot>();
            auto query = world.query_builder().expr(text).build();
            query.changed();
            CHECK(changes(query, [&] { food.destruct(); }));
        }
    }

    TEST_CASE("values of fixed sources count") {
        kith::world world;
        kith::entity game = world.entity().set<Velocity>({});
        kith::entity e = world.entity().set<Position>({});
        auto query = world.query_builder<const Position>().term<Velocity>().src(game).build();
        query.changed();
        CHECK(changes(query, [&] { game.set<Velocity>({1, 1}); }));
        CHECK(changes(query, [&] { game.add<Hot>(); }));
        CHECK(changes(query, [&] { game.remove<Velocity>(); }));
        CHECK(look(query).all == 0);
        CHECK(changes(query, [&] { game.set<Velocity>({}); }));
        CHECK_FALSE(changes(query, [&] { world.entity().set<Label>({"x"}); }));
        auto alone = world.query_builder().term<Velocity>().src(game).in().build();
        alone.changed();
        CHECK(changes(alone, [&] { game.set<Velocity>({2, 2}); }));
        CHECK_FALSE(changes(alone, [&] { e.set<Position>({2, 2}); }));
    }

    TEST_CASE("what is found upwards counts") {
        kith::world world;
        kith::entity parent = world.entity().set<Position>({}).add<Hot>();
        kith::entity other = world.entity().set<Position>({}).add<Cold>();
        kith::entity child = world.entity().set<Velocity>({}).child_of(parent);
        auto query =
            world.query_builder<const Velocity>().term<Position>().up(kith::ChildOf).build();
        query.changed();
        CHECK(look(query).all == 1);
        CHECK(changes(query, [&] { parent.set<Position>({1, 1}); }));
        CHECK_FALSE(changes(query, [&] { other.set<Position>({1, 1}); }));
        CHECK(changes(query, [&] { child.child_of(other); }));
        CHECK(changes(query, [&] { other.set<Position>({2, 2}); }));
        CHECK_FALSE(changes(query, [&] { parent.set<Position>({2, 2}); }));
        CHECK(changes(query, [&] { other.remove<Position>(); }));
        CHECK(look(query).all == 0);
        CHECK(changes(query, [&] { child.child_of(parent); }));
    }

    TEST_CASE("bases of what is visited count") {
        for (const char* text :
             {"[in] kith_test.Velocity, [in] kith_test.Position(up(ChildOf))",
              "[in] kith_test.Velocity, [in] kith_test.Position(cascade(ChildOf))",
              "[in] kith_test.Velocity, !kith_test.Position(up(ChildOf))",
              "kith_test.Hot, [in] kith_test.Position(down(ChildOf))"}) {
            INFO(text);
            kith::world world;
            register_all(world);
            kith::entity grandparent = world.entity().add<Hot>();
            kith::entity parent = world.entity().child_of(grandparent);
            world.entity().child_of(parent).set<Velocity>({});
            kith::entity base = world.entity().set<Position>({1, 1});
            kith::entity other = world.entity().set<Position>({2, 2});
            auto query = world.query_builder().expr(text).build();
            query.changed();
            CHECK(changes(query, [&] { parent.is_a(base); }));
            CHECK(changes(query, [&] { parent.is_a(other).remove(kith::IsA, base); }));
            CHECK(changes(query, [&] { parent.remove(kith::IsA, other); }));
            CHECK_FALSE(changes(query, [&] { parent.add<Cold>(); }));
        }
    }

    TEST_CASE("what a wildcard finds beside the tables counts, also what was not there before") {
        kith::world world;
        world.component<Position>().add(kith::Sparse);
        kith::entity near = world.relation("Near", {.storage = kith::storage::sparse});
        kith::entity place = world.entity();
        kith::entity e = world.entity();
        kith::entity f = world.entity();
        auto pairs = world.query_builder().term(kith::Wildcard, place).in().build();
        auto all = world.query_builder().term(kith::Wildcard).in().build();
        pairs.changed();
        all.changed();
        look(all);
        CHECK(changes(pairs, [&] {
            e.add(near, place);
            f.set<Position>({});
        }));
        CHECK(look(pairs) == seen{1, 1});
        CHECK_FALSE(pairs.changed());
        CHECK(look(all).changed != 0);
        CHECK_FALSE(all.changed());
        CHECK(changes(pairs, [&] { e.remove(near, place); }));
    }

    TEST_CASE("what lies beside the tables and comes before the first run is seen once") {
        kith::world world;
        kith::entity near = world.relation("Near", {.storage = kith::storage::sparse});
        kith::entity place = world.entity();
        kith::entity e = world.entity();
        auto query = world.query_builder().term(kith::Wildcard, place).in().build();
        query.changed();
        e.add(near, place);
        CHECK(look(query) == seen{1, 1});
        CHECK_FALSE(query.changed());
        CHECK(look(query) == seen{0, 1});
    }

    TEST_CASE("sparse components and links count where they are") {
        kith::world world;
        world.component<Position>().add(kith::Sparse);
        kith::entity food = world.entity();
        kith::entity e = world.entity().add<Hot>().set<Position>({});
        kith::entity cold = world.entity().add<Cold>();
        auto query = world.query_builder<const Position>().build();
        auto hot = world.query_builder<const Position>().with<Hot>().build();
        query.changed();
        hot.changed();
        look(hot);
        CHECK(changes(query, [&] { e.set<Position>({1, 1}); }));
        CHECK(hot.changed());
        CHECK(changes(query, [&] { cold.set<Position>({1, 1}); }));
        look(hot);
        CHECK(changes(query, [&] { cold.set<Position>({2, 1}); }));
        CHECK_FALSE(hot.changed());
        CHECK(changes(query, [&] { world.query<Position>().each([](Position&) {}); }));
        CHECK(changes(query, [&] { cold.remove<Position>(); }));
        CHECK(look(query).all == 1);
        CHECK(changes(query, [&] { e.destruct(); }));
        CHECK(look(query).all == 0);
        auto children = world.query_builder().term<Cold>().term(kith::ChildOf, food).build();
        children.changed();
        CHECK(changes(children, [&] { cold.child_of(food); }));
        CHECK(look(children).all == 1);
        CHECK(changes(children, [&] { cold.remove(kith::ChildOf, food); }));
        CHECK(changes(children, [&] { cold.child_of(food); }));
        CHECK(changes(children, [&] { food.destruct(); }));
    }

    TEST_CASE("queries with variables see changes of what they join") {
        kith::world world;
        kith::entity earth = world.entity().set<Position>({}).add<Hot>();
        kith::entity ship = world.entity().set<Velocity>({}).add<Likes>(earth);
        auto query = world.query_builder<const Velocity>()
                         .term<Likes>("$place")
                         .term<Position>()
                         .src("$place")
                         .build();
        query.changed();
        CHECK(look(query).all == 1);
        CHECK(changes(query, [&] { earth.set<Position>({1, 1}); }));
        CHECK(changes(query, [&] { ship.set<Velocity>({1, 1}); }));
        CHECK(changes(query, [&] { earth.remove<Position>(); }));
        CHECK(look(query).all == 0);
        CHECK(changes(query, [&] { earth.set<Position>({}); }));
        CHECK(changes(query, [&] { ship.remove<Likes>(earth); }));
        CHECK_FALSE(changes(query, [&] { world.entity().set<Label>({"a"}); }));
    }

    TEST_CASE("queries without an id that all results have see all entities") {
        kith::world world;
        auto query = world.query_builder().without<Position>().build();
        query.changed();
        kith::entity e;
        CHECK(changes(query, [&] { e = world.entity(); }));
        CHECK(changes(query, [&] { e.add<Hot>(); }));
        CHECK(changes(query, [&] { e.set<Position>({}); }));
        CHECK_FALSE(changes(query, [&] { e.set<Position>({1, 1}); }));
    }

    TEST_CASE("names that a query compares count") {
        kith::world world;
        kith::entity e = world.entity("ship").set<Position>({});
        auto query =
            world.query_builder().expr("[in] kith_test.Position, $this ~= \"shi\"").build();
        query.changed();
        CHECK(look(query).all == 1);
        CHECK(changes(query, [&] { e.set_name("boat"); }));
        CHECK(look(query).all == 0);
    }

    TEST_CASE("runs that leave rows out leave everything changed") {
        kith::world world;
        kith::entity e = world.entity().set<Position>({});
        world.entity().set<Position>({});
        auto query = world.query<const Position>();
        query.changed();
        look(query);
        e.set<Position>({1, 1});
        CHECK(look(query.page(0, 1)) == seen{1, 1});
        CHECK(look(query.iter().set_var(0, e)) == seen{1, 1});
        CHECK(query.changed());
        CHECK(look(query) == seen{1, 1});
        CHECK(look(query.page(0, 1)) == seen{0, 1});
    }

    TEST_CASE("a run that ends in the middle of a table leaves it changed") {
        kith::world world;
        world.component<Velocity>().add(kith::Sparse);
        kith::entity a = world.entity().set<Position>({}).set<Velocity>({});
        world.entity().set<Position>({}).set<Velocity>({});
        auto query = world.query<const Position, const Velocity>();
        query.changed();
        look(query);
        a.set<Velocity>({1, 1});
        query.iter([](kith::iter&) { return false; });
        CHECK(query.changed());
        CHECK(look(query) == seen{2, 2});
        CHECK(look(query) == seen{0, 2});
    }

    TEST_CASE("sorted and grouped queries can be asked, and write") {
        kith::world world;
        kith::entity food = world.entity();
        kith::entity a = world.entity().set<Position>({2, 0}).add<Likes>(food);
        world.entity().set<Position>({1, 0});
        auto plain = world.query<const Position>();
        auto sorted = world.query_builder<Position>().order_by(&Position::x).build();
        auto grouped = world.query_builder<Position>().group_by<Likes>().build();
        plain.changed();
        sorted.changed();
        grouped.changed();
        look(sorted);
        look(grouped);
        CHECK(changes(plain, [&] { look(sorted); }));
        CHECK(changes(plain, [&] { look(grouped); }));
        look(sorted);
        CHECK(look(sorted) == seen{0, 2});
        a.set<Position>({0, 0});
        CHECK(sorted.changed());
        CHECK(look(sorted) == seen{1, 2});
        CHECK(look(sorted) == seen{0, 2});
    }

    TEST_CASE("a run of one group has seen the tables of the group") {
        for (bool sorted : {false, true}) {
            CAPTURE(sorted);
            kith::world world;
            kith::entity food = world.entity();
            kith::entity drink = world.entity();
            kith::entity eater = world.entity().set<Position>({1, 0}).add<Likes>(food);
            world.entity().set<Position>({2, 0}).add<Likes>(drink);
            auto builder = world.query_builder<const Position>().group_by<Likes>();
            auto query = sorted ? builder.order_by(&Position::x).build() : builder.build();
            query.changed();
            CHECK(look(query.iter().set_group(food)) == seen{1, 1});
            CHECK(look(query.iter().set_group(food)) == seen{0, 1});
            CHECK(query.changed());  // there is another group
            CHECK(look(query.iter().set_group(drink)) == seen{1, 1});
            look(query);
            eater.set<Position>({3, 0});
            CHECK(look(query.iter().set_group(drink)) == seen{0, 1});
            CHECK(query.changed());
            CHECK(look(query.iter().set_group(food)) == seen{1, 1});
            CHECK_FALSE(query.changed());
        }
    }

    TEST_CASE("a run of one group leaves tables that several groups share changed") {
        kith::world world;
        world.component<Likes>().add(kith::Sparse);
        kith::entity food = world.entity();
        kith::entity eater = world.entity().set<Position>({1, 0}).add<Likes>(food);
        kith::entity drinker = world.entity().set<Position>({2, 0}).add<Likes>(world.entity());
        auto query = world.query_builder<const Position>().group_by<Likes>().build();
        query.changed();
        look(query);
        drinker.set<Position>({3, 0});
        look(query.iter().set_group(food));
        CHECK(query.changed());
        static_cast<void>(eater);
    }

    TEST_CASE("an iterator that is not of a query has nothing to ask") {
        kith::world world;
        int called = 0;
        world.component<Position>().on_set([&](kith::iter& it, Position*) {
            CHECK(error_of([&] { it.changed(); }) == kith::errc::invalid_query);
            CHECK(error_of([&] { it.skip(); }) == kith::errc::invalid_query);
            ++called;
        });
        world.entity().set<Position>({});
        CHECK(called == 1);
        kith::query<> none;
        CHECK(error_of([&] { none.changed(); }) == kith::errc::invalid_query);
        auto orphan = [] {
            kith::world gone;
            return gone.query<const Position>();
        }();
        CHECK(error_of([&] { orphan.changed(); }) == kith::errc::invalid_query);
    }

    TEST_CASE("skip() where nobody asks does nothing") {
        kith::world world;
        world.entity().set<Position>({});
        world.query<Position>().iter([](kith::iter& it) { it.skip(); });
    }

    TEST_CASE("the last row that is switched off is a change") {
        kith::world world;
        kith::entity one = world.entity().set(Position{1, 1});
        auto query = world.query<const Position>();
        auto seen = [&] {
            query.changed();
            query.iter([](kith::iter&) {});
        };
        seen();
        one.disable<Position>();
        CHECK(query.changed());
        seen();
        CHECK_FALSE(query.changed());
        one.enable<Position>();
        CHECK(query.changed());
    }

    TEST_CASE("what is switched off on a base is a change for its instances") {
        kith::world world;
        kith::entity base = world.prefab().set(Position{1, 1});
        world.entity().is_a(base);
        auto query = world.query<const Position>();
        query.changed();
        query.iter([](kith::iter&) {});
        CHECK_FALSE(query.changed());
        base.disable<Position>();
        CHECK(query.count() == 0);
        CHECK(query.changed());
    }

    TEST_CASE("what is switched off on others is no change for instances") {
        kith::world world;
        kith::entity base = world.prefab().set(Position{1, 1});
        world.entity().is_a(base).add<Hot>();
        kith::entity other = world.entity().set(Position{1, 1});
        auto query = world.query_builder<const Position>().with<Hot>().build();
        query.changed();
        CHECK_FALSE(changes(query, [&] { other.disable<Position>(); }));
        CHECK(changes(query, [&] { base.disable<Position>(); }));
    }

    TEST_CASE("switching counts for results with the id, without it, and instead of it") {
        for (const char* text :
             {"kith_test.Hot, !kith_test.Position", "kith_test.Hot, [in] ?kith_test.Position",
              "[in] kith_test.Position || [in] kith_test.Velocity",
              "kith_test.Hot, !kith_test.Eats", "kith_test.Hot, [in] ?kith_test.Eats",
              "kith_test.Hot, !(kith_test.Likes, *)", "kith_test.Hot, ?(kith_test.Likes, $x)"}) {
            INFO(text);
            kith::world world;
            register_all(world);
            world.component<Eats>().add(kith::Sparse);
            kith::entity food = world.entity();
            kith::entity e = world.entity().add<Hot>().set<Position>({}).set<Velocity>({});
            e.set<Eats>({}).add<Likes>(food);
            auto query = world.query_builder().expr(text).track_rows().build();
            query.changed();
            auto all_changed = [&] {
                query.iter([](kith::iter& it) { CHECK((it.changed() && it.changed(0))); });
                return true;
            };
            CHECK(changes(query,
                          [&] { e.disable<Position>().disable<Eats>().disable<Likes>(food); }));
            CHECK(all_changed());
            CHECK(changes(query, [&] { e.enable<Position>().enable<Eats>().enable<Likes>(food); }));
            CHECK(all_changed());
        }
    }

    TEST_CASE("what is switched off on entities that a result depends on counts") {
        for (const char* text :
             {"[in] kith_test.Position(t)", "(kith_test.Likes, $x), [in] kith_test.Position($x)",
              "[in] kith_test.Velocity, [in] kith_test.Position(up(ChildOf))",
              "[in] kith_test.Velocity, !kith_test.Position(up(ChildOf))"}) {
            INFO(text);
            kith::world world;
            register_all(world);
            kith::entity t = world.entity("t").set<Position>({});
            world.entity().child_of(t).set<Velocity>({}).add<Likes>(t);
            auto query = world.query_builder().expr(text).build();
            query.changed();
            CHECK(changes(query, [&] { t.disable<Position>(); }));
            CHECK(changes(query, [&] { t.enable<Position>(); }));
        }
    }

    TEST_CASE("where something is switched off, still only what is matched counts") {
        kith::world world;
        kith::entity food = world.entity();
        kith::entity drink = world.entity();
        kith::entity e = world.entity().set<Eats>(food, {}).set<Eats>(drink, {}).set<Position>({});
        world.entity().set<Position>({}).disable<Position>();
        auto query = world.query_builder().term<Eats>(food).in().build();
        auto others =
            world.query_builder().term<Eats>(kith::Wildcard).in().term<Position>().build();
        query.changed();
        others.changed();
        CHECK_FALSE(changes(query, [&] { e.set<Eats>(drink, {1}); }));
        CHECK_FALSE(changes(query, [&] { e.disable<Eats>(drink); }));
        CHECK_FALSE(changes(query, [&] { e.disable<Position>(); }));
        CHECK(changes(query, [&] { e.disable<Eats>(food); }));
        CHECK_FALSE(changes(query, [&] { world.entity().add<Hot>(); }));
        CHECK(changes(query, [&] { e.enable<Eats>(food); }));
    }

    TEST_CASE("a change stays until all shares of a run have looked") {
        kith::world world;
        kith::entity last;
        for (int i = 0; i < 10; ++i) {
            last = world.entity().set(Position{1, 1});
        }
        auto query = world.query<const Position>();
        query.changed();
        query.iter([](kith::iter&) {});
        last.set(Position{2, 2});
        query.worker(0, 2).each([](const Position&) {});
        CHECK(query.changed());
        query.worker(1, 2).each([](const Position&) {});
        CHECK_FALSE(query.changed());
    }
}
