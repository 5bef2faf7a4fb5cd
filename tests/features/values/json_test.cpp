// Values as JSON: every kind out and in, exact numbers, strict reading.
#include <kith/json.hpp>
#include <kith/kith.hpp>
#include <kith/value.hpp>

#include "support/errors.hpp"
#include "support/values.hpp"

#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include <doctest/doctest.h>

namespace {

using kith_test::contains;

enum class Color : std::uint8_t { Red, Green = 4 };
enum class Toppings : std::uint32_t { Bacon = 1, Lettuce = 2, Tomato = 8 };

struct Position {
    float x, y;
};
struct Ship {
    std::string name;
    Color color;
    Toppings on;
    std::vector<Position> way;
    std::optional<int> best;
    std::variant<std::monostate, Position, float> shape;
    std::map<std::string, int> prices;
    std::map<int, bool> flags;
    kith::entity owner;
    char letter;
};

// The JSON of a value, after it was read back and compared.
template <class T>
std::string twice(const T& value, const kith::json_options& options = {}) {
    const kith::world world;
    const std::string text = kith::to_json(world, value, options);
    T copy{};
    kith::from_json(world, copy, text);
    CHECK(kith::to_text(world, copy) == kith::to_text(world, value));
    return text;
}
template <class T>
std::string refusal_of(std::string_view text) {
    return kith_test::refusal_of_reading(
        T{}, [&](const kith::world& world, T& value) { kith::from_json(world, value, text); });
}

}  // namespace

template <>
inline constexpr bool kith::is_flags<Toppings> = true;

