#include "containers/id_map.hpp"

#include <map>
#include <random>

using kith::containers::id_map;

TEST_SUITE("unit.containers.id_map") {
    TEST_CASE("an index has one number, from its first mention on") {
        id_map map;
        CHECK(map.insert(7));
        CHECK_FALSE(map.insert(7));
        CHECK(map.ensure(8, 5) == 5);
        CHECK(map.ensure(8, 6) == 5);
        map.ensure(8, 0) = 9;
        CHECK(map.ensure(8, 0) == 9);
        CHECK(map.insert(0));
        CHECK(map.insert(0xFFFFFFFF));
        CHECK(map.count() == 4);
    }

    TEST_CASE("it agrees with std::map") {
        id_map map;
        std::map<std::uint32_t, std::uint32_t> expected;
        std::mt19937 random(1);
        for (int i = 0; i < 20'000; ++i) {
            std::uint32_t index = static_cast<std::uint32_t>(random() % 8192 * 64);
            std::uint32_t value = static_cast<std::uint32_t>(random());
            map.ensure(index, value);
            expected.emplace(index, value);
        }
        CHECK(map.count() == expected.size());
        bool same = true;
        for (auto [index, value] : expected) {
            same = same && map.ensure(index, value + 1) == value;
        }
        CHECK(same);
        id_map copy = map;
        CHECK(copy.insert(1));
        CHECK(map.insert(1));
    }
}
