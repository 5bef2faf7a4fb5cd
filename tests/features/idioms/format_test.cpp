// Names as arguments of std::format, where there is one.
#include <kith/format.hpp>
#include <kith/kith.hpp>

#include <doctest/doctest.h>

TEST_SUITE("features.idioms.format") {
    TEST_CASE("names and paths are formatted as strings are") {
        kith::world world;
        kith::entity door = world.entity("level::door");
        CHECK(door.name() == "door");
#if defined(__cpp_lib_format)
        CHECK(std::format("{:>6}|{}", door.name(), door.path()) == "  door|::level::door");
#endif
    }
}
