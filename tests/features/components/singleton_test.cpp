#include <kith/kith.hpp>

#include "support/errors.hpp"
#include "support/types.hpp"

using namespace kith_test;

TEST_SUITE("features.components.singleton") {
    TEST_CASE("a singleton is the component on its own entity") {
        kith::world world;
        CHECK(world.get<Position>() == nullptr);
        CHECK_FALSE(world.has<Position>());
        world.set(Position{1, 2});
        CHECK(world.get<Position>()->y == 2);
        CHECK(world.has<Position>());
        CHECK(world.singleton<Position>() == world.component<Position>());
        CHECK(world.singleton<Position>().get<Position>()->x == 1);
        world.get_mut<Position>()->x = 5;
        CHECK(world.get<Position>()->x == 5);
        world.ensure<Position>().x = 6;
        CHECK(world.get_ref<Position>()->x == 6);
        world.remove<Position>();
        CHECK(world.get<Position>() == nullptr);
        world.emplace<Needy>(4);
        CHECK(world.get<Needy>()->number() == 4);
        world.check();
    }

    TEST_CASE("singletons with callbacks") {
        kith::world world;
        int calls = 0;
        world.get([&](const Position&) { ++calls; });
        CHECK(calls == 0);
        world.set([&](Position& p) { p.x = 3; });
        world.get([&](const Position& p) { calls += p.x; });
        CHECK(calls == 3);
    }

    TEST_CASE("singleton tags and pairs") {
        kith::world world;
        kith::entity target = world.entity();
        world.add<Hot>();
        CHECK(world.has<Hot>());
        world.add<Likes>(target);
        CHECK(world.has<Likes>(target));
        CHECK(world.target<Likes>() == target);
        world.remove<Likes>(target);
        CHECK_FALSE(world.has<Likes>(target));
        world.set<Eats>(target, Eats{3});
        CHECK(world.get<Eats>(target)->amount == 3);
        world.set<Eats, Position>(Eats{4});
        CHECK(world.get<Eats, Position>()->amount == 4);
        world.add(target, target);
        CHECK(world.has(target, target));
        world.remove(target, target);
        CHECK_FALSE(world.has(target, target));
    }

    // As at once: the deletion of all that have a component includes the component, if it has
    // itself.
    TEST_CASE("a queue deletes a singleton's component and sets it again") {
        kith::world world;
        world.set(Label{"first"});
        kith::entity holder = world.entity().set(Label{"holder"});
        kith::entity target = world.entity();
        SUBCASE("set") {
            world.defer([&] {
                world.delete_with<Label>();
                world.set(Label{"second"});
            });
            CHECK(world.get<Label>()->text == "second");
        }
        SUBCASE("written") {
            world.defer([&] {
                world.delete_with<Label>();
                CHECK(world.get_mut<Label>()->text.empty());
                world.get_mut<Label>()->text = "second";
            });
            CHECK(world.get<Label>()->text == "second");
        }
        SUBCASE("written in a long queue") {
            world.defer([&] {
                world.delete_with<Label>();
                for (int i = 0; i < 100; ++i) {
                    target.add<Hot>().remove<Hot>();
                }
                CHECK(world.get_mut<Label>()->text.empty());
                world.get_mut<Label>()->text = "second";
            });
            CHECK(world.get<Label>()->text == "second");
        }
        SUBCASE("a pair") {
            world.defer([&] {
                world.delete_with<Label>();
                world.set<Label>(target, Label{"second"});
            });
            CHECK(world.get<Label>() == nullptr);
            CHECK(world.get<Label>(target)->text == "second");
        }
        CHECK_FALSE(holder.is_alive());
        world.check();
    }

    TEST_CASE("singletons while deferred") {
        kith::world world;
        world.defer([&] {
            world.set(Label{"later"});
            CHECK(world.get<Label>() == nullptr);
        });
        CHECK(world.get<Label>()->text == "later");
        world.check();
    }
}
