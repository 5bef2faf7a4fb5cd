// Up and down the graphs: each_source, traverse, walk_up, depth and target_for, for both storages.
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
    }

    // `a0 b1 c2`: names with depths.
    std::string walked(kith::entity start, kith::entity_t relation) {
        std::string text;
        for (auto [depth, x] : start.traverse(relation)) {
            text += text_of(x.name().c_str()) + std::to_string(depth) + " ";
        }
        return text;
    }

    kith::world world;
    bool sparse = for_both_storages();
    kith::entity rel = make_relation(world, sparse, "rel");
    kith::entity likes = make_relation<Likes>(world, sparse);
    kith::entity a = world.entity("a");
    kith::entity b = world.entity("b");
    kith::entity c = world.entity("c");
    kith::entity d = world.entity("d");
    kith::entity e = world.entity("e");
};

}  // namespace

TEST_SUITE("features.relationships.traversal") {
    // spec 247, 250
    TEST_CASE_FIXTURE(fixture, "each_source visits all that point at an entity") {
        entity_list seen;
        auto visit = [&](kith::entity x) { seen.push_back(x); };
        a.each_source(rel, visit);
        CHECK(seen.empty());
        c.add(rel, a);
        b.add(rel, a).add(rel, c);
        d.add(likes, a);
        a.add(rel, a);
        a.each_source(rel, visit);
        CHECK(sorted(seen) == entity_list{a, b, c});
        seen.clear();
        a.each_source<Likes>(visit);
        CHECK(seen == entity_list{d});
        seen.clear();
        b.child_of(e);
        a.child_of(e);
        e.each_source(kith::ChildOf, visit);
        CHECK(seen == entity_list{b, a});
        c.destruct();
        seen.clear();
        a.each_source(rel, visit);
        CHECK(sorted(seen) == entity_list{a, b});
    }

    // spec 248, 250
    TEST_CASE_FIXTURE(fixture, "traverse goes depth first, parents before children, in order") {
        b.child_of(a);
        c.child_of(b);
        d.child_of(b);
        e.child_of(a);
        CHECK(walked(a, kith::ChildOf) == "a0 b1 c2 d2 e1 ");
        CHECK(walked(b, kith::ChildOf) == "b0 c1 d1 ");
        CHECK(walked(e, kith::ChildOf) == "e0 ");
        c.child_of(a);
        CHECK(walked(a, kith::ChildOf) == "a0 b1 d2 e1 c1 ");
        entity_list seen;
        for (const auto& item : a.traverse<Likes>()) {
            seen.push_back(item.entity);
        }
        CHECK(seen == entity_list{a});
    }

    // spec 248
    TEST_CASE_FIXTURE(fixture, "traverse visits each once, and ends on cycles") {
        b.add(rel, a);
        c.add(rel, a).add(rel, b);
        d.add(rel, c).add(rel, b);
        a.add(rel, d).add(rel, a);
        entity_list seen;
        for (auto [depth, x] : a.traverse(rel)) {
            CHECK(depth >= 0);
            seen.push_back(x);
        }
        CHECK(seen.front() == a);
        CHECK(sorted(seen) == entity_list{a, b, c, d});
    }

    // spec 248
    TEST_CASE_FIXTURE(fixture, "a deep chain is traversed in the default stack") {
        kith::entity at = a;
        for (int i = 0; i < 200000; ++i) {
            at = world.entity().child_of(at);
        }
        std::int32_t last = -1;
        for (auto [depth, x] : a.traverse(kith::ChildOf)) {
            REQUIRE(depth == last + 1);
            last = depth;
        }
        CHECK(last == 200000);
    }

    TEST_CASE_FIXTURE(fixture, "a traversal of a dead entity is an error") {
        a.destruct();
        CHECK(error_of([&] { walked(a, kith::ChildOf); }) == errc::invalid_entity);
        CHECK(error_of([&] { a.each_source(rel, [](kith::entity) {}); }) == errc::invalid_entity);
        CHECK(error_of([&] { a.walk_up(rel, [](kith::entity) {}); }) == errc::invalid_entity);
        CHECK(error_of([&] { a.depth(kith::ChildOf); }) == errc::invalid_entity);
        CHECK(error_of([&] { a.target_for<Hot>(kith::ChildOf); }) == errc::invalid_entity);
    }

    // spec 249
    TEST_CASE_FIXTURE(fixture, "walk_up visits the ancestors with their depth") {
        a.child_of(b);
        b.child_of(c);
        c.child_of(d);
        std::string text;
        a.walk_up(kith::ChildOf, [&](kith::entity x, std::int32_t depth) {
            text += text_of(x.name().c_str(), depth) + " ";
        });
        CHECK(text == "b,1 c,2 d,3 ");
        entity_list seen;
        a.walk_up(kith::ChildOf, [&](kith::entity x) { seen.push_back(x); });
        CHECK(seen == entity_list{b, c, d});
        d.walk_up(kith::ChildOf, [&](kith::entity) { FAIL("d has no parent"); });
        a.add(likes, d);
        seen.clear();
        a.walk_up<Likes>([&](kith::entity x) { seen.push_back(x); });
        CHECK(seen == entity_list{d});
    }

    // spec 249
    TEST_CASE_FIXTURE(fixture, "walk_up stops where it is told to") {
        a.add(rel, b);
        b.add(rel, c);
        c.add(rel, d);
        int visits = 0;
        a.walk_up(rel, [&](kith::entity x) {
            ++visits;
            return x != c;
        });
        CHECK(visits == 2);
        visits = 0;
        a.walk_up(rel, [&](kith::entity, std::int32_t) {
            ++visits;
            return true;
        });
        CHECK(visits == 3);
    }

    // spec 249
    TEST_CASE_FIXTURE(fixture, "walk_up beyond its limit is an error, so cycles surface") {
        a.add(rel, b);
        b.add(rel, a);
        int visits = 0;
        CHECK(error_of([&] { a.walk_up(rel, [&](kith::entity) { ++visits; }); }) == errc::limit);
        CHECK(visits <= 101);
        CHECK(visits >= 99);
        c.add(rel, c);
        CHECK(error_of([&] {
                  c.walk_up(
                      rel, [](kith::entity) {}, 5);
              }) == errc::limit);
        kith::entity at = d;
        for (int i = 0; i < 150; ++i) {
            at = world.entity().child_of(at);
        }
        CHECK(error_of([&] { at.walk_up(kith::ChildOf, [](kith::entity) {}); }) == errc::limit);
        visits = 0;
        CHECK_NOTHROW(at.walk_up(
            kith::ChildOf, [&](kith::entity) { ++visits; }, 150));
        CHECK(visits == 150);
        CHECK(error_of([&] {
                  at.walk_up(
                      kith::ChildOf, [](kith::entity) {}, 149);
              }) == errc::limit);
        visits = 0;
        CHECK_NOTHROW(at.walk_up(kith::ChildOf, [&](kith::entity, std::int32_t depth) {
            ++visits;
            return depth < 50;
        }));
        CHECK(visits == 50);
    }

    TEST_CASE_FIXTURE(fixture, "depth counts levels, 0 for roots") {
        CHECK(a.depth(kith::ChildOf) == 0);
        b.child_of(a);
        c.child_of(b);
        CHECK(c.depth(kith::ChildOf) == 2);
        CHECK(b.depth(kith::ChildOf) == 1);
        a.child_of(d);
        CHECK(c.depth(kith::ChildOf) == 3);
        c.child_of(a);
        CHECK(c.depth(kith::ChildOf) == 2);
        d.destruct();
        CHECK_FALSE(c.is_alive());
        kith::entity x = make_relation<Cold>(world, sparse).add(kith::Acyclic);
        e.add(x, x);
        CHECK(e.depth<Cold>() == 1);
    }

    TEST_CASE_FIXTURE(fixture,
                      "depth is the longest way, and needs a relationship without cycles") {
        rel.add(kith::Acyclic);
        a.add(rel, b).add(rel, e);
        b.add(rel, c);
        c.add(rel, d);
        d.add(rel, e);
        CHECK(a.depth(rel) == 4);
        CHECK(d.depth(rel) == 1);
        CHECK(e.depth(rel) == 0);
        c.remove(rel, d);
        CHECK(a.depth(rel) == 2);
        likes.remove(kith::Acyclic);
        a.add(likes, b);
        CHECK(error_of([&] { a.depth(likes); }) == errc::constraint);
    }

    TEST_CASE_FIXTURE(fixture, "depth of a graph with very many ways is found soon") {
        rel.add(kith::Acyclic);
        entity_list level{a, b};
        for (int i = 0; i < 60; ++i) {
            kith::entity x = world.entity();
            kith::entity y = world.entity();
            for (kith::entity below : level) {
                x.add(rel, below);
                y.add(rel, below);
            }
            level = {x, y};
        }
        CHECK(level[0].depth(rel) == 60);
        CHECK(level[0].target_for(rel, world.component<Hot>()) == kith::entity::null());
    }

    TEST_CASE_FIXTURE(fixture, "a table knows the depth of its entities") {
        set_hierarchy(world, false);
        b.child_of(a);
        c.child_of(b).add<Hot>();
        CHECK(c.table().depth(kith::ChildOf) == 2);
        CHECK(a.table().depth(kith::ChildOf) == 0);
    }

    TEST_CASE_FIXTURE(fixture, "target_for finds the nearest that owns an id, itself included") {
        make_relation<Position>(world, sparse);
        a.child_of(b);
        b.child_of(c);
        CHECK_FALSE(a.target_for<Position>(kith::ChildOf));
        c.set(Position{1, 1});
        CHECK(a.target_for<Position>(kith::ChildOf) == c);
        CHECK(c.target_for<Position>(kith::ChildOf) == c);
        b.set(Position{2, 2}).add(likes, d).set<Eats, Hot>(Eats{1});
        CHECK(a.target_for<Position>(kith::ChildOf) == b);
        CHECK(a.target_for(kith::ChildOf, world.component<Position>()) == b);
        CHECK(a.target_for(kith::ChildOf, likes, d) == b);
        CHECK(a.target_for(kith::ChildOf, likes, kith::Wildcard) == b);
        CHECK_FALSE(a.target_for(kith::ChildOf, likes, e));
        CHECK(a.target_for<Eats, Hot>(kith::ChildOf) == b);
        CHECK_FALSE(d.target_for<Position>(kith::ChildOf));
    }

    TEST_CASE_FIXTURE(fixture, "target_for goes along any relationship, and ends on cycles") {
        a.add(rel, b);
        b.add(rel, c).add(rel, d);
        c.add(rel, a);
        d.add<Hot>();
        CHECK(a.target_for<Hot>(rel) == d);
        CHECK_FALSE(a.target_for<Cold>(rel));
        kith::entity base = world.entity().add<Cold>();
        e.is_a(base);
        CHECK(e.target_for<Cold>(kith::IsA) == base);
    }

    TEST_CASE_FIXTURE(fixture, "changes while walking are deferred, or seen") {
        b.child_of(a);
        c.child_of(a);
        d.child_of(b);
        world.defer([&] {
            for (auto [depth, x] : a.traverse(kith::ChildOf)) {
                x.add<Hot>();
                if (depth == 1) {
                    world.entity().child_of(x);
                }
            }
            a.each_source(kith::ChildOf, [&](kith::entity x) { x.child_of(e); });
        });
        CHECK(world.count<Hot>() == 4);
        CHECK(sorted(children_of(e)) == entity_list{b, c});
        world.check();
    }
}
