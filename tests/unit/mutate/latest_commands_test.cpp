#include "mutate/context/latest_commands.hpp"

#include <doctest/doctest.h>

using kith::make_pair;
using kith::mutate::latest_commands;

namespace {

struct fixture {
    ~fixture() { latest.release(mem); }
    void take(kith::entity_t from, kith::id_t pattern, std::uint32_t order, kith::id_t spared = 0) {
        latest.put_taking(mem, from, pattern, spared, order);
    }
    static constexpr kith::entity_t e = 5000;
    static constexpr kith::entity_t other = 5001;
    static constexpr kith::id_t tag = 6000;
    static constexpr kith::id_t pair = make_pair(6001, 6002);
    kith::containers::memory mem{nullptr};
    latest_commands latest;
};

}  // namespace

TEST_SUITE("unit.mutate.latest_commands") {
    TEST_CASE_FIXTURE(fixture, "the last command about the same counts") {
        CHECK(latest.last(1, e, tag) == latest_commands::none);
        latest.put(mem, 1, e, tag, 0, 3);
        latest.put(mem, 1, e, tag, 0, 8);
        latest.put(mem, 2, e, tag, 0, 9);
        CHECK(latest.last(1, e, tag) == 8);
        CHECK(latest.last(1, other, tag) == latest_commands::none);
    }

    TEST_CASE_FIXTURE(fixture, "commands by the one who asks do not count") {
        latest.put(mem, 1, 0, tag, e, 3);
        CHECK(latest.last(1, 0, tag, e) == latest_commands::none);
        CHECK(latest.last(1, 0, tag, other) == 3);
        latest.put(mem, 1, 0, tag, other, 5);
        latest.put(mem, 1, 0, tag, e, 7);
        latest.put(mem, 1, 0, tag, e, 9);
        CHECK(latest.last(1, 0, tag, e) == 5);
        CHECK(latest.last(1, 0, tag, other) == 9);
    }

    TEST_CASE_FIXTURE(fixture, "commands may be put in any order") {
        latest.put(mem, 1, 0, tag, e, 9);
        latest.put(mem, 1, 0, tag, other, 4);
        latest.put(mem, 1, 0, tag, e, 2);
        CHECK(latest.last(1, 0, tag, e) == 4);
        CHECK(latest.last(1, 0, tag, other) == 9);
    }

    TEST_CASE_FIXTURE(fixture, "patterns take what they stand for") {
        take(e, make_pair(kith::Wildcard, 6002), 1);
        CHECK(latest.last_taking(e, pair) == 1);
        CHECK(latest.last_taking(e, make_pair(6001, 6003)) == latest_commands::none);
        take(e, make_pair(6001, kith::Any), 2);
        CHECK(latest.last_taking(e, pair) == 2);
        take(e, make_pair(kith::Any, kith::Wildcard), 3);
        CHECK(latest.last_taking(e, pair) == 3);
        CHECK(latest.last_taking(e, tag) == latest_commands::none);
        take(e, kith::Wildcard, 4);
        CHECK(latest.last_taking(e, tag) == 4);
        CHECK(latest.last_taking(e, pair) == 3);
        CHECK(latest.last_taking(e, kith::Override | tag) == latest_commands::none);
        take(e, 0, 5);
        CHECK(latest.last_taking(e, kith::Override | tag) == 5);
        CHECK(latest.last_taking(other, pair) == latest_commands::none);
    }

    TEST_CASE_FIXTURE(fixture, "what is taken from all is taken from each") {
        take(0, pair, 4);
        CHECK(latest.last_taking(e, pair) == 4);
        CHECK(latest.last_taking(other, pair) == 4);
    }

    TEST_CASE_FIXTURE(fixture, "a pair that replaces others is spared") {
        take(e, make_pair(6001, kith::Wildcard), 4, pair);
        CHECK(latest.last_taking(e, pair) == latest_commands::none);
        CHECK(latest.last_taking(e, make_pair(6001, 6003)) == 4);
        take(e, make_pair(6001, kith::Wildcard), 6, make_pair(6001, 6003));
        CHECK(latest.last_taking(e, pair) == 6);
        CHECK(latest.last_taking(e, make_pair(6001, 6003)) == 4);
    }
}
