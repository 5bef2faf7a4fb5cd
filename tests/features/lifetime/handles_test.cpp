// Handles that outlive their world: an error or an empty answer, never memory that was freed.
#include <kith/kith.hpp>

#include "support/errors.hpp"
#include "support/types.hpp"

using namespace kith_test;
using kith::errc;

TEST_SUITE("features.lifetime.handles") {
    TEST_CASE("an entity whose world has ended is not alive, and cannot be changed") {
        kith::entity e;
        {
            kith::world world;
            e = world.entity("x").set(Position{1, 2});
        }
        CHECK_FALSE(e.is_alive());
        CHECK_FALSE(e.is_valid());
        CHECK(error_of([&] { e.get<Position>(); }) == errc::invalid_entity);
        CHECK(error_of([&] { e.has<Position>(); }) == errc::invalid_entity);
        CHECK(error_of([&] { e.set(Position{3, 4}); }) == errc::invalid_entity);
        CHECK(error_of([&] { e.add<Hot>(); }) == errc::invalid_entity);
        CHECK(error_of([&] { e.destruct(); }) == errc::invalid_entity);
        CHECK(error_of([&] { e.clone(); }) == errc::invalid_entity);
        CHECK(message_of([&] { e.add<Hot>(); }).find("world has ended") != std::string::npos);
        CHECK(e.c_world() == nullptr);
    }

    TEST_CASE("a reference whose world has ended has nothing to refer to") {
        kith::ref<Position> position;
        {
            kith::world world;
            position = world.entity().set(Position{1, 2}).get_ref<Position>();
            position->x = 5;
        }
        CHECK_FALSE(position.has());
        CHECK(position.try_get() == nullptr);
        CHECK(error_of([&] { position->x = 1; }) == errc::missing_component);
    }

    TEST_CASE("a reference is not taken for one of a later world") {
        kith::ref<Position> old;
        {
            kith::world world;
            old = world.entity().set(Position{1, 2}).get_ref<Position>();
            old->x = 5;
        }
        // More worlds than ended ones are kept apart: the last ones are where the first was.
        for (int i = 0; i < 200; ++i) {
            kith::world world;
            kith::entity e = world.entity().set(Position{7, 8});
            if (const Position* found = old.try_get()) {
                CHECK(found == e.get<Position>());
            }
        }
    }

    TEST_CASE("a copy of a world that has ended is no world") {
        kith::world copy(nullptr);
        {
            kith::world world;
            copy = world;
            CHECK(copy.entity().is_alive());
        }
        CHECK(error_of([&] { copy.entity(); }) == errc::invalid_entity);
        CHECK(error_of([&] { copy.component<Position>(); }) == errc::invalid_entity);
    }

    TEST_CASE("a handle of an ended world is refused by another one") {
        kith::entity tag;
        {
            kith::world world;
            tag = world.entity();
        }
        kith::world world;
        kith::entity e = world.entity();
        CHECK_FALSE(tag.is_alive());
        CHECK(e.is_alive());
    }

    TEST_CASE("handles from before a reset are void") {
        kith::world world;
        kith::entity before = world.entity().set(Position{1, 2});
        world.reset();
        CHECK_FALSE(before.is_alive());
        CHECK(error_of([&] { before.set(Position{3, 4}); }) == errc::invalid_entity);
        CHECK(world.count<Position>() == 0);
    }
}
