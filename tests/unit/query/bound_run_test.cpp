// Queries that find entities among the sources of a sparse pair, without a machine.
#include <kith/kith.hpp>

#include "base/counters.hpp"
#include "support/errors.hpp"
#include "support/types.hpp"

#include <vector>

using namespace kith_test;

namespace {

struct fixture {
    fixture() { register_all(world); }

    // Children of one parent, each in one of so many tables in turn.
    void make(int count, int tables) {
        std::vector<kith::entity> tags;
        for (int i = 0; i < tables; ++i) {
            tags.push_back(world.entity());
        }
        for (int i = 0; i < count; ++i) {
            all.push_back(world.entity().set(Position{i, -i}).add(tags[i % tables]));
            all.back().child_of(parent);
            if (i % tables == 0) {
                all.back().set(Velocity{i, i});
            }
        }
    }
    std::vector<kith::entity> visited(const auto& query) const {
        std::vector<kith::entity> found;
        query.each([&](kith::entity e) { found.push_back(e); });
        return found;
    }

    kith::world world;
    kith::entity parent = world.entity("parent");
    std::vector<kith::entity> all;
};

}  // namespace

TEST_SUITE("unit.query.bound_run") {
    TEST_CASE_FIXTURE(fixture, "children come in their order, whatever their tables are") {
        for (int tables : {1, 2, 3, 9, 100}) {
            CAPTURE(tables);
            make(150, tables);
            CHECK(visited(world.filter_builder().with(kith::ChildOf, parent).build()) == all);
            CHECK(visited(world.query_builder().with(kith::ChildOf, parent).build()) == all);
        }
    }

    TEST_CASE_FIXTURE(fixture, "children have their own values, also in batches") {
        for (int tables : {1, 2, 9}) {
            CAPTURE(tables);
            make(150, tables);
            std::size_t count = 0;
            std::size_t with_velocity = 0;
            auto filter =
                world.filter_builder<Position, Velocity*>().with(kith::ChildOf, parent).build();
            filter.each([&](kith::entity e, Position& position, Velocity* velocity) {
                CHECK(e == all[count]);
                CHECK(e.get<Position>() == &position);
                CHECK(e.get<Velocity>() == velocity);
                ++count;
                with_velocity += velocity != nullptr;
            });
            CHECK(count == all.size());
            CHECK(with_velocity > 0);
            CHECK(filter.count() == static_cast<std::int64_t>(count));
        }
    }

    TEST_CASE_FIXTURE(fixture, "values beside the tables are those of the children") {
        struct Charge {
            int value;
        };
        world.component<Charge>().add(kith::Sparse);
        struct Bound {
            int strength;
        };
        world.component<Bound>().add(kith::Sparse);
        make(100, 2);
        for (std::size_t i = 0; i < all.size(); ++i) {
            all[i].set<Bound>(parent, {static_cast<int>(i)});
            if (i % 3 != 0) {
                all[i].set(Charge{static_cast<int>(i)});
            }
        }
        std::size_t count = 0;
        world.filter_builder<const Charge, Position>()
            .with(kith::ChildOf, parent)
            .build()
            .each([&](kith::entity e, const Charge& charge, Position& position) {
                CHECK(e.get<Charge>() == &charge);
                CHECK(e.get<Position>() == &position);
                ++count;
            });
        CHECK(count == 66);
        world.filter_builder<const Bound>().term_at(1).second(parent).build().each(
            [&](kith::entity e, const Bound& bound) {
                CHECK(e.get<Bound>(parent) == &bound);
                --count;
            });
        CHECK(count == 66 - all.size());
    }

    TEST_CASE_FIXTURE(fixture, "other terms are asked for each child") {
        kith::entity marked = world.entity();
        kith::entity likes = world.entity().add(kith::Sparse);
        make(90, 2);
        std::vector<kith::entity> without, liking, aloof;
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (i % 3 == 0) {
                all[i].add(marked);
            } else {
                without.push_back(all[i]);
            }
            if (i % 5 == 0) {
                all[i].add(likes, parent);
                liking.push_back(all[i]);
            } else {
                aloof.push_back(all[i]);
            }
        }
        auto children = [&] { return world.filter_builder().with(kith::ChildOf, parent); };
        CHECK(visited(children().without(marked).build()) == without);
        CHECK(visited(children().with(likes, parent).build()) == liking);
        CHECK(visited(children().without(likes, parent).build()) == aloof);
        all[10].destruct();
        aloof.erase(std::remove(aloof.begin(), aloof.end(), all[10]), aloof.end());
        liking.erase(std::remove(liking.begin(), liking.end(), all[10]), liking.end());
        CHECK(visited(children().without(likes, parent).build()) == aloof);
        CHECK(visited(children().with(likes, parent).build()) == liking);
    }

    TEST_CASE_FIXTURE(fixture, "the tables of a batch are locked") {
        make(10, 2);
        auto filter = world.filter_builder<Position>().with(kith::ChildOf, parent).build();
        kith::entity mark = world.entity();
        int refused = 0;
        filter.each([&](kith::entity e, Position&) {
            for (kith::entity one : {e, all[0], all[9]}) {
                refused += error_of([&] { one.add(mark); }).has_value();
            }
        });
        CHECK(refused == 30);
        all[0].add(mark);
        CHECK(all[0].has(mark));
    }

#if defined(KITH_ASSERTS) && KITH_ASSERTS
    TEST_CASE_FIXTURE(fixture, "a child in another table than its neighbour takes no search") {
        using kith::base::work;
        auto work_of = [&](int count, int tables) {
            kith::entity before = parent;
            parent = world.entity();
            make(count, tables);
            auto filter = world.filter_builder<Position>().with(kith::ChildOf, parent).build();
            filter.each([](Position&) {});
            const std::uint64_t done = work.steps + work.lookups;
            filter.each([](Position&) {});
            parent = before;
            return work.steps + work.lookups - done;
        };
        CHECK(work_of(1'000, 1) < 10);
        CHECK(work_of(1'000, 2) < 100);
        CHECK(work_of(1'000, 7) < 100);
    }
#endif
}
