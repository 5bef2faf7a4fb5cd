// Shares of a run (worker): what each of them costs, and that each result is in one of them.
#include <kith/kith.hpp>

#include "base/work.hpp"

#include <algorithm>
#include <vector>

#include <doctest/doctest.h>

namespace {

struct Position {
    int x = 0;
};

constexpr int share_count = 4;

// Ships at ports, by a dense and by a sparse relationship, and a tag for each that is in a table of
// its own.
struct harbour {
    explicit harbour(int ships) {
        kith::entity by = world.entity("By");
        kith::entity at = world.entity("At").add(kith::Sparse);
        kith::entity port = world.entity("Port");
        kith::entity ship = world.entity("Ship");
        std::vector<kith::entity> ports;
        for (int i = 0; i < 10; ++i) {
            ports.push_back(world.entity().add(port));
        }
        for (int i = 0; i < ships; ++i) {
            world.entity()
                .set(Position{i})
                .add(ship)
                .add(by, ports[i % 10])
                .add(at, ports[i / 10 % 10]);
        }
    }
    kith::world world;
};

constexpr const char* queries[] = {
    "Ship",
    "(By, *)",
    "(At, *)",
    "Ship, (At, $x)",
    "Ship, (At, $x), Port($x)",
    "Ship, (By, $x), Port($x)",
    "Port($x), At($this, $x)",
    "Ship, ?(At, $x)",
};

}  // namespace

TEST_SUITE("features.cost.share") {
    TEST_CASE("each result is in one share, with all kinds of terms") {
        harbour h(100);
        for (const char* text : queries) {
            for (bool cached : {false, true}) {
                CAPTURE(text);
                CAPTURE(cached);
                std::vector<kith::entity_t> whole, shared;
                auto collect = [&](auto&& query) {
                    query.each([&](kith::entity one) { whole.push_back(one); });
                    for (int i = 0; i < share_count; ++i) {
                        query.worker(i, share_count).each([&](kith::entity one) {
                            shared.push_back(one);
                        });
                    }
                };
                if (cached) {
                    collect(h.world.query(text));
                } else {
                    collect(h.world.filter(text));
                }
                std::sort(whole.begin(), whole.end());
                std::sort(shared.begin(), shared.end());
                CHECK(!whole.empty());
                CHECK(whole == shared);
            }
        }
    }

    TEST_CASE("tables with one row are shared out in turn") {
        kith::world world;
        for (int i = 0; i < 40; ++i) {
            world.entity().set(Position{i}).add(world.entity());
        }
        auto query = world.query<const Position>();
        auto filter = world.filter<const Position>();
        for (int i = 0; i < share_count; ++i) {
            CHECK(query.worker(i, share_count).count() == 10);
            CHECK(filter.worker(i, share_count).count() == 10);
        }
    }

    TEST_CASE("the values of a share are those of its rows") {
        kith::world world;
        for (int i = 0; i < 10; ++i) {
            world.entity().set(Position{i});
        }
        std::vector<int> seen;
        for (int i = 0; i < 3; ++i) {
            world.query<const Position>().worker(i, 3).each(
                [&](kith::entity entity, const Position& position) {
                    CHECK(entity.get<Position>()->x == position.x);
                    seen.push_back(position.x);
                });
        }
        CHECK(seen == std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
    }

#if defined(KITH_ASSERTS) && KITH_ASSERTS
    TEST_CASE("a share of a query with variables or sparse pairs costs its part of the whole") {
        using kith::base::work;
        harbour h(1'000);
        for (const char* text : queries) {
            CAPTURE(text);
            auto filter = h.world.filter(text);
            auto steps_of = [](auto&& run) {
                const std::uint64_t before = work.steps;
                run.each([](kith::entity) {});
                return work.steps - before;
            };
            steps_of(filter);
            const std::uint64_t whole = steps_of(filter.iter());
            for (int i = 0; i < share_count; ++i) {
                CHECK(steps_of(filter.worker(i, share_count)) <= whole / share_count * 3 / 2 + 100);
            }
        }
    }
#endif
}
