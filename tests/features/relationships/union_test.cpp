// Union: Exclusive and Sparse in one word, without the limits that others have.
#include <kith/kith.hpp>

#include "support/errors.hpp"
#include "support/relations.hpp"
#include "support/types.hpp"

using namespace kith_test;
using kith::errc;

namespace {

struct fixture {
    std::string log;  // outlives the hooks that write to it
    kith::world world;
    kith::entity movement = world.entity("movement").add(kith::Union);
    kith::entity walking = world.entity("walking");
    kith::entity running = world.entity("running");
    kith::entity e = world.entity("e");
};

}  // namespace

TEST_SUITE("features.relationships.union") {
    // spec 107
    TEST_CASE_FIXTURE(fixture, "a target replaces the other without a move between tables") {
        e.add(movement, running);
        const kith::table_t* table = e.table();
        const std::size_t tables = world.stats().tables;
        e.add(movement, walking);
        CHECK(static_cast<kith::table_t*>(e.table()) == table);
        CHECK(world.stats().tables == tables);
        CHECK(targets_of(e, movement) == entity_list{walking});
        CHECK_FALSE(e.has(movement, running));
        CHECK(e.has(movement, kith::Wildcard));
        CHECK(contains(e.type().str().c_str(), "(movement,walking)"));
        world.check();
    }

    // spec 107
    TEST_CASE_FIXTURE(fixture, "entities with different targets share one table") {
        kith::entity other = world.entity().add(movement, walking);
        kith::entity third = world.entity().add(movement, running);
        CHECK(static_cast<kith::table_t*>(other.table()) ==
              static_cast<kith::table_t*>(third.table()));
        CHECK(matches_of(world, kith::make_pair(movement, walking)) == entity_list{other});
        CHECK(matches_of(world, kith::make_pair(movement, kith::Wildcard)) ==
              entity_list{other, third});
        world.check();
    }

    // spec 108
    TEST_CASE_FIXTURE(fixture, "a target that dies takes the pair along") {
        e.add(movement, running);
        running.destruct();
        CHECK_FALSE(e.has(movement, kith::Wildcard));
        CHECK(e.type().count() == 1);
        kith::entity young = world.entity();
        REQUIRE(kith::index_of(young) == kith::index_of(running));
        CHECK_FALSE(e.has(movement, young));
        e.add(movement, walking);
        movement.add(kith::OnDeleteTarget, kith::Delete);
        walking.destruct();
        CHECK_FALSE(e.is_alive());
        world.check();
    }

    // spec 108
    TEST_CASE_FIXTURE(fixture, "a union that dies leaves its sources") {
        e.add(movement, running).add<Hot>();
        movement.destruct();
        CHECK(e.is_alive());
        CHECK(e.has<Hot>());
        CHECK_FALSE(e.has(kith::Wildcard, running));
        world.check();
    }

    // spec 109
    TEST_CASE_FIXTURE(fixture, "removing another target removes nothing") {
        e.add(movement, running);
        e.remove(movement, walking);
        CHECK(e.target(movement) == running);
        kith::entity unnamed = world.entity().add(movement, running);
        unnamed.remove(movement, walking);
        CHECK(unnamed.target(movement) == running);
        world.defer([&] { e.remove(movement, walking); });
        CHECK(e.target(movement) == running);
        e.remove(movement);
        CHECK(e.target(movement) == running);
        e.remove(movement, kith::Wildcard);
        CHECK_FALSE(e.target(movement));
        world.check();
    }

    // spec 111
    TEST_CASE_FIXTURE(fixture, "a union carries data") {
        balance_check<counted<0>> balance;
        kith::world own;
        own.component<counted<0>>().add(kith::Union);
        kith::entity a = own.entity();
        kith::entity b = own.entity();
        kith::entity x = own.entity().set<counted<0>>(a, counted<0>(1));
        CHECK(x.get<counted<0>>(a)->number() == 1);
        x.set<counted<0>>(b, counted<0>(2));
        CHECK(x.get<counted<0>>(a) == nullptr);
        CHECK(x.get<counted<0>>(b)->number() == 2);
        CHECK(counted<0>::counts.alive() == 1);
        b.destruct();
        CHECK(counted<0>::counts.alive() == 0);
        own.check();
    }

    TEST_CASE_FIXTURE(fixture, "hooks run: remove before add") {
        world.component<Eats>().add(kith::Union);
        world.component<Eats>().on_add([&](Eats&) { log += "+"; }).on_remove([&](Eats&) {
            log += "-";
        });
        e.add<Eats>(running);
        e.add<Eats>(walking);
        e.destruct();
        CHECK(log == "+-+-");
    }

    TEST_CASE_FIXTURE(fixture, "Union is both of its parts, given early or late") {
        CHECK(e.add(movement, running).table().type().count() <= 1);
        kith::entity late = world.entity("late");
        e.add(late, running).add(late, walking);
        CHECK(refusal(world, [&] { late.add(kith::Union); }) == errc::constraint);
        e.remove(late, running);
        late.add(kith::Union);
        e.add(late, running);
        CHECK(targets_of(e, late) == entity_list{running});
        CHECK(e.table().type().count() <= 1);
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "a type may be a union, and an enum too") {
        world.component<Likes>().add(kith::Union);
        e.add<Likes>(running).add<Likes, Hot>();
        CHECK(e.target<Likes>() == world.component<Hot>());
        CHECK_FALSE(e.target<Likes>(1));
        world.component<Color>().add(kith::Union);
        e.add(Color::Red).add(Color::Green);
        CHECK(e.has(Color::Green));
        CHECK_FALSE(e.has(Color::Red));
        CHECK(*e.get<Color>() == Color::Green);
        world.check();
    }
}
