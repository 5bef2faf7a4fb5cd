// Answers questions about values as JSON, one line each, for json_oracle_test.py:
//
//   schema            the JSON Schema of the type
//   world             the JSON of a world
//   random SEED       a value
//   read JSON         the value that was read, or `refused`
//   query FORM TEXT   the results of a query, for json_shell_test.py
//
// The world is that of a file, if one is given.
#include <kith/json.hpp>
#include <kith/kith.hpp>
#include <kith/value.hpp>
#include <kith/world_text.hpp>

#include <array>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

namespace {

enum class Color : std::uint8_t { Red, Green = 4 };
enum class Toppings : std::uint32_t { Bacon = 1, Lettuce = 2, Tomato = 8 };
struct Point {
    float x, y;
};
struct All {
    bool truth;
    char letter;
    std::int8_t tiny;
    std::uint16_t port;
    std::int64_t large;
    std::uint64_t huge;
    float single;
    double real;
    std::string text;
    char name[8];
    Color color;
    Toppings on;
    kith::handle who;
    std::vector<Point> way;
    std::set<int> marks;
    std::map<std::string, int> prices;
    std::map<int, bool> done;
    std::optional<float> best;
    std::optional<std::optional<int>> doubt;
    std::variant<std::monostate, Point, float> shape;
    std::tuple<int, std::string> both;
    std::array<int, 3> fixed;
    int level;
};

template <class Number>
Number any_number(std::mt19937_64& dice) {
    using limits = std::numeric_limits<Number>;
    const Number special[] = {Number(0),
                              Number(1),
                              limits::lowest(),
                              limits::max(),
                              limits::min(),
                              static_cast<Number>(dice() % 100),
                              static_cast<Number>(dice())};
    return special[dice() % 7];
}
std::string any_text(std::mt19937_64& dice) {
    static const char* const parts[] = {"a",  "\"",  "\\",  "\n", "ä", "\xF0\x9F\x9A\x80",
                                        "</", "x y", "\x01"};
    std::string text;
    for (std::uint64_t left = dice() % 4; left > 0; --left) {
        text += parts[dice() % 9];
    }
    return dice() % 8 == 0 ? text + "\xFF" : text;
}
All any_value(std::uint64_t seed, const kith::world& world) {
    std::mt19937_64 dice(seed);
    All made{};
    made.truth = dice() % 2 != 0;
    made.letter = static_cast<char>(dice());
    made.tiny = any_number<std::int8_t>(dice);
    made.port = any_number<std::uint16_t>(dice);
    made.large = any_number<std::int64_t>(dice);
    made.huge = any_number<std::uint64_t>(dice);
    made.single = any_number<float>(dice);
    made.real =
        dice() % 5 == 0 ? std::numeric_limits<double>::infinity() : any_number<double>(dice);
    made.text = any_text(dice);
    made.name[0] = static_cast<char>('a' + dice() % 26);
    made.color = Color(dice() % 6);
    made.on = Toppings(dice() % 20);
    made.who = dice() % 2 ? world.lookup("Sol").id() : 0;
    for (std::uint64_t left = dice() % 3; left > 0; --left) {
        made.way.push_back({any_number<float>(dice), 1});
        made.marks.insert(any_number<int>(dice));
        made.prices[any_text(dice)] = any_number<int>(dice);
        made.done[any_number<int>(dice)] = true;
    }
    if (dice() % 2) {
        made.best = any_number<float>(dice);
        made.doubt.emplace();
        made.shape = Point{1, 2};
    } else if (dice() % 2) {
        made.doubt = std::optional<int>(3);
        made.shape = 2.5f;
    }
    made.both = {any_number<int>(dice), any_text(dice)};
    made.fixed = {1, any_number<int>(dice), 3};
    made.level = static_cast<int>(dice() % 11);
    return made;
}

}  // namespace

template <>
inline constexpr bool kith::is_flags<Toppings> = true;

namespace {

// The results of `query FORM TEXT`; the letters of FORM are c for columns and f for flat.
std::string results(const kith::world& world, const std::string& asked) {
    const std::size_t blank = asked.find(' ');
    kith::json_options options;
    options.columns = asked.substr(0, blank).find('c') != std::string::npos;
    options.flat = asked.substr(0, blank).find('f') != std::string::npos;
    return kith::to_json(world.filter(asked.substr(blank + 1).c_str()), options);
}

}  // namespace

int main(int count, char** arguments) {
    kith::world world;
    if (count > 1) {
        std::ifstream file(arguments[1]);
        const std::string text((std::istreambuf_iterator<char>(file)),
                               std::istreambuf_iterator<char>());
        kith::load_text(world, text);
    }
    world.component<All>().reflect().on("level").range(0, 10).was("rank");
    kith::entity sol = world.entity("Sol");
    world.entity("Big \"Bob\"").set(any_value(1, world)).add(world.entity("Likes"), sol);
    std::string line;
    while (std::getline(std::cin, line)) {
        if (line == "schema") {
            std::cout << kith::json_schema<All>(world);
        } else if (line == "world") {
            std::string text = kith::to_json(world);
            for (char& c : text) {
                c = c == '\n' ? ' ' : c;
            }
            std::cout << text << '\n';
        } else if (line.starts_with("query ")) {
            std::cout << results(world, line.substr(6)) << '\n';
        } else if (line.starts_with("random ")) {
            const All value = any_value(std::strtoull(line.c_str() + 7, nullptr, 10), world);
            std::cout << kith::to_json(world, value) << '\n';
        } else if (line.starts_with("read ")) {
            All value{};
            try {
                kith::from_json(world, value, std::string_view(line).substr(5));
                std::cout << kith::to_json(world, value) << '\n';
            } catch (const kith::error&) {
                std::cout << "refused\n";
            }
        }
        std::cout.flush();
    }
}
