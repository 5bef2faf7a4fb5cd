// Cached queries to which many tables are of interest: new tables cost nothing until they are run.
#include <kith/kith.hpp>

#include "base/counters.hpp"
#include "support/types.hpp"

#include <vector>

#include <doctest/doctest.h>

using namespace kith_test;

TEST_SUITE("features.cost.wide_caches") {
    TEST_CASE("a query with a wildcard finds tables that came since it last ran") {
        kith::world world;
        kith::entity likes = world.entity();
        auto pairs = world.query_builder().with(likes, kith::Wildcard).cached().build();
        auto none = world.query_builder().without<Hot>().cached().build();
        const int before = none.count();
        for (int i = 1; i <= 5; ++i) {
            kith::entity target = world.entity();
            kith::entity source = world.entity().add(likes, target);
            CHECK(pairs.count() == i);
            CHECK(none.count() == before + 2 * i);
            CHECK(pairs.matches(source));
        }
        // Several at once, some of which go before anybody looks.
        kith::entity last;
        for (int i = 0; i < 5; ++i) {
            last = world.entity().add(likes, world.entity());
        }
        last.destruct();
        world.shrink();
        world.entity().add(likes, world.entity());
        CHECK(pairs.count() == 10);
    }

    TEST_CASE("tables that come and go are seen once") {
        kith::world world;
        kith::entity likes = world.entity();
        auto pairs = world.query_builder().with(likes, kith::Wildcard).cached().build();
        for (int i = 0; i < 200; ++i) {
            kith::entity target = world.entity();
            world.entity().add(likes, target);
            target.destruct();
            world.shrink();
        }
        world.entity().add(likes, world.entity());
        CHECK(pairs.count() == 1);
    }

#if defined(KITH_ASSERTS) && KITH_ASSERTS
    TEST_CASE("many such queries and many new tables take work that grows with their number") {
        using kith::base::work;
        std::vector<std::uint64_t> taken;
        for (const int count : {50, 500}) {
            kith::world world;
            kith::entity likes = world.entity();
            std::vector<kith::query<>> queries;
            for (int i = 0; i < count; ++i) {
                auto made = world.query_builder();
                i % 2 ? made.with(kith::Wildcard) : made.with(likes, kith::Wildcard);
                queries.push_back(made.cached().build());
            }
            const std::uint64_t before = work.entries + work.lookups + work.steps;
            for (int i = 0; i < count; ++i) {
                world.entity().add(likes, world.entity());
            }
            queries.clear();
            taken.push_back((work.entries + work.lookups + work.steps - before) /
                            static_cast<std::uint64_t>(count));
        }
        CHECK(taken[1] <= taken[0] + 10);
    }
#endif
}
