// Cascading queries sort their rows by depth once, and again after a change of rows or links.
#include <kith/kith.hpp>
#include <kith/snapshot.hpp>

#include "base/counters.hpp"

#include <vector>

#include <doctest/doctest.h>

namespace {

struct Place {
    int x = 0;
};
struct World {
    int x = 0;
};
struct Mark {};

struct fixture {
    kith::world world;
    std::vector<kith::entity> nodes;
    kith::query<World, const Place, const World*> query;

    fixture() {
        for (int i = 0; i < 100; ++i) {
            kith::entity made = world.entity().set(Place{1}).set(World{0});
            if (i != 0) {
                made.child_of(nodes[static_cast<std::size_t>((i - 1) / 4)]);
            }
            nodes.push_back(made);
        }
        query = world.query_builder<World, const Place, const World*>()
                    .term_at(3)
                    .parent()
                    .cascade()
                    .build();
        run();
    }
    // Places each node below its parent. Returns the steps that were taken.
    std::uint64_t run() const {
        const std::uint64_t before = kith::base::work.steps;
        query.each([](World& here, const Place& place, const World* above) {
            here.x = place.x + (above ? above->x : 0);
        });
        return kith::base::work.steps - before;
    }
    // The sum of all places: each node adds its depth plus one.
    int sum() const {
        int total = 0;
        for (const kith::entity node : nodes) {
            total += node.is_alive() ? node.get<World>()->x : 0;
        }
        return total;
    }
    int depths() const {
        int total = 0;
        for (const kith::entity node : nodes) {
            total += node.is_alive() ? node.depth(kith::ChildOf) + 1 : 0;
        }
        return total;
    }
};

constexpr std::uint64_t few = 60;    // steps of a run that takes the order over
constexpr std::uint64_t many = 100;  // steps of a run that sorts

}  // namespace

TEST_SUITE("unit.query.cascade_kept") {
    TEST_CASE_FIXTURE(fixture, "the order is taken over while rows and links stay") {
        CHECK(run() < few);
        nodes[5].set(Place{1});
        world.entity().set(Place{1});
        CHECK(run() < few);
        CHECK(sum() == depths());
    }

    TEST_CASE_FIXTURE(fixture, "another parent makes another order") {
        nodes[2].child_of(nodes[99]);
        CHECK(run() >= many);
        CHECK(sum() == depths());
        CHECK(run() < few);
    }

    TEST_CASE_FIXTURE(fixture, "rows that come, go or move make another order") {
        world.entity().set(Place{1}).set(World{0}).child_of(nodes[7]);
        CHECK(run() >= many);
        CHECK(run() < few);
        nodes[99].destruct();
        CHECK(run() >= many - 1);
        CHECK(run() < few);
        nodes[50].add<Mark>();
        CHECK(run() >= many - 1);
        CHECK(run() < few);
        CHECK(sum() == depths());
    }

    TEST_CASE_FIXTURE(fixture, "a parent that gets another row gives its value from there") {
        kith::entity loose = world.entity().set(World{40});
        nodes[10].child_of(loose);
        run();
        loose.add<Mark>();
        run();
        CHECK(nodes[10].get<World>()->x == 41);
        loose.remove<World>();
        run();
        CHECK(nodes[10].get<World>()->x == 1);
    }

    TEST_CASE_FIXTURE(fixture, "links that change during a run count at once") {
        bool moved = false;
        query.each([&](World& here, const Place& place, const World* above) {
            if (!moved) {
                nodes[20].child_of(nodes[0]);
                moved = true;
            }
            here.x = place.x + (above ? above->x : 0);
        });
        CHECK(moved);
        CHECK(nodes[20].get<World>()->x == 2);
        run();
        CHECK(sum() == depths());
    }

    TEST_CASE_FIXTURE(fixture, "a restored state is sorted anew") {
        const kith::snapshot before = world.snapshot().take();
        const int total = sum();
        nodes[2].child_of(nodes[99]);
        run();
        CHECK(sum() != total);
        before.restore();
        run();
        CHECK(sum() == total);
    }

    TEST_CASE_FIXTURE(fixture, "writing values needs no tracker of other queries") {
        auto other = world.query<World>();
        int count = 0;
        other.each([&](World&) { ++count; });
        CHECK(count == 100);
        const std::uint64_t before = kith::base::work.steps;
        other.each([&](World& here) { here.x += 1; });
        CHECK(kith::base::work.steps == before);
    }
}
