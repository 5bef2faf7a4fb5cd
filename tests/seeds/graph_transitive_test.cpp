// Transitive relationships: the programs of the queries document, completed.
#include <kith/kith.hpp>

#include "support/bindings.hpp"

#include <doctest/doctest.h>

namespace flecs = kith;

using kith_test::bindings_of;

namespace {

// Create LocatedIn relationship with transitive property
struct LocatedIn {};
struct City {};

struct fixture {
    fixture() { world.component<LocatedIn>().add(flecs::Transitive); }
    void settle() {
        Manhattan.add<LocatedIn>(NewYork);
        CentralPark.add<LocatedIn>(Manhattan);
        Bob.add<LocatedIn>(CentralPark);
    }

    flecs::world world;
    flecs::entity NewYork = world.entity("NewYork");
    flecs::entity Manhattan = world.entity("Manhattan");
    flecs::entity CentralPark = world.entity("CentralPark");
    flecs::entity Bob = world.entity("Bob");
};

}  // namespace

TEST_SUITE("seeds.graph_transitive") {
    TEST_CASE_FIXTURE(fixture, "a rule finds everything that is located in New York") {
        settle();
        // Matches ManHattan, CentralPark, Bob
        flecs::rule<> r = world.rule_builder().term<LocatedIn>(NewYork).build();
        CHECK(bindings_of(r) == "Bob; CentralPark; Manhattan");
        CHECK(bindings_of(world.rule_builder().term<LocatedIn>(Manhattan).build()) ==
              "Bob; CentralPark");
        CHECK(bindings_of(world.rule_builder().term<LocatedIn>(Bob).build()) == "");
    }

    TEST_CASE_FIXTURE(fixture, "a variable takes all places that an entity is in") {
        settle();
        // Matches:
        //  - ManHattan (Place = NewYork)
        //  - CentralPark (Place = ManHattan, NewYork)
        //  - Bob (Place = CentralPark, ManHattan, NewYork)
        flecs::rule<> r = world.rule_builder().term<LocatedIn>().second("$Place").build();
        CHECK(bindings_of(r, {"Place"}) ==
              "Bob Place=CentralPark; Bob Place=Manhattan; Bob Place=NewYork; "
              "CentralPark Place=Manhattan; CentralPark Place=NewYork; Manhattan Place=NewYork");
    }

    TEST_CASE_FIXTURE(fixture, "another term restricts the places to cities") {
        settle();
        // Add City property to NewYork
        NewYork.add<City>();

        // Matches:
        //  - ManHattan (Place = NewYork)
        //  - CentralPark (Place = NewYork)
        //  - Bob (Place = NewYork)
        flecs::rule<> r = world.rule_builder()
                              .term<LocatedIn>()
                              .second("$Place")
                              .term<City>()
                              .src("$Place")
                              .build();
        CHECK(bindings_of(r, {"Place"}) ==
              "Bob Place=NewYork; CentralPark Place=NewYork; Manhattan Place=NewYork");
    }

    TEST_CASE_FIXTURE(fixture, "who is in Manhattan, and where Manhattan is") {
        Manhattan.add<LocatedIn>(NewYork);
        Bob.add<LocatedIn>(Manhattan);
        flecs::rule<> r = world.rule_builder().term<LocatedIn>().second("$Place").build();
        CHECK(bindings_of(r, {"Place"}) ==
              "Bob Place=Manhattan; Bob Place=NewYork; Manhattan Place=NewYork");
    }
}
