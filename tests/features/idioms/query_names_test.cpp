// A text is never silently the name of a query, and a name never silently a text.
#include <kith/kith.hpp>

#include "support/errors.hpp"

#include <string>

#include <doctest/doctest.h>

using namespace kith_test;

namespace {

struct Position {
    float x = 0;
};
struct Velocity {
    float x = 0;
};

struct fixture {
    kith::world world;
    fixture() { world.entity("Bob").set(Position{1}).set(Velocity{2}); }
};

bool contains(const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_SUITE("features.idioms.query_names") {
    TEST_CASE_FIXTURE(fixture, "a text without types is an expression, with types a name") {
        CHECK(world.query("Position, Velocity").count() == 1);
        kith::query<Position> named = world.query<Position>("movers");
        CHECK(named.count() == 1);
        CHECK(named.entity().name() == "movers");
        CHECK(world.query_builder("all").expr("Position").build().count() == 1);
    }

    TEST_CASE_FIXTURE(fixture, "an expression where a name is expected is refused") {
        CHECK(contains(message_of([&] { world.query<Position>("(Likes, *)"); }), "expr()"));
        CHECK(contains(message_of([&] { world.filter<Position>("Velocity, !Bob"); }), "expr()"));
        CHECK(contains(
            message_of([&] { world.query_builder("Position, Velocity").with<Position>().build(); }),
            "expr()"));
        CHECK(refusal(world, [&] { world.query<Position>("(Likes, *)"); }) ==
              kith::errc::invalid_query);
    }

    TEST_CASE_FIXTURE(fixture, "a builder that has a name and no term asks for one") {
        CHECK(contains(message_of([&] { world.query_builder("Position").build(); }),
                       "expr(\"Position\")"));
        CHECK(refusal(world, [&] { world.query_builder("movers").build(); }) ==
              kith::errc::invalid_query);
    }

    TEST_CASE_FIXTURE(fixture, "a component cannot give a query its name") {
        CHECK(contains(message_of([&] { world.query<Velocity>("Position"); }), "is a component"));
        CHECK_FALSE(world.component<Position>().has(kith::Query));
    }

    TEST_CASE_FIXTURE(fixture, "the name of a query is no expression") {
        kith::query<Position> named = world.query<Position>("movers");
        CHECK(contains(message_of([&] { world.query("movers"); }), "is the name of a query"));
    }
}
