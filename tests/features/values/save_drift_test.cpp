// Save files that are read by programs whose types have changed.
#include <kith/kith.hpp>
#include <kith/save.hpp>
#include <kith/value.hpp>

#include "support/file_forge.hpp"

#include <stdexcept>
#include <string>
#include <vector>

#include <doctest/doctest.h>

struct renamed {
    long count = 0;
    double size = 0;
};
struct vanished {
    int number = 0;
};
enum class vanished_color { red, green };
struct upgraded {
    int points = 0;
    int doubled = 0;
    std::string text;
};

namespace {

// A file as a program writes it whose types have another name of the same length.
std::string renamed_in_file(std::string file, const std::string& name, const std::string& as) {
    REQUIRE(name.size() == as.size());
    for (std::size_t at = file.find(name); at != std::string::npos; at = file.find(name, at)) {
        file.replace(at, name.size(), as);
    }
    file_forge::repair(file);
    return file;
}

// A type by a short text: a primitive, `?T`, `[T]`, `[T;n]` with one digit, `{T}` as a map of
// texts.
kith::entity_t type_of(const kith::world& world, const std::string& text) {
    const std::string inner = text.size() > 2 ? text.substr(1, text.size() - 2) : "";
    if (text[0] == '?') {
        return world.optional(type_of(world, text.substr(1)));
    }
    if (text[0] == '[' && inner.size() > 2 && inner[inner.size() - 2] == ';') {
        return world.array(type_of(world, inner.substr(0, inner.size() - 2)), inner.back() - '0');
    }
    if (text[0] == '[') {
        return world.vector(type_of(world, inner));
    }
    if (text[0] == '{') {
        return world.map(kith::String, type_of(world, inner));
    }
    const std::pair<const char*, kith::entity_t> primitives[] = {
        {"bool", kith::Bool}, {"i8", kith::I8},       {"i32", kith::I32},      {"i64", kith::I64},
        {"u8", kith::U8},     {"u32", kith::U32},     {"u64", kith::U64},      {"f32", kith::F32},
        {"f64", kith::F64},   {"text", kith::String}, {"entity", kith::Entity}};
    for (const auto& [name, id] : primitives) {
        if (text == name) {
            return id;
        }
    }
    FAIL("no type ", text);
    return 0;
}

// The places of a value that is read with another type.
enum class place { plain, nested, list, map, optional, pair, singleton, sparse };
constexpr place all_places[] = {place::plain,    place::nested, place::list,      place::map,
                                place::optional, place::pair,   place::singleton, place::sparse};

// A component Item that has a member `m` of a type, at a place.
kith::entity declare_item(const kith::world& world, const std::string& type, place where) {
    if (where == place::plain || where >= place::pair) {
        kith::untyped_component item = world.component("Item");
        item.member(type_of(world, type), "m");
        if (where == place::sparse) {
            item.add(kith::Sparse);
        }
        return item;
    }
    const kith::entity inner = world.component("Inner").member(type_of(world, type), "m");
    const kith::entity of = where == place::nested ? inner
                            : where == place::list ? world.vector(inner)
                            : where == place::map  ? world.map(kith::String, inner)
                                                   : world.optional(inner);
    return world.component("Item").member(of, "part");
}
const char* path_of(place where) {
    switch (where) {
        case place::nested:
        case place::optional:
            return "part.m";
        case place::list:
            return "part[0].m";
        case place::map:
            return "part[\"k\"].m";
        default:
            return "m";
    }
}
std::string whole_value(const std::string& value, place where) {
    const std::string inner = "{m: " + value + "}";
    switch (where) {
        case place::nested:
        case place::optional:
            return "{part: " + inner + "}";
        case place::list:
            return "{part: [" + inner + "]}";
        case place::map:
            return "{part: {k: " + inner + "}}";
        default:
            return inner;
    }
}
// The id of the value, and the entity that has it.
kith::id_t id_at(const kith::world& world, kith::entity item, place where) {
    return where == place::pair ? kith::make_pair(item, world.lookup("target")) : item.id();
}
kith::entity owner_at(const kith::world& world, kith::entity item, place where) {
    return where == place::singleton ? item : world.lookup("holder");
}

// The value of the member, saved with one type and loaded with another; `error: …` if it is
// refused.
std::string drift(const std::string& from, const std::string& value, const std::string& to,
                  place where, bool lossy = false) {
    kith::world saving;
    const kith::entity item = declare_item(saving, from, where);
    saving.entity("target");
    saving.entity("holder");
    kith::entity holder = owner_at(saving, item, where);
    holder.add(id_at(saving, item, where));
    kith::edit(holder, id_at(saving, item, where)).parse("", whole_value(value, where));
    const std::string data = kith::save_to_string(saving);
    kith::world loading;
    const kith::entity other = declare_item(loading, to, where);
    const std::size_t before = loading.stats().entities;
    kith::load_file_options options;
    options.lossy = lossy;
    try {
        kith::load_from_string(loading, data, options);
    } catch (const kith::error& refused) {
        CHECK(refused.code() == kith::errc::invalid_value);
        CHECK(loading.stats().entities == before);
        CHECK_FALSE(loading.lookup("holder"));
        return std::string("error: ") + refused.what();
    }
    loading.check();
    return kith::value_of(owner_at(loading, other, where), id_at(loading, other, where))
        .at(path_of(where))
        .str();
}

struct drift_case {
    const char* from;
    const char* value;
    const char* to;
    const char* result;  // "" : refused
};

constexpr drift_case drift_cases[] = {
    {"i32", "7", "i64", "7"},
    {"i64", "7", "i8", "7"},
    {"i64", "128", "i8", ""},
    {"i64", "-129", "i8", ""},
    {"i8", "-1", "u64", ""},
    {"u64", "18446744073709551615", "i64", ""},
    {"u64", "18446744073709551615", "f64", "18446744073709551616"},
    {"f64", "2.5", "f32", "2.5"},
    {"f32", "0.1", "f64", "0.10000000149011612"},
    {"f64", "1e300", "f32", ""},
    {"f64", "3", "i32", "3"},
    {"f64", "3.5", "i32", ""},
    {"bool", "true", "i32", "1"},
    {"i32", "1", "bool", "true"},
    {"i32", "2", "bool", ""},
    {"i32", "5", "text", ""},
    {"text", "\"a\"", "text", "\"a\""},
    {"text", "\"a\"", "i32", ""},
    {"i32", "5", "?i32", "5"},
    {"?i32", "null", "?i32", "null"},
    {"?i32", "null", "i32", "0"},
    {"?i32", "6", "i32", "6"},
    {"?i32", "6", "?f64", "6"},
    {"i32", "5", "?text", ""},
    {"[i32]", "[1, 2]", "[f32]", "[1, 2]"},
    {"[i32]", "[1, 200]", "[i8]", ""},
    {"[i32;2]", "[1, 2]", "[i32]", "[1, 2]"},
    {"[i32;2]", "[1, 2]", "[i32;4]", "[1, 2, 0, 0]"},
    {"[i32]", "[1, 2, 3]", "[i32;2]", ""},
    {"[i32]", "[1, 2]", "[i32;2]", "[1, 2]"},
    {"[text]", "[\"a\"]", "[text]", "[\"a\"]"},
    {"[i32]", "[1]", "i32", ""},
    {"i32", "1", "[i32]", ""},
    {"{i32}", "{a: 1}", "{f64}", "{a: 1}"},
    {"{i32}", "{a: 300}", "{u8}", ""},
    {"[?i32]", "[1, null]", "[?i64]", "[1, null]"},
    {"entity", "holder", "entity", "holder"},
    {"[entity]", "[holder]", "[entity]", "[holder]"},
    {"?entity", "holder", "?entity", "holder"},
    {"entity", "holder", "u64", ""},
};

}  // namespace

