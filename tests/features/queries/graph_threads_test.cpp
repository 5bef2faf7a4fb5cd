// Graph queries that several threads run while nobody changes the world.
#include <kith/kith.hpp>

#include "support/threads.hpp"

#include <atomic>
#include <vector>

#include <doctest/doctest.h>

using kith_test::on_threads;

namespace {

struct fixture {
    fixture() {
        for (int i = 0; i < 100; ++i) {
            all.push_back(world.entity().add(i % 3 ? tag : unit));
        }
        for (int i = 0; i < 100; ++i) {
            all[i].add(likes, all[(i * 7 + 1) % 100]).add(knows, all[(i * 3 + 5) % 100]);
            if (i > 0) {
                all[i].add(in, all[i / 2]);
            }
        }
        knight.is_a(unit);
    }
    // Makes a query; several threads run it, for the first time, and find the same.
    template <class Terms>
    void check(const Terms& terms) {
        for (int round = 0; round < 5; ++round) {
            for (bool keep : {false, true}) {
                auto builder = world.filter_builder();
                terms(builder);
                const int expected = builder.uncached().build().count();
                auto query = keep ? builder.cached().build() : builder.uncached().build();
                std::atomic<int> wrong{0};
                on_threads(4, [&](int) { wrong += query.count() != expected; });
                CHECK(wrong == 0);
            }
        }
    }

    kith::world world;
    kith::entity likes = world.entity();
    kith::entity knows = world.entity().add(kith::Sparse);
    kith::entity in = world.entity().add(kith::Transitive);
    kith::entity tag = world.entity();
    kith::entity unit = world.entity();
    kith::entity knight = world.entity();
    std::vector<kith::entity> all;
};

}  // namespace

TEST_SUITE("features.queries.graph_threads") {
    TEST_CASE_FIXTURE(fixture, "joins") {
        check(
            [&](auto& q) { q.with(likes, "$x").with(knows, "$y").src("$x").with(tag).src("$y"); });
    }

    TEST_CASE_FIXTURE(fixture, "closures") {
        check([&](auto& q) { q.with(in, "$x"); });
        check([&](auto& q) { q.with(in, all[1]); });
        check([&](auto& q) { q.with(in, "$x").with(likes, "$y").src("$x").with(in, "$y"); });
    }

    TEST_CASE_FIXTURE(fixture, "scopes and kinds of components") {
        check([&](auto& q) {
            q.with(unit).scope_open().not_().with(likes, "$x").with(tag).src("$x").scope_close();
        });
    }

    TEST_CASE_FIXTURE(fixture, "variables that each thread sets on its own") {
        auto query = world.query_builder().with(in, "$x").build();
        std::vector<int> expected;
        for (kith::entity e : all) {
            expected.push_back(query.iter().set_var("x", e).count());
        }
        std::atomic<int> wrong{0};
        on_threads(4, [&](int thread) {
            for (std::size_t i = 0; i < all.size(); ++i) {
                const std::size_t at = (i + static_cast<std::size_t>(thread) * 25) % all.size();
                wrong += query.iter().set_var("x", all[at]).count() != expected[at];
            }
        });
        CHECK(wrong == 0);
    }

    TEST_CASE_FIXTURE(fixture, "arguments that each thread gives on its own") {
        auto query =
            world.query_builder().with(likes, kith::Wildcard).with(knows, kith::Wildcard).build();
        std::atomic<int> found{0};
        on_threads(4, [&](int) {
            for (int i = 0; i < 100; ++i) {
                query.each(all[(i * 7 + 1) % 100], all[(i * 3 + 5) % 100],
                           [&](kith::entity e) { found += e == all[i]; });
            }
        });
        CHECK(found == 400);
    }
}
