#include "query/exec/id_set.hpp"

#include <random>
#include <set>

#include <doctest/doctest.h>

using kith::queries::id_set;

TEST_SUITE("unit.query.id_set") {
    TEST_CASE("holds what was put in, until it is cleared") {
        id_set set;
        CHECK_FALSE(set.has(0));
        CHECK(set.insert(0));
        CHECK_FALSE(set.insert(0));
        CHECK(set.has(0));
        CHECK_FALSE(set.has(1));
        set.clear();
        CHECK_FALSE(set.has(0));
        CHECK(set.insert(0));
    }

    TEST_CASE("agrees with std::set, in searches of all sizes") {
        std::mt19937_64 random(5);
        id_set set;
        for (std::size_t size : {1u, 3u, 5000u, 20u, 2u, 0u, 0u, 1u, 300u, 1u}) {
            CAPTURE(size);
            std::set<std::uint64_t> expected;
            bool agree = true;
            for (std::size_t i = 0; i < size; ++i) {
                const std::uint64_t number = random() % (2 * size);
                agree &= set.insert(number) == expected.insert(number).second;
            }
            for (std::uint64_t number = 0; number < 2 * size + 2; ++number) {
                agree &= set.has(number) == (expected.count(number) != 0);
            }
            CHECK(agree);
            set.clear();
        }
    }

    TEST_CASE("tells numbers apart that differ in high bits only") {
        id_set set;
        for (std::uint64_t high = 0; high < 1000; ++high) {
            CHECK(set.insert(high << 32));
        }
        CHECK(set.has(std::uint64_t{999} << 32));
        CHECK_FALSE(set.has(std::uint64_t{1000} << 32));
    }
}