TEST_SUITE("features.values.save_drift") {
    // spec 577
    TEST_CASE("values are converted where nothing is lost, at every place") {
        for (const drift_case& one : drift_cases) {
            for (const place where : all_places) {
                CAPTURE(one.from);
                CAPTURE(one.value);
                CAPTURE(one.to);
                CAPTURE(static_cast<int>(where));
                const std::string result = drift(one.from, one.value, one.to, where);
                if (*one.result) {
                    CHECK(result == one.result);
                    continue;
                }
                // The message names the entity and the path.
                CHECK(result.starts_with("error: "));
                CHECK(result.find(where == place::singleton ? "Item: " : "holder: ") !=
                      std::string::npos);
                CHECK(result.find("Item") != std::string::npos);
                CHECK(result.find(".m") != std::string::npos);
            }
        }
    }

    // spec 577
    TEST_CASE("numbers that do not fit become the nearest on demand") {
        const drift_case nearest[] = {
            {"i64", "128", "i8", "127"},
            {"i64", "-129", "i8", "-128"},
            {"i8", "-1", "u64", "0"},
            {"u64", "18446744073709551615", "i64", "9223372036854775807"},
            {"f64", "3.5", "i32", "4"},
            {"f64", "1e300", "i32", "2147483647"},
            {"f64", "-1e300", "u8", "0"},
            {"f64", "nan", "i32", "0"},
            {"f64", "1e300", "f32", "3.4028235e+38"},
            {"i32", "2", "bool", "true"},
        };
        for (const drift_case& one : nearest) {
            for (const place where : all_places) {
                CAPTURE(one.value);
                CAPTURE(one.to);
                CAPTURE(static_cast<int>(where));
                CHECK(drift(one.from, one.value, one.to, where, true) == one.result);
            }
        }
        // Values of other kinds are refused in any case.
        CHECK(drift("i32", "5", "text", place::plain, true).starts_with("error: "));
    }

    // spec 577
    TEST_CASE("members are matched by name") {
        kith::world saving;
        const kith::entity item = saving.component("Item")
                                      .member<float>("x")
                                      .member<float>("y")
                                      .member<int>("gone")
                                      .member(kith::String, "old");
        const kith::entity holder = saving.entity("holder").add(item);
        kith::edit(holder, item).parse("", R"({x: 1, y: 2, gone: 3, old: "name"})");
        kith::world loading;
        const kith::entity other = loading.component("Item")
                                       .member(kith::String, "label")
                                       .was("old")
                                       .member<int>("fresh")
                                       .member<double>("y")
                                       .member<float>("x");
        const kith::load_report report =
            kith::load_from_string(loading, kith::save_to_string(saving));
        CHECK(kith::value_of(loading.lookup("holder"), other).str() ==
              R"({label: "name", fresh: 0, y: 2, x: 1})");
        CHECK(report.notes.find("Item.gone: dropped") != std::string::npos);
        CHECK(report.notes.find("Item.fresh: new") != std::string::npos);
        CHECK(report.notes.find("Item.y: converted") != std::string::npos);
    }

    // spec 577
    TEST_CASE("constants are matched by name") {
        kith::world saving;
        const kith::entity mood = saving.component("Mood").constant("Calm", 1).constant("Angry", 2);
        const kith::entity item = saving.component("Item").member(mood, "m");
        kith::edit(saving.entity("holder").add(item), item).parse("", "{m: Angry}");
        const std::string data = kith::save_to_string(saving);
        kith::world loading;
        const kith::entity other_mood =
            loading.component("Mood").constant("Angry", 7).constant("Calm", 8);
        const kith::entity other = loading.component("Item").member(other_mood, "m");
        kith::load_file_options options;
        options.names = kith::names_policy::join;
        kith::load_from_string(loading, data, options);
        CHECK(kith::value_of(loading.lookup("holder"), other).str() == "{m: Angry}");
        kith::world lacking;
        const kith::entity only = lacking.component("Mood").constant("Calm", 1);
        lacking.component("Item").member(only, "m");
        try {
            kith::load_from_string(lacking, data, options);
            FAIL_CHECK("loaded");
        } catch (const kith::error& refused) {
            CHECK(refused.code() == kith::errc::invalid_value);
            CHECK(std::string(refused.what()).find("Angry") != std::string::npos);
        }
    }

    // spec 577
    TEST_CASE("constants and components may have former names") {
        kith::world saving;
        const kith::entity mood = saving.component("Mood").constant("Calm", 1).constant("Mad", 2);
        const kith::entity item = saving.component("OldItem").member(mood, "m");
        kith::edit(saving.entity("holder").add(item), item).parse("", "{m: Mad}");
        const std::string data = kith::save_to_string(saving);
        kith::world loading;
        const kith::entity same =
            loading.component("Mood").constant("Calm", 1).constant("Angry", 5).was("Mad");
        const kith::entity other = loading.component("Item").was("OldItem").member(same, "m");
        const kith::load_report report = kith::load_from_string(loading, data);
        CHECK(kith::value_of(loading.lookup("holder"), other).str() == "{m: Angry}");
        CHECK_FALSE(loading.lookup("OldItem"));
        CHECK(report.types == 2);
    }

    // spec 577
    TEST_CASE("C++ types may have former names and other layouts") {
        kith::world saving;
        const kith::entity old =
            saving.component("former_name").member<std::int16_t>("count").member<float>("size");
        kith::edit(saving.entity("holder").add(old), old).parse("", "{count: 7, size: 2.5}");
        kith::world loading;
        kith::reflect<renamed>();
        loading.component<renamed>().was("former_name");
        kith::load_from_string(loading, kith::save_to_string(saving));
        REQUIRE(loading.lookup("holder").has<renamed>());
        CHECK(loading.lookup("holder").get<renamed>()->count == 7);
        CHECK(loading.lookup("holder").get<renamed>()->size == 2.5);
    }

    // spec 577
    TEST_CASE("all conversions are in the report") {
        kith::world saving;
        const kith::entity item = saving.component("Item")
                                      .member<int>("a")
                                      .member<int>("b")
                                      .member(saving.array(kith::I32, 2), "c")
                                      .member<int>("gone");
        saving.entity("holder").add(item);
        const kith::entity flag = saving.entity("Flag");
        saving.entity("holder").add(flag);
        kith::world loading;
        loading.component("Item")
            .member<double>("a")
            .member(loading.optional(kith::I32), "b")
            .member(loading.vector(kith::I32), "c")
            .member<int>("fresh");
        loading.component("Flag").member<int>("value");
        kith::load_file_options options;
        options.names = kith::names_policy::join;
        const kith::load_report report =
            kith::load_from_string(loading, kith::save_to_string(saving), options);
        for (const char* line : {"Item.a: converted\n", "Item.b: converted\n",
                                 "Item.c: converted\n", "Item.gone: dropped\n", "Item.fresh: new\n",
                                 "Flag: has a value now, the default\n"}) {
            CAPTURE(line);
            CHECK(report.notes.find(line) != std::string::npos);
        }
        CHECK(loading.lookup("holder").has(loading.lookup("Flag")));
    }

    // spec 580
    TEST_CASE("upgrades make values of older versions") {
        kith::world saving;
        saving.component<upgraded>().member("points", &upgraded::points).version(1);
        saving.entity("low").set(upgraded{5, 0, {}});
        saving.entity("high").set(upgraded{7, 0, {}});
        const std::string data = kith::save_to_string(saving);
        kith::world loading;
        loading.component<upgraded>()
            .member("points", &upgraded::points)
            .member("doubled", &upgraded::doubled)
            .member("text", &upgraded::text)
            .version(3)
            .upgrade(1,
                     [](const kith::value_view& old, upgraded& now) {
                         CHECK(now.points == old["points"].get<int>());
                         now.points = old["points"].get<int>() * 10;
                         now.text = "made by 1";
                     })
            .upgrade(2, [](const kith::value_view& old, upgraded& now) {
                now.doubled = old["points"].get<int>() * 2;
                now.text += " and 2";
            });
        const kith::load_report report = kith::load_from_string(loading, data);
        const upgraded& low = *loading.lookup("low").get<upgraded>();
        CHECK(low.points == 50);
        CHECK(low.doubled == 100);
        CHECK(low.text == "made by 1 and 2");
        CHECK(loading.lookup("high").get<upgraded>()->points == 70);
        CHECK(report.notes.find("upgraded: upgraded from version 1\n") != std::string::npos);
        // A file of the present version needs none.
        kith::world again;
        again.component<upgraded>()
            .member("points", &upgraded::points)
            .member("doubled", &upgraded::doubled)
            .member("text", &upgraded::text)
            .version(3)
            .upgrade(2, [](const kith::value_view&, upgraded& now) { now.points = -1; });
        kith::load_from_string(again, kith::save_to_string(loading));
        CHECK(again.lookup("low").get<upgraded>()->points == 50);
    }

    // spec 580
    TEST_CASE("upgrades take values that cannot be converted") {
        kith::world saving;
        const kith::entity old = saving.component("upgraded").member(kith::String, "points");
        kith::edit(saving.entity("a").add(old), old).parse("", R"({points: "12"})");
        const std::string data = kith::save_to_string(saving);
        auto declare = [](const kith::world& world) -> kith::component<upgraded> {
            return world.component<upgraded>().member("points", &upgraded::points);
        };
        kith::world refusing;
        declare(refusing);
        CHECK_THROWS_AS(kith::load_from_string(refusing, data), kith::error);
        kith::world loading;
        declare(loading).version(1).upgrade(0, [](const kith::value_view& from, upgraded& now) {
            now.points = std::stoi(from["points"].get<std::string>());
        });
        kith::load_from_string(loading, data);
        CHECK(loading.lookup("a").get<upgraded>()->points == 12);
    }

    // spec 580
    TEST_CASE("an upgrade that fails names the entity, and nothing has changed") {
        kith::world saving;
        saving.component<upgraded>().member("points", &upgraded::points);
        saving.entity("fleet");
        saving.entity("fleet::good").set(upgraded{1, 0, {}});
        saving.entity("fleet::bad").set(upgraded{2, 0, {}});
        const std::string data = kith::save_to_string(saving);
        kith::world loading;
        loading.entity("present");
        loading.component<upgraded>()
            .member("points", &upgraded::points)
            .version(2)
            .upgrade(0, [](const kith::value_view&, upgraded& now) {
                if (now.points == 2) {
                    throw std::runtime_error("two is too much");
                }
            });
        const std::uint64_t before = loading.hash();
        std::string message;
        try {
            kith::load_from_string(loading, data);
        } catch (const kith::error& refused) {
            CHECK(refused.code() == kith::errc::invalid_value);
            message = refused.what();
        }
        CHECK(message == "fleet.bad: upgraded: the upgrade from version 0 fails: two is too much");
        CHECK(loading.hash() == before);
        loading.check();
        CHECK_THROWS_AS(loading.component<upgraded>().version(-1), kith::error);
        auto nothing = [](const kith::value_view&, upgraded&) {};
        CHECK_THROWS_AS(loading.component<upgraded>().upgrade(2, nothing), kith::error);
        CHECK_THROWS_AS(loading.component<upgraded>().upgrade(-1, nothing), kith::error);
    }

    // spec 577
    TEST_CASE("functions that refuse values are asked") {
        kith::world saving;
        saving.component<upgraded>().member("points", &upgraded::points);
        saving.entity("holder").set(upgraded{9, 0, {}});
        kith::world loading;
        loading.component<upgraded>()
            .member("points", &upgraded::points)
            .validate(
                [](const upgraded& value) { return value.points > 5 ? "too many" : nullptr; });
        CHECK_THROWS_WITH_AS(kith::load_from_string(loading, kith::save_to_string(saving)),
                             "holder: upgraded: too many", kith::error);
    }

    TEST_CASE("ranges are checked") {
        kith::world saving;
        const kith::entity item = saving.component("Item").member<int>("m");
        kith::edit(saving.entity("holder").add(item), item).parse("", "{m: 50}");
        const std::string data = kith::save_to_string(saving);
        kith::world loading;
        loading.component("Item").member<int>("m").range(0, 10);
        CHECK_THROWS_AS(kith::load_from_string(loading, data), kith::error);
        CHECK_FALSE(loading.lookup("holder"));
    }

    TEST_CASE("a component that is a tag now loses its values, with a note") {
        kith::world saving;
        const kith::entity item = saving.component("Item").member<int>("m");
        saving.entity("holder").add(item);
        kith::world loading;
        const kith::entity tag = loading.entity("Item");
        kith::load_file_options options;
        options.names = kith::names_policy::join;
        const kith::load_report report =
            kith::load_from_string(loading, kith::save_to_string(saving), options);
        CHECK(loading.lookup("holder").has(tag));
        CHECK(report.types == 1);
    }

    // spec 577, 579
    TEST_CASE("types that the program lacks are left out on request, with their values") {
        kith::world saving;
        const kith::entity item = saving.component("Item").member<int>("m");
        const kith::entity rating = saving.component("Rating").member<float>("stars");
        const kith::entity gem = saving.entity("gem");
        kith::entity box = saving.entity("box").child_of(gem).add(item).add(rating);
        box.disable(item);
        saving.entity("other").add(item, gem).add(gem, box);
        kith::load_file_options options;
        options.unknown = kith::unknown_policy::skip;
        const std::string data = kith::save_to_string(saving);

        kith::world loading;
        const kith::load_report report = kith::load_from_string(loading, data, options);
        CHECK(report.exact);
        CHECK(report.skipped == 3);
        CHECK(report.outside == 0);
        CHECK(report.notes ==
              "Item: skipped: this program has no such type\n"
              "Rating: skipped: this program has no such type\n");
        CHECK(loading.lookup("other").has(loading.lookup("gem"), loading.lookup("gem.box")));
        CHECK_FALSE(loading.lookup("gem.box").has(loading.lookup("Item")));
        CHECK_FALSE(loading.lookup("Item").has<kith::Component>());
        CHECK_NOTHROW(loading.check());

        kith::world in_use;
        in_use.entity("present");
        in_use.component("Item").member<double>("m");
        const kith::load_report second = kith::load_from_string(in_use, data, options);
        CHECK_FALSE(second.exact);
        CHECK(second.skipped == 1);
        CHECK(in_use.lookup("gem.box").has(in_use.lookup("Item")));
        CHECK_FALSE(in_use.lookup("gem.box").has(in_use.lookup("Rating")));
        CHECK_NOTHROW(in_use.check());
    }

    // spec 577, 579
    TEST_CASE("C++ types of another program are left out on request, with their constants") {
        kith::world saving;
        kith::reflect<vanished, vanished_color>();
        const kith::entity wanted = saving.entity("wanted");
        kith::entity box = saving.entity("box").set(vanished{3}).add(wanted);
        saving.entity("car").add(vanished_color::red).add(box).add(wanted);
        saving.component<vanished>().add(kith::Sparse);
        kith::load_file_options options;
        options.unknown = kith::unknown_policy::skip;
        for (const bool is_part : {false, true}) {
            CAPTURE(is_part);
            kith::save_options parts;
            parts.query = is_part ? "wanted" : nullptr;
            const std::string data =
                renamed_in_file(kith::save_to_string(saving, parts), "vanished", "vanishes");
            kith::world loading;
            const kith::load_report report = kith::load_from_string(loading, data, options);
            CHECK(report.skipped == 2);
            CHECK(report.notes.find("vanishes: skipped") != std::string::npos);
            CHECK(loading.lookup("car").has(loading.lookup("box")));
            CHECK_FALSE(loading.lookup("vanishes"));
            CHECK_FALSE(loading.lookup("vanishes_color"));
            CHECK_NOTHROW(loading.check());
            options.unknown = kith::unknown_policy::error;
            kith::world refusing;
            CHECK_THROWS_AS(kith::load_from_string(refusing, data, options), kith::error);
            options.unknown = kith::unknown_policy::skip;
        }
    }
}
