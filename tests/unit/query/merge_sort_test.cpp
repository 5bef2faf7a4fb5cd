// Sorting with functions that may be anything.
#include "query/order/merge_sort.hpp"

#include <algorithm>
#include <random>

#include <doctest/doctest.h>

using namespace kith::queries::sorting;

namespace {

struct item {
    int key = 0;
    int order = 0;
    bool operator==(const item&) const = default;
};
bool less_key(const item& a, const item& b) {
    return a.key < b.key;
}
bool less_all(const item& a, const item& b) {
    return a.key != b.key ? a.key < b.key : a.order < b.order;
}

std::vector<item> make_items(std::size_t count, int keys, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<item> items;
    for (std::size_t i = 0; i < count; ++i) {
        items.push_back(
            {static_cast<int>(random() % static_cast<unsigned>(keys)), static_cast<int>(i)});
    }
    return items;
}

}  // namespace

TEST_SUITE("unit.query.merge_sort") {
    TEST_CASE("equal items keep their order") {
        for (std::size_t count : {0, 1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 100, 1000}) {
            std::vector<item> items = make_items(count, 5, static_cast<unsigned>(count));
            std::vector<item> expected = items;
            std::sort(expected.begin(), expected.end(), less_all);
            merge_sort(items, less_key);
            CHECK(items == expected);
        }
    }

    TEST_CASE("lists that are almost in order") {
        for (int wrong : {0, 1, 5, 500}) {
            std::vector<item> items;
            for (int i = 0; i < 500; ++i) {
                items.push_back({i, i});
            }
            std::mt19937 random(static_cast<unsigned>(wrong));
            for (int i = 0; i < wrong; ++i) {
                items[random() % 500].key = static_cast<int>(random() % 500);
            }
            std::vector<item> expected = items;
            std::sort(expected.begin(), expected.end(), less_all);
            int compared = 0;
            sort_nearly(items, [&](const item& a, const item& b) {
                ++compared;
                return less_all(a, b);
            });
            CHECK(items == expected);
            if (wrong <= 5) {
                CHECK(compared < 800);
            }
        }
    }

    TEST_CASE("short and long lists are merged") {
        for (std::size_t few : {0, 1, 10, 300}) {
            std::vector<item> many = make_items(300, 100, 1);
            std::vector<item> others = make_items(few, 100, 2);
            for (item& one : others) {
                one.order += 1000;
            }
            std::sort(many.begin(), many.end(), less_all);
            std::sort(others.begin(), others.end(), less_all);
            std::vector<item> expected = many;
            expected.insert(expected.end(), others.begin(), others.end());
            std::sort(expected.begin(), expected.end(), less_all);
            CHECK(merge_lists(many, others, less_all) == expected);
        }
    }

    TEST_CASE("all orders of up to seven items are sorted, and equal items keep theirs") {
        for (int count = 0; count <= 7; ++count) {
            for (int keys = 0; keys < 1 << (2 * count); ++keys) {
                std::vector<item> items;
                for (int i = 0; i < count; ++i) {
                    items.push_back({keys >> (2 * i) & 3, i});
                }
                merge_sort(items, less_key);
                REQUIRE(std::is_sorted(items.begin(), items.end(), less_all));
            }
        }
    }

    TEST_CASE("a comparison that throws leaves a permutation") {
        const std::vector<item> before = make_items(300, 100, 5);
        for (int allowed = 0;; ++allowed) {
            std::vector<item> items = before;
            int compared = 0;
            auto throws = [&](const item& a, const item& b) {
                if (compared++ == allowed) {
                    throw 1;
                }
                return less_all(a, b);
            };
            bool thrown = false;
            try {
                merge_sort(items, throws);
            } catch (int) {
                thrown = true;
            }
            std::sort(items.begin(), items.end(),
                      [](const item& a, const item& b) { return a.order < b.order; });
            REQUIRE(items == before);
            if (!thrown) {
                break;
            }
        }
    }

    TEST_CASE("what is no order gives a permutation") {
        std::vector<item> items = make_items(777, 50, 3);
        std::vector<item> before = items;
        std::mt19937 random(4);
        auto any = [&](const item&, const item&) { return random() % 2 == 0; };
        sort_nearly(items, any);
        std::sort(items.begin(), items.end(), less_all);
        std::sort(before.begin(), before.end(), less_all);
        CHECK(items == before);
        auto always = [](const item&, const item&) { return true; };
        sort_nearly(items, always);
        std::sort(items.begin(), items.end(), less_all);
        CHECK(items == before);
    }
}
