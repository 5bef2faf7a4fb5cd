// Any number of threads may run sorted and grouped queries while nobody changes the world, also
// where the first of them has to sort.
#include <kith/kith.hpp>

#include "support/types.hpp"

#include <atomic>
#include <thread>

using namespace kith_test;

namespace {

struct fixture {
    fixture() {
        register_all(world);
        for (int i = 0; i < 500; ++i) {
            kith::entity made = world.entity().set(Position{(i * 37) % 500, 0});
            made.add(i % 3 ? dense : sparse, i % 2 ? a : b);
        }
    }
    kith::entity make_sparse() {
        kith::entity made = world.entity();
        return made.add(kith::Sparse);
    }

    // How many threads saw all rows in order.
    template <class Query>
    int in_order(const Query& query) {
        std::atomic<int> right = 0;
        std::vector<std::thread> threads;
        for (int i = 0; i < 4; ++i) {
            threads.emplace_back([&] {
                int rows = 0;
                int wrong = 0;
                int last = -1;
                std::uint64_t group = 0;
                query.iter([&](kith::iter& it) {
                    if (it.group_id() != group) {
                        group = it.group_id();
                        last = -1;
                    }
                    for (auto row : it) {
                        const int x = it.field<const Position>(1)[row].x;
                        wrong += x < last;
                        last = x;
                        ++rows;
                    }
                });
                right += rows == 500 && wrong == 0;
            });
        }
        for (std::thread& one : threads) {
            one.join();
        }
        return right;
    }

    kith::world world;
    kith::entity dense = world.entity();
    kith::entity sparse = make_sparse();
    kith::entity a = world.entity();
    kith::entity b = world.entity();
};

}  // namespace

TEST_SUITE("features.ordering.threads") {
    TEST_CASE_FIXTURE(fixture, "a sorted query") {
        auto query = world.query_builder<const Position>().order_by(&Position::x).build();
        CHECK(in_order(query) == 4);
        query.first().set(Position{1000, 0});
        CHECK(in_order(query) == 4);
    }

    TEST_CASE_FIXTURE(fixture, "groups of tables and of rows, with functions") {
        for (kith::entity by : {dense, sparse}) {
            auto query = world.query_builder<const Position>()
                             .group_by(by)
                             .on_group_create([](kith::world_t*, std::uint64_t, void*) -> void* {
                                 return nullptr;
                             })
                             .order_by(&Position::x)
                             .build();
            CHECK(in_order(query) == 4);
            world.entity().set(Position{1, 0}).add(by, a).add(world.entity()).destruct();
            CHECK(in_order(query) == 4);
        }
    }
}
