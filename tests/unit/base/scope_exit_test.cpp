#include "base/scope_exit.hpp"

#include <string>

using kith::base::scope_exit;

TEST_SUITE("unit.base.scope_exit") {
    TEST_CASE("the action runs when the scope ends, not before") {
        int runs = 0;
        {
            scope_exit guard([&] { ++runs; });
            CHECK(runs == 0);
        }
        CHECK(runs == 1);
    }

    TEST_CASE("a released guard does not run its action") {
        int runs = 0;
        {
            scope_exit guard([&] { ++runs; });
            guard.release();
        }
        CHECK(runs == 0);
    }

    TEST_CASE("guards run in reverse order of their declaration") {
        std::string order;
        {
            scope_exit first([&] { order += "first "; });
            scope_exit second([&] { order += "second "; });
        }
        CHECK(order == "second first ");
    }

    TEST_CASE("an early return runs the action after the result is made") {
        int value = 1;
        auto take = [&] {
            scope_exit reset([&] { value = 0; });
            return value;
        };
        CHECK(take() == 1);
        CHECK(value == 0);
    }

#if defined(__cpp_exceptions)
    TEST_CASE("an exception runs the action") {
        int runs = 0;
        try {
            scope_exit guard([&] { ++runs; });
            throw 1;
        } catch (int) {
            CHECK(runs == 1);
        }
        CHECK(runs == 1);
    }
#endif
}
