// Slots: a prefab names one of its children, and every instance knows its own copy by that name.
#include <kith/kith.hpp>

#include "support/errors.hpp"
#include "support/relations.hpp"
#include "support/types.hpp"

using namespace kith_test;

namespace {

struct fixture {
    fixture() { set_hierarchy(world, sparse); }

    kith::world world;
    bool sparse = for_both_storages();
    kith::entity tank = world.prefab("Tank");
    kith::entity turret = world.prefab("Turret").child_of(tank).slot();
};

}  // namespace

TEST_SUITE("api.slots") {
    TEST_CASE_FIXTURE(fixture, "an instance has its copy as the target of the slot") {
        CHECK(turret.has(kith::SlotOf, tank));
        kith::entity a = world.entity("a").is_a(tank);
        kith::entity b = world.entity("b").is_a(tank);
        CHECK(a.target(turret) == a.lookup("Turret"));
        CHECK(b.target(turret) == b.lookup("Turret"));
        CHECK(a.target(turret) != b.target(turret));
        CHECK(a.has(turret, a.lookup("Turret")));
        CHECK_FALSE(a.target(turret).has(kith::SlotOf, kith::Wildcard));
        CHECK_FALSE(tank.target(turret));
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "slots do not split tables") {
        kith::entity first = world.entity().is_a(tank);
        kith::entity second = world.entity().is_a(tank);
        CHECK(static_cast<kith::table_t*>(first.table()) ==
              static_cast<kith::table_t*>(second.table()));
        const std::size_t tables = world.stats().tables;
        set_hierarchy(world, true);
        for (int i = 0; i < 100; ++i) {
            world.entity().is_a(tank);
        }
        CHECK(world.stats().tables <= tables + 4);
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "slot_of makes a deeper child the slot of the whole") {
        kith::entity barrel = world.prefab("Barrel").child_of(turret).slot_of(tank);
        CHECK(barrel.has(kith::SlotOf, tank));
        kith::entity a = world.entity("a").is_a(tank);
        CHECK(a.target(barrel) == a.lookup("Turret::Barrel"));
        CHECK(a.target(turret) == a.lookup("Turret"));
        CHECK_FALSE(a.target(turret).target(barrel));
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "a slot inside of a child belongs to the copy of that child") {
        kith::entity barrel = world.prefab("Barrel").child_of(turret).slot();
        kith::entity a = world.entity("a").is_a(tank);
        CHECK(a.target(turret).target(barrel) == a.lookup("Turret::Barrel"));
        CHECK_FALSE(a.target(barrel));
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "types are slots") {
        kith::entity driver = world.prefab<Hot>().child_of(tank).slot_of(tank);
        kith::entity a = world.entity("a").is_a(tank);
        CHECK(driver == world.component<Hot>());
        CHECK(a.target<Hot>());
        CHECK(a.target<Hot>().parent() == a);
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "an instance of a variant knows its own copies") {
        kith::entity variant = world.prefab("Heavy").is_a(tank);
        CHECK(variant.target(turret) == variant.lookup("Turret"));
        kith::entity a = world.entity("a").is_a(variant);
        CHECK(a.target(turret) == a.lookup("Turret"));
        CHECK_FALSE(a.target(turret, 1));
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "a copy that dies leaves the slot empty") {
        kith::entity a = world.entity("a").is_a(tank);
        a.target(turret).destruct();
        CHECK_FALSE(a.target(turret));
        CHECK(a.is_alive());
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "a slot that dies takes its pairs along, copies stay") {
        kith::entity a = world.entity("a").is_a(tank);
        kith::entity copy = a.target(turret);
        turret.destruct();
        CHECK(copy.is_alive());
        CHECK(a.lookup("Turret") == copy);
        CHECK(children_of(a).size() == 1);
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "slots are filled when instantiation is deferred") {
        kith::entity a;
        world.defer([&] {
            a = world.entity("a").is_a(tank);
            CHECK_FALSE(a.target(turret));
        });
        CHECK(a.target(turret) == a.lookup("Turret"));
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "slots declared late work for instances made later") {
        kith::entity hatch = world.prefab("Hatch").child_of(tank);
        kith::entity early = world.entity("early").is_a(tank);
        hatch.slot();
        kith::entity late = world.entity("late").is_a(tank);
        CHECK_FALSE(early.target(hatch));
        CHECK(late.target(hatch) == late.lookup("Hatch"));
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "an entity without parent is no slot") {
        kith::entity lonely = world.prefab("Lonely");
        CHECK(error_of([&] { lonely.slot(); }).has_value());
        CHECK_FALSE(lonely.has(kith::SlotOf, kith::Wildcard));
        world.check();
    }
}
