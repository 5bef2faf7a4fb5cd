// Plans of queries with variables and scopes, as explain() shows them.
#include <kith/kith.hpp>

#include "support/types.hpp"

using namespace kith_test;

namespace {

struct Ship {};
struct Planet {};
struct DockedTo {};
struct Near {};

// A hundred ships at ten places, two of which are planets.
struct fixture {
    fixture() {
        register_all(world);
        for (int i = 0; i < 10; ++i) {
            places[i] = world.entity();
        }
        places[3].add<Planet>();
        places[4].add<Planet>();
        for (int i = 0; i < 100; ++i) {
            world.entity().add<Ship>().add<DockedTo>(places[i % 10]);
        }
    }
    std::string plan(kith::filter_builder<>& terms) const {
        return terms.build().explain().c_str();
    }

    kith::world world;
    kith::entity places[10];
};

}  // namespace

TEST_SUITE("features.queries.graph_plan") {
    // spec 256
    TEST_CASE_FIXTURE(fixture, "the order of terms does not decide about the order of steps") {
        auto one = world.filter_builder();
        one.with<Ship>().with<DockedTo>().second("$p").with<Planet>().src("$p");
        auto other = world.filter_builder();
        other.with<Planet>().src("$p").with<DockedTo>().second("$p").with<Ship>();
        CHECK(plan(one) == plan(other));
    }

    TEST_CASE_FIXTURE(fixture, "the rarest term comes first, and what it binds is looked up") {
        auto terms = world.filter_builder();
        terms.with<Ship>().with<DockedTo>().second("$p").with<Planet>().src("$p");
        CHECK(plan(terms).find("enumerate    $p by ") == 0);
        CHECK(plan(terms).find("enumerate    $this by (") != std::string::npos);
    }

    TEST_CASE_FIXTURE(fixture, "what is inside of a scope is indented below it") {
        auto terms = world.filter_builder();
        terms.with<Planet>()
            .scope_open()
            .not_()
            .with<DockedTo>()
            .src("$s")
            .second("$this")
            .scope_close();
        std::string text = plan(terms);
        CHECK(text.find("not-exists   !{ ") != std::string::npos);
        CHECK(text.find("\n  enumerate    $s by ") != std::string::npos);
    }

    TEST_CASE_FIXTURE(fixture, "a value that is given comes before everything else") {
        auto query = world.filter_builder().with<Ship>().with<DockedTo>().second("$p").build();
        std::size_t found = 0;
        query.iter().set_var("p", places[3]).each([&](kith::entity) { ++found; });
        CHECK(found == 10);
    }

    // spec 298
    TEST_CASE_FIXTURE(fixture, "a query is planned anew when a relationship becomes transitive") {
        kith::entity inside = world.entity();
        kith::entity town = world.entity().add(inside, places[0]);
        kith::entity house = world.entity().add(inside, town);
        auto query = world.query_builder().with(inside, places[0]).build();
        CHECK(query.count() == 1);
        inside.add(kith::Transitive);
        CHECK(query.count() == 2);
        CHECK(query.matches(house));
    }

    // spec 298
    TEST_CASE_FIXTURE(fixture, "a query is planned anew when a tag gets subsets") {
        kith::entity unit = world.entity();
        kith::entity melee = world.entity();
        kith::entity knight = world.entity().add(melee);
        auto query = world.query_builder().with(unit).build();
        CHECK(query.count() == 0);
        melee.is_a(unit);
        CHECK(query.matches(knight));
        CHECK(query.count() == 1);
        melee.remove(kith::IsA, unit);
        CHECK(query.count() == 0);
    }
}
