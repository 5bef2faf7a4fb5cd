// Numbers in JSON: the short ways of writers and readers give the results of the long ones.
#include <kith/json.hpp>

#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace {

struct Inner {
    double d = 0;
    std::int16_t i16 = 0;
    bool flag = false;
};
struct Numbers {
    float f = 0;
    double d = 0;
    std::int8_t i8 = 0;
    std::int32_t i32 = 0;
    std::int64_t i64 = 0;
    std::uint8_t u8 = 0;
    std::uint16_t u16 = 0;
    std::uint64_t u64 = 0;
    bool flag = false;
    Inner inner;
    std::array<float, 3> row{};

    friend bool operator==(const Numbers& a, const Numbers& b) {
        return kith::detail::equal_values(kith::describe<Numbers>(), &a, &b);
    }
};

// A value whose memory is not plain.
struct Named {
    std::string name;
    Numbers numbers;
};

// The shortest text, without an exponent from 0.0001 up to a million.
template <class T>
std::string shortest(T value) {
    if (!std::isfinite(value)) {
        return std::isnan(value) ? "\"NaN\"" : value < 0 ? "\"-Infinity\"" : "\"Infinity\"";
    }
    char text[64];
    const bool plain = value == 0 || (std::fabs(value) >= T(1e-4) && std::fabs(value) < T(1e6));
    const auto end = plain ? std::to_chars(text, text + 64, value, std::chars_format::fixed)
                           : std::to_chars(text, text + 64, value);
    return {text, end.ptr};
}

template <class T, class Bits>
void check_reals(std::mt19937_64& random, const kith::world& world) {
    std::uniform_int_distribution<int> decimals(0, 5);
    for (int i = 0; i < 20000; ++i) {
        const auto bits = static_cast<Bits>(random());
        T any;
        std::memcpy(&any, &bits, sizeof any);
        const auto units =
            static_cast<T>(static_cast<std::int64_t>(random() % 40000000) - 20000000);
        const T decimal = units / static_cast<T>(std::pow(10, decimals(random)));
        for (const T value :
             {any, decimal, std::nextafter(decimal, T(1e30)), std::nextafter(decimal, T(-1e30))}) {
            const std::string text = kith::to_json(world, value);
            REQUIRE(text == shortest(value));
            if (!std::isnan(value)) {
                T back = 0;
                kith::from_json(world, back, text);
                REQUIRE(std::memcmp(&back, &value, sizeof back) == 0);
            }
        }
    }
}

// The result of reading a text, or the message.
template <class T>
std::string result_of(const kith::world& world, const std::string& text, std::uint32_t depth) {
    T read{};
    kith::json_options options;
    options.depth = depth;
    try {
        kith::from_json(world, read, text, options);
    } catch (const kith::error& refused) {
        return refused.what();
    }
    return kith::to_json(world, read);
}

std::string random_number(std::mt19937_64& random) {
    static const char* const special[] = {"0",
                                          "-0",
                                          "1",
                                          "-1",
                                          "127",
                                          "128",
                                          "-128",
                                          "-129",
                                          "255",
                                          "256",
                                          "65535",
                                          "1.5",
                                          "0.1",
                                          "-2.25",
                                          "1e3",
                                          "1E-2",
                                          "00",
                                          "01",
                                          "1.",
                                          ".5",
                                          "-",
                                          "+1",
                                          "true",
                                          "false",
                                          "null",
                                          "\"NaN\"",
                                          "\"1\"",
                                          "1e999",
                                          "[1]",
                                          "{}",
                                          "9007199254740993",
                                          "18446744073709551615",
                                          "9223372036854775808",
                                          "0.30000000000000004",
                                          "-9223372036854775808",
                                          "123456789012345678",
                                          "1234567890123456789",
                                          "3.0",
                                          "16777217"};
    switch (random() % 4) {
        case 0:
            return special[random() % std::size(special)];
        case 1:
            return std::to_string(static_cast<std::int64_t>(random() % 2001) - 1000) + "." +
                   std::to_string(random() % 1000);
        default:
            return std::to_string(static_cast<std::int64_t>(random() % 401) - 200);
    }
}

// An object with members in random order, some of which are left out, wrong or doubled.
std::string random_text(std::mt19937_64& random) {
    static const char* const names[] = {"f",   "d",   "i8",   "i32",   "i64", "u8",
                                        "u16", "u64", "flag", "inner", "row", "wrong"};
    const auto space = [&] { return std::string(random() % 5 == 0 ? random() % 3 : 0, ' '); };
    std::string text = space() + "{";
    std::size_t count = random() % 9;
    for (std::size_t at = random() % 4; count-- > 0; at += random() % 10 == 0 ? 0 : 1) {
        const std::string name = names[at % (random() % 8 == 0 ? 12 : 11)];
        const std::string value =
            name == "inner" ? "{\"i16\":" + random_number(random) + ",\"d\":1}"
            : name == "row" ? "[1," + space() + "2,3]"
            : name == "flag" && random() % 4 != 0 ? std::string(random() % 2 ? "true" : "false")
                                                  : random_number(random);
        text += (text.back() == '{' ? "" : ",") + space() + '"' + name + '"' + space() + ":" +
                space() + value;
    }
    text += space() + "}";
    if (random() % 12 == 0) {
        text.erase(random() % text.size(), 1);
    }
    return text;
}

