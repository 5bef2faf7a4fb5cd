// Slots: a prefab names one of its children, and every instance knows its own copy by that name.
#include <kith/kith.hpp>

#include "support/errors.hpp"
#include "support/relations.hpp"
#include "support/types.hpp"

#include <utility>

using namespace kith_test;

namespace {

struct fixture {
    fixture() { set_hierarchy(world, sparse); }

    int added = 0;  // before the world, whose hooks count to the end
    int removed = 0;
    kith::world world;
    bool sparse = for_both_storages();
    kith::entity tank = world.prefab("Tank");
    kith::entity turret = world.prefab("Turret").child_of(tank).slot();
};

}  // namespace

TEST_SUITE("features.prefabs.slots") {
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

    // A marked pair of a slot is not copied where the instance fills the slot; nothing is implied
    // by a pair that is not there.
    TEST_CASE_FIXTURE(fixture, "a marked pair of a slot that is filled implies nothing") {
        kith::entity aims = world.entity("Aims");
        turret.add(kith::With, aims);
        tank.override(turret, turret);
        kith::entity a = world.entity("a").is_a(tank);
        const kith::entity own = a.lookup("Turret");
        CHECK(a.has(turret, own));
        CHECK(a.has(aims, own));
        CHECK_FALSE(a.owns(aims, turret));
        kith::entity b = a.clone();
        CHECK(b.has(aims, b.lookup("Turret")));
        CHECK_FALSE(b.owns(aims, turret));
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "hooks hear once of a slot that would be filled anew") {
        kith::entity other = world.entity("other");
        world.component<Hot>().on_add([&](kith::entity) { ++added; }).on_remove([&](kith::entity) {
            ++removed;
        });
        auto check_once = [&](kith::entity holder) {
            CHECK(holder.target<Hot>().parent() == holder);
            CHECK_FALSE(holder.target<Hot>(1));
            CHECK(std::exchange(added, 0) == 1);
            CHECK(removed == 0);
            world.check();
        };
        SUBCASE("by a clone, which has copies of its own") {
            world.prefab<Hot>().child_of(tank).slot();
            kith::entity a = world.entity("a").is_a(tank);
            check_once(a);
            check_once(a.clone());
            kith::entity variant = world.prefab("Heavy").is_a(tank);
            kith::entity b = world.entity("b").is_a(variant);
            added = 0;
            check_once(b.clone());
        }
        SUBCASE("by an instance of a prefab that marks a pair of it") {
            kith::entity driver = world.prefab<Hot>().child_of(tank).slot();
            tank.override(driver, other);
            check_once(world.entity("a").is_a(tank));
        }
        SUBCASE("by a clone of which another base marks a pair of it") {
            kith::entity marking = world.entity("marking");
            kith::entity ship = world.prefab("Ship");
            kith::entity driver = world.prefab<Hot>().child_of(ship).slot();
            kith::entity a = world.entity("a").is_a(ship).is_a(marking);
            marking.override(driver, other);
            added = 0;
            check_once(a.clone());
        }
        SUBCASE("by the copy of a child that fills it") {
            turret.add<Hot>(other);
            added = 0;
            world.prefab<Hot>().child_of(turret).slot();
            check_once(world.entity("a").is_a(tank).lookup("Turret"));
        }
        SUBCASE("but of all targets of a slot that has several") {
            kith::entity driver = world.prefab<Hot>().child_of(tank).slot();
            world.entity().add(driver, other).add(driver, tank);
            added = 0;
            kith::entity a = world.entity("a").is_a(tank);
            a.clone();
            CHECK(added == 3);  // the clone has the one of `a`, too
            CHECK(removed == 0);
        }
    }
}
