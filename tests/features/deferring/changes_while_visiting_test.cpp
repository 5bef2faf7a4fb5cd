// Callbacks that change what is being visited: refused as locked, or done; never a broken world.
#include <kith/kith.hpp>

#include "support/errors.hpp"
#include "support/relations.hpp"
#include "support/types.hpp"

using namespace kith_test;
using kith::errc;

namespace {

struct fixture {
    fixture() {
        register_all(world);
        set_hierarchy(world, sparse);
        for (int i = 0; i < 40; ++i) {
            all.push_back(
                world.entity().child_of(parent).add(rel, parent).set<Eats>(parent, Eats{i}));
        }
    }

    // Runs the visit; it may be refused because of a lock and for no other reason.
    template <class Func>
    void try_visit(Func&& func) {
        const auto code = error_of(func);
        CHECK(code.value_or(errc::locked) == errc::locked);
        CHECK_NOTHROW(world.check());
        refused = code.has_value();
    }

    kith::world world;
    bool sparse = for_both_storages();
    bool refused = false;
    kith::entity rel = make_relation(world, sparse, "rel");
    kith::entity eats = make_relation<Eats>(world, sparse);
    kith::entity parent = world.entity("parent");
    kith::entity other = world.entity("other");
    entity_list all;
};

}  // namespace

TEST_SUITE("features.deferring.changes_while_visiting") {
    TEST_CASE_FIXTURE(fixture, "children that die") {
        try_visit([&] { parent.children([](kith::entity child) { child.destruct(); }); });
        if (!refused) {
            CHECK(children_of(parent).empty());
        }
        world.defer([&] { parent.children([](kith::entity child) { child.destruct(); }); });
        CHECK(children_of(parent).empty());
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "children that leave, and new ones that come") {
        try_visit([&] { parent.children([&](kith::entity child) { child.child_of(other); }); });
        CHECK(children_of(parent).size() + children_of(other).size() == 40);
        int made = 0;
        try_visit([&] {
            parent.children([&](kith::entity) {
                if (++made < 100) {
                    world.entity().child_of(parent);
                }
            });
        });
        CHECK(made <= 100);
    }

    TEST_CASE_FIXTURE(fixture, "the parent dies while its children are visited") {
        try_visit([&] { parent.children([&](kith::entity) { parent.destruct(); }); });
        if (parent.is_alive()) {
            CHECK(children_of(parent).size() == 40);
        } else {
            CHECK(world.count(rel, kith::Wildcard) == 0);
        }
    }

    TEST_CASE_FIXTURE(fixture, "sources that lose the pair, or get others") {
        try_visit([&] {
            parent.each_source(rel, [&](kith::entity x) { x.remove(rel, parent).add(rel, other); });
        });
        CHECK(world.count(rel, kith::Wildcard) == 40);
        try_visit([&] {
            world.each(kith::make_pair(rel, kith::Wildcard),
                       [&](kith::entity x) { x.add(rel, world.entity()); });
        });
        try_visit([&] {
            world.each(kith::make_pair(kith::Wildcard, parent),
                       [&](kith::entity x) { x.remove(kith::Wildcard, parent); });
        });
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "all sources of a relationship die") {
        try_visit([&] {
            world.each(kith::make_pair(rel, parent), [&](kith::entity x) { x.destruct(); });
        });
        CHECK(world.count(rel, parent) == static_cast<int>(sources_of(parent, rel).size()));
        world.defer([&] {
            world.each(kith::make_pair(rel, parent), [&](kith::entity x) { x.destruct(); });
        });
        CHECK(world.count(rel, parent) == 0);
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "the relationship or its target dies while sources are visited") {
        rel.remove(kith::OnDelete, kith::Panic);
        try_visit([&] {
            world.each(kith::make_pair(rel, kith::Wildcard), [&](kith::entity) { rel.destruct(); });
        });
        try_visit([&] {
            world.each(kith::make_pair(eats, kith::Wildcard),
                       [&](kith::entity) { parent.destruct(); });
        });
    }

    TEST_CASE_FIXTURE(fixture, "an entity changes its own pairs while they are visited") {
        kith::entity e = world.entity();
        entity_list targets;
        for (int i = 0; i < 30; ++i) {
            targets.push_back(world.entity());
            e.add(rel, targets.back());
        }
        try_visit([&] { e.each(rel, [&](kith::entity target) { e.remove(rel, target); }); });
        if (!refused) {
            CHECK(targets_of(e, rel).empty());
        }
        e.add(rel, other);
        try_visit([&] { e.each([&](kith::id id) { e.remove(id); }); });
        int visits = 0;
        e.add(rel, other);
        try_visit([&] {
            e.match(kith::make_pair(rel, kith::Wildcard), [&](kith::id) {
                if (++visits < 50) {
                    e.add(rel, world.entity());
                }
            });
        });
        CHECK(visits <= 50);
        try_visit([&] { e.each(rel, [&](kith::entity target) { target.destruct(); }); });
        try_visit([&] { e.each([&](kith::id) { e.destruct(); }); });
    }

    TEST_CASE_FIXTURE(fixture, "values are read while pairs of others change") {
        int sum = 0;
        try_visit([&] {
            all[0].get([&](const Position&) { FAIL("there is none"); });
            parent.each_source(eats, [&](kith::entity x) {
                sum += x.get<Eats>(parent)->amount;
                other.set<Eats>(x, Eats{1});
            });
        });
        CHECK(sum == 39 * 20);
        CHECK(targets_of(other, eats).size() == 40);
    }

    TEST_CASE_FIXTURE(fixture, "a traversal of a tree that changes under it ends") {
        int visits = 0;
        try_visit([&] {
            for (auto [depth, x] : parent.traverse(kith::ChildOf)) {
                ++visits;
                if (depth == 1 && visits % 2) {
                    x.destruct();
                } else if (depth == 1 && visits < 60) {
                    world.entity().child_of(x);
                }
            }
        });
        CHECK(visits < 200);
    }

    TEST_CASE_FIXTURE(fixture, "the storage is exchanged while sources are visited") {
        try_visit([&] {
            world.each(kith::make_pair(rel, kith::Wildcard), [&](kith::entity) {
                if (sparse) {
                    rel.remove(kith::Sparse);
                } else {
                    rel.add(kith::Sparse);
                }
            });
        });
        CHECK(world.count(rel, parent) == 40);
        try_visit([&] { parent.children([&](kith::entity) { set_hierarchy(world, !sparse); }); });
        CHECK(children_of(parent).size() == 40);
    }
}
