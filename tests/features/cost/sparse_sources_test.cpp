// Queries that name the target of a sparse pair, such as the parent of children: what they give,
// and how much work that is beside the direct way.
#include <kith/kith.hpp>

#include "base/counters.hpp"

#include <algorithm>
#include <vector>

#include <doctest/doctest.h>

namespace {

struct Position {
    int x = 0;
};
struct Hidden {};
struct Key {
    int value = 0;
};

using entities = std::vector<kith::entity_t>;

template <class Query>
entities rows_of(const Query& query) {
    entities found;
    query.each([&](kith::entity one) { found.push_back(one); });
    std::sort(found.begin(), found.end());
    return found;
}

// A family whose children are in two tables, one of them twice, and another family.
struct family {
    family() {
        for (int i = 0; i < 30; ++i) {
            add(parent, i % 10 == 9);
            add(i % 3 == 0 ? parent : other, false);
        }
        std::sort(children.begin(), children.end());
        std::sort(visible.begin(), visible.end());
    }
    void add(kith::entity to, bool hidden) {
        kith::entity child = world.entity().set(Position{1}).child_of(to);
        if (hidden) {
            child.add<Hidden>();
        }
        if (to == parent) {
            children.push_back(child);
            if (!hidden) {
                visible.push_back(child);
            }
        }
    }

    kith::world world;
    kith::entity parent = world.entity("parent");
    kith::entity other = world.entity("other");
    entities children;
    entities visible;
};

}  // namespace

TEST_SUITE("features.cost.sparse_sources") {
    TEST_CASE("a query for the children of one parent finds them, cached or not") {
        family f;
        CHECK(rows_of(f.world.filter("(ChildOf, parent)")) == f.children);
        CHECK(rows_of(f.world.query("(ChildOf, parent)")) == f.children);
    }

    TEST_CASE("other terms of such a query hold, too") {
        family f;
        auto build = [&](auto&& builder) {
            return builder.template with<Position>()
                .with(kith::ChildOf, f.parent)
                .template without<Hidden>()
                .build();
        };
        CHECK(rows_of(build(f.world.filter_builder())) == f.visible);
        CHECK(rows_of(build(f.world.query_builder())) == f.visible);
    }

    TEST_CASE("the values of such a query are those of its rows") {
        family f;
        std::size_t rows = 0;
        f.world.query_builder<Position>()
            .with(kith::ChildOf, f.parent)
            .build()
            .each([&](kith::entity one, Position& position) {
                CHECK(&position == one.get<Position>());
                ++rows;
            });
        CHECK(rows == f.children.size());
    }

    TEST_CASE("children of a prefab are left out, and what is inherited counts") {
        family f;
        kith::entity base = f.world.prefab("base").set(Position{});
        f.world.prefab().child_of(f.parent);
        kith::entity inheritor = f.world.entity().is_a(base).child_of(f.parent);
        entities all = f.children;
        all.push_back(inheritor);
        std::sort(all.begin(), all.end());
        CHECK(rows_of(f.world.filter("(ChildOf, parent)")) == all);
        CHECK(rows_of(
                  f.world.filter_builder<const Position>().with(kith::ChildOf, f.parent).build()) ==
              all);
    }

    TEST_CASE("sparse pairs with values give the value of each pair") {
        kith::world world;
        world.component<Key>().add(kith::Sparse);
        kith::entity target = world.entity();
        for (int i = 0; i < 5; ++i) {
            world.entity().set<Key>(target, Key{i});
        }
        int sum = 0;
        world.filter_builder().with<Key>(target).build().iter([&](kith::iter& it) {
            for (auto row : it) {
                sum += it.field<const Key>(1)[row].value;
            }
        });
        CHECK(sum == 10);
    }

    TEST_CASE("rows of one-row tables are sorted") {
        kith::world world;
        for (int i = 0; i < 50; ++i) {
            world.entity().set(Key{(i * 7) % 50}).add(world.entity());
        }
        auto query = world.query_builder<const Key>()
                         .order_by<Key>([](kith::entity_t, const Key* a, kith::entity_t,
                                           const Key* b) { return a->value - b->value; })
                         .build();
        std::vector<int> seen;
        query.each([&](const Key& key) { seen.push_back(key.value); });
        CHECK(seen.size() == 50);
        CHECK(std::is_sorted(seen.begin(), seen.end()));
    }

#if defined(KITH_ASSERTS) && KITH_ASSERTS
    TEST_CASE("a child costs a query a few steps, whatever the other families are") {
        using kith::base::work;
        auto work_of = [](int others) {
            family f;
            for (int i = 0; i < others; ++i) {
                f.world.entity().set(Position{}).child_of(f.other);
            }
            auto query = f.world.query("(ChildOf, parent)");
            rows_of(query);
            const std::uint64_t before = work.steps + work.lookups + work.visits;
            CHECK(rows_of(query) == f.children);
            return work.steps + work.lookups + work.visits - before;
        };
        CHECK(work_of(0) <= 4 * 40);
        CHECK(work_of(2'000) <= work_of(0) + 8);
    }
#endif
}
