// Variables: the programs of the older manual, completed.
#include <kith/kith.hpp>

#include "support/bindings.hpp"

#include <doctest/doctest.h>

namespace flecs = kith;

using kith_test::bindings_of;

namespace {

struct fixture {
    flecs::world world;
    flecs::entity Likes = world.entity("Likes");
    flecs::entity Colleague = world.entity("Colleague");
    flecs::entity Enemy = world.entity("Enemy");
    flecs::entity ann = world.entity("ann");
    flecs::entity ben = world.entity("ben");
    flecs::entity cat = world.entity("cat");
    flecs::entity dan = world.entity("dan");
};

}  // namespace

TEST_SUITE("seeds.manual_variables") {
    TEST_CASE_FIXTURE(fixture,
                      "two wildcards give all combinations, one variable what they share") {
        ann.add(Likes, ben).add(Likes, cat).add(Colleague, cat).add(Colleague, dan);
        ben.add(Likes, dan).add(Colleague, ann);

        // (Likes, *), (Colleague, *)
        auto all = world.query_builder<>()
                       .term(Likes, flecs::Wildcard)
                       .term(Colleague, flecs::Wildcard)
                       .build();
        CHECK(bindings_of(all) == "ann; ann; ann; ann; ben");

        // (Likes, X), (Colleague, X)
        auto qb = world.query_builder<>().term(Likes).obj().var("X").term(Colleague).obj().var("X");
        CHECK(bindings_of(qb.build(), {"X"}) == "ann X=cat");
    }

    TEST_CASE_FIXTURE(fixture, "a variable stands for all relationships with what is liked") {
        ann.add(Likes, ben).add(Colleague, ben).add(Enemy, cat);
        ben.add(Colleague, ann);

        // (Likes, $X), ($R, $X)
        auto q = world.query_builder<>().term(Likes, "$X").term("$R", "$X").build();
        CHECK(bindings_of(q, {"R", "X"}) == "ann R=Colleague X=ben; ann R=Likes X=ben");
    }

    TEST_CASE_FIXTURE(fixture, "a variable asks for the component that a relationship names") {
        flecs::entity ExpiryTimer = world.entity("ExpiryTimer");
        flecs::entity Shield = world.entity("Shield");
        flecs::entity Fire = world.entity("Fire");
        ann.add(ExpiryTimer, Shield).add(Shield);
        ben.add(ExpiryTimer, Fire).add(Shield);
        cat.add(ExpiryTimer, Fire).add(ExpiryTimer, Shield).add(Fire).add(Shield);

        // (ExpiryTimer, $C), $C
        auto q = world.query_builder<>().term(ExpiryTimer, "$C").term("$C").build();
        CHECK(bindings_of(q, {"C"}) == "ann C=Shield; cat C=Fire; cat C=Shield");
    }

    TEST_CASE_FIXTURE(fixture, "variables lead through the graph") {
        ann.add(Likes, ben).add(Enemy, cat);
        ben.add(Likes, cat).add(Likes, dan);
        dan.add(Likes, ben).add(Enemy, ann);

        // (Likes, $Friend), Likes($Friend, $Enemy), (Enemy, $Enemy)
        auto q = world.query_builder<>()
                     .term(Likes, "$Friend")
                     .term(Likes, "$Enemy")
                     .src("$Friend")
                     .term(Enemy, "$Enemy")
                     .build();
        CHECK(bindings_of(q, {"Friend", "Enemy"}) == "ann Friend=ben Enemy=cat");
    }
}
