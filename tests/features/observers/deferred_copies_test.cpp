// Observers of queues in which commands copy what other commands of the queue have changed: ids of
// a clone's source, marked ids of a base, the Prefab of a parent. Only net effects are notified.
#include <kith/kith.hpp>

#include "support/event_log.hpp"

#include <doctest/doctest.h>

namespace {

struct Hot {};
struct Charge {
    int level = 0;
};

struct fixture : kith_test::event_log {
    fixture() {
        world.component<Hot>("Hot");
        world.component<Charge>("Charge");
        watch(kith::Prefab);
        watch(world.id<Hot>());
        watch(world.id<Charge>());
    }
    void watch(kith::id_t id) {
        world.observer()
            .with(id)
            .self()
            .event(kith::OnAdd)
            .event(kith::OnSet)
            .event(kith::OnRemove)
            .each(note());
    }
    template <class Commands>
    std::string told_of(Commands&& commands) {
        taken();
        world.defer(commands);
        return taken();
    }

    kith::entity e = world.entity("e");
    kith::entity p = world.entity("p");
    kith::entity q = world.entity("q");
    kith::entity source = world.entity("source");
};

}  // namespace

TEST_SUITE("features.observers.deferred_copies") {
    TEST_CASE_FIXTURE(fixture, "a copied Prefab that is cleared is not notified") {
        CHECK(told_of([&] {
                  p.add(kith::Prefab);
                  source.child_of(p);
                  source.clone(true, e);
                  e.clear();
              }) == "OnAdd Prefab p; OnAdd Prefab source; ");
        CHECK_FALSE(e.owns(kith::Prefab));
    }

    TEST_CASE_FIXTURE(fixture, "a copied id that its source gets in the queue comes and goes") {
        CHECK(told_of([&] {
                  source.add<Hot>();
                  source.clone(true, e);
                  e.clear();
              }) == "OnAdd Hot source; ");
    }

    TEST_CASE_FIXTURE(fixture, "an id is not notified if a copy of a new id replaces it") {
        e.add<Hot>();
        CHECK(told_of([&] {
                  source.add<Hot>();
                  e.remove<Hot>();
                  source.clone(true, e);
              }) == "OnAdd Hot source; ");
    }

    TEST_CASE_FIXTURE(fixture, "a value that a copy replaces is notified as set") {
        e.set(Charge{1});
        CHECK(told_of([&] {
                  source.set(Charge{2});
                  e.remove<Charge>();
                  source.clone(true, e);
              }) == "OnAdd Charge source; OnSet Charge source; OnSet Charge e; ");
        CHECK(e.get<Charge>()->level == 2);
    }

    TEST_CASE_FIXTURE(fixture, "an id goes if the source of the copy loses it before") {
        e.add<Hot>();
        source.add<Hot>();
        CHECK(told_of([&] {
                  source.remove<Hot>();
                  e.remove<Hot>();
                  source.clone(true, e);
              }) == "OnRemove Hot source; OnRemove Hot e; ");
        e.add<Hot>();
        source.add<Hot>();
        CHECK(told_of([&] {
                  source.remove(kith::Wildcard);
                  e.remove<Hot>();
                  source.clone(true, e);
              }) == "OnRemove Hot source; OnRemove Hot e; ");
    }

    TEST_CASE_FIXTURE(fixture, "a copy of a copy has the ids of the first source") {
        e.add<Hot>();
        CHECK(told_of([&] {
                  source.add<Hot>();
                  source.clone(true, p);
                  p.clone(true, q);
                  e.remove<Hot>();
                  q.clone(true, e);
              }) == "OnAdd Hot source; OnAdd Hot p; OnAdd Hot q; ");
    }

    TEST_CASE_FIXTURE(fixture, "a symmetric pair comes back with a copy") {
        kith::entity knows = world.entity("knows").add(kith::Symmetric);
        watch(kith::make_pair(knows, kith::Wildcard));
        source.add(knows, source).add(knows, e);
        CHECK(told_of([&] {
                  source.remove(knows, e);
                  source.clone(true, e);
              }) == "");
        CHECK(e.has(knows, source));
        CHECK(source.has(knows, e));
    }

    TEST_CASE_FIXTURE(fixture, "a source that is changed after the copy does not matter") {
        e.add<Hot>();
        source.add<Hot>();
        CHECK(told_of([&] {
                  e.remove<Hot>();
                  source.clone(true, e);
                  source.remove<Hot>();
              }) == "OnRemove Hot source; ");
    }

    TEST_CASE_FIXTURE(fixture, "an id comes back with an instance of a base marked in the queue") {
        e.add<Hot>();
        p.add<Hot>();
        CHECK(told_of([&] {
                  p.override<Hot>();
                  e.remove<Hot>();
                  e.is_a(p);
              }) == "");
        CHECK(e.owns<Hot>());
    }

    TEST_CASE_FIXTURE(fixture,
                      "an id comes back with a base that gets a marked base in the queue") {
        e.add<Hot>();
        q.add<Hot>().override<Hot>();
        CHECK(told_of([&] {
                  p.is_a(q);
                  p.remove<Hot>();
                  e.remove<Hot>();
                  e.is_a(p);
              }) == "");
        CHECK(e.owns<Hot>());
    }

    TEST_CASE_FIXTURE(fixture, "an id comes back with a copy of an instance that lacks it") {
        p.add<Hot>().override<Hot>();
        source.is_a(p);
        source.remove<Hot>();
        e.add<Hot>();
        CHECK(told_of([&] {
                  e.remove<Hot>();
                  source.clone(true, e);
              }) == "");
        CHECK(e.owns<Hot>());
    }

    TEST_CASE_FIXTURE(fixture, "Prefab comes back with a parent that becomes a prefab") {
        e.add(kith::Prefab);
        CHECK(told_of([&] {
                  p.add(kith::Prefab);
                  e.remove(kith::Prefab);
                  e.child_of(p);
              }) == "OnAdd Prefab p; ");
        CHECK(e.owns(kith::Prefab));
    }

    TEST_CASE_FIXTURE(fixture, "Prefab comes back with a parent that is a prefab by its parent") {
        e.add(kith::Prefab);
        CHECK(told_of([&] {
                  q.add(kith::Prefab);
                  p.child_of(q);
                  e.remove(kith::Prefab);
                  e.child_of(p);
              }) == "OnAdd Prefab q; OnAdd Prefab p; ");
        CHECK(e.owns(kith::Prefab));
    }

    TEST_CASE_FIXTURE(fixture, "Prefab comes back if the parent becomes a part") {
        e.child_of(p).add(kith::Prefab);
        q.add(kith::Prefab);
        SUBCASE("of a prefab") {
            CHECK(told_of([&] {
                      e.remove(kith::Prefab);
                      p.child_of(q);
                  }) == "OnAdd Prefab p; ");
        }
        SUBCASE("as a copy") {
            CHECK(told_of([&] {
                      e.remove(kith::Prefab);
                      source.child_of(q);
                      source.clone(true, p);
                  }) == "OnAdd Prefab source; OnAdd Prefab p; ");
        }
        SUBCASE("and is a parent only since the queue") {
            CHECK(told_of([&] {
                      e.remove(kith::Prefab);
                      e.child_of(source);
                      source.child_of(q);
                  }) == "OnAdd Prefab source; ");
        }
        CHECK(e.owns(kith::Prefab));
    }

    TEST_CASE_FIXTURE(fixture, "Prefab goes if the parent is no prefab any more") {
        p.add(kith::Prefab);
        e.add(kith::Prefab);
        CHECK(told_of([&] {
                  p.remove(kith::Prefab);
                  e.remove(kith::Prefab);
                  e.child_of(p);
              }) == "OnRemove Prefab p; OnRemove Prefab e; ");
        CHECK_FALSE(e.owns(kith::Prefab));
    }

    TEST_CASE_FIXTURE(fixture, "a copy that gets the parent of its source again stays no prefab") {
        p.add(kith::Prefab);
        source.child_of(p);
        CHECK(told_of([&] {
                  source.clone(true, e);
                  e.remove(kith::Prefab);
                  e.child_of(p);
              }) == "");
        CHECK_FALSE(e.owns(kith::Prefab));
    }

    TEST_CASE_FIXTURE(fixture, "a slot that an instance fills and loses is not notified") {
        p.add(kith::Prefab);
        kith::entity slot = world.entity("slot");
        slot.child_of(p);
        slot.add(kith::SlotOf, p);
        watch(kith::make_pair(slot, kith::Wildcard));
        CHECK(told_of([&] {
                  e.is_a(p);
                  e.clear();
              }) == "");
    }
}
