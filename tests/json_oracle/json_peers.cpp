// Compares kith's JSON with simdjson and RapidJSON: texts that kith accepts are JSON for both,
// texts that both accept are refused for known reasons only, and values that kith writes mean the
// same to them. spec 540 spec 541 spec 548
#include <kith/json.hpp>
#include <kith/kith.hpp>
#include <kith/syntax/json_reader.hpp>

#include <cstdio>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <rapidjson/document.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>
#include <simdjson.h>

namespace {

int failures = 0;

void require(bool holds, const char* what, const std::string& text) {
    if (!holds) {
        ++failures;
        std::printf("%s: %s\n", what, text.c_str());
    }
}

constexpr unsigned strict = rapidjson::kParseFullPrecisionFlag |
                            rapidjson::kParseValidateEncodingFlag | rapidjson::kParseIterativeFlag;

bool rapidjson_accepts(const std::string& text) {
    rapidjson::Document document;
    document.Parse<strict>(text.data(), text.size());
    return !document.HasParseError();
}
bool simdjson_accepts(const std::string& text) {
    simdjson::dom::parser parser;
    return parser.parse(simdjson::padded_string(text)).error() == simdjson::SUCCESS;
}

// Empty if the text is accepted, else the reason.
std::string refusal_of(const std::string& text) {
    kith::syntax::json_reader reader(text);
    try {
        while (reader.next() != kith::syntax::json_event::end) {}
        return {};
    } catch (const kith::error& raised) {
        return raised.what();
    }
}

const std::vector<std::string> seeds = {
    R"({"a":[1, -2.5e+10, 0.125], "b":{"c":null, "d":true}, "e":"x\u00e4\ud83d\ude80\n\/"})",
    R"([[], {}, "", 0, -0, 1E5, 12345678901234567890, false, "\"\\"])",
    R"( { "ä" : [ "🚀" , 1e-7 ] } )", "\"text\"", "[1, 2, 3]"};

std::string mutated(std::mt19937_64& dice) {
    static constexpr char bytes[] = "{}[]\",:\\u0123456789eE+-.tfn \n\x01\xC3\xA4\xED\xA0\x80";
    std::string text = seeds[dice() % seeds.size()];
    for (auto left = dice() % 4; left > 0 && !text.empty(); --left) {
        const std::size_t at = dice() % text.size();
        const char byte = bytes[dice() % (sizeof bytes - 1)];
        switch (dice() % 3) {
            case 0:
                text[at] = byte;
                break;
            case 1:
                text.insert(at, 1, byte);
                break;
            default:
                text.erase(at, 1 + dice() % 3);
                break;
        }
    }
    return text;
}

void compare_acceptance(std::mt19937_64& dice) {
    const std::string text = mutated(dice);
    const std::string refusal = refusal_of(text);
    const bool both = rapidjson_accepts(text) && simdjson_accepts(text);
    if (refusal.empty()) {
        // RapidJSON and simdjson refuse numbers that overflow a double, which a reader of events
        // leaves to its caller.
        const bool overflows = text.find_first_of("eE") != std::string::npos ||
                               text.find("12345678901234567890") != std::string::npos;
        require(both || overflows, "kith alone accepts", text);
    } else if (both) {
        require(refusal.find("is there twice") != std::string::npos, "kith alone refuses",
                text + " (" + refusal + ")");
    }
}

struct Numbers {
    double real;
    float single;
    std::int64_t large;
    std::uint64_t huge;
    std::string text;
};

double any_double(std::mt19937_64& dice) {
    for (;;) {
        const std::uint64_t bits = dice();
        double made = 0;
        std::memcpy(&made, &bits, sizeof made);
        if (made == made && made - made == 0) {
            return dice() % 2 ? made : static_cast<double>(static_cast<int>(bits % 4000000)) / 1000;
        }
    }
}

void compare_values(kith::world& world, std::mt19937_64& dice) {
    Numbers made{any_double(dice),
                 static_cast<float>(static_cast<int>(dice() % 2000001) - 1000000) / 8,
                 static_cast<std::int64_t>(dice()), dice(), seeds[dice() % seeds.size()]};
    const std::string text = kith::to_json(world, made);
    rapidjson::Document document;
    document.Parse<strict>(text.data(), text.size());
    require(!document.HasParseError(), "RapidJSON cannot read", text);
    require(document["real"].GetDouble() == made.real, "another double for RapidJSON", text);
    require(document["large"].GetInt64() == made.large, "another integer for RapidJSON", text);
    require(document["huge"].GetUint64() == made.huge, "another integer for RapidJSON", text);
    require(document["text"].GetString() == made.text, "another text for RapidJSON", text);
    // simdjson has no numbers beyond 64 bits without a point or an exponent.
    if (made.real <= -0x1p63 || made.real >= 0x1p63) {
        return;
    }
    simdjson::dom::parser parser;
    const simdjson::padded_string padded(text);
    simdjson::dom::element element;
    if (parser.parse(padded).get(element) != simdjson::SUCCESS) {
        require(false, "simdjson cannot read", text);
        return;
    }
    require(double(element["real"]) == made.real, "another double for simdjson", text);
    require(static_cast<float>(double(element["single"])) == made.single,
            "another float for simdjson", text);
    // What others write reads back.
    rapidjson::StringBuffer buffer;
    rapidjson::Writer<rapidjson::StringBuffer> writer(buffer);
    document.Accept(writer);
    Numbers again{};
    kith::from_json(world, again, buffer.GetString());
    require(again.real == made.real && again.single == made.single && again.large == made.large &&
                again.huge == made.huge && again.text == made.text,
            "another value from RapidJSON", buffer.GetString());
}

}  // namespace

int main() {
    kith::world world;
    std::mt19937_64 dice(1);
    for (int i = 0; i < 20000; ++i) {
        compare_acceptance(dice);
    }
    for (int i = 0; i < 5000; ++i) {
        compare_values(world, dice);
    }
    return failures == 0 ? 0 : 1;
}
