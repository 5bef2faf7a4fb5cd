// The strict reader of JSON: events of valid texts, and a place for each mistake.
#include <kith/error.hpp>
#include <kith/syntax/json_reader.hpp>

#include <string>

#include <doctest/doctest.h>

namespace {

using kith::syntax::json_event;
using kith::syntax::json_reader;

// The events of a text in short; a refusal with its message.
std::string events_of(std::string_view text) {
    std::string list;
    try {
        json_reader reader(text);
        for (json_event event = reader.next(); event != json_event::end; event = reader.next()) {
            switch (event) {
                case json_event::begin_object:
                    list += '{';
                    break;
                case json_event::end_object:
                    list += '}';
                    break;
                case json_event::begin_array:
                    list += '[';
                    break;
                case json_event::end_array:
                    list += ']';
                    break;
                case json_event::key:
                    list += std::string(reader.text()) + ':';
                    break;
                case json_event::text:
                    list += '\'' + std::string(reader.text()) + "' ";
                    break;
                case json_event::number:
                    list += std::string(reader.text()) + ' ';
                    break;
                case json_event::boolean:
                    list += reader.truth() ? "true " : "false ";
                    break;
                default:
                    list += "null ";
                    break;
            }
        }
    } catch (const kith::error& raised) {
        return std::string(raised.code() == kith::errc::limit ? "limit " : "no ") + raised.what();
    }
    return list;
}
bool is_refused(std::string_view text) {
    return events_of(text).starts_with("no ");
}

}  // namespace

TEST_SUITE("features.values.json_reader") {
    TEST_CASE("events follow the text") {
        CHECK(events_of(R"({"a": [1, -2.5e+3, true, null], "b":{}})") ==
              "{a:[1 -2.5e+3 true null ]b:{}}");
        CHECK(events_of(" \"x\" ") == "'x' ");
        CHECK(events_of("[]") == "[]");
        CHECK(events_of(R"(["\u00e4\ud83d\ude00\n\/\u0000"])").size() == 14);
    }

    // spec 548
    TEST_CASE("texts that RFC 8259 does not know are refused") {
        for (const char* text : {"",
                                 " ",
                                 "[",
                                 "]",
                                 "{",
                                 "[1,]",
                                 "[,1]",
                                 "[1 2]",
                                 "{\"a\"}",
                                 "{\"a\":}",
                                 "{\"a\":1,}",
                                 "{a:1}",
                                 "{'a':1}",
                                 "{\"a\":1 \"b\":2}",
                                 "nul",
                                 "True",
                                 "nan",
                                 "Infinity",
                                 "01",
                                 "-",
                                 "+1",
                                 "1.",
                                 ".5",
                                 "1e",
                                 "1e+",
                                 "0x1",
                                 "1.2.3",
                                 "\"a",
                                 "\"\\x41\"",
                                 "\"\\u12\"",
                                 "\"\\ud800\"",
                                 "\"\\udc00\"",
                                 "\"\\ud800\\u0041\"",
                                 "\"\t\"",
                                 "\"\n\"",
                                 "\"\xff\"",
                                 "\"\xc0\xaf\"",
                                 "\"\xed\xa0\x80\"",
                                 "[1]x",
                                 "1 2",
                                 "/**/1",
                                 "// a\n1",
                                 "[1]]",
                                 "{\"a\":1,\"a\":2}",
                                 "\xEF\xBB\xBF[]",
                                 "[\"a\":1]",
                                 "{\"a\" 1}",
                                 "{1:2}",
                                 "[-]",
                                 "\"\\",
                                 "{\"a\":\"",
                                 "[1,",
                                 "\"\x7f\xff\""}) {
            INFO(text);
            CHECK(is_refused(text));
        }
        CHECK(is_refused(std::string_view("[1]\0", 4)));
        CHECK(is_refused(std::string_view("\"a\0b\"", 5)));
    }

    TEST_CASE("a mistake has its line and column, in skipped parts too") {
        CHECK(events_of("[1,\n  \"\xC3\xA4\" x]") == "no 2:7: expected ',' or ']'");
        json_reader reader("{\"a\": [[\"\xff\"]], \"b\": 1}");
        reader.next();
        reader.next();
        CHECK_THROWS_AS(reader.skip(), kith::error);
    }

    TEST_CASE("skip() leads behind a value") {
        json_reader reader(R"({"a": {"b": [1, {"c": 2}]}, "d": 3})");
        CHECK(reader.next() == json_event::begin_object);
        CHECK(reader.next() == json_event::key);
        reader.skip();
        CHECK(reader.next() == json_event::key);
        CHECK(reader.text() == "d");
        CHECK(reader.next() == json_event::number);
        CHECK(reader.next() == json_event::end_object);
        CHECK(reader.next() == json_event::end);
        CHECK(reader.next() == json_event::end);
    }

    TEST_CASE("depth and lengths are limited, without use of the stack") {
        CHECK(events_of(std::string(1'000'000, '[')).starts_with("limit "));
        CHECK(events_of(std::string(500, '1')).starts_with("limit "));
        kith::syntax::json_limits small;
        small.text = 10;
        json_reader reader("\"0123456789012345\"", small);
        CHECK_THROWS_AS(reader.next(), kith::error);
    }

    TEST_CASE("every prefix of a text is refused") {
        const std::string whole = R"({"a": [1.5, "x\u0041", true], "b": null})";
        for (std::size_t size = 0; size < whole.size(); ++size) {
            CHECK(is_refused(std::string_view(whole).substr(0, size)));
        }
    }
}
