// Components that end while the queue has values of them.
#include <kith/kith.hpp>

#include "support/errors.hpp"

#include <string>

using kith::errc;
using kith_test::error_of;

namespace {

struct Text {
    std::string text;
};
struct Point {
    double x = 0;
    double y = 0;
};
const char* const long_text = "a value that is long enough to be on the heap";

}  // namespace

TEST_SUITE("features.components.ended_components") {
    // As if the commands had run one by one: the type becomes known again.
    TEST_CASE("a queued value outlives its component") {
        kith::world world;
        auto e = world.entity();
        auto type = world.component<Text>();
        world.defer([&] {
            type.destruct();
            e.set(Text{long_text});
        });
        REQUIRE(e.has<Text>());
        CHECK(e.get<Text>()->text == long_text);
        world.check();
    }

    TEST_CASE("queued values of one entity outlive their component") {
        kith::world world;
        auto e = world.entity();
        auto type = world.component<Text>();
        world.defer([&] {
            type.destruct();
            e.emplace<Text>(long_text);
            e.set(Point{1, 2});
            e.get_mut<Text>()->text += '!';
        });
        CHECK(e.get<Text>()->text == std::string(long_text) + '!');
        CHECK(e.get<Point>()->y == 2);
    }

    TEST_CASE("a queued value outlives a component that is deleted with what has it") {
        kith::world world;
        auto e = world.entity();
        world.set(Point{1, 2});
        world.defer([&] {
            world.delete_with<Point>();
            e.set(Point{3, 4});
        });
        CHECK(e.get<Point>()->x == 3);
        CHECK(world.get<Point>() == nullptr);
    }

    TEST_CASE("a queued value of a pair outlives its component") {
        kith::world world;
        auto e = world.entity();
        auto relation = world.entity("R");
        auto type = world.component<Text>();
        world.defer([&] {
            type.destruct();
            e.set_second<Text>(relation, {long_text});
        });
        CHECK(e.get_second<Text>(relation)->text == long_text);
        world.check();
    }

    TEST_CASE("a value of a run-time component that has ended is refused") {
        kith::world world;
        auto e = world.entity();
        kith::type_info info{};
        info.size = sizeof(int);
        info.alignment = alignof(int);
        info.zero_construct = info.trivial_copy = info.trivial_move = info.trivial_destroy = true;
        auto type = kith::untyped_component(world, world.entity("Number")).define(info);
        const int value = 7;
        CHECK(error_of([&] {
                  world.defer([&] {
                      type.destruct();
                      e.set_ptr(type, sizeof value, &value);
                  });
              }) == errc::invalid_id);
        CHECK_FALSE(type.is_alive());
        world.check();
    }
}
