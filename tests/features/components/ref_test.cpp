#include <kith/kith.hpp>

#include "support/errors.hpp"
#include "support/types.hpp"

using namespace kith_test;
using kith::errc;

TEST_SUITE("features.components.ref") {
    // spec 41
    TEST_CASE("a reference follows its entity through table moves and growth") {
        kith::world world;
        kith::entity e = world.entity().set(Position{1, 2});
        auto ref = e.get_ref<Position>();
        CHECK(ref->x == 1);
        e.add<Hot>().set(Velocity{1, 1});
        CHECK(ref->y == 2);
        ref->x = 5;
        CHECK(e.get<Position>()->x == 5);
        for (int i = 0; i < 1000; ++i) {
            world.entity().set(Position{}).add<Hot>().set(Velocity{});
        }
        CHECK((*ref).x == 5);
        world.entity().set(Position{}).add<Hot>().set(Velocity{}).destruct();
        CHECK(ref.get()->x == 5);
        CHECK(ref.entity() == e);
    }

    TEST_CASE("a reference follows when another row takes its place") {
        kith::world world;
        kith::entity a = world.entity().set(Position{1, 0});
        kith::entity b = world.entity().set(Position{2, 0});
        auto ref = b.get_ref<Position>();
        CHECK(ref->x == 2);
        a.destruct();
        CHECK(ref->x == 2);
    }

    TEST_CASE("a reference tells when the component or the entity is gone") {
        kith::world world;
        kith::entity e = world.entity().set(Position{1, 2});
        auto ref = e.get_ref<Position>();
        CHECK(ref.has());
        e.remove<Position>();
        CHECK_FALSE(ref.has());
        CHECK(ref.try_get() == nullptr);
        CHECK_FALSE(static_cast<bool>(ref));
        CHECK(error_of([&] { ref->x = 1; }) == errc::missing_component);
        e.set(Position{7, 8});
        CHECK(ref->x == 7);
        e.destruct();
        CHECK(ref.try_get() == nullptr);
        kith::entity next = world.entity().set(Position{9, 9});
        REQUIRE(kith::index_of(next) == kith::index_of(e));
        CHECK(ref.try_get() == nullptr);
        CHECK(error_of([&] { ref.get(); }).has_value());
    }

    TEST_CASE("a reference may be taken before the component exists, or be empty") {
        kith::world world;
        kith::entity e = world.entity();
        auto ref = e.get_ref<Position>();
        CHECK(ref.try_get() == nullptr);
        e.set(Position{1, 2});
        CHECK(ref->y == 2);
        kith::ref<Position> empty;
        CHECK_FALSE(empty.has());
        CHECK(error_of([&] { empty.get(); }).has_value());
    }

    TEST_CASE("references to pairs of all forms") {
        kith::world world;
        kith::entity target = world.entity();
        kith::entity relation = world.entity();
        kith::entity e = world.entity().set<Eats>(target, Eats{3});
        e.set<Likes, Position>(Position{4, 5}).set_second<Velocity>(relation, Velocity{6, 7});
        CHECK(e.get_ref<Eats>(target)->amount == 3);
        CHECK((e.get_ref<Likes, Position>()->x) == 4);
        CHECK(e.get_ref_second<Velocity>(relation)->y == 7);
    }

    TEST_CASE("a reference survives the deletion of tables and their numbers' reuse") {
        kith::world world;
        kith::entity tag = world.entity();
        kith::entity e = world.entity().set(Position{1, 2}).add(tag);
        auto ref = e.get_ref<Position>();
        CHECK(ref->x == 1);
        tag.destruct();
        CHECK(ref->x == 1);
        for (int i = 0; i < 20; ++i) {
            kith::entity other = world.entity();
            world.entity().add(other).set(Velocity{i, i});
            world.shrink();
            CHECK(ref->x == 1);
            other.destruct();
        }
        CHECK(ref->y == 2);
    }
}
