#include <kith/kith.hpp>

#include "support/errors.hpp"
#include "support/queries.hpp"
#include "support/types.hpp"

using namespace kith_test;
using kith::Wildcard;

namespace {

struct fixture {
    kith::world world;
    kith::entity a = world.entity("A");
    kith::entity b = world.entity("B");
    kith::entity c = world.entity("C");
    kith::entity d = world.entity("D");
    kith::entity e1 = world.entity("e1");
    kith::entity e2 = world.entity("e2");
    kith::entity e3 = world.entity("e3");
};

}  // namespace

TEST_SUITE("features.queries.operators") {
    // spec 193
    TEST_CASE_FIXTURE(fixture, "all terms have to match, whatever their order") {
        e1.add(a).add(b).add(c);
        e2.add(a).add(b);
        e3.add(c);
        CHECK(found_by(world.filter_builder().with(a).with(b).with(c)) == entity_list{e1});
        CHECK(found_by(world.filter_builder().with(c).with(b).with(a)) == entity_list{e1});
        CHECK(found_by(world.filter_builder().with(b).with(a)) == entity_list{e1, e2});
        CHECK(found_by(world.filter_builder().with(a).and_().with(b).oper(kith::And)) ==
              entity_list{e1, e2});
    }

    // spec 194
    TEST_CASE_FIXTURE(fixture, "or_ joins a term with the next, and the chain is one field") {
        e1.add(a).add(b).add(d);
        e2.add(a).add(c).add(d);
        e3.add(a).add(d);
        auto builder = world.filter_builder().with(a).with(b).or_().with(c).with(d);
        CHECK(results_of(builder) == "e1: A, B, D\ne2: A, C, D\n");
        CHECK(builder.build().field_count() == 3);
    }

    TEST_CASE_FIXTURE(fixture, "the first member of a chain that matches is the result") {
        e1.add(b).add(c);
        CHECK(results_of(world.filter_builder().with(b).or_().with(c)) == "e1: B\n");
        CHECK(results_of(world.filter_builder().with(c).or_().with(b)) == "e1: C\n");
    }

    // spec 195
    TEST_CASE_FIXTURE(fixture, "a chain may carry Or on its last member too") {
        e1.add(b);
        e2.add(c);
        e3.add(a);
        CHECK(results_of(world.filter_builder().with(b).or_().with(c).or_()) == "e1: B\ne2: C\n");
        CHECK(world.filter_builder().with(b).or_().with(c).or_().build().field_count() == 1);
    }

    // spec 196
    TEST_CASE_FIXTURE(fixture, "several chains need a match each") {
        e1.add(a).add(c);
        e2.add(b).add(d);
        e3.add(a).add(b);
        CHECK(results_of(world.filter_builder().with(a).or_().with(b).with(c).or_().with(d)) ==
              "e1: A, C\ne2: B, D\n");
        CHECK(results_of(world.filter_builder().any_of(a, b).any_of(c, d)) ==
              "e1: A, C\ne2: B, D\n");
    }

    // spec 197
    TEST_CASE_FIXTURE(fixture, "the type of a chain's field is that of the id that matched") {
        e1.set(Position{1, 2});
        e2.set(Velocity{3, 4});
        int calls = 0;
        world.filter_builder().term<Position>().or_().term<Velocity>().build().iter(
            [&](kith::iter& it) {
                ++calls;
                if (it.id(1) == world.id<Position>()) {
                    CHECK(it.field<const Position>(1)->x == 1);
                    CHECK(it.range().get<Position>()->y == 2);
                    CHECK(error_of([&] { it.field<const Velocity>(1); }) ==
                          kith::errc::invalid_query);
                } else {
                    CHECK(it.field<const Velocity>(1)->x == 3);
                    CHECK(error_of([&] { it.field<const Position>(1); }) ==
                          kith::errc::invalid_query);
                }
            });
        CHECK(calls == 2);
    }

    TEST_CASE_FIXTURE(fixture, "any_of takes types") {
        e1.set(Position{1, 2});
        e2.set(Velocity{3, 4});
        e3.add<Hot>();
        CHECK(found_by(world.filter_builder().any_of<Position, Velocity>()) == entity_list{e1, e2});
        CHECK(found_by(world.filter_builder().any_of<Position, Velocity, Hot>()) ==
              entity_list{e1, e2, e3});
    }

    TEST_CASE_FIXTURE(fixture, "a chain of wildcards gives all matches of each") {
        kith::entity likes = world.entity("Likes");
        kith::entity knows = world.entity("Knows");
        e1.add(likes, a).add(likes, b).add(knows, c);
        e2.add(knows, c).add(knows, d);
        CHECK(
            results_of(world.filter_builder().with(likes, Wildcard).or_().with(knows, Wildcard)) ==
            "e1: (Knows,C)\ne1: (Likes,A)\ne1: (Likes,B)\ne2: (Knows,C)\ne2: (Knows,D)\n");
    }

    // spec 198
    TEST_CASE_FIXTURE(fixture, "Not leaves out what has the id, and its field has no data") {
        e1.add(a);
        e2.add(a).set(Position{1, 2});
        auto builder = world.filter_builder().with(a).without<Position>();
        CHECK(results_of(builder) == "e1: A, -\n");
        builder.build().iter([](kith::iter& it) {
            CHECK(it.field(2) == nullptr);
            CHECK_FALSE(it.is_set(2));
        });
    }

    TEST_CASE_FIXTURE(fixture, "a query of nothing but Not matches all that lack the id") {
        e1.add(a);
        e2.add(b);
        auto found = found_by(world.filter_builder().without(a));
        auto has = [&](kith::entity e) {
            return std::find(found.begin(), found.end(), e) != found.end();
        };
        CHECK_FALSE(has(e1));
        CHECK(has(e2));
        CHECK(has(e3));
    }

    // spec 199
    TEST_CASE_FIXTURE(fixture, "Optional restricts nothing and says whether it is set") {
        e1.add(a).set(Position{1, 2});
        e2.add(a);
        CHECK(results_of(world.filter_builder().with(a).with<Position>().optional()) ==
              text_of("e1: A, ") + world.id<Position>().str().c_str() + "\ne2: A, -\n");
    }

    TEST_CASE_FIXTURE(fixture, "a field that is not set is an empty view") {
        e2.add(a);
        int calls = 0;
        world.filter_builder().with(a).term<Position>().optional().build().iter(
            [&](kith::iter& it) {
                CHECK_FALSE(it.is_set(2));
                CHECK_FALSE(it.field<const Position>(2));
                CHECK_FALSE(it.field<Position>(2));
                CHECK(it.field(2) == nullptr);
                ++calls;
            });
        CHECK(calls == 1);
    }

    TEST_CASE_FIXTURE(fixture, "a query of nothing but Optional matches every entity") {
        e1.add(a);
        auto found = found_by(world.filter_builder().with(a).optional());
        for (kith::entity e : {e1, e2, e3, a, b}) {
            CHECK(std::find(found.begin(), found.end(), e) != found.end());
        }
    }

    TEST_CASE_FIXTURE(fixture, "a pointer as template argument is an optional term") {
        e1.set(Position{1, 2}).set(Velocity{3, 4});
        e2.set(Position{5, 6});
        int with = 0;
        int without = 0;
        world.filter<Position, Velocity*>().each([&](Position& p, Velocity* v) {
            if (v) {
                CHECK(p.x == 1);
                CHECK(v->x == 3);
                ++with;
            } else {
                CHECK(p.x == 5);
                ++without;
            }
        });
        CHECK(with == 1);
        CHECK(without == 1);
    }

    TEST_CASE_FIXTURE(fixture, "operators follow what changes") {
        auto query = world.query_builder().with(a).without(b).with(c).optional().build();
        e1.add(a);
        CHECK(results_of(query) == "e1: A, -, -\n");
        e1.add(c);
        CHECK(results_of(query) == "e1: A, -, C\n");
        e1.add(b);
        CHECK(results_of(query) == "");
        e1.remove(b);
        CHECK(results_of(query) == "e1: A, -, C\n");
    }

    TEST_CASE_FIXTURE(fixture, "a component that is switched off does not match") {
        e1.set(Position{1, 2}).add(a);
        e2.set(Position{3, 4}).add(a);
        e1.disable<Position>();
        CHECK(found_by(world.filter_builder<Position>()) == entity_list{e2});
        CHECK(found_by(world.filter_builder().with(a).without<Position>()) == entity_list{e1});
        e1.enable<Position>();
        CHECK(found_by(world.filter_builder<Position>()) == entity_list{e1, e2});
    }
}
