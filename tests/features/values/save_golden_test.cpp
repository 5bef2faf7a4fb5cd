// Files of version 1 that were written once: every later program reads them.
#include <kith/kith.hpp>
#include <kith/save.hpp>
#include <kith/value.hpp>

#include "support/file_forge.hpp"

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include <doctest/doctest.h>

namespace golden {

enum class Rank : std::uint8_t { Pawn = 1, King = 9 };
enum class Side { White, Black };

struct Numbers {
    bool truth = false;
    char letter = 0;
    std::int8_t i8 = 0;
    std::int16_t i16 = 0;
    std::int32_t i32 = 0;
    std::int64_t i64 = 0;
    std::uint8_t u8 = 0;
    std::uint16_t u16 = 0;
    std::uint32_t u32 = 0;
    std::uint64_t u64 = 0;
    float f32 = 0;
    double f64 = 0;
    Rank rank = Rank::Pawn;
};
struct Spot {
    float x = 0;
    float y = 0;
};
struct Parts {
    std::string text;
    Spot spots[2];
    std::vector<Spot> list;
    std::set<int> set;
    std::map<std::string, int> map;
    std::optional<double> maybe;
    std::variant<int, std::string> either;
    std::tuple<int, float> pair;
    kith::handle friend_of;
};
struct Rare {
    int number = 0;
};
struct Bond {
    int strength = 0;
};
struct Score {
    long points = 0;
};
struct Marked {};

}  // namespace golden

using namespace golden;

namespace {

void describe(const kith::world& world) {
    kith::reflect<Numbers, Parts, Spot, Rare, Bond, Score>();
    world.component<Rare>().add(kith::Sparse);
    world.component<Marked>();
    world.component<Side>();
}

Numbers some_numbers() {
    return {true,         'k',    -8,        -1600,       -320000,
            -64000000000, 200,    60000,     4000000000u, 18000000000000000000ull,
            0.1f,         1e-300, Rank::King};
}

void fill(const kith::world& world) {
    describe(world);
    kith::entity likes = world.entity("likes").add(kith::Sparse);
    kith::entity ship = world.entity("ship").set(some_numbers());
    kith::entity mast = world.entity("ship::mast").set(Rare{7}).add<Marked>();
    Parts parts;
    parts.text = "a \"text\" with \n and \xC3\xA9";
    parts.spots[1] = {1, 2};
    parts.list = {{3, 4}, {5, 6}, {7, 8}};
    parts.set = {3, 1, 2};
    parts.map = {{"b", 2}, {"a", 1}};
    parts.maybe = 2.5;
    parts.either = std::string("other");
    parts.pair = {4, 0.25f};
    parts.friend_of = ship;
    mast.set(parts);
    ship.add(likes, mast).set<Bond>(mast, Bond{3}).add(Side::Black);
    mast.disable<Rare>();
    world.entity("gone").destruct();
    world.set(Score{1234567890123});
    kith::entity prefab = world.prefab("Hull").set(Spot{9, 9});
    world.entity("boat").is_a(prefab);
    const kith::entity item =
        world.component("Item").member<float>("weight").range(0, 100).member(kith::String, "name");
    kith::edit(world.entity("sword").add(item), item).parse("", R"({weight: 2.5, name: "x"})");
    for (int i = 0; i < 200; ++i) {
        world.entity().set(Spot{static_cast<float>(i), -1}).add(likes, ship);
    }
}

void check_ship(const kith::world& world) {
    const kith::entity ship = world.lookup("ship");
    const kith::entity mast = world.lookup("ship::mast");
    REQUIRE(ship);
    REQUIRE(mast);
    CHECK(kith::value_of(ship, kith::type_id<Numbers>()).str() ==
          "{truth: true, letter: 'k', i8: -8, i16: -1600, i32: -320000, i64: -64000000000, u8: "
          "200, u16: 60000, u32: 4000000000, u64: 18000000000000000000, f32: 0.1, f64: 1e-300, "
          "rank: King}");
    const Parts& parts = *mast.get<Parts>();
    CHECK(parts.text == "a \"text\" with \n and \xC3\xA9");
    CHECK(parts.spots[1].y == 2);
    REQUIRE(parts.list.size() == 3);
    CHECK(parts.list[2].x == 7);
    CHECK(parts.set == std::set{1, 2, 3});
    CHECK(parts.map == std::map<std::string, int>{{"a", 1}, {"b", 2}});
    CHECK(parts.maybe == 2.5);
    CHECK(std::get<std::string>(parts.either) == "other");
    CHECK(parts.pair == std::tuple{4, 0.25f});
    CHECK(parts.friend_of == ship.id());
    CHECK(ship.get<Bond>(mast)->strength == 3);
    CHECK(ship.has(world.lookup("likes"), mast));
    CHECK(mast.has<Marked>());
    CHECK(ship.has(Side::Black));
    world.check();
}

void check_whole(const kith::world& world) {
    check_ship(world);
    CHECK(world.lookup("ship::mast").get<Rare>()->number == 7);
    CHECK_FALSE(world.lookup("ship::mast").enabled<Rare>());
    CHECK(world.get<Score>()->points == 1234567890123);
    CHECK(world.lookup("boat").get<Spot>()->x == 9);
    CHECK_FALSE(world.lookup("boat").owns<Spot>());
    const kith::entity item = world.lookup("Item");
    CHECK(kith::value_of(world.lookup("sword"), item).str() == R"({weight: 2.5, name: "x"})");
    CHECK(world.count<Spot>() == 201);
    CHECK(world.count(kith::make_pair(world.lookup("likes"), world.lookup("ship"))) == 200);
}

std::string path_of(const char* name) {
    return std::string(KITH_CORPUS_PATH "/../golden/v1_") + name + ".kithb";
}
std::string read_golden(const char* name) {
    std::ifstream from(path_of(name), std::ios::binary);
    std::ostringstream text;
    text << from.rdbuf();
    return text.str();
}

kith::save_options form_of(const char* name) {
    kith::save_options options;
    options.zstd = std::string_view(name) == "zstd";
    options.planes = std::string_view(name) == "planes";
    options.query = std::string_view(name) == "part" ? "golden.Numbers || golden.Parts" : nullptr;
    return options;
}

constexpr const char* all_forms[] = {"plain", "zstd", "planes", "part"};

bool can_unpack() {
    try {
        kith::save_to_string(kith::world(), form_of("zstd"));
        return true;
    } catch (const kith::error&) {
        return false;
    }
}

std::string refusal(const std::string& file) {
    try {
        kith::load_from_string(kith::world(), file);
    } catch (const kith::error& refused) {
        CHECK(refused.code() == kith::errc::invalid_file);
        return refused.what();
    }
    return "";
}

}  // namespace

