#include <kith/kith.hpp>

#include "support/errors.hpp"
#include "support/types.hpp"

using namespace kith_test;
using kith::errc;

namespace {

struct fixture {
    fixture() {
        register_all(world);
        world.component<Position>().add(kith::Sparse);
        world.component<Label>().add(kith::Sparse);
        world.component<Hot>().add(kith::Sparse);
    }

    kith::world world;
};

}  // namespace

TEST_SUITE("features.components.sparse") {
    TEST_CASE_FIXTURE(fixture, "sparse values are set, read, listed and removed like dense ones") {
        kith::entity e = world.entity().set(Position{1, 2}).set(Label{"x"}).add<Hot>();
        CHECK(e.has<Position>());
        CHECK(e.owns<Position>());
        CHECK(e.has<Hot>());
        CHECK(e.get<Position>()->y == 2);
        CHECK(e.get<Label>()->text == "x");
        CHECK(e.type().count() == 3);
        CHECK(e.table().type().count() == 0);
        CHECK(world.count<Position>() == 1);
        e.set(Position{3, 4});
        CHECK(e.get<Position>()->x == 3);
        e.remove<Position>().remove<Hot>();
        CHECK_FALSE(e.has<Position>());
        CHECK(e.get<Position>() == nullptr);
        CHECK(e.type().count() == 1);
        world.check();
    }

    TEST_CASE_FIXTURE(
        fixture, "adding a sparse component moves nothing, and its values keep their address") {
        kith::entity e = world.entity().set(Velocity{1, 2});
        const void* velocity = e.get<Velocity>();
        e.set(Position{1, 1});
        const void* position = e.get<Position>();
        CHECK(e.get<Velocity>() == velocity);
        for (int i = 0; i < 5000; ++i) {
            world.entity().set(Position{i, i});
        }
        e.add<Cold>().add<Eats>();
        CHECK(e.get<Position>() == position);
        CHECK(e.get<Position>()->x == 1);
    }

    TEST_CASE_FIXTURE(fixture, "sparse values are visited, and end with their entity") {
        kith::entity a = world.entity().set(Position{1, 0});
        kith::entity b = world.entity().set(Position{2, 0});
        int sum = 0;
        world.each([&](kith::entity, Position& p) { sum += p.x; });
        CHECK(sum == 3);
        a.destruct();
        CHECK(world.count<Position>() == 1);
        kith::entity c = world.entity();
        CHECK_FALSE(c.has<Position>());
        b.clear();
        CHECK(world.count<Position>() == 0);
        world.check();
    }

    TEST_CASE("values of sparse components balance") {
        balance_check<counted<0>> balance;
        kith::world world;
        world.component<counted<0>>().add(kith::Sparse);
        std::vector<kith::entity> all;
        for (int i = 0; i < 600; ++i) {
            all.push_back(world.entity().set(counted<0>(i)));
        }
        for (std::size_t i = 0; i < 600; i += 2) {
            all[i].remove<counted<0>>();
        }
        for (std::size_t i = 1; i < 600; i += 6) {
            all[i].destruct();
        }
        kith::entity copy = all[3].clone();
        CHECK(copy.get<counted<0>>()->number() == 3);
        world.defer([&] {
            all[0].set(counted<0>(7));
            all[3].remove<counted<0>>();
            all[5].destruct();
        });
        CHECK(all[0].get<counted<0>>()->number() == 7);
        world.shrink();
        counted<0>::throw_in = 1;
        CHECK_THROWS(world.entity().add<counted<0>>());
        world.check();
        world.remove_all<counted<0>>();
        CHECK(counted<0>::counts.alive() == 0);
        world.entity().set(counted<0>(1));
    }

    TEST_CASE_FIXTURE(fixture, "sparse components have hooks, errors and toggles") {
        std::string log;
        world.component<Position>()
            .on_add([&](Position&) { log += "add "; })
            .on_set([&](Position&) { log += "set "; })
            .on_remove([&](Position&) { log += "remove "; });
        kith::entity e = world.entity().set(Position{1, 2});
        e.disable<Position>();
        CHECK_FALSE(e.enabled<Position>());
        int visits = 0;
        world.each([&](Position&) { ++visits; });
        CHECK(visits == 0);
        e.enable<Position>();
        CHECK(refusal(world, all_values(), [&] { e.emplace<Position>(1, 1); }) ==
              errc::already_exists);
        e.destruct();
        CHECK(log == "add set remove ");
        CHECK(error_of([&] { e.set(Position{1, 1}); }) == errc::invalid_entity);
    }

    TEST_CASE_FIXTURE(fixture, "delete_with and deferral work on sparse components") {
        kith::entity a = world.entity().set(Position{1, 0});
        kith::entity b = world.entity();
        world.defer([&] {
            b.set(Position{5, 0});
            CHECK_FALSE(b.has<Position>());
        });
        CHECK(b.get<Position>()->x == 5);
        world.delete_with<Position>();
        CHECK_FALSE(a.is_alive());
        CHECK_FALSE(b.is_alive());
        world.check();
    }

    TEST_CASE("Sparse given after use migrates values or is refused, never ignored") {
        kith::world world;
        register_all(world);
        kith::entity e = world.entity().set(Position{1, 2});
        const auto code = error_of([&] { world.component<Position>().add(kith::Sparse); });
        CHECK(e.get<Position>()->y == 2);
        if (code) {
            CHECK(*code == errc::in_use);
            CHECK_FALSE(world.component<Position>().has(kith::Sparse));
        } else {
            CHECK(e.table().type().count() == 0);
        }
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "a reference to a sparse value follows it") {
        kith::entity e = world.entity().set(Position{1, 2});
        auto ref = e.get_ref<Position>();
        CHECK(ref->x == 1);
        e.add<Cold>();
        CHECK(ref->x == 1);
        e.remove<Position>();
        CHECK_FALSE(ref.has());
        e.set(Position{4, 4});
        CHECK(ref->x == 4);
    }
}
