// Any number of threads may run queries while nobody changes the world.
#include <kith/kith.hpp>

#include "support/types.hpp"

#include <atomic>
#include <stop_token>
#include <thread>

using namespace kith_test;

namespace {

struct fixture {
    fixture() {
        register_all(world);
        kith::entity parent = world.entity().set(Velocity{2, 0});
        for (int i = 0; i < 1000; ++i) {
            kith::entity made = world.entity().set(Position{1, 0}).child_of(parent);
            if (i % 100 == 0) {
                parent = made;
            }
        }
    }

    // Runs `func` in several threads at once, and returns how often it gave what was expected.
    template <class Func>
    int agreeing(int expected, Func func) {
        std::atomic<int> right = 0;
        std::vector<std::thread> threads;
        for (int i = 0; i < 4; ++i) {
            threads.emplace_back([&] { right += func() == expected; });
        }
        for (std::thread& one : threads) {
            one.join();
        }
        return right;
    }

    kith::world world;
};

}  // namespace

TEST_SUITE("features.queries.run_threads") {
    TEST_CASE_FIXTURE(fixture, "the same query, cached or not, by several threads") {
        auto cached = world.query<const Position>();
        auto plain = world.filter<const Position>();
        auto above = world.query_builder<const Position, const Velocity>().arg(2).parent().build();
        CHECK(agreeing(1000, [&] {
                  int total = 0;
                  cached.each([&](const Position& p) { total += p.x; });
                  return total;
              }) == 4);
        CHECK(agreeing(1000, [&] {
                  int total = 0;
                  plain.each([&](const Position& p) { total += p.x; });
                  return total;
              }) == 4);
        // What is found above is remembered by whoever comes first.
        CHECK(agreeing(1000, [&] {
                  int total = 0;
                  above.each([&](const Position& p, const Velocity&) { total += p.x; });
                  return total;
              }) == 4);
        CHECK(agreeing(1000, [&] { return above.count(); }) == 4);
    }

    TEST_CASE_FIXTURE(fixture, "the first run after a change may be that of several threads") {
        auto query = world.query_builder().with<Position>().build();
        kith::entity base = world.prefab().set(Position{1, 0});
        world.entity().is_a(base);
        CHECK(agreeing(1001, [&] { return query.count(); }) == 4);
    }

    TEST_CASE_FIXTURE(fixture, "a run ends when a token says so") {
        for (int i = 0; i < 10; ++i) {
            world.entity().set(Position{1, 0}).add(world.entity());
        }
        std::stop_source source;
        std::stop_token token = source.get_token();
        int results = 0;
        world.filter<const Position>().iter().stop_on(token).iter([&](kith::iter&) {
            ++results;
            std::thread([&] { source.request_stop(); }).join();
        });
        CHECK(results == 1);
    }
}
