// Queries with wildcards that are not cached.
#include <kith/kith.hpp>

#include "support/world_fixture.hpp"

#include <sstream>

using namespace kith_test;

namespace {

struct fixture : world_fixture {
    // Entity, ids of the fields, and a dash for those that are not set.
    static std::string results(const kith::filter<>& query) {
        std::ostringstream text;
        query.iter([&](kith::iter& it) {
            for (std::size_t row : it) {
                text << it.entity(row).name();
                for (std::int32_t i = 1; i <= it.field_count(); ++i) {
                    text << (it.is_set(i) ? " " : " -") << it.id(i).str();
                }
                text << "; ";
            }
        });
        return text.str();
    }

    kith::entity a = world.entity("a");
    kith::entity b = world.entity("b");
    kith::entity r = world.entity("r");
    kith::entity hot = world.entity("hot");
    kith::entity e = world.entity("e").add(r, a).add(r, b);
    kith::entity h = world.entity("h").add(r, b).add(hot);
};

}  // namespace

TEST_SUITE("features.queries.wildcard_runs") {
    TEST_CASE_FIXTURE(fixture, "each pair of a relationship is a result") {
        CHECK(results(world.filter_builder().with(r, kith::Wildcard).build()) ==
              "e (r,a); e (r,b); h (r,b); ");
    }

    TEST_CASE_FIXTURE(fixture, "each relationship with a target is a result") {
        kith::entity s = world.entity("s");
        e.add(s, b);
        CHECK(results(world.filter_builder().with(kith::Wildcard, b).build()) ==
              "h (r,b); e (r,b); e (s,b); ");
    }

    TEST_CASE_FIXTURE(fixture, "two wildcards give all combinations") {
        auto both = world.filter_builder().with(r, kith::Wildcard).with(r, kith::Wildcard).build();
        CHECK(results(both) ==
              "e (r,a) (r,a); e (r,a) (r,b); e (r,b) (r,a); e (r,b) (r,b); h (r,b) (r,b); ");
    }

    TEST_CASE_FIXTURE(fixture, "any pair is one result") {
        CHECK(results(world.filter_builder().with(r, kith::Any).build()) == "e (r,a); h (r,b); ");
    }

    TEST_CASE_FIXTURE(fixture, "optional and excluded terms stand beside wildcards") {
        auto optional = world.filter_builder().with(r, kith::Wildcard).with(hot).optional();
        CHECK(results(optional.build()) == "e (r,a) -hot; e (r,b) -hot; h (r,b) hot; ");
        auto without = world.filter_builder().with(r, kith::Wildcard).without(hot);
        CHECK(results(without.build()) == "e (r,a) -hot; e (r,b) -hot; ");
        auto excluded = world.filter_builder().with(hot).without(r, kith::Wildcard);
        CHECK(results(excluded.build()) == "");
        world.entity("g").add(hot);
        CHECK(results(excluded.build()) == "g hot -(r,*); ");
    }

    TEST_CASE_FIXTURE(fixture, "an optional wildcard has each pair, or one result without") {
        world.entity("g").add(hot);
        h.add(r, a);
        auto query = world.filter_builder().with(hot).with(r, kith::Wildcard).optional();
        CHECK(results(query.build()) == "g hot -(r,*); h hot (r,a); h hot (r,b); ");
    }

    TEST_CASE_FIXTURE(fixture, "a run that has ended stays so") {
        for (bool cached : {false, true}) {
            CAPTURE(cached);
            auto builder = world.filter_builder().with(r, kith::Wildcard);
            auto query = cached ? builder.cached().build() : builder.build();
            auto run = query.iter();
            int results = 0;
            while (run.next()) {
                ++results;
            }
            CHECK(results == 3);
            CHECK_FALSE(run.next());
            CHECK_FALSE(run.next());
        }
    }

    TEST_CASE_FIXTURE(fixture, "values of pairs come with their table") {
        e.set<Eats>(a, {1}).set<Eats>(b, {2});
        int sum = 0;
        auto query = world.filter_builder().with<Eats>(kith::Wildcard).build();
        query.iter([&](kith::iter& it) {
            auto food = it.field<const Eats>(1);
            sum = sum * 10 + food[0].amount;
        });
        CHECK(sum == 12);
    }

    TEST_CASE_FIXTURE(fixture, "tables that callbacks make do not move what is iterated") {
        e.set<Eats>(a, {1}).set<Eats>(b, {2});
        auto query = world.filter_builder().with<Eats>(kith::Wildcard).build();
        int sum = 0;
        query.iter([&](kith::iter& it) {
            for (int i = 0; i < 1000; ++i) {
                world.entity().add(world.entity());
            }
            sum = sum * 10 + it.field<const Eats>(1)[0].amount;
        });
        CHECK(sum == 12);
    }

    TEST_CASE_FIXTURE(fixture, "what is inherited is found as soon as there is a base") {
        auto query = world.filter_builder().with(r, kith::Wildcard).build();
        CHECK(results(query) == "e (r,a); e (r,b); h (r,b); ");
        kith::entity g = world.entity("g").is_a(h);
        CHECK(query.count() == 4);
        g.destruct();
        CHECK(query.count() == 3);
    }
}