TEST_SUITE("features.values.save_golden") {
    // The files are never written again: a new version of the format gets files of its own.
    TEST_CASE("writes the files of a new version" * doctest::skip()) {
        if (std::getenv("KITH_WRITE_GOLDEN")) {
            const kith::world world;
            fill(world);
            for (const char* name : all_forms) {
                kith::save(world, path_of(name).c_str(), form_of(name));
            }
        }
    }

    // spec 585
    TEST_CASE("files of version 1 are read") {
        for (const char* name : all_forms) {
            CAPTURE(name);
            if (form_of(name).zstd || form_of(name).planes) {
                if (!can_unpack()) {
                    continue;
                }
            }
            const std::string file = read_golden(name);
            REQUIRE(file.size() > 64);
            CHECK(kith::check_file(path_of(name).c_str()).entities > 0);
            kith::world fresh;
            describe(fresh);
            const bool is_part = std::string_view(name) == "part";
            if (is_part) {
                fresh.entity("likes").add(kith::Sparse);
            }
            CHECK(kith::load_from_string(fresh, file).exact == !is_part);
            kith::world used;
            describe(used);
            used.entity("present");
            if (is_part) {
                used.entity("likes").add(kith::Sparse);
                kith::load_from_string(used, file);
                check_ship(fresh);
                check_ship(used);
                continue;
            }
            kith::load_from_string(used, file);
            check_whole(fresh);
            check_whole(used);
        }
    }

    // spec 585
    TEST_CASE("files of newer versions and of another byte order are refused by name") {
        std::string newer = read_golden("plain");
        newer[8] = 2;
        file_forge::repair(newer);
        CHECK(refusal(newer).find("the file has version 2, and this program reads version 1") !=
              std::string::npos);
        std::string swapped = read_golden("plain");
        std::swap(swapped[12], swapped[15]);
        std::swap(swapped[13], swapped[14]);
        file_forge::repair(swapped);
        CHECK(refusal(swapped).find("order of bytes") != std::string::npos);
        std::string flagged = read_golden("plain");
        flagged[19] = 1;
        file_forge::repair(flagged);
        CHECK(refusal(flagged).find("flags that this program does not know") != std::string::npos);
        // Numbers are little endian, whatever the machine.
        const std::string file = read_golden("plain");
        CHECK(file.substr(0, 16) == std::string("KITHSAVE\x01\0\0\0\x04\x03\x02\x01", 16));
        CHECK(refusal(file.substr(0, 40)) != "");
        CHECK(refusal("") != "");
        CHECK(refusal("KITHSAVE") != "");
    }

    // spec 585
    TEST_CASE("parts that later programs add are kept and saved again") {
        const kith::world world;
        describe(world);
        world.entity("a").set(Spot{1, 2});
        std::string file = kith::save_to_string(world);
        // The new part takes the place of the last one, which gets the next number.
        const std::size_t end = file.size() - 24;
        std::string last = file.substr(end);
        std::string part = last;
        part.replace(0, 4, "XNEW");
        part[8] = 5;
        part += "hello";
        ++last[4];
        file.replace(end, 24, part + last);
        file_forge::repair(file);
        const kith::world copy;
        kith::load_from_string(copy, file);
        CHECK(copy.lookup("a").get<Spot>()->y == 2);
        const std::string again = kith::save_to_string(copy);
        CHECK(again.find("XNEW") != std::string::npos);
        CHECK(again.find("hello") != std::string::npos);
    }
}
