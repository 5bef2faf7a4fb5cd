// The forms of override, set_override and emplace_override: which ids they mark, which values they
// set. What the marks do is tested with inheritance.
#include <kith/kith.hpp>

#include "support/errors.hpp"
#include "support/types.hpp"

#include <memory>

using namespace kith_test;
using kith::errc;

namespace {

bool is_marked(kith::entity e, kith::id_t id) {
    return e.owns(kith::Override | id);
}

}  // namespace

TEST_SUITE("features.prefabs.override_forms") {
    TEST_CASE("override marks types, ids and pairs") {
        kith::world world;
        kith::entity apples = world.entity();
        kith::entity likes = world.entity();
        kith::entity e = world.prefab();
        e.override<Position>().override(apples).override(likes, apples);
        e.override<Likes>(apples).override<Eats, Hot>().override<kith::pair<Eats, Cold>>();
        CHECK(is_marked(e, world.component<Position>()));
        CHECK(is_marked(e, apples));
        CHECK(is_marked(e, world.pair(likes, apples)));
        CHECK(is_marked(e, world.pair<Likes>(apples)));
        CHECK(is_marked(e, world.pair<Eats, Hot>()));
        CHECK(is_marked(e, world.pair<Eats, Cold>()));
        CHECK_FALSE(e.owns<Position>());
        CHECK_FALSE(e.owns(apples));
        world.check();
    }

    TEST_CASE("set_override sets and marks") {
        kith::world world;
        kith::entity apples = world.entity();
        kith::entity e = world.prefab();
        const Label label{"x"};
        e.set_override(Position{1, 2}).set_override(label).set_override<Velocity>({3, 4});
        e.set_override(Owner{std::make_unique<int>(5)});
        e.set_override<Eats>(apples, {6}).set_override<Eats, Hot>({7});
        e.set_override<kith::pair<Eats, Cold>>({8});
        CHECK(e.get<Position>()->y == 2);
        CHECK(e.get<Label>()->text == "x");
        CHECK(e.get<Velocity>()->x == 3);
        CHECK(*e.get<Owner>()->number == 5);
        CHECK(e.get<Eats>(apples)->amount == 6);
        CHECK((e.get<Eats, Hot>()->amount) == 7);
        CHECK((e.get<Eats, Cold>()->amount) == 8);
        for (kith::id_t id :
             {kith::id_t{world.id<Position>()}, kith::id_t{world.id<Label>()},
              kith::id_t{world.id<Velocity>()}, kith::id_t{world.id<Owner>()},
              kith::id_t{world.pair<Eats>(apples)}, kith::id_t{world.pair<Eats, Hot>()},
              kith::id_t{world.pair<Eats, Cold>()}}) {
            CHECK(e.owns(id));
            CHECK(is_marked(e, id));
        }
    }

    TEST_CASE("emplace_override constructs and marks") {
        kith::world world;
        kith::entity e = world.prefab();
        e.emplace_override<Needy>(4).emplace_override<Eats, Hot>(5);
        CHECK(e.get<Needy>()->number() == 4);
        CHECK((e.get<Eats, Hot>()->amount) == 5);
        CHECK(is_marked(e, world.component<Needy>()));
        CHECK(is_marked(e, world.pair<Eats, Hot>()));
        CHECK(error_of([&] { e.emplace_override<Needy>(4); }) == errc::already_exists);
    }

    // clear() removes the marks of commands before it, and none of those after it.
    TEST_CASE("marks that are queued before clear() go with the rest") {
        kith::world world;
        kith::entity e = world.entity();
        e.override<Velocity>();
        world.defer([&] { e.override<Position>().override<Likes, Hot>().clear(); });
        CHECK_FALSE(is_marked(e, world.id<Position>()));
        CHECK_FALSE(is_marked(e, world.pair<Likes, Hot>()));
        CHECK_FALSE(is_marked(e, world.id<Velocity>()));
        world.defer([&] {
            e.override<Position>().override<Velocity>();
            e.clear();
            e.override<Velocity>();
        });
        CHECK_FALSE(is_marked(e, world.id<Position>()));
        CHECK(is_marked(e, world.id<Velocity>()));
        world.check();
    }

    TEST_CASE("marks are printed with their flag") {
        kith::world world;
        kith::entity tag = world.entity("Tag1");
        kith::entity e = world.entity().override(tag);
        CHECK(e.type().str() == "OVERRIDE|Tag1");
    }

    TEST_CASE("marks go with what they name") {
        kith::world world;
        kith::entity tag = world.entity();
        kith::entity likes = world.entity();
        kith::entity apples = world.entity();
        kith::entity pears = world.entity();
        kith::entity e = world.prefab().override(tag).override(likes, apples);
        e.override<Eats>(pears);
        std::int32_t count = e.type().count();
        tag.destruct();
        CHECK(e.type().count() == count - 1);
        apples.destruct();
        CHECK(e.type().count() == count - 2);
        pears.destruct();
        CHECK(e.type().count() == count - 3);
        world.check();
        e.override(likes, world.entity());
        likes.destruct();
        CHECK(e.type().count() == count - 3);
        world.check();
    }
}
