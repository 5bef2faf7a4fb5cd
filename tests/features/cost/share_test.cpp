// Shares of a run (worker): what each of them costs, and that each result is in one of them.
#include <kith/kith.hpp>

#include "base/counters.hpp"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

namespace {

struct Position {
    int x = 0;
};

constexpr int share_count = 4;

// Ships at ports, by a dense and by a sparse relationship; pilots who like ports and know some, who
// have bases, and who are children of one of two fleets.
struct harbour {
    explicit harbour(int ships) {
        kith::entity by = world.entity("By");
        kith::entity at = world.entity("At").add(kith::Sparse);
        kith::entity likes = world.entity("Likes").add(kith::Sparse);
        kith::entity knows = world.entity("Knows").add(kith::Sparse);
        kith::entity sees = world.entity("Sees");
        kith::entity has_listeners = world.entity("Hears");
        kith::entity port = world.entity("Port");
        kith::entity ship = world.entity("Ship");
        kith::entity fleets[] = {world.entity("First"), world.entity("Second")};
        kith::entity old = world.entity("Old");
        std::vector<kith::entity> ports;
        for (int i = 0; i < 10; ++i) {
            ports.push_back(world.entity().add(port));
            world.entity("Bob").add(likes, ports.back()).add(sees, ports.back());
        }
        for (int i = 0; i < ships; ++i) {
            kith::entity made = world.entity()
                                    .set(Position{i})
                                    .add(ship)
                                    .add(by, ports[i % 10])
                                    .add(at, ports[i / 10 % 10])
                                    .child_of(fleets[i % 2]);
            if (i % 4 < 2) {
                made.add(old);
            }
            for (int k = 0; k < 3; ++k) {
                made.add(likes, ports[(i + k) % 10]).add(knows, ports[(i + 2 * k) % 10]);
            }
            if (i % 8 == 0) {
                made.add(sees, ports[i / 8 % 10]).add(has_listeners, ports[i / 16 % 10]);
            }
        }
    }
    // From here on, some of what queries find is inherited.
    void add_heirs() {
        kith::entity base = world.entity("Base").set(Position{1}).add(world.lookup("Ship"));
        base.add(world.lookup("Sees"), world.lookup("Bob")).add(world.lookup("Hears"), base);
        base.add(world.lookup("Sees"), base);
        for (int i = 0; i < 10; ++i) {
            world.entity().is_a(base);
        }
    }
    kith::world world;
};

// In which all entities are found in another way.
constexpr const char* queries[] = {
    "Ship",
    "(By, *)",
    "(At, *)",
    "(ChildOf, First)",
    "Ship, (ChildOf, First), !(At, Bob)",
    "Old, (ChildOf, First)",
    "(ChildOf, First), !(Likes, Bob)",
    "Ship, (At, $x)",
    "Ship, (At, $x), Port($x)",
    "Ship, (By, $x), Port($x)",
    "Port($x), At($this, $x)",
    "Ship, ?(At, $x)",
    "(Likes, $x), (Knows, $x)",
    "(Sees, $x), (Hears, $x)",
    "(Likes, $x), (Sees, $x)",
    "Likes(Bob, $x), At($this, $x)",
    "Likes(Bob, $x), Sees(Bob, $x), At($this, $x)",
    "Sees(Bob, $x), By($this, $x)",
};
// What they find first are alternatives, or all of them belong together.
constexpr const char* undivided[] = {
    "(At, $x) || (By, $x)",
    "$x == Bob, Likes($x, $y), At($this, $y)",
    "Port(Bob) || Likes(Bob, $x), Ship",
    "?{Likes(Bob, $x), Port($x)}, Ship",
};

// The entities that a query finds, with the values of its variable, in order.
using finding = std::pair<kith::entity_t, kith::entity_t>;
template <class Run>
void collect(Run&& run, bool has_variable, std::vector<finding>& found) {
    run.iter([&](kith::iter& it) {
        for (std::size_t row : it) {
            found.emplace_back(it.entity(row), has_variable ? it.get_var("x").id() : 0);
        }
    });
}
void check_shares(const auto& query, bool has_variable) {
    std::vector<finding> whole;
    collect(query, has_variable, whole);
    std::sort(whole.begin(), whole.end());
    CHECK(!whole.empty());
    for (int shares : {1, 2, 3, 4, 7, 64}) {
        CAPTURE(shares);
        std::vector<finding> shared;
        std::size_t visited = 0;
        for (int i = 0; i < shares; ++i) {
            collect(query.worker(i, shares), has_variable, shared);
            query.worker(i, shares).each([&](kith::entity) { ++visited; });
        }
        std::sort(shared.begin(), shared.end());
        CHECK(whole == shared);
        CHECK(visited == whole.size());
    }
}

}  // namespace

TEST_SUITE("features.cost.share") {
    TEST_CASE("each result is in one share, with all kinds of terms") {
        for (bool inheritors : {false, true}) {
            harbour h(100);
            if (inheritors) {
                h.add_heirs();
            }
            auto check = [&](const char* text) {
                CAPTURE(text);
                CAPTURE(inheritors);
                const bool has_variable =
                    std::string_view(text).find("$x") != std::string_view::npos;
                check_shares(h.world.filter(text), has_variable);
                check_shares(h.world.query(text), has_variable);
            };
            std::for_each(std::begin(queries), std::end(queries), check);
            std::for_each(std::begin(undivided), std::end(undivided), check);
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

    TEST_CASE("many small tables are dealt out whole, the rows of large ones in pieces") {
        kith::world world;
        constexpr int tables = 400;
        for (int i = 0; i < tables; ++i) {
            kith::entity tag = world.entity();
            for (int row = 0; row < (i == 7 ? 4'000 : 5); ++row) {
                world.entity().set(Position{i}).add(tag);
            }
        }
        auto check = [&](const auto& query) {
            int calls = 0;
            std::int64_t rows = 0;
            for (int i = 0; i < share_count; ++i) {
                const std::int64_t count = query.worker(i, share_count).count();
                CHECK(count > 1'450);
                CHECK(count < 1'550);
                rows += count;
                query.worker(i, share_count).iter([&](kith::iter&) { ++calls; });
            }
            CHECK(rows == query.count());
            CHECK(calls == tables - 1 + share_count);
        };
        check(world.query<const Position>());
        check(world.filter<const Position>());
    }

    TEST_CASE("shares are alike where every second table matches") {
        kith::world world;
        kith::entity even = world.entity();
        for (int i = 0; i < 60; ++i) {
            kith::entity made = world.entity().set(Position{i}).add(world.entity());
            if (i % 2 == 0) {
                made.add(even);
            } else {
                world.entity().add(even).add(world.entity());
            }
        }
        auto filter = world.filter_builder<const Position>().with(even).build();
        for (int i = 0; i < 2; ++i) {
            CHECK(filter.worker(i, 2).count() >= 10);
            CHECK(filter.worker(i, 2).count() <= 20);
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
    TEST_CASE("a share costs its part of the whole, however the first thing is found") {
        using kith::base::work;
        harbour h(1'000);
        for (const char* text : queries) {
            CAPTURE(text);
            auto filter = h.world.filter(text);
            auto steps_of = [](auto&& run) {
                const std::uint64_t before = work.steps + work.visits;
                run.each([](kith::entity) {});
                return work.steps + work.visits - before;
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
