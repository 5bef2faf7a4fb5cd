// The many forms in which handles take pairs, types and enum constants.
#include <kith/kith.hpp>

#include "support/errors.hpp"
#include "support/types.hpp"

using namespace kith_test;
using kith::errc;

TEST_SUITE("features.pairs.forms") {
    TEST_CASE("is_a, depends_on and slot_of add their pairs") {
        kith::world world;
        struct Base {};
        kith::entity base = world.entity();
        kith::entity e = world.entity().is_a(base).depends_on(base).slot_of(base);
        CHECK(e.owns(kith::IsA, base));
        CHECK(e.owns(kith::DependsOn, base));
        CHECK(e.owns(kith::SlotOf, base));
        kith::entity f = world.entity().is_a<Base>().depends_on<Base>().slot_of<Base>();
        for (kith::entity_t relation : {kith::IsA, kith::DependsOn, kith::SlotOf}) {
            CHECK(f.owns(relation, world.component<Base>()));
        }
    }

    TEST_CASE("slot needs a parent") {
        kith::world world;
        kith::entity e = world.entity();
        CHECK(error_of([&] { e.slot(); }) == errc::invalid_operation);
        kith::entity parent = world.prefab();
        kith::entity child = world.prefab().child_of(parent).slot();
        CHECK(child.owns(kith::SlotOf, parent));
    }

    TEST_CASE("slot knows a parent that waits in the queue") {
        kith::world world;
        kith::entity parent = world.prefab();
        kith::entity child;
        kith::entity scoped;
        world.defer([&] {
            child = world.prefab().child_of(parent).slot();
            parent.scope([&] { scoped = world.prefab("scoped").slot(); });
        });
        CHECK(child.owns(kith::SlotOf, parent));
        CHECK(scoped.owns(kith::SlotOf, parent));
    }

    TEST_CASE("a component may be given its own id, no other") {
        kith::world world;
        kith::entity_t id = world.component<Position>();
        CHECK(kith::component<Position>(world, nullptr, true, id) == id);
        CHECK(world.component<Position>(nullptr, false) == id);
        CHECK(error_of([&] { world.component<Position>(nullptr, true, id + 1); }) ==
              errc::type_conflict);
    }

    TEST_CASE("singletons take pairs in every form") {
        kith::world world;
        kith::entity apples = world.entity();
        world.set<Eats>(apples, {3});
        world.get_mut<Eats>(apples)->amount++;
        CHECK(world.get<Eats>(apples)->amount == 4);
        CHECK(world.get_ref<Eats>(apples)->amount == 4);
        world.emplace<Eats, Hot>(7);
        CHECK((world.get_mut<Eats, Hot>()->amount) == 7);
        CHECK((world.get_ref<Eats, Hot>()->amount) == 7);
        world.set<Eats>(Color::Red, {5});
        CHECK(world.get<Eats>(Color::Red)->amount == 5);
        CHECK(world.has<Eats>(Color::Red));
        world.remove<Eats>(Color::Red);
        CHECK_FALSE(world.has<Eats>(Color::Red));
        world.add<Likes>(Color::Green);
        CHECK(world.has<Likes>(Color::Green));
        CHECK(world.target<Likes>() == world.to_entity(Color::Green));
    }

    TEST_CASE("everything with a pair can be counted, visited, stripped and deleted") {
        kith::world world;
        kith::entity likes = world.entity();
        kith::entity apples = world.entity();
        kith::entity a = world.entity().add(likes, apples).add<Likes>(apples);
        kith::entity b = world.entity().add<Likes>(Color::Red);
        int visited = 0;
        world.each(likes, apples, [&](kith::entity e) { visited += e == a; });
        CHECK(visited == 1);
        CHECK(world.count<Likes>(Color::Red) == 1);
        CHECK(world.count<Likes>(kith::Wildcard) == 2);
        world.remove_all<Likes>(apples);
        CHECK_FALSE(a.has<Likes>(apples));
        world.delete_with<Likes>(kith::Wildcard);
        CHECK_FALSE(b.is_alive());
        CHECK(a.is_alive());
        kith::entity c = world.entity().add_if<Likes>(true, Color::Blue);
        CHECK(c.has<Likes>(Color::Blue));
        CHECK_FALSE(c.add_if<Likes>(false, Color::Blue).has<Likes>(Color::Blue));
    }
}