std::string random_named(std::mt19937_64& random, const std::string& numbers) {
    static const char* const names[] = {
        "\"Ann\"",   "\"\"",    "\"a \\\" b\"", "\"\xC3\xA4\"", "\"\\u00e4\"",
        "\"tab\t\"", "1",       "null",         "\"\xC3\"",     "\"open",
        "\"{a:1}\"", "[\"x\"]", "\"\x7F\"",     "\"\\ud800\"",  "{\"$bytes\":\"/w==\"}"};
    const std::string name = std::string("\"name\":") +
                             (random() % 3 == 0 ? names[random() % std::size(names)] : "\"Bob\"");
    const std::string rest = "\"numbers\":" + numbers;
    return random() % 2 == 0 ? "{" + name + "," + rest + "}" : "{" + rest + ", " + name + "}";
}

TEST_SUITE("features.values.json_numbers") {
    TEST_CASE("floats have their shortest text and read back to the same bits") {
        kith::world world;
        std::mt19937_64 random(1);
        check_reals<float, std::uint32_t>(random, world);
        check_reals<double, std::uint64_t>(random, world);
    }

    TEST_CASE("plain values are read as values are that take the long way") {
        kith::world world;
        kith::reflect<Numbers>();
        std::mt19937_64 random(2);
        int read = 0;
        for (int i = 0; i < 20000; ++i) {
            const std::string text = random_text(random);
            const std::string expected = result_of<Numbers>(world, text, 63);
            REQUIRE_MESSAGE(result_of<Numbers>(world, text, 64) == expected, text);
            read += expected.starts_with('{');
            const std::string named = random_named(random, text);
            REQUIRE_MESSAGE(
                result_of<Named>(world, named, 64) == result_of<Named>(world, named, 63), named);
        }
        CHECK(read > 2000);
        CHECK(read < 18000);
    }

    TEST_CASE("a value with the extreme numbers of each kind keeps them") {
        kith::world world;
        Numbers value;
        value.f = std::numeric_limits<float>::denorm_min();
        value.d = -std::numeric_limits<double>::max();
        value.i8 = std::numeric_limits<std::int8_t>::min();
        value.i32 = std::numeric_limits<std::int32_t>::min();
        value.i64 = std::numeric_limits<std::int64_t>::min();
        value.u8 = std::numeric_limits<std::uint8_t>::max();
        value.u16 = std::numeric_limits<std::uint16_t>::max();
        value.u64 = std::numeric_limits<std::uint64_t>::max();
        value.inner = {std::numeric_limits<double>::infinity(), -1, true};
        value.row = {-0.0f, std::numeric_limits<float>::max(), 1e-7f};
        const std::string text = kith::to_json(world, value);
        CHECK(text ==
              "{\"f\":1e-45, \"d\":-1.7976931348623157e+308, \"i8\":-128, \"i32\":-2147483648, "
              "\"i64\":-9223372036854775808, \"u8\":255, \"u16\":65535, "
              "\"u64\":18446744073709551615, \"flag\":false, "
              "\"inner\":{\"d\":\"Infinity\", \"i16\":-1, \"flag\":true}, "
              "\"row\":[-0, 3.4028235e+38, 1e-07]}");
        Numbers back;
        kith::from_json(world, back, text);
        CHECK(back == value);
        kith::json_options safe;
        safe.safe_integers = true;
        safe.compact = true;
        const std::string quoted = kith::to_json(world, value, safe);
        CHECK(quoted.find("\"i64\":\"-9223372036854775808\"") != std::string::npos);
        CHECK(quoted.find("\"u64\":\"18446744073709551615\"") != std::string::npos);
        CHECK(quoted.find("\"i32\":-2147483648,") != std::string::npos);
    }

    TEST_CASE("a description that changes changes the JSON of its values") {
        struct Late {
            float x = 1;
            float y = 2;
        };
        kith::world world;
        auto late = world.component<Late>();
        late.member("x", &Late::x);
        const Late value;
        CHECK(world.to_json(&value) == "{\"x\":1}");
        late.member("y", &Late::y);
        CHECK(world.to_json(&value) == "{\"x\":1, \"y\":2}");
        kith::world other;
        other.component<Late>().member("why", &Late::y);
        CHECK(other.to_json(&value) == "{\"why\":2}");
        CHECK(world.to_json(&value) == "{\"x\":1, \"y\":2}");
        kith::json_options compact;
        compact.compact = true;
        CHECK(kith::to_json(world, value, compact) == "{\"x\":1,\"y\":2}");
    }

    TEST_CASE("values with more members than one step of a writer holds are written whole") {
        struct Wide {
            std::array<std::array<double, 60>, 60> rows{};
        };
        kith::world world;
        Wide wide;
        std::string expected = "{\"rows\":[";
        for (std::size_t i = 0; i < 60; ++i) {
            expected += i > 0 ? ", [" : "[";
            for (std::size_t k = 0; k < 60; ++k) {
                wide.rows[i][k] = static_cast<double>(i * 60 + k) / 8;
                expected += (k > 0 ? ", " : "") + shortest(wide.rows[i][k]);
            }
            expected += "]";
        }
        CHECK(kith::to_json(world, wide) == expected + "]}");
    }
}

}  // namespace
