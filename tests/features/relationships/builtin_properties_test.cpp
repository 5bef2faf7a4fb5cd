// Properties given to builtin relationships and tags: they work, or are refused; what kith itself
// does with them goes on either way.
#include <kith/kith.hpp>

#include "support/world_fixture.hpp"

using namespace kith_test;
using kith::errc;

namespace {

struct fixture : world_fixture {
    // True if the builtin took the property; it then has it, else not.
    bool give(kith::entity_t builtin, kith::entity_t property) {
        const bool given = !error_of([&] { world.entity(builtin).add(property); });
        CHECK(world.entity(builtin).has(property) == given);
        CHECK_NOTHROW(world.check());
        return given;
    }
    bool take(kith::entity_t builtin, kith::entity_t property) {
        const bool taken = !error_of([&] { world.entity(builtin).remove(property); });
        CHECK(world.entity(builtin).has(property) == !taken);
        CHECK_NOTHROW(world.check());
        return taken;
    }

    kith::entity a = world.entity("a");
    kith::entity b = world.entity("b");
    kith::entity e = world.entity("e");
};

}  // namespace

TEST_SUITE("features.relationships.builtin_properties") {
    TEST_CASE_FIXTURE(fixture, "inheritance works whatever the storage of IsA may be") {
        a.set(Label{"shared"}).add<Hot>();
        b.is_a(a);
        give(kith::IsA, kith::Sparse);
        e.is_a(b).set(Position{1, 1});
        CHECK(e.get<Label>()->text == "shared");
        CHECK(e.has<Hot>());
        CHECK(e.has(kith::IsA, a));
        CHECK(error_of([&] { a.is_a(e); }) == errc::cycle);
        kith::entity prefab = world.prefab("p").set(Position{2, 2}).override<Position>();
        world.prefab("c").child_of(prefab).slot();
        kith::entity x = world.entity().is_a(prefab);
        CHECK(x.owns<Position>());
        CHECK(x.lookup("c"));
        CHECK(x.target(prefab.lookup("c")) == x.lookup("c"));
        take(kith::IsA, kith::Sparse);
        CHECK(e.get<Label>()->text == "shared");
        a.remove<Hot>();
        CHECK_FALSE(e.has<Hot>());
        a.destruct();
        CHECK(e.get<Label>() == nullptr);
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "prefabs and disabled entities are not visited in any storage") {
        world.prefab().set(Position{1, 1});
        world.entity().set(Position{2, 2}).disable();
        kith::entity on = world.entity().set(Position{3, 3});
        for (bool sparse : {true, false}) {
            for (kith::entity_t tag : {kith::Prefab, kith::Disabled}) {
                if (sparse) {
                    give(tag, kith::Sparse);
                } else {
                    error_of([&] { world.entity(tag).remove(kith::Sparse); });
                }
            }
            entity_list seen;
            world.each([&](kith::entity x, Position&) { seen.push_back(x); });
            CHECK(seen == entity_list{on});
            kith::entity off = world.entity().set(Position{4, 4}).disable();
            kith::entity prefab = world.prefab().set(Position{5, 5});
            seen.clear();
            world.each([&](kith::entity x, Position&) { seen.push_back(x); });
            CHECK(seen == entity_list{on});
            CHECK_FALSE(off.enabled());
            kith::entity child = world.entity().child_of(prefab);
            CHECK(child.has(kith::Prefab));
            off.destruct();
            prefab.destruct();
            world.check();
        }
    }

    TEST_CASE_FIXTURE(fixture, "properties that are pairs act in any storage") {
        for (kith::entity_t pair :
             {kith::With, kith::OneOf, kith::OnDelete, kith::OnDeleteTarget}) {
            give(pair, kith::Sparse);
        }
        kith::entity duty = world.entity();
        kith::entity power = world.entity().add(kith::With, duty);
        CHECK(e.add(power).has(duty));
        CHECK(error_of([&] { e.remove(duty); }) == errc::constraint);
        kith::entity food = world.entity();
        kith::entity eats = world.entity().add(kith::OneOf, food);
        CHECK(error_of([&] { e.add(eats, a); }) == errc::constraint);
        kith::entity fate = world.entity().add(kith::OnDeleteTarget, kith::Delete);
        b.add(fate, a);
        a.destruct();
        CHECK_FALSE(b.is_alive());
        kith::entity panic = world.entity().add(kith::OnDelete, kith::Panic);
        e.add(panic);
        CHECK(error_of([&] { panic.destruct(); }) == errc::in_use);
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "properties that are tags act in any storage") {
        for (kith::entity_t tag : {kith::Exclusive, kith::Symmetric, kith::Acyclic, kith::Sparse}) {
            give(tag, kith::Sparse);
        }
        kith::entity married = world.entity().add(kith::Symmetric).add(kith::Exclusive);
        a.add(married, b);
        e.add(married, b);
        CHECK(is_mutual(world, married));
        CHECK(world.count(married, kith::Wildcard) == 2);
        kith::entity within = world.entity().add(kith::Acyclic).add(kith::Sparse);
        a.add(within, b);
        CHECK(error_of([&] { b.add(within, a); }) == errc::cycle);
        CHECK(a.table().type().count() == 1);
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "names and slots work in any storage, or keep theirs") {
        give(world.component<kith::Identifier>(), kith::Sparse);
        give(kith::SlotOf, kith::Sparse);
        give(kith::DependsOn, kith::Sparse);
        kith::entity x = world.entity("x").child_of(a);
        CHECK(world.lookup("a::x") == x);
        CHECK(x.name() == "x");
        x.set_name("y");
        CHECK(world.lookup("a::y") == x);
        a.destruct();
        CHECK_FALSE(world.lookup("a"));
        b.depends_on(e);
        CHECK(error_of([&] { e.depends_on(b); }) == errc::cycle);
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "several bases at once need IsA to be what it is") {
        // Whether IsA may become exclusive is not said; what it does then is.
        if (give(kith::IsA, kith::Exclusive)) {
            e.is_a(a).is_a(b);
            CHECK(targets_of(e, kith::IsA) == entity_list{b});
        } else {
            e.is_a(a).is_a(b);
            CHECK(targets_of(e, kith::IsA) == entity_list{a, b});
        }
        world.check();
    }
}
