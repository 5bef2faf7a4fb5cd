// Removing an id from all that have it: from all of them, or from none.
#include <kith/kith.hpp>

#include "support/errors.hpp"

#include <doctest/doctest.h>

using kith::errc;
using kith_test::error_of;
using kith_test::refusal;

namespace {

struct Value {
    int number = 0;
};

}  // namespace

TEST_SUITE("features.entities.remove_all") {
    // Names of those that lose their parents must all fit among the roots.
    TEST_CASE("no entity loses its parent if two of one name would") {
        int calls = 0;
        kith::world world;
        world.entity("p::a");
        world.entity("p::x");
        world.entity("q::x");
        SUBCASE("any parent") {
            CHECK(refusal(world, [&] { world.remove_all(kith::ChildOf, kith::Wildcard); }) ==
                  errc::name_taken);
        }
        SUBCASE("an observer listens") {
            world.observer()
                .with(kith::ChildOf, kith::Wildcard)
                .event(kith::OnRemove)
                .each([&](kith::entity) { ++calls; });
            CHECK(refusal(world, [&] { world.remove_all(kith::ChildOf, kith::Wildcard); }) ==
                  errc::name_taken);
            CHECK(calls == 0);
        }
        SUBCASE("deferred") {
            CHECK(refusal(world, [&] {
                      world.defer([&] { world.remove_all(kith::ChildOf, kith::Wildcard); });
                  }) == errc::name_taken);
        }
        SUBCASE("a root has the name") {
            world.entity("a");
            CHECK(refusal(world, [&] { world.remove_all(kith::ChildOf, world.entity("p")); }) ==
                  errc::name_taken);
        }
    }

    TEST_CASE("entities lose their parents where their names fit") {
        kith::world world;
        auto a = world.entity("p::a");
        auto b = world.entity("q::b");
        world.remove_all(kith::ChildOf, kith::Wildcard);
        CHECK(world.lookup("a") == a);
        CHECK(world.lookup("b") == b);
        world.check();
    }

    // Pairs without values need the property Tag of their relationship.
    TEST_CASE("no entity loses an id if a property that goes with it is needed") {
        int calls = 0;
        kith::world world;
        world.component<Value>().on_remove([&](Value&) { ++calls; });
        kith::entity first = world.entity().set(Value{1});
        kith::entity relation = world.entity().add(kith::Tag);
        kith::entity holder = world.entity().add(relation, world.component<Value>());
        kith::entity other = world.entity().add(kith::Tag);
        CHECK(refusal(world, [&] { world.remove_all(kith::Wildcard); }) == errc::constraint);
        CHECK(refusal(world, [&] { world.remove_all(kith::Tag); }) == errc::constraint);
        CHECK(calls == 0);
        CHECK(first.has<Value>());
        CHECK(other.has(kith::Tag));
        holder.destruct();
        world.remove_all(kith::Wildcard);
        CHECK_FALSE(first.has<Value>());
        CHECK_FALSE(relation.has(kith::Tag));
    }

    TEST_CASE("no entity loses an id that one of them must keep") {
        kith::world world;
        auto needed = world.entity("Needed");
        auto needing = world.entity("Needing").add(kith::With, needed);
        auto free = world.entity().add(needed);
        auto bound = world.entity().add(needing);
        CHECK(refusal(world, [&] { world.remove_all(needed); }).has_value());
        CHECK(free.has(needed));
        bound.remove(needing);
        world.remove_all(needed);
        CHECK_FALSE(free.has(needed));
    }

    // The tables that pairs would have moved to are left behind, and end with the targets.
    TEST_CASE("targets of a relationship that stays sparse can be deleted afterwards") {
        kith::world world;
        kith::entity sparse = world.entity().add(kith::Sparse);
        kith::entity target = world.entity();
        kith::entity holder = world.entity().add(sparse, target);
        kith::entity relation = world.entity().add(kith::Tag);
        holder.add(relation, world.component<Value>());
        CHECK(refusal(world, [&] { world.remove_all(kith::Wildcard); }) == errc::constraint);
        target.destruct();
        CHECK_FALSE(holder.has(sparse, kith::Wildcard));
        world.check();
    }

    // A symmetric pair goes on both sides, and one of them needs it for another pair.
    TEST_CASE("no entity loses a pair if a partner must keep the other side") {
        kith::world world;
        kith::entity allied = world.entity("Allied").add(kith::Symmetric);
        kith::entity married = world.entity("Married").add(kith::With, allied);
        SUBCASE("dense") {}
        SUBCASE("sparse") {
            allied.add(kith::Sparse);
        }
        kith::entity first = world.entity().add(allied, world.entity());
        kith::entity a = world.entity();
        kith::entity b = world.entity();
        a.add(married, b);
        int calls = 0;
        world.observer().with(allied, kith::Wildcard).event(kith::OnRemove).each([&](kith::entity) {
            ++calls;
        });
        CHECK(refusal(world, [&] { world.remove_all(kith::Wildcard, kith::Wildcard); }) ==
              errc::constraint);
        CHECK(calls == 0);
        CHECK(first.has(allied, kith::Wildcard));
        world.remove_all(married, kith::Wildcard);
        world.remove_all(allied, kith::Wildcard);
        CHECK_FALSE(first.has(allied, kith::Wildcard));
    }

    TEST_CASE("a target may lose the parent together with the scope that demanded it") {
        kith::world world;
        SUBCASE("dense parents") {
            world.entity(kith::ChildOf).remove(kith::Sparse);
        }
        SUBCASE("sparse parents") {}
        kith::entity scope = world.entity();
        kith::entity relation = world.entity().child_of(scope).add(kith::OneOf, scope);
        scope.add(relation, relation);
        world.remove_all(kith::Wildcard, kith::Wildcard);
        CHECK_FALSE(relation.parent());
        CHECK_FALSE(scope.has(relation, kith::Wildcard));
        world.check();
    }

    TEST_CASE("no entity loses an id while one of them is iterated") {
        kith::world world;
        world.entity().set(Value{1});
        auto other = world.entity("other").set(Value{2});
        world.query<Value>().each([&](kith::entity, Value&) {
            CHECK(error_of([&] { world.remove_all<Value>(); }) == errc::locked);
        });
        CHECK(other.has<Value>());
        CHECK(world.count<Value>() == 2);
    }
}
