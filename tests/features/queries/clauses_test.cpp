// Which variables have values where: what is skipped, what is refused.
#include <kith/kith.hpp>

#include "support/errors.hpp"
#include "support/queries.hpp"

using namespace kith_test;

namespace {

struct Ship {};
struct Planet {};
struct Star {};
struct DockedTo {};
struct Orbits {};

struct fixture {
    fixture() {
        sun = world.entity("sun").add<Star>();
        earth = world.entity("earth").add<Planet>().add<Orbits>(sun);
        rock = world.entity("rock");
        at_earth = world.entity("at_earth").add<Ship>().add<DockedTo>(earth);
        at_rock = world.entity("at_rock").add<Ship>().add<DockedTo>(rock);
        free = world.entity("free").add<Ship>();
    }

    kith::world world;
    kith::entity sun, earth, rock, at_earth, at_rock, free;
};

}  // namespace

TEST_SUITE("features.queries.clauses") {
    // spec 200
    TEST_CASE_FIXTURE(fixture, "terms about an optional variable are skipped while it is unset") {
        auto terms = world.filter_builder();
        terms.with<Ship>().with<DockedTo>().second("$p").optional().with<Planet>().src("$p");
        CHECK(found_by(terms) == sorted({at_earth, free}));
    }

    // spec 200
    TEST_CASE_FIXTURE(fixture, "which terms depend is no matter of the order of terms") {
        auto terms = world.filter_builder();
        terms.with<Planet>().src("$p").with<DockedTo>().second("$p").optional().with<Ship>();
        CHECK(found_by(terms) == sorted({at_earth, free}));
    }

    TEST_CASE_FIXTURE(fixture, "variables that dependent terms bind are unset with them") {
        auto query = world.filter_builder()
                         .with<Ship>()
                         .with<DockedTo>()
                         .second("$p")
                         .optional()
                         .with<Orbits>()
                         .src("$p")
                         .second("$s")
                         .build();
        query.iter([&](kith::iter& it) {
            CHECK(it.count() == 1);
            CHECK((it.entity(0) == at_earth ? it.get_var("s") == sun : !it.get_var("s")));
        });
        CHECK(query.count() == 2);
    }

    TEST_CASE_FIXTURE(fixture, "a variable of two negated scopes is two variables") {
        auto terms = world.filter_builder();
        terms.with<Planet>();
        terms.none([](auto& inner) { inner.template with<DockedTo>().src("$s").second("$this"); });
        terms.none([](auto& inner) { inner.template with<Orbits>().src("$s").second("$this"); });
        CHECK(found_by(terms).empty());
    }

    TEST_CASE_FIXTURE(fixture, "negated terms cannot share a variable that nothing binds") {
        auto terms = world.filter_builder();
        terms.without<DockedTo>().second("$x").without<Orbits>().second("$x");
        CHECK(message_of([&] { terms.build(); }).find("$x is only used under negation") !=
              std::string::npos);
    }
}
