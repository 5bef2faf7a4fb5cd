// Stages that several threads use at once.
#include <kith/kith.hpp>

#include <atomic>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

namespace {

struct Health {
    int points = 0;
};

}  // namespace

TEST_SUITE_BEGIN("features.stages.stages_threads");

// spec 382
TEST_CASE("each thread records through a stage of its own while all of them read") {
    kith::world world;
    world.component<Health>();
    world.set_stage_count(4);
    std::vector<kith::entity> entities;
    for (int i = 0; i < 400; ++i) {
        entities.push_back(world.entity().set(Health{i}));
    }
    auto query = world.query<Health>();
    world.readonly_begin();
    std::vector<std::thread> threads;
    for (int number = 1; number < 4; ++number) {
        threads.emplace_back([&, number] {
            kith::world stage = world.get_stage(number);
            int sum = 0;
            query.each([&](Health& health) { sum += health.points; });
            for (int i = number; i < 400; i += 4) {
                entities[static_cast<std::size_t>(i)].mut(stage).set(Health{sum});
            }
            for (int i = 0; i < 100; ++i) {
                stage.entity().set(Health{number});
            }
        });
    }
    world.entity().set(Health{0});
    for (std::thread& thread : threads) {
        thread.join();
    }
    world.readonly_end();
    CHECK(world.count<Health>() == 400 + 300 + 1);
    CHECK(entities[1].get<Health>()->points == 399 * 400 / 2);
    world.check();
}

// spec 383
TEST_CASE("an asynchronous stage records on a thread of its own while the world changes") {
    kith::world world;
    world.component<Health>();
    kith::entity e = world.entity();
    kith::world stage = world.async_stage();
    std::atomic<bool> done{false};
    std::thread recording([&] {
        for (int i = 1; i <= 500; ++i) {
            e.mut(stage).set(Health{i});
        }
        done = true;
    });
    while (!done) {
        world.entity().set(Health{-1}).destruct();
        stage.merge();
    }
    recording.join();
    stage.merge();
    CHECK(e.get<Health>()->points == 500);
    world.check();
}

TEST_SUITE_END();
