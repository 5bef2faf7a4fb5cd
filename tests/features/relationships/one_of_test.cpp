// OneOf: the target must be a child of the relationship, or of another entity.
#include <kith/kith.hpp>

#include "support/world_fixture.hpp"

using namespace kith_test;
using kith::errc;

namespace {

struct fixture : storage_fixture {
    kith::entity food = make_relation(world, sparse, "food").add(kith::OneOf);
    kith::entity eats = make_relation(world, sparse, "eats").add(kith::OneOf, food);
    kith::entity apples = world.entity("apples").child_of(food);
    kith::entity pears = world.entity("pears").child_of(food);
    kith::entity fork = world.entity("fork");
    kith::entity e = world.entity("e");
};

// Children outlive their parents, and a relationship has a scope besides OneOf.
struct scope_fixture : fixture {
    scope_fixture() {
        world.entity(kith::ChildOf).add(kith::OnDeleteTarget, kith::Remove);
        uses.add(kith::OneOf, scope).add(kith::OneOf);
        e.add(uses, child);
    }

    kith::entity scope = world.entity("scope").add<Hot>();
    kith::entity child = world.entity("child").child_of(scope);
    kith::entity uses = make_relation(world, sparse, "uses");
};

}  // namespace

TEST_SUITE("features.relationships.one_of") {
    // spec 118
    TEST_CASE_FIXTURE(fixture, "the target is a child of the relationship, or it is refused") {
        e.add(food, apples).add(food, pears);
        CHECK(targets_of(e, food) == entity_list{apples, pears});
        CHECK(refused([&] { e.add(food, fork); }) == errc::constraint);
        CHECK(refused([&] { e.add(food, food); }) == errc::constraint);
        CHECK(refused([&] { e.add(food, e); }) == errc::constraint);
        kith::entity seed = world.entity("seed").child_of(apples);
        CHECK(refused([&] { e.add(food, seed); }) == errc::constraint);
        const std::string message = message_of([&] { e.add(food, fork); });
        CHECK(contains(message, "fork"));
        CHECK(contains(message, "food"));
        CHECK_NOTHROW(e.add(food));
    }

    // spec 119
    TEST_CASE_FIXTURE(fixture, "the target is a child of the entity named, or it is refused") {
        e.add(eats, apples);
        CHECK(e.target(eats) == apples);
        CHECK(refused([&] { e.add(eats, fork); }) == errc::constraint);
        kith::entity child = world.entity("child").child_of(eats);
        CHECK(refused([&] { e.add(eats, child); }) == errc::constraint);
    }

    TEST_CASE_FIXTURE(fixture, "every way to add a pair is checked") {
        make_relation<Eats>(world, sparse).add(kith::OneOf, food);
        CHECK(refused([&] { e.set<Eats>(fork, Eats{1}); }) == errc::constraint);
        CHECK(refused([&] { e.get_mut<Eats>(fork); }) == errc::constraint);
        CHECK(refused([&] { e.emplace_first<Eats>(fork, 1); }) == errc::constraint);
        const kith::id_t ids[] = {world.pair(eats, fork)};
        const void* none[] = {nullptr};
        CHECK(refused([&] { world.bulk(2, ids, 1, none); }) == errc::constraint);
        CHECK(refused([&] { world.with(eats, fork, [&] { world.entity(); }); }) ==
              errc::constraint);
        e.set<Eats>(apples, Eats{2});
        CHECK(e.get<Eats>(apples)->amount == 2);
        CHECK(e.clone().get<Eats>(apples)->amount == 2);
    }

    TEST_CASE_FIXTURE(fixture, "a child in use cannot leave its parent") {
        e.add(eats, apples).add(food, pears);
        CHECK(refused([&] { apples.child_of(fork); }) == errc::constraint);
        CHECK(refused([&] { apples.remove(kith::ChildOf, food); }) == errc::constraint);
        CHECK(refused([&] { apples.remove(kith::ChildOf, kith::Wildcard); }) == errc::constraint);
        CHECK(refused([&] { apples.clear(); }) == errc::constraint);
        CHECK(refused([&] { pears.child_of(fork); }) == errc::constraint);
        CHECK(refused([&] { world.remove_all(kith::ChildOf, food); }) == errc::constraint);
        CHECK_NOTHROW(apples.child_of(food));
        CHECK_NOTHROW(apples.set_name("apple").add<Hot>());
        e.remove(eats, apples);
        CHECK_NOTHROW(apples.child_of(fork));
        CHECK(apples.parent() == fork);
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "a child in use can be deleted, and so can the parent") {
        e.add(eats, apples).add(food, pears);
        apples.destruct();
        CHECK_FALSE(e.has(eats, kith::Wildcard));
        e.add(eats, pears);
        food.destruct();
        CHECK_FALSE(pears.is_alive());
        CHECK(e.is_alive());
        CHECK_FALSE(e.has(eats, kith::Wildcard));
        CHECK_FALSE(eats.has(kith::OneOf, kith::Wildcard));
        CHECK_NOTHROW(e.add(eats, fork));
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "a relationship that dies frees the children") {
        e.add(eats, apples);
        eats.destruct();
        CHECK_NOTHROW(apples.child_of(fork));
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "children made and used in one batch, in order") {
        kith::entity plum;
        world.defer([&] {
            plum = world.entity("plum").child_of(food);
            e.add(eats, plum);
        });
        CHECK(e.target(eats) == plum);
        kith::entity fig;
        CHECK(error_of([&] {
                  world.defer([&] {
                      fig = world.entity("fig");
                      e.add(food, fig);
                      fig.child_of(food);
                      e.add<Hot>();
                  });
              }) == errc::constraint);
        CHECK_FALSE(e.has(food, kith::Wildcard));
        CHECK(fig.parent() == food);
        CHECK(e.has<Hot>());
        CHECK(error_of([&] {
                  world.defer([&] {
                      e.add(food, fig);
                      fig.child_of(fork);
                  });
              }) == errc::constraint);
        CHECK(e.has(food, fig));
        CHECK(fig.parent() == food);
        world.defer([&] {
            e.remove(food, fig);
            fig.child_of(fork);
        });
        CHECK(fig.parent() == fork);
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "OneOf given late is refused while a target is none of them") {
        kith::entity late = make_relation(world, sparse, "late");
        e.add(late, apples);
        fork.add(late, e);
        CHECK(refused([&] { late.add(kith::OneOf, food); }) == errc::constraint);
        CHECK(contains(message_of([&] { late.add(kith::OneOf, food); }), "fork"));
        CHECK(refused([&] { late.add(kith::OneOf); }) == errc::constraint);
        fork.remove(late, e);
        late.add(kith::OneOf, food);
        CHECK(refused([&] { fork.add(late, e); }) == errc::constraint);
        CHECK(refused([&] { apples.child_of(fork); }) == errc::constraint);
        late.remove(kith::OneOf, food);
        CHECK_NOTHROW(fork.add(late, e));
        CHECK_NOTHROW(apples.child_of(fork));
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "the storage of the hierarchy does not matter") {
        set_hierarchy(world, !world.entity(kith::ChildOf).has(kith::Sparse));
        e.add(eats, apples);
        CHECK(refused([&] { e.add(eats, fork); }) == errc::constraint);
        CHECK(refused([&] { apples.child_of(fork); }) == errc::constraint);
        CHECK(refused([&] { apples.clear(); }) == errc::constraint);
        e.remove(eats, apples);
        CHECK_NOTHROW(apples.clear());
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "OneOf together with Exclusive is an enum") {
        eats.add(kith::Exclusive);
        e.add(eats, apples).add(eats, pears);
        CHECK(targets_of(e, eats) == entity_list{pears});
        CHECK_NOTHROW(apples.child_of(fork));
        CHECK(refused([&] { e.add(eats, apples); }) == errc::constraint);
        CHECK(e.target(eats) == pears);
        kith::entity color = world.component<Color>();
        CHECK(refused([&] { e.add(color, fork); }) == errc::constraint);
        CHECK_NOTHROW(e.add(Color::Blue));
    }

    TEST_CASE_FIXTURE(fixture, "an inherited parent is none") {
        kith::entity base = world.entity().child_of(food);
        kith::entity instance = world.entity().is_a(base);
        CHECK(refused([&] { e.add(food, instance); }) == errc::constraint);
    }

    TEST_CASE_FIXTURE(fixture, "a relationship that is its own target can be cleared") {
        auto make_own = [&](const char* name) {
            kith::entity own = make_relation(world, sparse, name).child_of(food);
            return own.add(kith::OneOf, food).add(own, own).add(own, pears);
        };
        kith::entity own = make_own("own");
        own.clear();
        CHECK(own.type().count() == 0);
        // What others have of it stays: it demands nothing of them any more.
        kith::entity used = make_own("used");
        e.add(used, used);
        used.clear();
        CHECK(used.type().count() == 0);
        CHECK(e.has(used, used));
        // But it has to stay where another relationship needs it.
        kith::entity needed = make_own("needed");
        e.add(eats, needed);
        CHECK(refused([&] { needed.clear(); }) == errc::constraint);
        e.remove(eats, needed);
        needed.remove(kith::Wildcard, kith::Wildcard);
        CHECK_FALSE(needed.has(needed, kith::Wildcard));
        CHECK_FALSE(needed.parent());
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "another scope is given up if the targets are children without it") {
        eats.add(kith::OneOf);
        e.add(eats, apples);
        CHECK(refused([&] { eats.remove(kith::OneOf, food); }) == errc::constraint);
        e.remove(eats, apples);
        eats.remove(kith::OneOf, food);
        CHECK(refused([&] { e.add(eats, apples); }) == errc::constraint);
    }

    // A deletion that is refused changes nothing, and nobody is notified.
    TEST_CASE_FIXTURE(scope_fixture, "a scope stays if OneOf then demanded other children") {
        int notified = 0;
        world.observer<Hot>().event(kith::OnRemove).each([&](kith::entity) { ++notified; });
        CHECK(refused([&] { scope.destruct(); }) == errc::constraint);
        CHECK(refused([&] { world.delete_with<Hot>(); }) == errc::constraint);
        CHECK(notified == 0);
        CHECK(child.parent() == scope);
        e.remove(uses, child);
        scope.destruct();
        CHECK(notified == 1);
        world.check();
    }

    TEST_CASE_FIXTURE(scope_fixture, "a scope goes with the holder of a pair that needs it") {
        e.add<Hot>();
        world.delete_with<Hot>();
        CHECK_FALSE(scope.is_alive());
        CHECK(uses.owns(kith::OneOf));
        world.check();
    }
    TEST_CASE_FIXTURE(scope_fixture, "a scope goes with the target of a pair that needs it") {
        child.add<Hot>();
        world.delete_with<Hot>();
        CHECK_FALSE(scope.is_alive());
        CHECK_FALSE(e.has(uses, kith::Wildcard));
        world.check();
    }
    TEST_CASE_FIXTURE(scope_fixture, "a scope goes with the relationship that needs it") {
        uses.add<Hot>();
        world.delete_with<Hot>();
        CHECK_FALSE(scope.is_alive());
        CHECK(child.is_alive());
        world.check();
    }
}
