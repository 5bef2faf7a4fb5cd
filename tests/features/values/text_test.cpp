// The canonical text of values: every kind is written, and reads back to an equal value.
#include <kith/kith.hpp>
#include <kith/value.hpp>

#include "support/errors.hpp"
#include "support/values.hpp"

#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <variant>
#include <vector>

#include <doctest/doctest.h>

namespace {

using kith_test::contains;

enum class Color : std::uint8_t { Red, Green = 4 };
enum class Toppings : std::uint32_t { None = 0, Bacon = 1, Lettuce = 2, Both = 3, Tomato = 8 };

struct Position {
    float x, y;
};
struct Circle {
    double r;
};
struct Ship {
    std::string name;
    Position at;
    Color color;
    std::vector<int> slots;
    std::optional<Position> goal;
    std::variant<std::monostate, Circle, float> shape;
    std::map<std::string, int> prices;
    kith::entity owner;
};
struct Node {
    std::vector<Node> children;
};

// The text of a value, after it was read back and written again.
template <class T>
std::string twice(const T& value) {
    const kith::world world;
    const std::string text = kith::to_text(world, value);
    T copy{};
    kith::from_text(world, copy, text);
    CHECK(kith::detail::equal_values(kith::describe<T>(), &value, &copy));
    CHECK(kith::to_text(world, copy) == text);
    return text;
}
template <class T>
std::string refusal_of(const char* text, T initial = {}) {
    return kith_test::refusal_of_reading(
        initial, [&](const kith::world& world, T& value) { kith::from_text(world, value, text); });
}

}  // namespace

template <>
inline constexpr bool kith::is_flags<Toppings> = true;

