// Tables without rows: what they cost those who look for rows, and that they are found again once
// they have rows.
#include <kith/kith.hpp>

#include "base/counters.hpp"

#include <vector>

#include <doctest/doctest.h>

namespace {

struct Position {
    int x = 0;
};

// One entity with a position and one target, and so many tables with the component and other
// targets that have had rows and have none any more.
struct fixture {
    explicit fixture(int empty) {
        cached.each([](Position&) {});
        for (int i = 0; i < empty; ++i) {
            targets.push_back(world.entity());
            world.entity().set(Position{}).add(relation, targets.back()).destruct();
        }
        only.add(relation, world.entity());
    }

    kith::world world;
    kith::entity relation = world.entity("R");
    kith::entity missing = world.entity("Missing");
    kith::query<Position> cached = world.query<Position>();
    kith::query<const Position> read = world.query<const Position>();
    kith::query<> cached_pairs = world.query("(R, *)");
    kith::query<Position> sorted =
        world.query_builder<Position>()
            .order_by<Position>([](kith::entity_t, const Position* a, kith::entity_t,
                                   const Position* b) { return a->x - b->x; })
            .build();
    std::vector<kith::entity> targets;
    kith::entity only = world.entity().set(Position{1});
};

template <class Query>
int count_rows(const Query& query) {
    int rows = 0;
    query.iter([&](kith::iter& it) { rows += static_cast<int>(it.count()); });
    return rows;
}

#if defined(KITH_ASSERTS) && KITH_ASSERTS
using kith::base::work;
std::uint64_t work_done() {
    return work.steps + work.lookups + work.visits;
}
#endif

}  // namespace

