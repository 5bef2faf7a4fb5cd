#include "support/threads.hpp"

#include <kith/kith.hpp>

#include "support/types.hpp"

#include <atomic>
#include <vector>

#include <doctest/doctest.h>

using namespace kith_test;

namespace {

struct fixture {
    fixture() {
        register_all(world);
        kith::entity parent = world.entity().set(Label{"p"});
        for (int i = 0; i < 100; ++i) {
            kith::entity e = world.entity().set(Position{1, 0});
            if (i % 2 == 0) {
                e.child_of(parent);
            }
            if (i % 5 == 0) {
                e.add(likes, parent);
            }
        }
    }

    kith::world world;
    kith::entity likes = world.entity().add(kith::Sparse);
};

}  // namespace

TEST_SUITE("features.queries.threads") {
    // spec 125
    TEST_CASE_FIXTURE(fixture, "several threads run the same query, the first time too") {
        for (int round = 0; round < 10; ++round) {
            auto query = world.query<const Position>();
            auto search = world.query_builder<const Position>()
                              .with<Label>()
                              .up(kith::ChildOf)
                              .with(likes, kith::Wildcard)
                              .optional()
                              .build();
            auto filter = world.filter_builder<const Position>().without(likes, kith::Any).build();
            std::atomic<int> rows{0};
            std::atomic<int> found{0};
            std::atomic<int> left{0};
            on_threads(4, [&](int) {
                int seen = 0;
                query.each([&](const Position& p) { seen += p.x; });
                rows += seen;
                found += search.count();
                left += filter.count();
            });
            CHECK(rows == 400);
            CHECK(found == 200);
            CHECK(left == 320);
            // A table that was not there before: caches have to catch up.
            world.entity().add(world.entity()).set(Label{"x"});
        }
    }

    TEST_CASE_FIXTURE(fixture, "workers on threads write their own shares") {
        auto query = world.query<Position>();
        on_threads(3, [&](int i) { query.worker(i, 3).each([](Position& p) { p.x += 1; }); });
        int sum = 0;
        query.each([&](Position& p) { sum += p.x; });
        CHECK(sum == 200);
    }

    TEST_CASE_FIXTURE(fixture, "shares of queries that begin in different ways run on threads") {
        kith::entity trusts = world.entity("Trusts").add(kith::Sparse);
        kith::entity knows = world.entity("Knows").add(kith::Sparse);
        kith::entity parent = world.entity("Parent");
        kith::entity friends[] = {world.entity(), world.entity(), world.entity()};
        std::vector<kith::entity> all;
        world.query<Position>().each([&](kith::entity e, Position&) { all.push_back(e); });
        for (std::size_t i = 0; i < all.size(); ++i) {
            all[i].add(trusts, friends[i % 3]).add(knows, friends[i % 2]).child_of(parent);
        }
        for (const char* text : {"(Trusts, $x), (Knows, $x)", "(Trusts, $x)", "(Trusts, *)",
                                 "(ChildOf, Parent)", "(ChildOf, Parent), !(Knows, Parent)"}) {
            CAPTURE(text);
            auto filter = world.filter(text);
            auto query = world.query(text);
            std::atomic<std::int64_t> of_filter = 0;
            std::atomic<std::int64_t> of_query = 0;
            on_threads(3, [&](int i) {
                filter.worker(i, 3).each([&](kith::entity) { ++of_filter; });
                query.worker(i, 3).each([&](kith::entity) { ++of_query; });
            });
            CHECK(of_filter == filter.count());
            CHECK(of_query == filter.count());
            CHECK(of_query > 0);
        }
    }

    TEST_CASE_FIXTURE(fixture, "handles are copied and dropped on several threads") {
        auto query = world.query<const Position>();
        on_threads(4, [&](int) {
            for (int i = 0; i < 100; ++i) {
                auto copy = query;
                auto other = copy;
                CHECK(other.is_valid());
            }
        });
        CHECK(query.count() == 100);
    }
}
