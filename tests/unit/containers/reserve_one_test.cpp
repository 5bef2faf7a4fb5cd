#include "containers/reserve_one.hpp"

#include <vector>

#include <doctest/doctest.h>

namespace {

// Counts how often elements of a list are moved to new memory.
struct counted {
    explicit counted(int& count) : moves(&count) {}
    counted(counted&& other) noexcept : moves(other.moves) { ++*moves; }
    counted& operator=(counted&&) = default;
    int* moves;
};

}  // namespace

TEST_SUITE("unit.containers.reserve_one") {
    TEST_CASE("a push after it needs no memory") {
        std::vector<int> list;
        for (int i = 0; i < 100; ++i) {
            kith::containers::reserve_one(list);
            REQUIRE(list.capacity() > list.size());
            list.push_back(i);
        }
        CHECK(list[99] == 99);
    }

    TEST_CASE("the elements of a list are moved a constant number of times each") {
        int moves = 0;
        std::vector<counted> list;
        constexpr int count = 1000;
        for (int i = 0; i < count; ++i) {
            kith::containers::reserve_one(list);
            list.emplace_back(moves);
        }
        CHECK(moves < 2 * count);
    }
}
