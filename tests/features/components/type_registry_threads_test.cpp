// Worlds share nothing but the process-wide register of types: each thread may have worlds of its
// own.
#include <kith/kith.hpp>

#include <thread>
#include <vector>

#include <doctest/doctest.h>

namespace {

template <int I>
struct Shared {
    int value = I;
};
struct Mark {};

template <int... I>
void use_types(std::vector<kith::entity_t>& ids, std::integer_sequence<int, I...>) {
    kith::world world;
    for (int round = 0; round < 20; ++round) {
        kith::entity e = world.entity().add<Mark>();
        (e.set(Shared<I>{round}), ...);
        world.entity(Shared<0>{1}, Shared<1>{2}).destruct();
        world.defer([&] { e.remove<Shared<0>>(); });
    }
    world.check();
    (ids.push_back(kith::type_id<Shared<I>>()), ...);
}

}  // namespace

TEST_SUITE("features.components.type_registry_threads") {
    TEST_CASE("threads with worlds of their own agree on the ids of types") {
        constexpr int thread_count = 4;
        std::vector<kith::entity_t> ids[thread_count];
        std::vector<std::thread> threads;
        for (std::vector<kith::entity_t>& own : ids) {
            threads.emplace_back([&own] { use_types(own, std::make_integer_sequence<int, 24>{}); });
        }
        for (std::thread& thread : threads) {
            thread.join();
        }
        for (const std::vector<kith::entity_t>& own : ids) {
            CHECK(own == ids[0]);
        }
    }
}
