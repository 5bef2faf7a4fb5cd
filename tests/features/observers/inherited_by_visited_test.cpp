// Observers of terms that search along a relationship are notified of what the visited entities
// inherit, exactly as the query finds it.
#include <kith/kith.hpp>

#include "support/event_log.hpp"

#include <doctest/doctest.h>

using namespace kith_test;

namespace {

struct fixture : event_log {
    fixture() {
        world.observer()
            .event(kith::OnAdd)
            .event(kith::OnRemove)
            .with<Hot>()
            .parent()
            .each(note_source());
    }

    kith::entity torch = world.prefab("torch").add<Hot>();
    kith::entity hand = world.entity("hand");
    kith::entity finger = world.entity("finger");
};

}  // namespace

TEST_SUITE("features.observers.inherited_by_visited") {
    // The source of a value is the base that owns it, not the heir that is visited.
    TEST_CASE_FIXTURE(fixture, "a parent that inherits brings what it inherits") {
        hand.is_a(torch);
        CHECK(taken() == "");
        finger.child_of(hand);
        CHECK(taken() == "OnAdd Hot finger<-torch; ");
        finger.remove(kith::ChildOf, hand);
        CHECK(taken() == "OnRemove Hot finger<-torch; ");
    }

    TEST_CASE_FIXTURE(fixture, "children see the parent get and lose a base") {
        finger.child_of(hand);
        hand.is_a(torch);
        CHECK(taken() == "OnAdd Hot finger<-torch; ");
        hand.remove(kith::IsA, torch);
        CHECK(taken() == "OnRemove Hot finger<-torch; ");
    }

    TEST_CASE_FIXTURE(fixture, "children see the parent's base get and lose an id") {
        kith::entity kind = world.prefab("kind").is_a(torch);
        hand.is_a(kind);
        finger.child_of(hand);
        taken();
        torch.remove<Hot>();
        CHECK(taken() == "OnRemove Hot finger<-torch; ");
        kind.add<Hot>();
        CHECK(taken() == "OnAdd Hot finger<-kind; ");
    }

    TEST_CASE_FIXTURE(fixture, "an own id of a parent that inherits it neither comes nor goes") {
        hand.is_a(torch);
        finger.child_of(hand);
        taken();
        hand.add<Hot>();
        CHECK(taken() == "");
        hand.remove<Hot>();
        CHECK(taken() == "");
        hand.add<Hot>();
        hand.remove(kith::IsA, torch);
        CHECK(taken() == "");
        hand.remove<Hot>();
        CHECK(taken() == "OnRemove Hot finger<-hand; ");
    }

    TEST_CASE_FIXTURE(fixture, "what is inherited hides what is further up") {
        kith::entity body = world.entity("body").add<Hot>();
        hand.child_of(body).is_a(torch);
        finger.child_of(hand);
        taken();
        body.remove<Hot>();
        CHECK(taken() == "OnRemove Hot hand<-body; ");
        body.add<Hot>();
        CHECK(taken() == "OnAdd Hot hand<-body; ");
        torch.remove<Hot>();
        CHECK(taken() == "");  // the finger sees the body's now
    }

    TEST_CASE_FIXTURE(fixture, "a base that ends takes what the children of its heirs saw") {
        hand.is_a(torch);
        finger.child_of(hand);
        taken();
        torch.destruct();
        CHECK(taken() == "OnRemove Hot finger<-torch; ");
    }

    TEST_CASE_FIXTURE(fixture, "commands of a queue are notified by what they come to") {
        world.defer([&] {
            hand.is_a(torch);
            finger.child_of(hand);
        });
        CHECK(taken() == "OnAdd Hot finger<-torch; ");
        world.defer([&] {
            hand.add<Hot>();
            hand.remove(kith::IsA, torch);
        });
        CHECK(taken() == "");
    }

    TEST_CASE("children of a heir are notified of the base's value") {
        event_log told;
        kith::world& world = told.world;
        kith::entity base = world.prefab("base").set(Position{1, 0});
        kith::entity heir = world.entity("heir").is_a(base);
        world.observer<Position>()
            .parent()
            .event(kith::OnSet)
            .each([&](kith::entity one, Position& p) {
                told.log += event_log::name_of(one) + std::to_string(p.x) + "; ";
            });
        world.entity("child").child_of(heir);
        CHECK(told.taken() == "child1; ");
        base.set(Position{2, 0});
        CHECK(told.taken() == "child2; ");
        heir.set(Position{3, 0});
        CHECK(told.taken() == "child3; ");
        heir.remove<Position>();
        CHECK(told.taken() == "child2; ");
    }

    TEST_CASE("a term that must not hold looks at what the parent inherits") {
        event_log told;
        kith::world& world = told.world;
        world.observer()
            .event(kith::OnAdd)
            .event(kith::OnRemove)
            .with<Cold>()
            .without<Hot>()
            .parent()
            .each([&](kith::iter& it, std::size_t row) {
                told.log += event_log::name_of(it.event()) + event_log::name_of(it.entity(row));
            });
        kith::entity torch = world.prefab("torch").add<Hot>();
        kith::entity hand = world.entity("hand");
        kith::entity finger = world.entity("finger").child_of(hand);
        finger.add<Cold>();
        CHECK(told.taken() == "OnAddfinger");
        hand.is_a(torch);
        CHECK(told.taken() == "OnRemovefinger");
        torch.remove<Hot>();
        CHECK(told.taken() == "OnAddfinger");
    }
}
