#include "observe/monitor/tuple_set.hpp"

#include <doctest/doctest.h>

using kith::observe::tuple_set;

TEST_SUITE("unit.observe.tuple_set") {
    TEST_CASE("what was added is found, and nothing else") {
        kith::containers::memory mem(nullptr);
        tuple_set set(mem, 2);
        for (kith::id_t i = 0; i < 100; ++i) {
            const kith::id_t tuple[] = {i, i * i};
            CHECK(set.find(tuple) == tuple_set::none);
            CHECK(set.add(tuple, 0) == i);
        }
        for (kith::id_t i = 0; i < 100; ++i) {
            const kith::id_t tuple[] = {i, i * i};
            const kith::id_t other[] = {i, i * i + 1};
            CHECK(set.find(tuple) == i);
            CHECK(set.find(other) == tuple_set::none);
            CHECK(set.at(static_cast<std::uint32_t>(i))[1] == i * i);
        }
    }

    TEST_CASE("there is one tuple without elements") {
        kith::containers::memory mem(nullptr);
        tuple_set set(mem, 0);
        CHECK(set.find(nullptr) == tuple_set::none);
        set.add(nullptr, 1);
        CHECK(set.find(nullptr) == 0);
        CHECK(set.size() == 1);
    }

    TEST_CASE("tuples keep their marks") {
        kith::containers::memory mem(nullptr);
        tuple_set set(mem, 1);
        const kith::id_t one = 7;
        const std::uint32_t number = set.add(&one, 3);
        CHECK(set.mark(number) == 3);
        set.mark(number) = 5;
        CHECK(set.mark(set.find(&one)) == 5);
    }
}
