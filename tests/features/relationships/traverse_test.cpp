// Following relationships: traverse, walk_up, each_source, depth, target_for.
#include <kith/kith.hpp>

#include "support/errors.hpp"
#include "support/types.hpp"

#include <algorithm>
#include <utility>
#include <vector>

using namespace kith_test;
using kith::errc;

namespace {

using steps = std::vector<std::pair<int, kith::entity_t>>;

steps steps_of(const kith::traversal& range) {
    steps all;
    for (auto [depth, entity] : range) {
        all.emplace_back(depth, entity.id());
    }
    return all;
}

std::vector<kith::entity_t> sources_of(kith::entity target, kith::entity_t relation) {
    std::vector<kith::entity_t> all;
    target.each_source(relation, [&](kith::entity source) { all.push_back(source); });
    return all;
}

}  // namespace

TEST_SUITE("features.relationships.traverse") {
    // spec 248
    TEST_CASE("a tree is visited depth first, parents before children") {
        kith::world world;
        kith::entity sun = world.entity();
        kith::entity earth = world.entity().child_of(sun);
        kith::entity moon = world.entity().child_of(earth);
        kith::entity mars = world.entity().child_of(sun);
        kith::entity phobos = world.entity().child_of(mars);
        kith::entity deimos = world.entity().child_of(mars);
        CHECK(steps_of(sun.traverse(kith::ChildOf)) ==
              steps{{0, sun}, {1, earth}, {2, moon}, {1, mars}, {2, phobos}, {2, deimos}});
        CHECK(steps_of(mars.traverse(kith::ChildOf)) == steps{{0, mars}, {1, phobos}, {1, deimos}});
        CHECK(steps_of(moon.traverse(kith::ChildOf)) == steps{{0, moon}});
    }

    TEST_CASE("any relationship can be traversed, also by its type") {
        kith::world world;
        kith::entity a = world.entity();
        kith::entity b = world.entity().add<Likes>(a);
        kith::entity c = world.entity().add<Likes>(b);
        CHECK(steps_of(a.traverse<Likes>()) == steps{{0, a}, {1, b}, {2, c}});
        struct NeverUsed {};
        CHECK(steps_of(a.traverse<NeverUsed>()) == steps{{0, a}});
    }

    TEST_CASE("where ways meet, an entity comes once") {
        kith::world world;
        kith::entity likes = world.entity();
        // 2^60 ways lead from the top to the bottom.
        kith::entity top = world.entity();
        kith::entity at = top;
        for (int level = 0; level < 60; ++level) {
            kith::entity left = world.entity().add(likes, at);
            kith::entity right = world.entity().add(likes, at);
            at = world.entity().add(likes, left).add(likes, right);
        }
        steps all = steps_of(top.traverse(likes));
        CHECK(all.size() == 1 + 60 * 3);
        std::sort(all.begin(), all.end(), [](auto& a, auto& b) { return a.second < b.second; });
        CHECK(std::adjacent_find(all.begin(), all.end(), [](auto& a, auto& b) {
                  return a.second == b.second;
              }) == all.end());
    }

    TEST_CASE("a cycle ends") {
        kith::world world;
        kith::entity likes = world.entity();
        kith::entity a = world.entity();
        kith::entity b = world.entity().add(likes, a);
        kith::entity c = world.entity().add(likes, b);
        a.add(likes, c);
        CHECK(steps_of(a.traverse(likes)) == steps{{0, a}, {1, b}, {2, c}});
        CHECK(steps_of(b.traverse(likes)) == steps{{0, b}, {1, c}, {2, a}});
        kith::entity narcissus = world.entity();
        narcissus.add(likes, narcissus);
        CHECK(steps_of(narcissus.traverse(likes)) == steps{{0, narcissus}});
    }

    TEST_CASE("long chains are walked without recursion") {
        kith::world world;
        const int levels = 20'000;
        kith::entity before = world.relation({.exclusive = true});
        kith::entity first = world.entity();
        kith::entity last = first;
        for (int i = 0; i < levels; ++i) {
            last = world.entity().add(before, last);
        }
        int deepest = 0;
        for (auto [depth, entity] : first.traverse(before)) {
            deepest = std::max(deepest, depth);
        }
        CHECK(deepest == levels);
        CHECK(last.depth(before) == levels);
        CHECK_FALSE(last.target_for<Hot>(before));
        first.add<Hot>();
        CHECK(last.target_for<Hot>(before) == first);
        int calls = 0;
        last.walk_up(
            before, [&](kith::entity) { ++calls; }, levels);
        CHECK(calls == levels);
    }

    TEST_CASE("a tree may have a million levels") {
        kith::world world;
        const int levels = 1'000'000;
        kith::entity root = world.entity();
        kith::entity last = root;
        for (int i = 0; i < levels; ++i) {
            last = world.entity().child_of(last);
        }
        int deepest = 0;
        for (auto [depth, entity] : root.traverse(kith::ChildOf)) {
            deepest = std::max(deepest, depth);
        }
        CHECK(deepest == levels);
        CHECK(last.depth(kith::ChildOf) == levels);
        root.add<Hot>();
        CHECK(last.target_for<Hot>(kith::ChildOf) == root);
    }

    TEST_CASE("iterators are copied, moved and compared") {
        kith::world world;
        kith::entity root = world.entity();
        kith::entity a = world.entity().child_of(root);
        kith::entity b = world.entity().child_of(root);
        kith::traversal range = root.traverse(kith::ChildOf);
        kith::traversal::iterator first = range.begin();
        CHECK(first == range.begin());
        CHECK(first != range.end());
        ++first;
        kith::traversal::iterator copy = first;
        CHECK(copy == first);
        CHECK((copy++)->entity == a);
        CHECK(copy->entity == b);
        CHECK(first->entity == a);
        first = std::move(copy);
        CHECK(first->entity == b);
        copy = first;
        ++copy;
        CHECK(copy == range.end());
        CHECK(copy == kith::traversal::iterator());
        CHECK(first->depth == 1);
        CHECK(std::count_if(range.begin(), range.end(),
                            [](auto& item) { return item.depth == 1; }) == 2);
    }

    TEST_CASE("the world may change on the way") {
        kith::world world;
        kith::entity root = world.entity();
        kith::entity a = world.entity().child_of(root);
        kith::entity aa = world.entity().child_of(a);
        kith::entity b = world.entity().child_of(root);
        kith::entity c = world.entity().child_of(root);
        std::vector<kith::entity_t> seen;
        kith::entity late;
        for (auto [depth, entity] : root.traverse(kith::ChildOf)) {
            seen.push_back(entity);
            if (entity == a) {
                aa.destruct();
                b.destruct();
                late = world.entity().child_of(a);
            }
        }
        CHECK(seen == std::vector<kith::entity_t>{root, a, late, c});
        seen.clear();
        for (auto [depth, entity] : root.traverse(kith::ChildOf)) {
            seen.push_back(entity);
            root.destruct();
            break;
        }
        CHECK(seen == std::vector<kith::entity_t>{root});
        world.check();
    }

    TEST_CASE("an entity that is deleted where the walk stands leads nowhere") {
        kith::world world;
        kith::entity likes = world.entity();
        kith::entity a = world.entity();
        kith::entity b = world.entity().add(likes, a);
        kith::entity c = world.entity().add(likes, b);
        steps all;
        for (auto [depth, entity] : a.traverse(likes)) {
            all.emplace_back(depth, entity);
            if (entity == b) {
                b.destruct();
                world.entity();  // takes the index
            }
        }
        CHECK(all == steps{{0, a}, {1, b}});
        all.clear();
        kith::entity d = world.entity().add(likes, c);
        for (auto [depth, entity] : c.traverse(likes)) {
            all.emplace_back(depth, entity);
            likes.destruct();
        }
        CHECK(all == steps{{0, c}});
        CHECK(d.is_alive());
    }

    TEST_CASE("a cycle that is closed on the way ends all the same") {
        kith::world world;
        kith::entity next = world.relation({.exclusive = true});
        kith::entity a = world.entity();
        kith::entity b = world.entity().add(next, a);
        int count = 0;
        for (auto [depth, entity] : a.traverse(next)) {
            CHECK(entity == (depth == 0 ? a : b));
            a.add(next, b);
            REQUIRE(++count < 10);
        }
        CHECK(count == 2);
    }

    TEST_CASE("what cannot be traversed is an error") {
        kith::world world;
        kith::entity e = world.entity();
        CHECK(error_of([&] { e.traverse(kith::Wildcard).begin(); }) == errc::invalid_id);
        CHECK(error_of([&] { e.traverse(0).begin(); }) == errc::invalid_id);
        CHECK(error_of([&] { e.traverse(world.pair(kith::ChildOf, e)).begin(); }) ==
              errc::invalid_id);
        kith::entity dead = world.entity();
        dead.destruct();
        CHECK(error_of([&] { dead.traverse(kith::ChildOf).begin(); }) == errc::invalid_entity);
        CHECK(error_of([&] { kith::entity().traverse(kith::ChildOf).begin(); }).has_value());
        kith::world other;
        CHECK(error_of([&] { e.traverse(other.entity()); }) == errc::invalid_id);
        CHECK(steps_of(e.traverse(dead)) == steps{{0, e}});
    }

    // spec 247
    TEST_CASE("sources of a target are visited in the order in which they were added") {
        kith::world world;
        kith::entity likes = world.entity();
        kith::entity alice = world.entity();
        kith::entity bob = world.entity().add(likes, alice);
        kith::entity carol = world.entity().add(likes, alice);
        world.entity().add(likes, bob);
        CHECK(sources_of(alice, likes) == std::vector<kith::entity_t>{bob, carol});
        CHECK(sources_of(carol, likes).empty());
        std::vector<kith::entity_t> seen;
        kith::entity eater = world.entity().add<Likes>(bob);
        bob.each_source<Likes>([&](kith::entity source) { seen.push_back(source); });
        CHECK(seen == std::vector<kith::entity_t>{eater});
    }

    TEST_CASE("prefabs and disabled entities are sources too") {
        kith::world world;
        kith::entity target = world.entity();
        kith::entity a = world.prefab().add<Likes>(target);
        kith::entity b = world.entity().disable().add<Likes>(target);
        std::vector<kith::entity_t> seen = sources_of(target, world.component<Likes>());
        std::sort(seen.begin(), seen.end());
        std::vector<kith::entity_t> expected{a, b};
        std::sort(expected.begin(), expected.end());
        CHECK(seen == expected);
    }

    TEST_CASE("dead handles: a relationship has no sources, a target is an error") {
        kith::world world;
        kith::entity target = world.entity();
        kith::entity likes = world.entity();
        likes.destruct();
        kith::entity other = world.entity();
        REQUIRE(kith::index_of(other) == kith::index_of(likes));
        world.entity().add(other, target);
        CHECK(sources_of(target, likes).empty());
        CHECK(sources_of(target, other).size() == 1);
        target.destruct();
        CHECK(error_of([&] { sources_of(target, other); }) == errc::invalid_entity);
    }

    // spec 249
    TEST_CASE("walk_up visits ancestors, nearest first") {
        kith::world world;
        kith::entity a = world.entity();
        kith::entity b = world.entity().child_of(a);
        kith::entity c = world.entity().child_of(b);
        steps seen;
        c.walk_up(kith::ChildOf,
                  [&](kith::entity e, std::int32_t depth) { seen.emplace_back(depth, e); });
        CHECK(seen == steps{{1, b}, {2, a}});
        std::vector<kith::entity_t> plain;
        c.walk_up(kith::ChildOf, [&](kith::entity e) { plain.push_back(e); });
        CHECK(plain == std::vector<kith::entity_t>{b, a});
        a.walk_up(kith::ChildOf, [&](kith::entity) { FAIL("a root has no ancestors"); });
    }

    TEST_CASE("walk_up stops where the callback says so") {
        kith::world world;
        kith::entity a = world.entity();
        kith::entity b = world.entity().add<Likes>(a);
        kith::entity c = world.entity().add<Likes>(b);
        int calls = 0;
        c.walk_up<Likes>([&](kith::entity e) {
            ++calls;
            return e != b;
        });
        CHECK(calls == 1);
        c.walk_up<Likes>([&](kith::entity, int) {
            ++calls;
            return true;
        });
        CHECK(calls == 3);
    }

    TEST_CASE("walk_up follows the first target of each level") {
        kith::world world;
        kith::entity likes = world.entity();
        kith::entity a = world.entity();
        kith::entity b = world.entity();
        kith::entity c = world.entity().add(likes, b).add(likes, a);
        std::vector<kith::entity_t> seen;
        c.walk_up(likes, [&](kith::entity e) { seen.push_back(e); });
        CHECK(seen == std::vector<kith::entity_t>{c.target(likes)});
    }

    TEST_CASE("more ancestors than allowed are an error, so cycles are found") {
        kith::world world;
        kith::entity next = world.entity("Next");
        kith::entity a = world.entity("a");
        kith::entity b = world.entity("b").add(next, a);
        kith::entity c = world.entity("c").add(next, b);
        int calls = 0;
        auto count = [&](kith::entity) { ++calls; };
        CHECK_NOTHROW(c.walk_up(next, count, 2));
        CHECK(calls == 2);
        CHECK(error_of([&] { c.walk_up(next, count, 1); }) == errc::limit);
        CHECK(calls == 3);
        a.add(next, c);
        CHECK(error_of([&] { c.walk_up(next, count); }) == errc::limit);
        CHECK(calls == 103);
        std::string message = message_of([&] { c.walk_up(next, count); });
        CHECK(message.find("c along Next is longer than 100") != std::string::npos);
        CHECK(error_of([&] { c.walk_up(kith::Any, count); }) == errc::invalid_id);
    }

    TEST_CASE("walk_up ends where the callback deletes the entity it stands on") {
        kith::world world;
        kith::entity next = world.entity();
        kith::entity a = world.entity();
        kith::entity b = world.entity().add(next, a);
        kith::entity c = world.entity().add(next, b);
        int calls = 0;
        c.walk_up(next, [&](kith::entity e) {
            ++calls;
            e.destruct();
        });
        CHECK(calls == 1);
        CHECK(a.is_alive());
    }

    TEST_CASE("depth is the number of ancestors") {
        kith::world world;
        kith::entity a = world.entity();
        kith::entity b = world.entity().child_of(a);
        kith::entity c = world.entity().child_of(b);
        CHECK(a.depth(kith::ChildOf) == 0);
        CHECK(b.depth(kith::ChildOf) == 1);
        CHECK(c.depth(kith::ChildOf) == 2);
        CHECK(a.table().depth(kith::ChildOf) == 0);
        CHECK(b.table().depth(kith::ChildOf) == 1);
        CHECK(c.table().depth(kith::ChildOf) == 2);
        CHECK(kith::table().depth(kith::ChildOf) == 0);
    }

    TEST_CASE("with several targets the longest way counts") {
        kith::world world;
        struct Needs {};
        world.relation<Needs>({.acyclic = true});
        kith::entity a = world.entity();
        kith::entity b = world.entity().add<Needs>(a);
        kith::entity c = world.entity().add<Needs>(b);
        kith::entity d = world.entity().add<Needs>(a).add<Needs>(c);
        kith::entity e = world.entity().add<Needs>(d).add<Needs>(a);
        CHECK(d.depth<Needs>() == 3);
        CHECK(e.depth<Needs>() == 4);
        CHECK(e.table().depth<Needs>() == 4);
    }

    TEST_CASE("ways that fork often are walked once") {
        kith::world world;
        kith::entity needs = world.relation({.acyclic = true});
        kith::entity at = world.entity();
        for (int level = 0; level < 40; ++level) {
            kith::entity left = world.entity().add(needs, at);
            kith::entity right = world.entity().add(needs, at);
            at = world.entity().add(needs, left).add(needs, right);
        }
        CHECK(at.depth(needs) == 80);
    }

    TEST_CASE("depth needs a relationship that is exclusive or acyclic") {
        kith::world world;
        kith::entity likes = world.entity("Likes");
        kith::entity e = world.entity();
        CHECK(error_of([&] { e.depth(likes); }) == errc::constraint);
        CHECK(message_of([&] { e.depth(likes); }).find("Likes") != std::string::npos);
        CHECK(error_of([&] { e.depth(kith::Wildcard); }) == errc::invalid_id);
        CHECK(error_of([&] { e.table().depth(likes); }) == errc::constraint);
        struct NeverUsed {};
        CHECK(error_of([&] { e.depth<NeverUsed>(); }) == errc::constraint);
        e.destruct();
        CHECK(error_of([&] { e.depth(kith::ChildOf); }) == errc::invalid_entity);
    }

    TEST_CASE("an exclusive relationship may be cyclic: then there is no depth") {
        kith::world world;
        kith::entity next = world.relation({.exclusive = true});
        kith::entity a = world.entity();
        kith::entity b = world.entity().add(next, a);
        kith::entity c = world.entity().add(next, b);
        CHECK(c.depth(next) == 2);
        a.add(next, c);
        CHECK(error_of([&] { c.depth(next); }) == errc::cycle);
    }

    TEST_CASE("target_for finds the nearest owner, itself included") {
        kith::world world;
        kith::entity a = world.entity().set(Position{1, 2});
        kith::entity b = world.entity().child_of(a).add<Hot>();
        kith::entity c = world.entity().child_of(b);
        CHECK(c.target_for<Position>(kith::ChildOf) == a);
        CHECK(c.target_for<Hot>(kith::ChildOf) == b);
        CHECK(b.target_for<Hot>(kith::ChildOf) == b);
        CHECK(c.target_for(kith::ChildOf, world.component<Position>()) == a);
        CHECK_FALSE(c.target_for<Velocity>(kith::ChildOf));
        c.set(Position{});
        CHECK(c.target_for<Position>(kith::ChildOf) == c);
    }

    TEST_CASE("target_for takes pairs and wildcards") {
        kith::world world;
        kith::entity apples = world.entity();
        kith::entity a = world.entity().add<Likes>(apples);
        kith::entity b = world.entity().child_of(a);
        CHECK(b.target_for(kith::ChildOf, world.component<Likes>(), apples) == a);
        CHECK(b.target_for(kith::ChildOf, world.pair<Likes>(kith::Wildcard)) == a);
        CHECK_FALSE((b.target_for<Likes, Position>(kith::ChildOf)));
        a.add<Likes, Position>();
        CHECK((b.target_for<Likes, Position>(kith::ChildOf)) == a);
        apples.destruct();
        CHECK_FALSE(b.target_for(kith::ChildOf, world.component<Likes>(), apples));
    }

    TEST_CASE("several targets are searched one after the other, each to the top") {
        kith::world world;
        kith::entity part_of = world.entity();
        kith::entity far = world.entity().add<Hot>();
        kith::entity left = world.entity().add(part_of, far);
        kith::entity right = world.entity().add<Hot>();
        kith::entity e = world.entity().add(part_of, right).add(part_of, left);
        kith::entity first = e.target(part_of, 0);
        CHECK(e.target_for<Hot>(part_of) == (first == left ? far : right));
    }

    TEST_CASE("target_for ends on cycles") {
        kith::world world;
        kith::entity next = world.entity();
        kith::entity a = world.entity();
        kith::entity b = world.entity().add(next, a);
        a.add(next, b);
        CHECK_FALSE(a.target_for<Hot>(next));
        CHECK(error_of([&] { a.target_for<Hot>(kith::Wildcard); }) == errc::invalid_id);
    }
}
