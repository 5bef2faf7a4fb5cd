// What the manual of relationships shows of observers.
#include <kith/kith.hpp>

#include <string>

#include <doctest/doctest.h>

namespace flecs = kith;

namespace {

struct Node {};
struct Position {
    float x, y;
};

}  // namespace

TEST_SUITE("seeds.observers") {
    TEST_CASE("cleanup order: a child is told of before its parent") {
        flecs::world world;
        std::string order;
        world.observer<Node>().event(flecs::OnRemove).each([&](flecs::entity e) {
            order += e.name().c_str();
        });
        flecs::entity p = world.entity("p").add<Node>();
        flecs::entity c = world.entity("c").add<Node>().child_of(p);
        p.destruct();
        CHECK(order == "cp");
        CHECK(!c.is_alive());
    }

    TEST_CASE("cleanup order: deleting the component itself tells of all that have it") {
        flecs::world world;
        int calls = 0;
        world.observer<Node>().event(flecs::OnRemove).each([&](flecs::entity) { ++calls; });
        flecs::entity p = world.entity().add<Node>();
        world.entity().add<Node>().child_of(p);
        world.component<Node>().destruct();
        CHECK(calls == 2);
        CHECK(p.is_alive());
    }

    TEST_CASE("teardown: observers, also in modules, are there until nothing is left to tell") {
        struct module {
            explicit module(flecs::world& world) {
                world.module<module>("watching");
                world.observer<Position>()
                    .event(flecs::OnRemove)
                    .each([](flecs::entity e, Position&) {
                        ++*static_cast<int*>(e.world().get_ctx());
                    });
            }
        };
        int calls = 0;
        {
            flecs::world world;
            world.set_ctx(&calls);
            world.import <module>();
            flecs::entity parent = world.entity().set(Position{1, 2});
            world.entity().set(Position{1, 2}).child_of(parent);
        }
        CHECK(calls == 2);
    }

    // spec 96
    TEST_CASE("removal is told for a query with the relationship, with rows still readable") {
        flecs::world world;
        struct OwnedBy {};
        flecs::entity alice = world.entity("Alice");
        float sum = 0;
        world.observer<const Position>()
            .with<OwnedBy>(flecs::Wildcard)
            .event(flecs::OnRemove)
            .iter([&](flecs::iter& it, const Position* p) {
                for (auto i : it) {
                    sum += p[i].x;
                }
                CHECK(it.pair(2).second() == alice);
            });
        flecs::entity car = world.entity().set(Position{3, 0}).add<OwnedBy>(alice);
        flecs::entity boat = world.entity().set(Position{4, 0}).add<OwnedBy>(alice);
        world.entity().set(Position{5, 0}).destruct();
        car.remove<OwnedBy>(alice);
        CHECK(sum == 3);
        boat.destruct();
        CHECK(sum == 7);
    }
}
