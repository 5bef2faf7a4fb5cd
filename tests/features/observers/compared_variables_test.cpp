// A comparison gives a variable no value that it would have to have before.
#include <kith/kith.hpp>

#include "support/errors.hpp"

#include <doctest/doctest.h>

using namespace kith_test;

namespace {

int count_of(const kith::query<>& query) {
    int count = 0;
    query.iter([&](kith::iter& it) { count += it.count() ? static_cast<int>(it.count()) : 1; });
    return count;
}

}  // namespace

TEST_SUITE("features.observers.compared_variables") {
    TEST_CASE("monitors and queries agree on variables that are compared with themselves") {
        const char* texts[] = {
            "$this == $this",
            "{?e1(e1)} || {T($y, e0)}, $y == $y",
            "{!e1(e1)} || {T($y, e0)}, $y == $y",
            "{?e1(e1)} || {T($y, e0)}, $y == $z, $z == $y",
            "?T($y, e0), $y == $y",
        };
        for (const char* text : texts) {
            CAPTURE(text);
            kith::world world;
            kith::entity e0 = world.entity("e0"), e1 = world.entity("e1"), t = world.entity("T");
            kith::query<> query = world.query(text);
            int told = count_of(query);
            auto monitor = query.monitor([&](kith::iter& it) {
                const int rows = it.count() ? static_cast<int>(it.count()) : 1;
                told += it.event() == kith::OnAdd ? rows : -rows;
            });
            kith::entity made = world.entity("new");
            CHECK(told == count_of(query));
            made.add(t, e0);
            CHECK(told == count_of(query));
            e1.add(e1);
            CHECK(told == count_of(query));
            made.destruct();
            CHECK(told == count_of(query));
        }
    }

    // A variable that some alternatives leave unset is skipped by what compares it.
    TEST_CASE("a comparison with itself does not range over all entities") {
        kith::world world;
        world.entity("e0");
        world.entity("e1");
        world.entity("T");
        CHECK(count_of(world.query("{?e1(e1)} || {T($y, e0)}, $y == $y")) == 1);
        CHECK(count_of(world.query("{?e1(e1)} || {T($y, e0)}, $y == $z, $z == $y")) == 1);
    }

    TEST_CASE("a variable that is only compared has no value") {
        kith::world world;
        for (const char* text : {"$y == $y", "$x == $y", "$x == $y, $y == $x"}) {
            CHECK(error_of([&] { world.query(text); }) == kith::errc::invalid_query);
        }
    }
}
