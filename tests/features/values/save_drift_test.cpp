// Save files that are read by programs whose types have changed.
#include <kith/kith.hpp>
#include <kith/save.hpp>
#include <kith/value.hpp>

#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace {

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

// The value of a component with the one member `m`, saved with one type and loaded with another;
// `error: …` if it is refused.
std::string drift(const std::string& from, const std::string& value, const std::string& to) {
    kith::world saving;
    const kith::entity item = saving.component("Item").member(type_of(saving, from), "m");
    const kith::entity holder = saving.entity("holder").add(item);
    kith::edit(holder, item).parse("m", value);
    const std::string data = kith::save_to_string(saving);
    kith::world loading;
    const kith::entity other = loading.component("Item").member(type_of(loading, to), "m");
    const std::size_t before = loading.stats().entities;
    try {
        kith::load_from_string(loading, data);
    } catch (const kith::error& refused) {
        CHECK(refused.code() == kith::errc::invalid_value);
        CHECK(loading.stats().entities == before);
        CHECK_FALSE(loading.lookup("holder"));
        return std::string("error: ") + refused.what();
    }
    loading.check();
    return kith::value_of(loading.lookup("holder"), other).at("m").str();
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
    TEST_CASE("values are converted where nothing is lost") {
        for (const drift_case& one : drift_cases) {
            CAPTURE(one.from);
            CAPTURE(one.value);
            CAPTURE(one.to);
            const std::string result = drift(one.from, one.value, one.to);
            if (*one.result) {
                CHECK(result == one.result);
            } else {
                CHECK(result.starts_with("error: "));
                CHECK(result.find("Item.m") != std::string::npos);
            }
        }
    }

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
}
