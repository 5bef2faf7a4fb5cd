// Handles as keys, null handles, and short ways of saying common things about an entity.
#include <kith/kith.hpp>

#include "support/errors.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <doctest/doctest.h>

using namespace kith_test;

namespace {

struct Hp {
    int value = 0;
};
struct Armor {
    int value = 0;
};
struct Flying {};
struct Owes {
    int amount = 0;
};

struct fixture {
    kith::world world;
};

}  // namespace

TEST_SUITE("features.idioms.handles") {
    TEST_CASE_FIXTURE(fixture, "entities and ids are keys of maps and sets") {
        kith::entity a = world.entity("a");
        kith::entity b = world.entity("b");
        kith::id pair(a, b);
        std::unordered_map<kith::entity, int> hashed{{a, 1}, {b, 2}};
        CHECK(hashed[b] == 2);
        std::map<kith::entity, int> sorted{{b, 2}, {a, 1}};
        CHECK(sorted.begin()->first == a);
        std::set<kith::id> ids{pair, a};
        CHECK(*ids.begin() == a);
        std::unordered_set<kith::id> hashed_ids{pair};
        CHECK(hashed_ids.contains(pair));
    }

    TEST_CASE_FIXTURE(fixture, "entities are ordered by their ids") {
        kith::entity a = world.entity();
        kith::entity b = world.entity();
        CHECK(a < b);
        CHECK(a <= b);
        CHECK(b > a);
        CHECK(a == a);
        CHECK(a != b);
        std::vector<kith::entity> all{b, a};
        std::sort(all.begin(), all.end());
        CHECK(all.front() == a);
        std::ranges::sort(all, std::ranges::greater{});
        CHECK(all.front() == b);
    }

    TEST_CASE("a handle made of 0 is null") {
        CHECK_FALSE(kith::entity(0));
        CHECK_FALSE(kith::entity_view(0));
        CHECK(kith::id(0) == 0);
        CHECK(kith::entity(0) == kith::entity::null());
    }

    TEST_CASE_FIXTURE(fixture, "the null entity of a world has the roots as children") {
        kith::entity a = world.entity("a");
        world.entity("a::b");
        std::vector<kith::entity> roots;
        world.entity(0).children([&](kith::entity child) { roots.push_back(child); });
        CHECK(roots == std::vector<kith::entity>{a});
        CHECK_FALSE(world.entity(0));
    }

    TEST_CASE_FIXTURE(fixture, "world.id() is the null id") {
        CHECK(world.id() == 0);
        CHECK(world.id().world() == world);
    }

    TEST_CASE_FIXTURE(fixture, "the world of a null entity is null") {
        kith::entity nothing;
        CHECK_FALSE(nothing.world());
        CHECK(nothing.world() == nullptr);
        CHECK(nothing.world().c_ptr() == nullptr);
        CHECK(world.entity().world() != nullptr);
        CHECK(world.entity().world().c_ptr() == world.c_ptr());
        CHECK(error_of([&] { nothing.world().entity(); }) == kith::errc::invalid_entity);
        CHECK(error_of([&] { kith::world(nullptr).entity("a"); }) == kith::errc::invalid_entity);
    }

    TEST_CASE_FIXTURE(fixture, "a path that starts with :: begins at the root") {
        kith::entity root = world.entity("Ship");
        kith::entity inner = world.entity("level::Ship");
        kith::entity level = world.entity("level");
        world.set_scope(level);
        CHECK(world.lookup("Ship") == inner);
        CHECK(world.lookup("::Ship") == root);
        CHECK(world.entity("::Ship") == root);
        CHECK(world.entity(inner.path()) == inner);
        CHECK(level.lookup("::Ship") == root);
        CHECK(world.entity("::Fresh").parent() == 0);
        world.entity("crew").add(root);
        CHECK(world.query("::Ship").count() == 1);
        CHECK(world.query("Ship").count() == 0);
        CHECK(world.query_builder().with("::Ship").build().count() == 1);
        world.set_scope(0);
    }

    TEST_CASE_FIXTURE(fixture, "try_get_mut gives the own value, or null, and adds nothing") {
        kith::entity base = world.prefab().set(Hp{1});
        kith::entity e = world.entity().is_a(base);
        CHECK(e.try_get_mut<Hp>() == nullptr);
        CHECK(e.try_get_mut<Armor>() == nullptr);
        CHECK_FALSE(e.owns<Hp>());
        e.set(Hp{2});
        e.try_get_mut<Hp>()->value = 3;
        CHECK(e.get<Hp>()->value == 3);
        CHECK(base.get<Hp>()->value == 1);
        CHECK(e.try_get_mut<Owes>(base) == nullptr);
        e.set<Owes>(base, {5});
        e.try_get_mut<Owes>(base)->amount = 6;
        CHECK(e.get<Owes>(base)->amount == 6);
        CHECK(e.try_get_mut<Owes, Flying>() == nullptr);
        CHECK(world.try_get_mut<Hp>() == nullptr);
    }

    TEST_CASE_FIXTURE(fixture, "modify changes a value that is there, and notifies") {
        int set = 0;
        world.observer<Hp>().event(kith::OnSet).each([&](kith::entity, Hp&) { ++set; });
        kith::entity e = world.entity();
        CHECK_FALSE(e.modify<Hp>([](Hp& hp) { hp.value = 9; }));
        CHECK_FALSE(e.has<Hp>());
        e.add<Hp>();
        CHECK(e.modify<Hp>([](Hp& hp) { hp.value = 9; }));
        CHECK(e.get<Hp>()->value == 9);
        CHECK(set == 1);
        e.set<Owes, Flying>({1});
        CHECK(e.modify<Owes, Flying>([](Owes& owes) { ++owes.amount; }));
        CHECK(e.get<Owes, Flying>()->amount == 2);
        kith::entity bob = world.entity("Bob");
        CHECK_FALSE(e.modify<Owes>(bob, [](Owes& owes) { ++owes.amount; }));
        e.set<Owes>(bob, {3});
        CHECK(e.modify<Owes>(bob, [](Owes& owes) { ++owes.amount; }));
        CHECK(e.get<Owes>(bob)->amount == 4);
        world.set(Hp{1});
        CHECK(world.modify<Hp>([](Hp& hp) { hp.value = 2; }));
        CHECK(world.get<Hp>()->value == 2);
    }

    TEST_CASE_FIXTURE(fixture, "modify keeps the entity where it is while the value is changed") {
        kith::entity e = world.entity().set(Hp{1});
        CHECK(error_of([&] { e.modify<Hp>([&](Hp&) { e.add<Flying>(); }); }) == kith::errc::locked);
        CHECK(e.get<Hp>()->value == 1);
    }

    TEST_CASE_FIXTURE(fixture, "has_all asks for several") {
        kith::entity e = world.entity().set(Hp{1}).add<Flying>();
        CHECK(e.has_all<Hp, Flying>());
        CHECK_FALSE(e.has_all<Hp, Flying, Armor>());
        CHECK(e.has_all<>());
    }

    TEST_CASE_FIXTURE(fixture, "detach leaves the parent") {
        kith::entity child = world.entity("a::b");
        child.detach();
        CHECK(child.parent() == 0);
        CHECK(child.path() == "::b");
        child.detach();
        CHECK(child.parent() == 0);
    }

    TEST_CASE_FIXTURE(fixture, "bases and parents are given by name") {
        kith::entity base = world.prefab("Fighter").set(Hp{3});
        kith::entity fleet = world.entity("fleet");
        kith::entity e = world.entity().is_a("Fighter").child_of(std::string("fleet"));
        CHECK(e.has(kith::IsA, base));
        CHECK(e.parent() == fleet);
        CHECK(refusal(world, [&] { e.is_a("Figther"); }) == kith::errc::invalid_name);
        CHECK(refusal(world, [&] { e.child_of("none"); }) == kith::errc::invalid_name);
    }
}
