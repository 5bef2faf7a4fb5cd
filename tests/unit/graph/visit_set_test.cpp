#include "graph/visit_set.hpp"

#include <random>
#include <set>
#include <vector>

#include <doctest/doctest.h>

using kith::graph::visit_set;

TEST_SUITE("unit.graph.visit_set") {
    TEST_CASE("holds each key once, until it is cleared") {
        visit_set set;
        CHECK_FALSE(set.has(0));
        CHECK(set.insert(0));
        CHECK_FALSE(set.insert(0));
        CHECK(set.has(0));
        CHECK_FALSE(set.has(1));
        set.clear();
        CHECK_FALSE(set.has(0));
        CHECK(set.insert(0));
    }

    TEST_CASE("lists keys in the order of their insertion, with their positions") {
        for (std::uint64_t size : {5u, 9u, 100u}) {
            visit_set set;
            bool in_order = true;
            for (std::uint64_t i = 0; i < size; ++i) {
                set.insert(7 * i);
                set.insert(0);
            }
            REQUIRE(set.size() == size);
            for (std::uint32_t i = 0; i < size; ++i) {
                in_order &= set[i] == 7 * i && set.find(7 * i) == i;
            }
            CHECK(in_order);
            CHECK(set.find(1) == visit_set::none);
        }
    }

    TEST_CASE("agrees with std::set, in searches of all sizes, with memory of a world as well") {
        kith::containers::memory mem(nullptr);
        std::mt19937_64 random(5);
        visit_set of_heap;
        visit_set of_world(&mem);
        for (std::size_t size : {1u, 3u, 8u, 9u, 5000u, 20u, 2u, 0u, 0u, 1u, 300u, 1u}) {
            CAPTURE(size);
            std::set<std::uint64_t> expected;
            bool agree = true;
            for (std::size_t i = 0; i < size; ++i) {
                const std::uint64_t number = random() % (2 * size);
                const bool inserted = expected.insert(number).second;
                agree &= of_heap.insert(number) == inserted;
                agree &= of_world.insert(number) == inserted;
            }
            for (std::uint64_t number = 0; number < 2 * size + 2; ++number) {
                agree &= of_heap.has(number) == (expected.count(number) != 0);
                agree &= of_world.has(number) == (expected.count(number) != 0);
            }
            CHECK(agree);
            CHECK(of_heap.size() == expected.size());
            of_heap.clear();
            of_world.clear();
        }
    }

    TEST_CASE("tells keys apart that differ in high bits only") {
        visit_set set;
        for (std::uint64_t high = 0; high < 1000; ++high) {
            CHECK(set.insert(high << 32));
        }
        CHECK(set.has(std::uint64_t{999} << 32));
        CHECK_FALSE(set.has(std::uint64_t{1000} << 32));
    }

    TEST_CASE("a copy is independent") {
        visit_set set;
        for (std::uint64_t key = 0; key < 40; ++key) {
            set.insert(key);
        }
        visit_set copy = set;
        copy.insert(40);
        CHECK(copy.find(40) == 40);
        CHECK(copy.find(13) == 13);
        CHECK_FALSE(set.has(40));
    }

    TEST_CASE("a few keys take no memory of the world") {
        kith::containers::memory mem(nullptr);
        visit_set set(&mem);
        for (std::uint64_t key = 1; key <= 8; ++key) {
            set.insert(key);
        }
        CHECK(mem.bytes(kith::containers::purpose::commands) == 0);
        set.insert(9);
        CHECK(mem.bytes(kith::containers::purpose::commands) != 0);
    }
}
