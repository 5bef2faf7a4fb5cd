// Final: no IsA to it.
#include <kith/kith.hpp>

#include "support/world_fixture.hpp"

using namespace kith_test;
using kith::errc;

namespace {

struct fixture : world_fixture {
    kith::entity base = world.entity("base");
    kith::entity e = world.entity("e");
};

}  // namespace

TEST_SUITE("features.relationships.final") {
    // spec 98
    TEST_CASE_FIXTURE(fixture, "IsA to a final entity is refused") {
        base.add(kith::Final);
        CHECK(refused([&] { e.is_a(base); }) == errc::constraint);
        CHECK(refused([&] { e.add(kith::IsA, base); }) == errc::constraint);
        CHECK(contains(message_of([&] { e.is_a(base); }), "base"));
        const kith::id_t ids[] = {kith::make_pair(kith::IsA, base)};
        const void* none[] = {nullptr};
        CHECK(refused([&] { world.bulk(1, ids, 1, none); }) == errc::constraint);
        CHECK(refused([&] { world.with(kith::IsA, base, [&] { world.entity(); }); }) ==
              errc::constraint);
        base.remove(kith::Final);
        CHECK_NOTHROW(e.is_a(base));
        world.check();
    }

    // spec 98
    TEST_CASE_FIXTURE(fixture, "types with data are final until told otherwise, tags are not") {
        CHECK(world.component<Position>().has(kith::Final));
        CHECK(refused([&] { e.is_a<Position>(); }) == errc::constraint);
        CHECK_FALSE(world.component<Hot>().has(kith::Final));
        CHECK_NOTHROW(e.is_a<Hot>());
        world.component<Position>().remove(kith::Final);
        CHECK_NOTHROW(e.is_a<Position>());
        CHECK(world.component<Position>().owns(kith::Final) == false);
        CHECK_FALSE(world.entity().has(kith::Final));
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "Final itself is not inherited, nor does it stop what is below") {
        kith::entity leaf = world.entity("leaf").is_a(base).add(kith::Final);
        CHECK(refused([&] { e.is_a(leaf); }) == errc::constraint);
        CHECK_NOTHROW(e.is_a(base));
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "Final given late is refused while there are instances") {
        e.is_a(base);
        CHECK(refused([&] { base.add(kith::Final); }) == errc::constraint);
        CHECK(contains(message_of([&] { base.add(kith::Final); }), "e"));
        e.remove(kith::IsA, base);
        base.add(kith::Final);
        CHECK(base.has(kith::Final));
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "Final is obeyed in a queue, in order") {
        CHECK(error_of([&] {
                  world.defer([&] {
                      base.add(kith::Final);
                      e.is_a(base);
                      e.add<Hot>();
                  });
              }) == errc::constraint);
        CHECK_FALSE(e.has(kith::IsA, kith::Wildcard));
        CHECK(e.has<Hot>());
        world.defer([&] {
            base.remove(kith::Final);
            e.is_a(base);
        });
        CHECK(e.has(kith::IsA, base));
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "a final entity may be target of everything else") {
        base.add(kith::Final);
        kith::entity likes = world.entity();
        CHECK_NOTHROW(e.add(likes, base).child_of(base).add(base));
        CHECK_NOTHROW(base.is_a(world.entity()));
        CHECK_NOTHROW(world.entity().set<Eats>(world.component<Position>(), Eats{1}));
        world.check();
    }
}