TEST_SUITE("features.values.json") {
    // spec 540
    TEST_CASE("values of all kinds are written and read") {
        CHECK(twice(Position{1, 2.5f}) == R"({"x":1, "y":2.5})");
        CHECK(twice(Position{1, 2.5f}, {.compact = true}) == R"({"x":1,"y":2.5})");
        const Ship ship{"Bell \"B\"\n", Color::Green, Toppings{3}, {{1, 2}}, 7,
                        Position{3, 4}, {{"a", 1}},   {{2, true}}, {},       'x'};
        CHECK(twice(ship) ==
              R"({"name":"Bell \"B\"\n", "color":"Green", "on":"Lettuce|Bacon", )"
              R"("way":[{"x":1, "y":2}], "best":7, "shape":{"Position":{"x":3, "y":4}}, )"
              R"("prices":{"a":1}, "flags":[[2, true]], "owner":0, "letter":"x"})");
        CHECK(contains(twice(Ship{}), R"("best":null, "shape":null)"));
        CHECK(twice(Color{9}) == "\"9\"");
        CHECK(twice(std::set<int>{2, 1}) == "[1, 2]");
        CHECK(twice(std::string("a\xff", 2)) == R"({"$bytes":"Yf8="})");
        CHECK(twice('\xff') == R"({"$bytes":"/w=="})");
        CHECK(twice(std::optional<std::optional<int>>{std::optional<int>{}}) == "[null]");
    }

    TEST_CASE("entities are written by path and found again") {
        kith::world world;
        kith::entity sun = world.entity("Sol");
        kith::handle read;
        CHECK(kith::to_json(world, sun) == "\"Sol\"");
        kith::from_json(world, read, "\"Sol\"");
        CHECK(read == sun);
        kith::from_json(world, read, "0");
        CHECK(read == kith::entity_t{0});
    }

    // spec 541
    TEST_CASE("numbers are exact") {
        CHECK(twice(0.1f) == "0.1");
        CHECK(twice(std::numeric_limits<double>::max()) == "1.7976931348623157e+308");
        CHECK(twice(std::numeric_limits<double>::denorm_min()) == "5e-324");
        CHECK(twice(-0.0) == "-0");
        CHECK(twice(std::numeric_limits<float>::quiet_NaN()) == "\"NaN\"");
        CHECK(twice(-std::numeric_limits<double>::infinity()) == "\"-Infinity\"");
        CHECK(twice(std::numeric_limits<std::uint64_t>::max()) == "18446744073709551615");
        CHECK(twice(std::numeric_limits<std::int64_t>::min(), {.safe_integers = true}) ==
              "\"-9223372036854775808\"");
        CHECK(contains(refusal_of<float>("1e999"), "out of the range"));
        CHECK(contains(refusal_of<float>("1e39"), "does not fit into f32"));
        CHECK(contains(refusal_of<int>("1.5"), "does not fit into i32"));
        CHECK(contains(refusal_of<int>("\"5\""), "expected i32"));
    }

    TEST_CASE("members that are left out stay") {
        const kith::world world;
        Position at{1, 2};
        kith::from_json(world, at, R"({"y":5})");
        CHECK(at.x == 1);
        CHECK(at.y == 5);
    }

    TEST_CASE("a refused text changes nothing, and its message has place and path") {
        CHECK(contains(refusal_of<Position>("{\"x\":1,\n \"z\":2}"),
                       "invalid_text: 2:2: Position.z: no such member; Position has x, y"));
        CHECK(contains(refusal_of<Ship>(R"({"nam":""})"), "did you mean 'name'?"));
        CHECK(contains(refusal_of<Ship>(R"({"way":[{"x":"a"}]})"),
                       "1:14: Ship.way[0].x: expected f32"));
        CHECK(contains(refusal_of<Position>(R"({"x":1,"x":2})"), "twice"));
        CHECK(contains(refusal_of<Position>(R"({"x":1} )"
                                            "x"),
                       "nothing follows"));
        CHECK(contains(refusal_of<std::vector<int>>(std::string(1000, '[')), "limit: "));
        CHECK(contains(refusal_of<Color>("\"Blue\""), "no constant 'Blue'"));
        CHECK(contains(refusal_of<std::string>(R"({"$bytes":"?"})"), "base64"));
        CHECK(contains(refusal_of<std::string>(R"({"$bytes":1234})"), "base64"));
    }

    // Columns count code points, in messages about values as in those about syntax.
    TEST_CASE("letters of several bytes count as one column") {
        CHECK(contains(refusal_of<std::vector<std::string>>(R"(["äöü", 5])"),
                       "1:9: [text][1]: expected text"));
        CHECK(contains(refusal_of<std::vector<std::string>>(R"(["äöü", x])"), "1:9: "));
    }

    TEST_CASE("html_safe escapes what browsers would read") {
        CHECK(twice(std::string("</a>\xE2\x80\xA8"), {.html_safe = true}) ==
              R"("\u003c\u002fa>\u2028")");
    }

    // spec 521
    TEST_CASE("the component of an entity is set once, with range and validation") {
        struct Health {
            int points, most;
        };
        kith::reflect<Health>();
        kith::world world;
        world.component<Health>().on("points").range(0, 100).validate([](const Health& value) {
            return value.points > value.most ? "more points than allowed" : nullptr;
        });
        int sets = 0;
        world.observer<Health>().event(kith::OnSet).each([&](Health&) { ++sets; });
        kith::entity hero = world.entity();
        const kith::id_t health = world.id<Health>();
        kith::set_json(hero, health, R"({"points":5, "most":9})");
        CHECK(sets == 1);
        CHECK(kith::to_json(hero, health) == R"({"points":5, "most":9})");
        for (const char* text : {R"({"points":10})", R"({"points":-1})", R"({"points":101})"}) {
            CHECK(kith_test::refusal(world, [&] { kith::set_json(hero, health, text); }) ==
                  kith::errc::invalid_text);
            CHECK(kith_test::refusal(world, [&] {
                      kith::edit<Health>(hero).parse("", std::string("{points: 200}"));
                  }) == kith::errc::invalid_value);
        }
        CHECK(sets == 1);
    }
}
