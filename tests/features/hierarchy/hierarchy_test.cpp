// ChildOf: parents, children and names, in either storage, to any depth.
#include <kith/kith.hpp>

#include "support/errors.hpp"
#include "support/relations.hpp"
#include "support/types.hpp"

using namespace kith_test;
using kith::errc;

namespace {

constexpr int million = 1000000;

struct fixture {
    fixture() {
        register_all(world);
        set_hierarchy(world, sparse);
    }

    // Dense storage keeps children by table, in no order that is promised.
    entity_list in_order(entity_list list) const { return sparse ? list : sorted(list); }

    kith::world world;
    bool sparse = for_both_storages();
    kith::entity ship = world.entity("ship");
    kith::entity cockpit = world.entity("cockpit");
};

}  // namespace

TEST_SUITE("features.hierarchy.hierarchy") {
    // spec 73
    TEST_CASE_FIXTURE(fixture, "an entity has one parent, which is a pair like others") {
        cockpit.child_of(ship);
        CHECK(cockpit.has(kith::ChildOf, ship));
        CHECK(cockpit.owns(kith::ChildOf, kith::Wildcard));
        CHECK(cockpit.target(kith::ChildOf) == ship);
        kith::entity station = world.entity("station");
        cockpit.child_of(station);
        CHECK(targets_of(cockpit, kith::ChildOf) == entity_list{station});
        CHECK(children_of(ship).empty());
        CHECK_FALSE(world.pair(kith::ChildOf, world.component<Position>()).type_id());
        CHECK(contains(cockpit.type().str().c_str(), "(ChildOf,station)"));
        kith::entity relation = world.entity(kith::ChildOf);
        CHECK(relation.has(kith::Exclusive));
        CHECK(relation.has(kith::Tag));
        CHECK(relation.has(kith::OnDeleteTarget, kith::Delete));
        world.check();
    }

    // spec 79
    TEST_CASE_FIXTURE(fixture, "parent is the target of ChildOf, or null") {
        CHECK_FALSE(cockpit.parent());
        cockpit.child_of(ship);
        CHECK(cockpit.parent() == ship);
        cockpit.remove(kith::ChildOf, ship);
        CHECK_FALSE(cockpit.parent());
        cockpit.add(kith::ChildOf, ship).remove(kith::ChildOf, kith::Wildcard);
        CHECK_FALSE(cockpit.parent());
        world.check();
    }

    // spec 74
    TEST_CASE_FIXTURE(fixture, "descendants die with their parent") {
        cockpit.child_of(ship);
        kith::entity pilot = world.entity().child_of(cockpit);
        kith::entity guest = world.entity().add<Likes>(pilot).add<Likes>(ship);
        ship.destruct();
        CHECK_FALSE(cockpit.is_alive());
        CHECK_FALSE(pilot.is_alive());
        CHECK(guest.is_alive());
        CHECK(guest.type().count() == 0);
        world.check();
    }

    // spec 75
    TEST_CASE_FIXTURE(fixture, "names are relative to parents and move with their entities") {
        kith::entity other = world.entity("other");
        kith::entity twin = world.entity("twin").child_of(other);
        cockpit.child_of(ship);
        CHECK(world.lookup("ship::cockpit") == cockpit);
        CHECK(ship.lookup("cockpit") == cockpit);
        CHECK_FALSE(world.lookup("cockpit"));
        CHECK(cockpit.path() == "::ship::cockpit");
        kith::entity second = world.entity("cockpit").child_of(other);
        CHECK(second != cockpit);
        CHECK(refusal(world, [&] { second.child_of(ship); }) == errc::name_taken);
        CHECK(second.parent() == other);
        CHECK(refusal(world, [&] { twin.set_name("cockpit"); }) == errc::name_taken);
        cockpit.destruct();
        CHECK_NOTHROW(second.child_of(ship));
        CHECK(world.lookup("ship::cockpit") == second);
        ship.set_name("boat");
        CHECK(world.lookup("boat::cockpit") == second);
        second.remove(kith::ChildOf, ship);
        CHECK(world.lookup("cockpit") == second);
        world.check();
    }

    // spec 75
    TEST_CASE_FIXTURE(fixture, "an entity with a name that is taken at the root stays a child") {
        kith::entity child = world.entity("ship::cockpit");
        CHECK(child.parent() == ship);
        CHECK(refusal(world, [&] { child.remove(kith::ChildOf, ship); }) == errc::name_taken);
        CHECK(child.parent() == ship);
        CHECK(refusal(world, [&] { world.remove_all(kith::ChildOf, ship); }) == errc::name_taken);
    }

    TEST_CASE_FIXTURE(fixture, "children are in the order in which they came") {
        entity_list made;
        for (int i = 0; i < 50; ++i) {
            made.push_back(world.entity());
        }
        for (std::size_t i = 0; i < 50; ++i) {
            made[i * 7 % 50].child_of(ship);
        }
        entity_list wanted;
        for (std::size_t i = 0; i < 50; ++i) {
            if (i % 3 != 1) {
                wanted.push_back(made[i * 7 % 50]);
            } else if (i % 2) {
                made[i * 7 % 50].destruct();
            } else {
                made[i * 7 % 50].child_of(cockpit);
            }
        }
        CHECK(in_order(children_of(ship)) == in_order(wanted));
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "components of a child do not change its place among the others") {
        kith::entity a = world.entity().child_of(ship);
        kith::entity b = world.entity().child_of(ship);
        kith::entity c = world.entity().child_of(ship);
        a.set(Position{1, 1});
        c.set(Label{"x"}).add<Hot>();
        b.add<Cold>();
        a.child_of(ship);
        CHECK(in_order(children_of(ship)) == entity_list{a, b, c});
        world.check();
    }

    TEST_CASE("in sparse storage, a parent changes no table") {
        kith::world world;
        kith::entity e = world.entity().set(Position{1, 1});
        const kith::table_t* table = e.table();
        kith::entity a = world.entity();
        e.child_of(a);
        CHECK(static_cast<kith::table_t*>(e.table()) == table);
        CHECK_FALSE(e.table().has(kith::ChildOf, a));
        set_hierarchy(world, false);
        CHECK(e.table().has(kith::ChildOf, a));
        CHECK(e.parent() == a);
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "scopes, bulk, clones and with make children") {
        kith::entity scoped;
        kith::entity with;
        ship.scope([&] { scoped = world.entity(); });
        ship.with(kith::ChildOf, [&] { with = world.entity("w"); });
        const kith::id_t ids[] = {kith::make_pair(kith::ChildOf, ship)};
        const void* none[] = {nullptr};
        const kith::entity_t bulk = world.bulk(1, ids, 1, none)[0];
        kith::entity copy = scoped.clone();
        CHECK(in_order(children_of(ship)) == in_order({scoped, with, world.entity(bulk), copy}));
        CHECK(ship.lookup("w") == with);
        kith::entity deferred;
        world.defer([&] { ship.scope([&] { deferred = world.entity("d"); }); });
        CHECK(deferred.parent() == ship);
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "switching a parent off is no removal") {
        cockpit.child_of(ship).disable(kith::ChildOf, ship);
        CHECK(cockpit.parent() == ship);
        CHECK_FALSE(cockpit.enabled(kith::ChildOf, ship));
        cockpit.enable(kith::ChildOf, ship);
        CHECK(cockpit.enabled(kith::ChildOf, ship));
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "a wide family loses its children from the front and the middle") {
        entity_list made;
        for (int i = 0; i < 100000; ++i) {
            made.push_back(world.entity().child_of(ship));
        }
        for (std::size_t i = 0; i < made.size(); i += 2) {
            made[i].destruct();
        }
        for (std::size_t i = 1; i < made.size(); i += 4) {
            made[i].child_of(cockpit);
        }
        const entity_list rest = in_order(children_of(ship));
        REQUIRE(rest.size() == 25000);
        CHECK(rest.front() == made[3]);
        CHECK(rest.back() == made[99999]);
        CHECK(children_of(cockpit).size() == 25000);
        world.check();
    }

    // spec 103
    TEST_CASE("a million levels, made from the top, deleted at the root") {
        kith::world world;
        kith::entity root = world.entity();
        kith::entity at = root;
        for (int i = 0; i < million; ++i) {
            at = world.entity().child_of(at);
        }
        const std::size_t entities = world.stats().entities;
        CHECK(at.parent().parent());
        CHECK(error_of([&] { root.child_of(at); }) == errc::cycle);
        CHECK(at.depth(kith::ChildOf) == million);
        world.check();
        root.destruct();
        CHECK(world.stats().entities == entities - million - 1);
        CHECK_FALSE(at.is_alive());
        world.check();
    }

    TEST_CASE("a million levels, made from the bottom, end with the world") {
        kith::world world;
        kith::entity top = world.entity();
        const kith::entity bottom = top;
        for (int i = 0; i < million; ++i) {
            kith::entity above = world.entity();
            top.child_of(above);
            top = above;
        }
        CHECK_FALSE(top.parent());
        CHECK(bottom.depth(kith::ChildOf) == million);
        CHECK(error_of([&] { top.child_of(bottom); }) == errc::cycle);
        world.check();
    }

    TEST_CASE("a million levels, joined in the middle, named at the end") {
        kith::world world;
        entity_list all;
        for (int i = 0; i < million; ++i) {
            all.push_back(world.entity());
        }
        for (std::size_t i = 1; i < all.size(); i += 2) {
            all[i].child_of(all[i - 1]);
        }
        for (std::size_t i = 2; i < all.size(); i += 2) {
            all[i].child_of(all[i - 1]);
        }
        all.back().set_name("leaf");
        CHECK(all[all.size() - 2].lookup("leaf") == all.back());
        CHECK(all[million / 2].depth(kith::ChildOf) == million / 2);
        all[million / 2].destruct();
        CHECK_FALSE(all.back().is_alive());
        CHECK(all[million / 2 - 1].is_alive());
        world.check();
    }

    TEST_CASE("a million levels of another relationship with Delete, in both storages") {
        const bool sparse = for_both_storages();
        kith::world world;
        kith::entity rel =
            make_relation(world, sparse).add(kith::Acyclic).add(kith::OnDeleteTarget, kith::Delete);
        // A table per level is what dense storage means: fewer levels, the same way.
        const int levels = sparse ? million : million / 10;
        kith::entity root = world.entity();
        kith::entity at = root;
        for (int i = 0; i < levels; ++i) {
            at = world.entity().add(rel, at);
        }
        CHECK(error_of([&] { root.add(rel, at); }) == errc::cycle);
        CHECK(at.depth(rel) == levels);
        root.destruct();
        CHECK_FALSE(at.is_alive());
        world.check();
    }

    TEST_CASE("the same tree is built from random edges") {
        kith::world world;
        constexpr std::size_t nodes = 100000;
        entity_list all;
        for (std::size_t i = 0; i < nodes; ++i) {
            all.push_back(world.entity());
        }
        for (std::size_t i = 0; i < nodes; ++i) {
            const std::size_t at = i * 7919 % nodes;
            if (at > 0) {
                all[at].child_of(all[(at - 1) / 3]);
            }
        }
        CHECK(sorted(children_of(all[10])) == entity_list{all[31], all[32], all[33]});
        CHECK(error_of([&] { all[0].child_of(all[nodes - 1]); }) == errc::cycle);
        CHECK(error_of([&] { all[1].child_of(all[nodes / 2]); }).has_value() == [&] {
            std::size_t at = nodes / 2;
            while (at > 1) {
                at = (at - 1) / 3;
            }
            return at == 1;
        }());
        world.check();
        all[0].destruct();
        for (kith::entity e : all) {
            REQUIRE_FALSE(e.is_alive());
        }
        world.check();
    }
}
