#include <kith/kith.hpp>

#include "support/errors.hpp"
#include "support/queries.hpp"
#include "support/types.hpp"

using namespace kith_test;
using kith::errc;

namespace {

struct fixture {
    kith::world world;
    kith::entity game = world.entity("game");
    kith::entity tag = world.entity("Tag");
    kith::entity e1 = world.entity("e1").set(Position{1, 2});
    kith::entity e2 = world.entity("e2").set(Position{3, 4});
};

}  // namespace

TEST_SUITE("features.queries.sources") {
    // spec 217
    TEST_CASE_FIXTURE(fixture,
                      "a term with a source matches there, and empties the result if not") {
        auto filter = world.filter_builder<Position>().with(tag).src(game).build();
        auto query = world.query_builder<Position>().with(tag).src(game).build();
        CHECK(filter.count() == 0);
        CHECK(query.count() == 0);
        e1.add(tag);  // the wrong entity
        CHECK(filter.count() == 0);
        CHECK(query.count() == 0);
        game.add(tag);
        CHECK(filter.count() == 2);
        CHECK(query.count() == 2);
        game.remove(tag);
        CHECK(filter.count() == 0);
        CHECK(query.count() == 0);
    }

    // spec 218
    TEST_CASE_FIXTURE(fixture, "a query of sources only has one result without rows") {
        game.set(Velocity{5, 6});
        auto query = world.query_builder<Velocity>().arg(1).src(game).build();
        CHECK(query.is_true());
        CHECK(query.count() == 0);
        CHECK_FALSE(query.first());
        int calls = 0;
        query.each([&](Velocity& v) {
            CHECK(v.x == 5);
            ++calls;
        });
        query.iter([&](kith::iter& it, Velocity* v) {
            CHECK(it.count() == 0);
            CHECK(v->y == 6);
            CHECK(it.src(1) == game);
            ++calls;
        });
        query.each([&](kith::iter& it, std::size_t row, Velocity&) {
            CHECK(row == 0);
            CHECK(it.count() == 0);
            ++calls;
        });
        CHECK(calls == 3);
        game.remove<Velocity>();
        CHECK_FALSE(query.is_true());
    }

    TEST_CASE_FIXTURE(fixture, "a wildcard on a source gives a result for each match") {
        kith::entity likes = world.entity("Likes");
        game.add(likes, e1).add(likes, e2);
        CHECK(results_of(world.filter_builder().with(likes, kith::Wildcard).src(game)) ==
              "() (Likes,e1)@game\n() (Likes,e2)@game\n");
    }

    TEST_CASE_FIXTURE(fixture, "an entity cannot be had where there is none") {
        game.set(Velocity{5, 6});
        auto query = world.filter_builder<Velocity>().arg(1).src(game).build();
        int calls = 0;
        CHECK(error_of([&] { query.each([&](kith::entity, Velocity&) { ++calls; }); }) ==
              errc::invalid_query);
        CHECK(calls == 0);
    }

    // spec 220
    TEST_CASE_FIXTURE(fixture, "a source may be given by its path") {
        kith::entity inner = world.entity("outer::inner").set(Velocity{7, 8});
        auto by_name =
            world.filter_builder<Position, Velocity>().arg(2).src("outer::inner").build();
        CHECK(by_name.count() == 2);
        by_name.iter([&](kith::iter& it) { CHECK(it.src(2) == inner); });
        auto dots = world.filter_builder<Position, Velocity>().arg(2).src("outer.inner").build();
        CHECK(dots.count() == 2);
    }

    // spec 221
    TEST_CASE_FIXTURE(fixture, "each source has its field: arrays for rows, one value for others") {
        game.set(Velocity{5, 6});
        kith::entity other = world.entity("other").set(Label{"x"});
        auto query = world.query_builder<Position, Velocity, Label>()
                         .arg(2)
                         .src(game)
                         .arg(3)
                         .src(other)
                         .instanced()
                         .build();
        int results = 0;
        query.iter([&](kith::iter& it) {
            ++results;
            REQUIRE(it.count() == 2);
            auto p = it.field<Position>(1);
            auto v = it.field<const Velocity>(2);
            auto l = it.field<const Label>(3);
            CHECK_FALSE(p.is_shared());
            CHECK(v.is_shared());
            CHECK(l.is_shared());
            CHECK(p[0].x == 1);
            CHECK(p[1].x == 3);
            CHECK(v[0].x == 5);
            CHECK(&v[1] == &v[0]);
            CHECK(l[1].text == "x");
            CHECK_FALSE(it.src(1));
            CHECK(it.src(2) == game);
            CHECK(it.src(3) == other);
        });
        CHECK(results == 1);
        int sum = 0;
        query.each([&](Position& p, Velocity& v, Label& l) {
            sum += p.x * v.x + static_cast<int>(l.text.size());
        });
        CHECK(sum == 5 + 15 + 2);
    }

    // spec 222
    TEST_CASE_FIXTURE(fixture, "a singleton is a component on itself") {
        auto short_form = world.query_builder<Position, Velocity>().arg(2).singleton().build();
        auto long_form = world.query_builder<Position, Velocity>().arg(2).src<Velocity>().build();
        CHECK(short_form.count() == 0);
        world.set(Velocity{9, 9});
        CHECK(short_form.count() == 2);
        CHECK(long_form.count() == 2);
        int calls = 0;
        short_form.each([&](Position&, Velocity& v) {
            CHECK(&v == world.get<Velocity>());
            ++calls;
        });
        CHECK(calls == 2);
        world.remove<Velocity>();
        CHECK(short_form.count() == 0);
    }

    TEST_CASE_FIXTURE(fixture, "a source that dies matches no more") {
        game.add(tag);
        auto filter = world.filter_builder<Position>().with(tag).src(game).build();
        auto query = world.query_builder<Position>().with(tag).src(game).build();
        CHECK(query.count() == 2);
        game.destruct();
        CHECK(filter.count() == 0);
        CHECK(query.count() == 0);
        kith::entity reborn = world.entity().add(tag);  // takes the index
        CHECK(filter.count() == 0);
        CHECK(query.count() == 0);
        CHECK(reborn.is_alive());
    }

    TEST_CASE_FIXTURE(fixture, "a source is matched whatever it is: prefab, disabled, builtin") {
        game.add(tag).add(kith::Prefab);
        CHECK(found_by(world.filter_builder<Position>().with(tag).src(game)).size() == 2);
        game.disable();
        CHECK(found_by(world.filter_builder<Position>().with(tag).src(game)).size() == 2);
        CHECK(found_by(world.filter_builder<Position>().with(kith::Exclusive).src(kith::ChildOf))
                  .size() == 2);
    }

    TEST_CASE_FIXTURE(fixture, "Not and Optional work on sources") {
        CHECK(found_by(world.filter_builder<Position>().without(tag).src(game)).size() == 2);
        CHECK(results_of(world.filter_builder().with<Position>().with(tag).src(game).optional()) ==
              text_of("e1: ") + world.id<Position>().str().c_str() +
                  ", -\ne2: " + world.id<Position>().str().c_str() + ", -\n");
        game.add(tag);
        CHECK(found_by(world.filter_builder<Position>().without(tag).src(game)).empty());
        CHECK(results_of(world.filter_builder().with<Position>().with(tag).src(game).optional()) ==
              text_of("e1: ") + world.id<Position>().str().c_str() +
                  ", Tag@game\ne2: " + world.id<Position>().str().c_str() + ", Tag@game\n");
    }

    TEST_CASE_FIXTURE(fixture, "a source inherits as any entity does") {
        kith::entity base = world.entity("base").add(tag);
        game.is_a(base);
        auto query = world.query_builder<Position>().with(tag).src(game).build();
        CHECK(query.count() == 2);
        query.iter([&](kith::iter& it) { CHECK(it.src(2) == base); });
        CHECK(found_by(world.filter_builder<Position>().with(tag).src(game).self()).empty());
    }

    TEST_CASE_FIXTURE(fixture, "This as a source is the default") {
        CHECK(found_by(world.filter_builder<Position>().arg(1).src(kith::This)).size() == 2);
        CHECK(found_by(world.filter_builder<Position>().arg(1).src("$this")).size() == 2);
        CHECK(found_by(world.filter_builder<Position>().arg(1).src("$This")).size() == 2);
        CHECK(found_by(world.filter_builder<Position>().arg(1).src().var("this")).size() == 2);
    }
}
