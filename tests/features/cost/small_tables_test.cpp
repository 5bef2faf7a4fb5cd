// Queries about many tables with few rows: sorted runs hand out rows of several tables, found
// before, as long as nothing has changed; a new table costs each query that may list it the same.
#include <kith/kith.hpp>

#include "base/counters.hpp"

#include <algorithm>
#include <vector>

#include <doctest/doctest.h>

namespace {

struct Key {
    int value = 0;
};
struct Hidden {};

// Each entity is in a table of its own.
struct fixture {
    kith::entity make(int value) {
        all.push_back(world.entity().set(Key{value}).add(world.entity()));
        return all.back();
    }
    std::vector<int> values() const {
        std::vector<int> found;
        sorted.each([&](kith::entity one, const Key& key) {
            CHECK(one.get<Key>() == &key);
            found.push_back(key.value);
        });
        return found;
    }
    std::vector<int> expected() const {
        std::vector<int> found;
        plain.each([&](const Key& key) { found.push_back(key.value); });
        std::sort(found.begin(), found.end());
        return found;
    }
    void check() const {
        CHECK(values() == expected());
        CHECK(values() == expected());
    }

    kith::world world;
    kith::query<const Key> sorted = world.query_builder<const Key>().order_by(&Key::value).build();
    kith::query<const Key> plain = world.query<const Key>();
    std::vector<kith::entity> all;
};

}  // namespace

TEST_SUITE("features.cost.small_tables") {
    TEST_CASE("a sorted query over tables of one row follows every kind of change") {
        fixture f;
        for (int i = 0; i < 100; ++i) {
            f.make(i * 37 % 100);
        }
        f.check();
        f.all[3].set(Key{1'000});
        f.check();
        f.all[4].get_mut<Key>()->value = -5;
        f.all[4].modified<Key>();
        f.check();
        f.all[5].add<Hidden>();  // another table
        f.check();
        f.all[6].remove<Key>();
        f.check();
        f.all[7].destruct();
        f.check();
        f.make(50);
        f.check();
        f.all[8].disable();
        f.check();
        f.all[8].enable();
        f.check();
        f.world.entity().is_a(f.all[9]);
        f.check();
        f.all[9].set(Key{-100});
        f.check();
        f.world.shrink();
        f.check();
        f.all[10].disable<Key>();
        f.check();
        f.all[10].enable<Key>();
        f.check();
        f.world.remove_all<Key>();
        f.check();
    }

    TEST_CASE("entities of one shape in many tables are sorted among others") {
        fixture f;
        for (int i = 0; i < 60; ++i) {
            kith::entity one = f.make(i * 17 % 60);
            if (i % 3 == 0) {
                one.add<Hidden>();
            }
        }
        // Several rows in one table, in between.
        for (int i = 0; i < 20; ++i) {
            f.world.entity().set(Key{i * 3});
        }
        f.check();
        int rows = 0, last = -1;
        f.sorted.iter([&](kith::iter& it, const Key* keys) {
            for (std::size_t i = 0; i < it.count(); ++i, ++rows) {
                CHECK(keys[i].value >= last);
                last = keys[i].value;
            }
        });
        CHECK(rows == 80);
    }

#if defined(KITH_ASSERTS) && KITH_ASSERTS
    TEST_CASE("a new table costs as much for each of n queries of its id as for one") {
        using kith::base::work;
        auto work_with = [](int count) {
            kith::world world;
            std::vector<kith::query<const Key>> queries;
            for (int i = 0; i < count; ++i) {
                queries.push_back(world.query<const Key>());
            }
            world.entity().set(Key{});
            kith::entity tag = world.entity();
            kith::entity one = world.entity().set(Key{1});
            const std::uint64_t before = work.visits + work.lookups;
            one.add(tag);
            return work.visits + work.lookups - before;
        };
        const std::uint64_t few = work_with(10);
        CHECK(work_with(1'000) <= few + 990);
        CHECK(work_with(1'000) >= 990);
    }
#endif
}
