// The cursor: steps through values, in the vocabulary of Flecs.
#include <kith/kith.hpp>
#include <kith/meta.hpp>
#include <kith/units.hpp>
#include <kith/value.hpp>

#include "support/errors.hpp"

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <doctest/doctest.h>

namespace {

using kith::errc;
using kith_test::error_of;

enum class Color { red, green, blue };
struct Point {
    float x;
    float y;
};
struct Line {
    Point start;
    Point stop;
};
struct All {
    bool truth;
    char letter;
    std::int32_t number;
    std::uint8_t small;
    double real;
    std::string text;
    Color color;
    kith::handle who;
    std::vector<Point> points;
    std::optional<int> maybe;
    std::map<std::string, int> counts;
    std::variant<int, Point> shape;
    int fixed[3];
};

}  // namespace

// spec 531
TEST_SUITE("features.values.cursor") {
    TEST_CASE("members are written one by one, by next() and by name") {
        kith::world world;
        Line line{};
        kith::cursor at = world.cursor<Line>(&line);
        CHECK(at.push() == 0);
        CHECK(std::string(at.get_member()) == "start");
        CHECK(at.push() == 0);
        CHECK(at.set_float(10) == 0);
        CHECK(at.next() == 0);
        CHECK(at.set_float(20) == 0);
        CHECK(at.pop() == 0);
        CHECK(at.member("stop") == 0);
        CHECK(at.push() == 0);
        CHECK(at.member("y") == 0);
        CHECK(at.set_int(40) == 0);
        CHECK(at.member("x") == 0);
        CHECK(at.set_string("30") == 0);
        CHECK(at.pop() == 0);
        CHECK(at.pop() == 0);
        CHECK(std::string(world.to_expr(&line)) == "{start: {x: 10, y: 20}, stop: {x: 30, y: 40}}");
    }

    TEST_CASE("all kinds are written and read") {
        kith::world world;
        const kith::entity ann = world.entity("Ann");
        All all{};
        kith::cursor at = world.cursor<All>(&all);
        at.push();
        at.set_bool(true);
        CHECK(at.get_bool());
        at.member("letter");
        at.set_char('q');
        CHECK(at.get_char() == 'q');
        at.member("number");
        at.set_int(-7);
        CHECK(at.get_int() == -7);
        CHECK(at.get_float() == -7);
        at.member("small");
        at.set_uint(200);
        CHECK(at.get_uint() == 200);
        at.member("real");
        at.set_float(2.5);
        CHECK(at.get_float() == 2.5);
        at.member("text");
        at.set_string("a \"b\"");
        CHECK(std::string(at.get_string()) == "a \"b\"");
        at.set_string_literal("\"c\"");
        CHECK(all.text == "c");
        at.member("color");
        at.set_string("blue");
        CHECK(at.get_int() == 2);
        at.member("who");
        at.set_entity(ann);
        CHECK(at.get_entity() == ann);
        at.set_null();
        CHECK(all.who.id() == 0);
        at.set_string("Ann");
        CHECK(all.who.id() == ann.id());
        at.member("maybe");
        at.set_int(4);
        CHECK(at.get_int() == 4);
        at.set_null();
        CHECK_FALSE(all.maybe);
        CHECK(*static_cast<char*>(world.cursor<char>(&all.letter).get_ptr()) == 'q');
    }

    TEST_CASE("collections: elements, lists that grow, keys, alternatives") {
        kith::world world;
        All all{};
        kith::cursor at = world.cursor<All>(&all);
        at.push();
        CHECK_FALSE(at.is_collection());
        at.member("points");
        at.push();
        CHECK(at.is_collection());
        for (int i = 0; i < 3; ++i) {
            at.push();
            at.set_int(i);
            at.pop();
            at.next();
        }
        CHECK(all.points.size() == 3);
        CHECK(all.points[2].x == 2);
        at.elem(1);
        at.push();
        at.member("y");
        at.set_float(9);
        CHECK(all.points[1].y == 9);
        at.pop();
        CHECK(error_of([&] { at.elem(4); }) == errc::invalid_operation);
        CHECK(error_of([&] { at.elem(-1); }) == errc::invalid_operation);
        at.pop();
        at.member("counts");
        at.push();
        at.key("ore");
        at.set_int(5);
        at.key("ice");
        at.set_int(6);
        CHECK(all.counts == std::map<std::string, int>{{"ice", 6}, {"ore", 5}});
        at.pop();
        at.member("shape");
        at.push();
        at.member("Point");
        at.push();
        at.set_float(3);
        CHECK(std::get<Point>(all.shape).x == 3);
        at.pop();
        at.pop();
        at.member("fixed");
        at.push();
        at.elem(2);
        at.set_int(8);
        CHECK(all.fixed[2] == 8);
        CHECK(error_of([&] { at.next(); }) == errc::invalid_operation);
    }

    TEST_CASE("types without C++ are stepped through as well, and dotmember() goes down") {
        kith::world world;
        const kith::entity point = world.component("P").member<float>("x").member<float>("y");
        const kith::entity line = world.component("L").member(point, "start").member(point, "stop");
        kith::entity one = world.entity().add(line);
        kith::cursor at = world.cursor(line, one.get_mut(line));
        at.push();
        at.dotmember("stop.y");
        at.set_float(7);
        CHECK(at.get_type() == kith::entity_t(kith::F32));
        CHECK(std::string(world.to_expr(line, one.get(line))) ==
              "{start: {x: 0, y: 0}, stop: {x: 0, y: 7}}");
        at.pop();
        CHECK(at.get_type() == point.id());
    }

    TEST_CASE("ranges and read-only members are respected, and nobody is notified") {
        kith::world world;
        kith::reflect<Point>();
        world.component<Point>().on("x").range(0, 10).on("y").read_only();
        kith::entity one = world.entity().set(Point{1, 2});
        int sets = 0;
        world.observer<Point>().event(kith::OnSet).each([&](Point&) { ++sets; });
        kith::cursor at = world.cursor<Point>(one.get_mut<Point>());
        at.push();
        CHECK(error_of([&] { at.set_float(11); }) == errc::invalid_value);
        at.set_float(10);
        at.next();
        CHECK(error_of([&] { at.set_float(1); }) == errc::invalid_operation);
        CHECK(sets == 0);
        CHECK(one.get<Point>()->x == 10);
        CHECK(one.get<Point>()->y == 2);
    }

    TEST_CASE("a member has a unit") {
        kith::world world;
        const kith::entity meters = world.entity("Meters").unit("m");
        world.component<Point>().member<float>(meters, "x").member<float>("y");
        Point point{};
        kith::cursor at = world.cursor<Point>(&point);
        at.push();
        CHECK(at.get_unit() == meters);
        at.next();
        CHECK_FALSE(at.get_unit());
    }

    TEST_CASE("steps that lead nowhere are refused, and the cursor stays where it was") {
        kith::world world;
        All all{};
        kith::cursor at = world.cursor<All>(&all);
        CHECK(error_of([&] { at.pop(); }) == errc::invalid_operation);
        CHECK(error_of([&] { at.next(); }) == errc::invalid_operation);
        CHECK(error_of([&] { at.member("text"); }) == errc::invalid_operation);
        CHECK(error_of([&] { at.elem(0); }) == errc::invalid_operation);
        at.push();
        CHECK(error_of([&] { at.push(); }) == errc::invalid_operation);
        CHECK(error_of([&] { at.member("txt"); }) == errc::invalid_operation);
        CHECK(error_of([&] { at.key("a"); }) == errc::invalid_operation);
        CHECK(error_of([&] { at.set_int(2); }) == errc::invalid_value);
        CHECK(std::string(at.get_member()) == "truth");
        at.member("text");
        CHECK(error_of([&] { at.get_int(); }) == errc::wrong_type);
        CHECK(error_of([&] { at.get_entity(); }) == errc::wrong_type);
        CHECK(error_of([&] { at.set_float(1); }) == errc::invalid_value);
        at.member("small");
        CHECK(error_of([&] { at.set_int(256); }) == errc::invalid_value);
        CHECK(error_of([&] { at.get_string(); }) == errc::wrong_type);
        CHECK(error_of([&] { world.cursor<All>(nullptr); }) == errc::invalid_operation);
        CHECK(error_of([&] { world.cursor(world.entity("Tag"), &all); }) == errc::wrong_type);
    }
}
