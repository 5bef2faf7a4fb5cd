// How much work queries do. The counts are there in builds with internal checks only.
#include <kith/kith.hpp>

#include "base/counters.hpp"
#include "support/types.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#if defined(KITH_ASSERTS) && KITH_ASSERTS

using namespace kith_test;
using kith::base::work;

namespace {

struct Fancies {};
struct Follows {};
struct Scarce {};
struct Usual {};

// A graph of a thousand entities, some of which are rare.
struct fixture {
    explicit fixture(bool sparse = false) {
        register_all(world);
        if (sparse) {
            world.component<Fancies>().add(kith::Sparse);
            world.component<Follows>().add(kith::Sparse);
        }
        std::vector<kith::entity> all;
        for (int i = 0; i < 1000; ++i) {
            all.push_back(world.entity().set(Position{i, i}));
        }
        for (int i = 0; i < 1000; ++i) {
            all[i].add<Usual>();
            all[i].add<Fancies>(all[(i * 7 + 1) % 50]);
            all[i].add<Follows>(all[(i * 13 + 5) % 50]);
            if (i % 100 == 3) {
                all[i].add<Scarce>();
            }
        }
    }

    kith::world world;
};

using term = void (*)(kith::filter_builder<>& terms);

// The most and the least steps that the terms take, over all their orders.
struct extremes {
    std::uint64_t least = ~std::uint64_t{0};
    std::uint64_t most = 0;
};
extremes try_orders(const kith::world& world, std::vector<term> terms) {
    extremes found;
    std::vector<std::size_t> order(terms.size());
    std::iota(order.begin(), order.end(), 0);
    std::int64_t results = -1;
    do {
        auto builder = world.filter_builder();
        for (std::size_t i : order) {
            terms[i](builder);
        }
        auto query = builder.build();
        query.count();
        std::uint64_t before = work.steps + work.lookups;
        std::int64_t count = query.count();
        std::uint64_t taken = work.steps + work.lookups - before;
        CHECK((results < 0 || results == count));
        results = count;
        found.least = std::min(found.least, taken);
        found.most = std::max(found.most, taken);
    } while (std::next_permutation(order.begin(), order.end()));
    CHECK(results > 0);
    return found;
}

void check_orders(const extremes& found) {
    CAPTURE(found.least);
    CAPTURE(found.most);
    CHECK(found.most * 10 <= found.least * 13);
}

}  // namespace

TEST_SUITE("unit.query.work") {
    TEST_CASE("an unchanged cached query looks nothing up") {
        fixture data;
        auto query = data.world.query_builder<Position>().with<Usual>().without<Scarce>().build();
        auto sum = [&] {
            int total = 0;
            query.each([&](Position& p) { total += p.x; });
            return total;
        };
        const int first = sum();
        const std::uint64_t before = work.lookups;
        CHECK(sum() == first);
        CHECK(work.lookups == before);
    }

    TEST_CASE("the order of terms changes the work by no more than a third") {
        for (bool sparse : {false, true}) {
            fixture data(sparse);
            check_orders(try_orders(
                data.world,
                {[](kith::filter_builder<>& terms) { terms.with<Usual>(); },
                 [](kith::filter_builder<>& terms) { terms.with<Scarce>(); },
                 [](kith::filter_builder<>& terms) { terms.with<Fancies>(kith::Wildcard); },
                 [](kith::filter_builder<>& terms) { terms.without<Hot>(); }}));
        }
    }

    // spec 256
    TEST_CASE("the order of terms with variables changes the work by no more than a third") {
        for (bool sparse : {false, true}) {
            fixture data(sparse);
            check_orders(try_orders(
                data.world,
                {[](kith::filter_builder<>& terms) { terms.with<Usual>(); },
                 [](kith::filter_builder<>& terms) { terms.with<Fancies>().second("$x"); },
                 [](kith::filter_builder<>& terms) { terms.with<Follows>().second("$x"); }}));
            check_orders(try_orders(
                data.world,
                {[](kith::filter_builder<>& terms) { terms.with<Scarce>().src("$x"); },
                 [](kith::filter_builder<>& terms) { terms.with<Fancies>().second("$x"); },
                 [](kith::filter_builder<>& terms) { terms.with<Usual>(); },
                 [](kith::filter_builder<>& terms) {
                     terms.with<Follows>().src("$x").second("$y");
                 }}));
        }
    }

    // spec 290
    TEST_CASE("one group takes as much work among many groups as among few") {
        using storage = std::initializer_list<kith::entity_t>;
        const storage in_tables{};
        const storage beside{kith::Sparse};
        const storage one_target{kith::Sparse, kith::Exclusive};
        for (const storage& how : {in_tables, beside, one_target}) {
            for (bool cached : {true, false}) {
                CAPTURE(how.size());
                CAPTURE(cached);
                auto take_one = [&](int groups) {
                    kith::world world;
                    register_all(world);
                    for (kith::entity_t trait : how) {
                        world.component<Fancies>().add(trait);
                    }
                    kith::entity target;
                    for (int i = 0; i < groups; ++i) {
                        target = world.entity();
                        world.entity().set(Position{}).add<Fancies>(target);
                        world.entity().set(Position{}).add<Fancies>(target).add<Usual>();
                    }
                    auto builder = world.query_builder<const Position>().group_by<Fancies>();
                    auto query = (cached ? builder.cached() : builder.uncached()).build();
                    auto run = [&] {
                        int rows = 0;
                        query.iter().set_group(target).each([&](const Position&) { ++rows; });
                        CHECK(rows == 2);
                    };
                    run();
                    const std::uint64_t before = work.steps + work.lookups;
                    run();
                    return work.steps + work.lookups - before;
                };
                const std::uint64_t few = take_one(4);
                CHECK(few > 0);
                CHECK(take_one(400) == few);
            }
        }
    }
}

#endif