TEST_SUITE("features.cost.empty_tables") {
#if defined(KITH_ASSERTS) && KITH_ASSERTS
    TEST_CASE("tables without rows cost a run nothing, whatever kind of run it is") {
        using action = void (*)(fixture&);
        constexpr action runs[] = {
            [](fixture& f) { CHECK(count_rows(f.cached) == 1); },
            [](fixture& f) { CHECK(count_rows(f.cached_pairs) == 1); },
            [](fixture& f) { CHECK(count_rows(f.sorted) == 1); },
            [](fixture& f) { CHECK(count_rows(f.cached.worker(0, 2)) <= 1); },
            [](fixture& f) { CHECK(count_rows(f.cached.page(0, 5)) == 1); },
            [](fixture& f) { f.read.changed(); },
            [](fixture& f) { CHECK(count_rows(f.world.filter<Position>()) == 1); },
            [](fixture& f) { CHECK(count_rows(f.world.filter("(R, *)")) == 1); },
            [](fixture& f) { CHECK(count_rows(f.world.filter("(R, $x)")) == 1); },
            [](fixture& f) { CHECK(count_rows(f.world.filter("(R, *), !Missing")) == 1); },
            [](fixture& f) { CHECK(f.world.count<Position>() == 1); },
            [](fixture& f) { f.world.each([](Position&) {}); },
        };
        for (action run : runs) {
            auto work_with = [&](int empty, bool shrunk) {
                fixture f(empty);
                run(f);
                if (shrunk) {
                    f.world.shrink();
                }
                run(f);
                const std::uint64_t before = work_done();
                run(f);
                return work_done() - before;
            };
            CAPTURE(static_cast<int>(&run - runs));
            CHECK(work_with(2'000, false) <= work_with(100, false) + 32);
            CHECK(work_with(2'000, true) <= work_with(100, true) + 32);
        }
    }

    TEST_CASE("a run costs nothing for tables that one operation or one queue has emptied") {
        auto work_after = [&](int count, bool deferred) {
            kith::world world;
            kith::entity relation = world.entity();
            auto query = world.query<Position>();
            std::vector<kith::entity> all;
            for (int i = 0; i < count; ++i) {
                all.push_back(world.entity().set(Position{}).add(relation, world.entity()));
            }
            CHECK(count_rows(query) == count);
            if (deferred) {
                world.defer([&] {
                    for (kith::entity one : all) {
                        one.remove<Position>();
                    }
                });
            } else {
                world.remove_all<Position>();
            }
            CHECK(count_rows(query) == 0);
            const std::uint64_t before = work_done();
            CHECK(count_rows(query) == 0);
            CHECK(count_rows(world.filter<Position>()) == 0);
            return work_done() - before;
        };
        for (bool deferred : {false, true}) {
            CAPTURE(deferred);
            CHECK(work_after(1'000, deferred) <= work_after(50, deferred) + 32);
        }
    }

    // Rows that go back and forth find their tables where they were.
    TEST_CASE("a tag that comes and goes on entities in tables of their own costs no more work") {
        kith::world world;
        kith::entity relation = world.entity();
        kith::entity tag = world.entity();
        auto query = world.query<Position>();
        std::vector<kith::entity> all;
        for (int i = 0; i < 200; ++i) {
            all.push_back(world.entity().set(Position{}).add(relation, world.entity()));
        }
        auto round = [&] {
            for (kith::entity one : all) {
                one.add(tag);
            }
            for (kith::entity one : all) {
                one.remove(tag);
            }
            CHECK(count_rows(query) == 200);
        };
        for (int i = 0; i < 8; ++i) {
            round();
        }
        const std::uint64_t before = work.lookups;
        round();
        CHECK(work.lookups - before <= 8);
        CHECK_NOTHROW(world.check());
    }
#endif

    TEST_CASE("tables that were empty for long are found once they have rows again") {
        fixture f(300);
        CHECK(count_rows(f.cached) == 1);
        CHECK(count_rows(f.world.filter<Position>()) == 1);
        for (int i = 0; i < 300; i += 3) {
            f.world.entity().set(Position{i}).add(f.relation, f.targets[i]);
        }
        CHECK(count_rows(f.cached) == 101);
        CHECK(count_rows(f.cached_pairs) == 101);
        CHECK(count_rows(f.world.filter<Position>()) == 101);
        CHECK(count_rows(f.world.filter("(R, *)")) == 101);
        CHECK(f.world.count<Position>() == 101);
        int sources = 0;
        f.targets[3].each_source(f.relation, [&](kith::entity) { ++sources; });
        CHECK(sources == 1);
        CHECK_NOTHROW(f.world.check());
    }

    TEST_CASE("a table that gets rows in a callback does not join the run, and is in the next") {
        fixture f(300);
        count_rows(f.cached);
        kith::entity other = f.world.entity().set(Position{5});
        int rows = 0;
        f.cached.each([&](kith::entity one, Position&) {
            ++rows;
            if (one == f.only) {
                f.world.entity().add(f.relation, f.targets[0]);
            }
        });
        CHECK(rows == 2);
        other.add(f.relation, f.targets[1]);
        CHECK(count_rows(f.cached) == 2);
        CHECK(count_rows(f.cached_pairs) == 3);
        CHECK_NOTHROW(f.world.check());
    }

    TEST_CASE("groups whose tables are empty are groups still") {
        kith::world world;
        kith::entity relation = world.entity();
        int made = 0, gone = 0;
        struct counts {
            int* made;
            int* gone;
        } ctx{&made, &gone};
        auto query = world.query_builder<Position>()
                         .group_by(relation)
                         .group_by_ctx(&ctx)
                         .on_group_create([](kith::world_t*, std::uint64_t, void* to) -> void* {
                             ++*static_cast<counts*>(to)->made;
                             return nullptr;
                         })
                         .on_group_delete([](kith::world_t*, std::uint64_t, void*, void* to) {
                             ++*static_cast<counts*>(to)->gone;
                         })
                         .build();
        std::vector<kith::entity> members;
        for (int i = 0; i < 100; ++i) {
            members.push_back(world.entity().set(Position{}).add(relation, world.entity()));
        }
        query.each([](Position&) {});
        CHECK(made == 101);  // with the group of those that have no target
        for (kith::entity one : members) {
            one.destruct();
        }
        world.query<Position>().each([](Position&) {});
        query.each([](Position&) {});
        CHECK(gone == 0);
        CHECK(made == 101);
    }

    TEST_CASE("a query tells that its last rows went, though their tables are dormant since") {
        kith::world world;
        std::vector<kith::entity> all;
        for (int i = 0; i < 100; ++i) {
            all.push_back(world.entity().set(Position{}).add(world.entity()));
        }
        auto query = world.query<const Position>();
        CHECK(query.changed());
        query.each([](const Position&) {});
        CHECK(!query.changed());
        for (kith::entity one : all) {
            one.destruct();
        }
        world.query<Position>().each([](Position&) {});
        CHECK(query.changed());
        query.each([](const Position&) {});
        CHECK(!query.changed());
    }
}
