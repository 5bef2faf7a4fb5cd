#include "base/attempt.hpp"

#include <stdexcept>

#include <doctest/doctest.h>

using kith::base::attempt;

TEST_SUITE("unit.base.attempt") {
    TEST_CASE("an action that succeeds runs alone") {
        int runs = 0;
        int errors = 0;
        attempt([&] { ++runs; }, [&] { ++errors; });
        CHECK(runs == 1);
        CHECK(errors == 0);
    }

    TEST_CASE("an action that throws is followed by the handler, and the caller continues") {
        int errors = 0;
        attempt([] { throw std::runtime_error("out of luck"); }, [&] { ++errors; });
        CHECK(errors == 1);
    }

    TEST_CASE("the handler may throw again") {
        CHECK_THROWS_AS(attempt([] { throw 1; }, [] { throw; }), int);
    }
}
