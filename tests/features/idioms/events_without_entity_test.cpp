// Events that are about no entity.
#include <kith/kith.hpp>

namespace {

struct Tick {
    int step;
};
struct Paused {};
struct Position {
    int x;
};

}  // namespace

TEST_SUITE("features.idioms.events_without_entity") {
    TEST_CASE("observers of an event are notified though it is about no entity") {
        kith::world world;
        int steps = 0;
        int pauses = 0;
        world.observer().event<Tick>().each([&](kith::iter& it, std::size_t) {
            CHECK(it.count() == 0);
            steps += it.param<Tick>()->step;
        });
        world.observer().event<Tick>().iter(
            [&](kith::iter& it) { steps += it.param<Tick>()->step; });
        world.observer().event<Paused>().each([&](kith::entity e) {
            CHECK_FALSE(e);
            ++pauses;
        });
        world.emit(Tick{1});
        CHECK(steps == 2);
        world.event<Tick>().ctx({10}).emit();
        CHECK(steps == 22);
        world.emit<Paused>();
        CHECK(pauses == 1);
    }

    TEST_CASE("an event that is an entity needs no other") {
        kith::world world;
        kith::entity saved = world.entity("saved");
        int calls = 0;
        world.observer().event(saved).each([&] { ++calls; });
        world.emit(saved);
        world.event(saved).emit();
        CHECK(calls == 2);
    }

    TEST_CASE("a queued event is notified of when the changes are made") {
        kith::world world;
        int steps = 0;
        world.observer().event<Tick>().iter(
            [&](kith::iter& it) { steps += it.param<Tick>()->step; });
        world.defer([&] {
            world.enqueue(Tick{3});
            CHECK(steps == 0);
        });
        CHECK(steps == 3);
        world.enqueue(Tick{4});
        CHECK(steps == 7);
    }

    TEST_CASE("observers with terms, and those of entities, are not concerned") {
        kith::world world;
        int calls = 0;
        kith::entity e = world.entity().set(Position{1});
        world.observer<Position>().event<Tick>().each([&](Position&) { ++calls; });
        world.observer().with(kith::Any).event<Tick>().each([&](kith::entity) { calls += 10; });
        e.observe<Tick>([&](kith::entity) { ++calls; });
        world.emit(Tick{1});
        CHECK(calls == 0);
        e.emit(Tick{1});
        CHECK(calls == 11);
    }

    TEST_CASE("ids without an entity to have them are refused") {
        kith::world world;
        CHECK_THROWS_AS(world.event<Tick>().id<Position>().emit(), kith::error);
        CHECK_THROWS_AS(world.event<Tick>().id<Position>().enqueue(), kith::error);
    }
}
