// explain(entity): which term rejects an entity, and what a match is made of.
#include <kith/kith.hpp>

#include "support/errors.hpp"
#include "support/queries.hpp"
#include "support/types.hpp"

using namespace kith_test;

namespace {

struct fixture {
    template <class Query>
    static std::string why(const Query& query, kith::entity_t entity) {
        return query.explain(entity).c_str();
    }

    bool sparse = for_both_storages();
    kith::world world;
    kith::entity ship = world.entity("Ship");
    kith::entity planet = world.entity("Planet");
    kith::entity broken = world.entity("Broken");
    kith::entity docked_to = make_relation(world, sparse, "DockedTo");
    kith::entity earth = world.entity("earth").add(planet);
    kith::entity mir = world.entity("mir");
    kith::entity eagle = world.entity("eagle").add(ship).add(docked_to, earth);
    kith::entity soyuz = world.entity("soyuz").add(ship).add(docked_to, mir);
    kith::entity drifter = world.entity("drifter").add(ship);
    kith::entity wreck = world.entity("wreck").add(ship).add(docked_to, earth).add(broken);
    // Ship, !Broken, (DockedTo, $place), Planet($place)
    kith::filter<> query = world.filter_builder()
                               .with(ship)
                               .without(broken)
                               .with(docked_to, "$place")
                               .with(planet)
                               .src("$place")
                               .build();
};

}  // namespace

TEST_SUITE("features.queries.explain_entity") {
    TEST_CASE_FIXTURE(fixture, "a match is told with its bindings") {
        const std::string text = why(query, eagle);
        CHECK(contains(text, "1 result"));
        CHECK(contains(text, "place"));
        CHECK(contains(text, "earth"));
    }

    TEST_CASE_FIXTURE(fixture, "the term that is missing is named") {
        const std::string text = why(query, earth);
        CHECK(contains(text, "Ship"));
        CHECK(contains(why(query, drifter), "DockedTo"));
        CHECK_FALSE(contains(why(query, drifter), "Broken"));
    }

    TEST_CASE_FIXTURE(fixture, "a negated term that holds is named, with what was found") {
        const std::string text = why(query, wreck);
        CHECK(contains(text, "Broken"));
        CHECK_FALSE(contains(text, "DockedTo"));
    }

    TEST_CASE_FIXTURE(fixture, "terms that cannot agree on a variable are named") {
        const std::string text = why(query, soyuz);
        CHECK(contains(text, "place"));
        CHECK(contains(text, "Planet"));
        CHECK(contains(text, "mir"));
    }

    TEST_CASE_FIXTURE(fixture, "prefabs and disabled entities are hidden, which it says") {
        kith::entity fab = world.prefab("fab").add(ship).add(docked_to, earth);
        eagle.disable();
        CHECK(contains(why(query, fab), "Prefab"));
        CHECK(contains(why(query, eagle), "Disabled"));
    }

    TEST_CASE_FIXTURE(fixture, "plain and cached queries explain, too") {
        auto plain = world.filter_builder().with(ship).without(broken).build();
        CHECK(contains(why(plain, wreck), "Broken"));
        CHECK(contains(why(plain, earth), "Ship"));
        CHECK(contains(why(plain, eagle), "1 result"));
        auto cached = world.query_builder().with(ship).with(docked_to, "$place").build();
        CHECK(contains(why(cached, drifter), "DockedTo"));
        CHECK(contains(why(cached, eagle), "earth"));
    }

    TEST_CASE_FIXTURE(fixture, "fixed sources that fail are named") {
        auto at_war = world.filter_builder().with(ship).with(broken).src(earth).build();
        const std::string text = why(at_war, eagle);
        CHECK(contains(text, "Broken"));
        CHECK(contains(text, "earth"));
    }

    TEST_CASE_FIXTURE(fixture, "the text agrees with matches") {
        for (kith::entity e : {earth, mir, eagle, soyuz, drifter, wreck}) {
            const std::string text = why(query, e);
            CAPTURE(text);
            CHECK(query.matches(e) == (e == eagle));
            CHECK(contains(text, "no result") == (e != eagle));
            CHECK(contains(text, e.name().c_str()));
        }
    }

    TEST_CASE_FIXTURE(fixture, "scopes, comparisons and searches that reject are named") {
        auto scoped = world.filter_builder()
                          .with(ship)
                          .scope_open()
                          .not_()
                          .with(docked_to, "$x")
                          .with(planet)
                          .src("$x")
                          .scope_close()
                          .build();
        CHECK(contains(why(scoped, soyuz), "1 result"));
        const std::string text = why(scoped, eagle);
        CHECK(contains(text, "earth"));
        auto named = world.filter_builder().with(ship).with(kith::PredEq, soyuz).build();
        CHECK(contains(why(named, eagle), "soyuz"));
        auto searched = world.filter_builder().with(ship).with(planet).up(kith::ChildOf).build();
        CHECK(contains(why(searched, eagle), "Planet"));
        eagle.child_of(earth);
        CHECK(contains(why(searched, eagle), "earth"));
    }

    TEST_CASE_FIXTURE(fixture, "searches upwards are told with their way") {
        kith::entity cabin = world.entity("cabin").child_of(eagle);
        kith::entity bed = world.entity("bed").child_of(cabin);
        auto aboard = world.filter_builder().with(ship).up(kith::ChildOf).build();
        CHECK(contains(why(aboard, bed), "Ship of eagle by way of eagle.cabin"));
        CHECK_FALSE(contains(why(aboard, cabin), "by way of"));
        auto on_planet = world.filter_builder().with(planet).up(kith::ChildOf).build();
        CHECK(contains(why(on_planet, bed), "looked at eagle.cabin, eagle\n"));
        CHECK(contains(why(on_planet, earth), "looked at nothing\n"));
    }

    TEST_CASE_FIXTURE(fixture, "transitive relationships are told with their way") {
        kith::entity within = make_relation(world, sparse, "Within").add(kith::Transitive);
        kith::entity sun = world.entity("sun");
        earth.add(within, sun);
        kith::entity house = world.entity("house").add(within, earth);
        kith::entity cat = world.entity("cat").add(within, house);
        auto in_sun = world.filter_builder().with(within, sun).build();
        CHECK(contains(why(in_sun, cat), "(Within,sun) by way of house, earth"));
        CHECK_FALSE(contains(why(in_sun, earth), "by way of"));
        auto in_mir = world.filter_builder().with(within, mir).build();
        CHECK(contains(why(in_mir, cat), "it leads to house, earth, sun\n"));
    }

    TEST_CASE_FIXTURE(fixture, "dead and null entities are errors") {
        kith::entity dead = world.entity();
        dead.destruct();
        CHECK(refusal(world, [&] { query.explain(dead); }).has_value());
        CHECK(refusal(world, [&] { query.explain(kith::entity_t{0}); }).has_value());
    }

    TEST_CASE_FIXTURE(fixture, "asking changes nothing") {
        const std::string before = dump_world(world, {});
        why(query, eagle);
        why(query, soyuz);
        CHECK(dump_world(world, {}) == before);
        CHECK_NOTHROW(world.check());
    }

    TEST_CASE_FIXTURE(fixture, "explain without an entity shows estimates") {
        const std::string text = query.explain().c_str();
        CHECK(contains(text, "$place"));
        CHECK(contains(text, "yield"));
    }
}
