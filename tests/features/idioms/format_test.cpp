// Names as arguments of std::format, and of streams.
#include <kith/kith.hpp>

#include "support/format_stand_in.hpp"

#include <sstream>

#include <doctest/doctest.h>

TEST_SUITE("features.idioms.format") {
    TEST_CASE("names and paths are formatted as strings are") {
        kith::world world;
        kith::entity door = world.entity("level::door");
        CHECK(std::format("{}", door.name()) == "door");
        CHECK(std::format("{:>6}", door.name()) == "  door");
        CHECK(std::format("{}", door.path()) == "::level::door");
        CHECK(std::format("{:>15}", door.path()) == "  ::level::door");
    }

    TEST_CASE("names and paths are written to streams") {
        kith::world world;
        kith::entity door = world.entity("level::door");
        std::ostringstream out;
        out << door.name() << ' ' << door.path() << ' ' << door.type().str();
        CHECK(out.str().find("door ::level::door ") == 0);
    }
}
