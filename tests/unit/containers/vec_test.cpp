#include "containers/vec.hpp"

#include "containers/small_vec.hpp"

#include <doctest/doctest.h>

using namespace kith::containers;

TEST_SUITE("unit.containers.vec") {
    TEST_CASE("values are kept while it grows") {
        memory mem(nullptr);
        vec<int> list;
        for (int i = 0; i < 1000; ++i) {
            list.push(mem, i, purpose::tables);
        }
        CHECK(list.size() == 1000);
        for (int i = 0; i < 1000; ++i) {
            REQUIRE(list[static_cast<std::size_t>(i)] == i);
        }
        list.swap_remove(0);
        CHECK(list[0] == 999);
        CHECK(list.size() == 999);
        list.truncate(10);
        CHECK(list.back() == 9);
        list.pop();
        CHECK(list.size() == 9);
        list.release(mem, purpose::tables);
        CHECK(mem.bytes(purpose::tables) == 0);
    }

    TEST_CASE("after a reservation, pushing takes no memory") {
        memory mem(nullptr);
        vec<int> list;
        list.reserve_extra(mem, 100, purpose::tables);
        const int* data = list.data();
        for (int i = 0; i < 100; ++i) {
            list.push_reserved(i);
        }
        CHECK(list.data() == data);
        list.release(mem, purpose::tables);
    }

    TEST_CASE("a short small_vec takes no memory, a long one gives it back") {
        memory mem(nullptr);
        {
            small_vec<int, 4> list(mem, purpose::commands);
            for (int i = 0; i < 4; ++i) {
                list.push(i);
            }
            CHECK(mem.bytes(purpose::commands) == 0);
            for (int i = 4; i < 100; ++i) {
                list.push(list[0] + i);
            }
            CHECK(mem.bytes(purpose::commands) > 0);
            CHECK(list[3] == 3);
            CHECK(list.back() == 99);
        }
        CHECK(mem.bytes(purpose::commands) == 0);
    }
}