TEST_SUITE("features.values.text") {
    // spec 534
    TEST_CASE("numbers have their shortest form") {
        CHECK(twice(1.0f) == "1");
        CHECK(twice(0.1f) == "0.1");
        CHECK(twice(0.1) == "0.1");
        CHECK(twice(100000.0) == "100000");
        CHECK(twice(1e30) == "1e+30");
        CHECK(twice(-0.0) == "-0");
        CHECK(twice(std::numeric_limits<float>::denorm_min()) == "1e-45");
        CHECK(twice(std::numeric_limits<double>::infinity()) == "inf");
        CHECK(twice(-std::numeric_limits<double>::infinity()) == "-inf");
        CHECK(twice(std::numeric_limits<double>::quiet_NaN()) == "nan");
        CHECK(twice(std::numeric_limits<std::int64_t>::min()) == "-9223372036854775808");
        CHECK(twice(std::numeric_limits<std::uint64_t>::max()) == "18446744073709551615");
        CHECK(twice(true) == "true");
        CHECK(twice('a') == "'a'");
        CHECK(twice('\'') == "'\\''");
        CHECK(twice('\xff') == "'\\xff'");
    }

    // Each bracket that could begin a key is read once: twice at every level would take hours here.
    TEST_CASE("lists in braces nest to the limit in time that follows their length") {
        std::string text;
        for (int i = 0; i < 30; ++i) {
            text += "{[";
        }
        for (int i = 0; i < 30; ++i) {
            text += "]}";
        }
        const kith::world world;
        Node root;
        kith::from_text(world, root, text);
        CHECK(root.children.size() == 1);
    }

    TEST_CASE("texts keep every byte") {
        CHECK(twice(std::string("a \"b\" \\ \n")) == R"("a \"b\" \\ \n")");
        CHECK(twice(std::string("\xC3\xA4 \xff \x01", 6)) == "\"\xC3\xA4 \\xff \\x01\"");
        CHECK(twice(std::string("\0x", 2)) == R"("\x00x")");
        std::string read;
        kith::from_text(kith::world(), read, R"("\u{1f600}\0\x41")");
        CHECK(read == std::string("\xF0\x9F\x98\x80\0A", 6));
    }

    // spec 516
    TEST_CASE("enums and flags are written by name; other numbers are kept") {
        CHECK(twice(Color::Green) == "Green");
        CHECK(twice(Color{7}) == "7");
        CHECK(twice(Toppings::None) == "None");
        CHECK(twice(Toppings::Both) == "Both");
        CHECK(twice(Toppings{11}) == "Tomato|Lettuce|Bacon");
        CHECK(twice(Toppings{17}) == "Bacon|16");
        Color color{};
        kith::from_text(kith::world(), color, "Color.Green");
        CHECK(color == Color::Green);
        kith::from_text(kith::world(), color, "0");
        CHECK(color == Color::Red);
    }

    TEST_CASE("structs, containers, optionals and variants nest") {
        CHECK(twice(Position{1, 2.5f}) == "{x: 1, y: 2.5}");
        CHECK(twice(std::vector<Position>{{1, 2}, {3, 4}}) == "[{x: 1, y: 2}, {x: 3, y: 4}]");
        CHECK(twice(std::map<std::string, int>{{"a", 1}, {"b c", 2}}) == R"({a: 1, "b c": 2})");
        CHECK(twice(std::map<int, bool>{{-1, true}}) == "{[-1]: true}");
        CHECK(twice(std::unordered_map<int, int>{{3, 1}, {1, 2}, {2, 3}}) ==
              "{[1]: 2, [2]: 3, [3]: 1}");
        CHECK(twice(std::unordered_set<int>{3, 1, 2}) == "[1, 2, 3]");
        CHECK(twice(std::optional<int>{}) == "null");
        CHECK(twice(std::optional<std::optional<int>>{std::optional<int>{}}) == "[null]");
        CHECK(twice(std::optional<std::optional<int>>{}) == "[]");
        CHECK(twice(std::variant<int, Circle>{Circle{1}}) == "Circle({r: 1})");
        CHECK(twice(std::variant<int, float>{2.0f}) == "f32(2)");
        CHECK(twice(std::variant<int, int>(std::in_place_index<1>, 2)) == "#1(2)");
        CHECK(twice(Ship{
                  "Bell", {1, 2}, Color::Red, {1}, Position{3, 4}, Circle{2}, {{"a", 1}}, {}}) ==
              R"({name: "Bell", at: {x: 1, y: 2}, color: Red, slots: [1], goal: {x: 3, y: 4}, )"
              R"(shape: Circle({r: 2}), prices: {a: 1}, owner: 0})");
    }

    TEST_CASE("entities are written by path, by number, and as dead") {
        kith::world world;
        kith::entity sun = world.entity("Sol");
        const kith::entity earth = world.entity("Big Earth").child_of(sun);
        const kith::entity nameless = world.entity();
        CHECK(kith::to_text(world, earth) == "Sol.\"Big Earth\"");
        CHECK(kith::to_text(world, nameless) == "#" + std::to_string(kith::index_of(nameless)));
        kith::handle read;
        kith::from_text(world, read, kith::to_text(world, nameless));
        CHECK(read == nameless);
        kith::from_text(world, read, "Sol");
        CHECK(read == sun);
        kith::from_text(world, read, "null");
        CHECK(read == kith::entity_t{0});
        const kith::handle dead = nameless;
        nameless.destruct();
        const std::string text = kith::to_text(world, dead);
        CHECK(contains(text, "@"));
        kith::from_text(world, read, text);
        CHECK(read == dead);
    }

    TEST_CASE("members come by position or by name; those that are left out stay") {
        Position at{7, 8};
        const kith::world world;
        kith::from_text(world, at, "{1}");
        CHECK(kith::to_text(world, at) == "{x: 1, y: 8}");
        kith::from_text(world, at, "{y: 5, x: 4}");
        CHECK(kith::to_text(world, at) == "{x: 4, y: 5}");
        kith::from_text(world, at, "{\n  1, // first\n  y: 0x10,\n}");
        CHECK(kith::to_text(world, at) == "{x: 1, y: 16}");
        kith::from_text(world, at, "{}");
        CHECK(at.y == 16);
        int three[3] = {1, 2, 3};
        kith::detail::read_value(world, kith::describe<int[3]>(), three, "[9]");
        CHECK(three[0] == 9);
        CHECK(three[2] == 0);
    }

    TEST_CASE("a value that does not fit is refused with its path, and nothing changes") {
        CHECK(contains(refusal_of<Position>("{z: 1}"),
                       "invalid_value: Position.z: no such member; "
                       "Position has x, y"));
        CHECK(contains(refusal_of<Ship>("{nam: \"a\"}"), "did you mean 'name'?"));
        CHECK(contains(refusal_of<Position>("{x: 1, x: 2}"), "written twice"));
        CHECK(contains(refusal_of<Position>("{x: 1, 2}"), "behind one with a key"));
        CHECK(contains(refusal_of<Position>("{1, 2, 3}"), "only 2 members"));
        CHECK(
            contains(refusal_of<Position>("{x: 1e39}"), "Position.x: 1e+39 does not fit into f32"));
        CHECK(contains(refusal_of<Position>("{x: 1e999}"), "out of the range"));
        CHECK(contains(refusal_of<std::int8_t>("128"), "does not fit into i8"));
        CHECK(contains(refusal_of<int>("1.5"), "does not fit into i32"));
        CHECK(contains(refusal_of<unsigned>("-1"), "does not fit"));
        CHECK(contains(refusal_of<bool>("2"), "does not fit into bool"));
        CHECK(contains(refusal_of<Color>("Blue"), "no constant 'Blue'; it has Red, Green"));
        CHECK(contains(refusal_of<Ship>("{slots: [1, \"a\"]}"), "Ship.slots[1]: expected i32"));
        CHECK(contains(refusal_of<std::set<int>>("[1, 1]"), "twice"));
        CHECK(contains(refusal_of<std::map<int, int>>("{[1]: 1, [1]: 2}"), "twice"));
        CHECK(contains(refusal_of<std::variant<int, Circle>>("Square(1)"), "no alternative"));
        CHECK(contains(refusal_of<kith::handle>("Nobody"), "no entity 'Nobody'"));
        CHECK(contains(refusal_of<std::string>("7"), "expected text, found a number"));
    }

    TEST_CASE("mistakes of syntax have their place") {
        CHECK(contains(refusal_of<Position>("{x: }"), "invalid_text: 1:5: expected a value"));
        CHECK(contains(refusal_of<Position>("{x: 1"), "'{' is not closed"));
        CHECK(contains(refusal_of<Position>("{x: 1} 2"), "1:8: nothing follows a value"));
        CHECK(contains(refusal_of<std::string>("\"a"), "not closed on its line"));
        CHECK(contains(refusal_of<std::string>("\"\\q\""), "after '\\'"));
        CHECK(contains(refusal_of<double>("1."), "digits are missing"));
        CHECK(contains(refusal_of<double>("1e"), "digits are missing"));
        CHECK(contains(refusal_of<int>("12ab"), "no number"));
        CHECK(contains(refusal_of<std::string>("\"\xff\""), "not UTF-8"));
        CHECK(contains(refusal_of<int>(""), "a value is missing"));
    }

    // spec 522
    TEST_CASE("limits of depth and length are errors") {
        CHECK(contains(refusal_of<Node>(std::string(100000, '[').c_str()), "limit: "));
        CHECK(contains(refusal_of<double>(std::string(500, '1').c_str()), "limit: "));
        Node chain;
        for (int i = 0; i < 100; ++i) {
            Node outer;
            outer.children.push_back(std::move(chain));
            chain = std::move(outer);
        }
        const kith::world world;
        CHECK(kith_test::refusal(world, [&] { kith::to_text(world, chain); }) == kith::errc::limit);
    }

    TEST_CASE("a part without description cannot be written") {
        struct Holder {
            int* pointer;
        };
        const kith::world world;
        CHECK(kith_test::refusal(world, [&] { kith::to_text(world, Holder{}); }) ==
              kith::errc::invalid_type);
    }
}
