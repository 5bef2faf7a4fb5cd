// Rings of states: frames are kept, replaced and loaded, without allocations once the ring is full.
#include <kith/diff.hpp>
#include <kith/kith.hpp>

#include "support/errors.hpp"
#include "support/types.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace kith_test;

namespace {

struct Spin {
    float angle = 0;
};

// A world whose entities all move in each frame; some are named, and some have a sparse value.
struct moving_world {
    explicit moving_world(int count) {
        world.component<Spin>().add(kith::Sparse);
        for (int i = 0; i < count; ++i) {
            kith::entity e = world.entity().set(Position{i, 0}).set(Velocity{1, i});
            if (i % 100 == 0) {
                e.set_name(("a ship with a long name " + std::to_string(i)).c_str());
                e.set(Spin{1});
            }
            if (i % 3 == 0) {
                e.add<Hot>();
            }
        }
        movers = world.query<Position, const Velocity>();
        spinning = world.query<Spin>();
    }
    void run_frame() const {
        movers.each([](Position& p, const Velocity& v) { p.x += v.x; });
        spinning.each([](Spin& spin) { spin.angle += 1; });
    }
    std::int64_t sum() const {
        std::int64_t total = 0;
        world.each([&](const Position& p) { total += p.x; });
        return total;
    }

    kith::world world;
    kith::query<Position, const Velocity> movers;
    kith::query<Spin> spinning;
};

}  // namespace

TEST_SUITE("features.snapshots.rollback") {
    // spec 574
    TEST_CASE("a ring keeps the last frames and returns to each of them") {
        moving_world scene(300);
        kith::rollback ring(scene.world, 8);
        std::vector<std::int64_t> sums;
        for (std::uint64_t frame = 0; frame < 20; ++frame) {
            ring.save(frame);
            sums.push_back(scene.sum());
            scene.run_frame();
        }
        CHECK(ring.size() == 8);
        CHECK(ring.oldest() == 12);
        CHECK(ring.newest() == 19);
        for (std::uint64_t frame : {15, 12, 19, 13}) {
            CHECK(ring.load(frame));
            CHECK(scene.sum() == sums[frame]);
        }
        CHECK_FALSE(ring.load(11));
        CHECK_FALSE(ring.load(20));
        CHECK(scene.sum() == sums[13]);
        // A frame that is saved again replaces those behind it.
        ring.save(14);
        CHECK(ring.size() == 3);
        CHECK(ring.newest() == 14);
        CHECK_FALSE(ring.load(15));
        scene.world.check();
    }

    // spec 574
    TEST_CASE("a ring of a world that has ended refuses to save and to load") {
        kith::world* world = new kith::world;
        kith::rollback ring(*world, 2);
        ring.save(1);
        delete world;
        CHECK(error_of([&] { ring.save(2); }) == kith::errc::invalid_operation);
        CHECK(error_of([&] { ring.load(1); }) == kith::errc::invalid_operation);
        CHECK_FALSE(ring.load(7));
    }

    // spec 574
    TEST_CASE("a ring cannot be used inside of an iteration, and keeps at least one frame") {
        moving_world scene(10);
        kith::rollback ring(scene.world, 0);
        CHECK(error_of([&] { static_cast<void>(ring.oldest()); }) == kith::errc::invalid_operation);
        ring.save(1);
        CHECK(ring.size() == 1);
        scene.world.defer([&] {
            CHECK(error_of([&] { ring.save(2); }) == kith::errc::invalid_operation);
            CHECK(error_of([&] { ring.load(1); }) == kith::errc::invalid_operation);
        });
        CHECK(ring.load(1));
    }
}
