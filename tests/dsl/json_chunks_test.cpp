// JSON of worlds in chunks: any cut gives the same result, or the same mistake.
#include <kith/json.hpp>
#include <kith/kith.hpp>
#include <kith/world_text.hpp>

#include "support/errors.hpp"
#include "support/values.hpp"

#include <random>
#include <string>
#include <utility>

#include <doctest/doctest.h>

namespace {

using kith_test::contains;

constexpr const char* sound[] = {
    R"( {"kith" : 1, "types":["struct Hull { plates: i32, name: text }"], "entities" : [
 {"entity":"Fleet.\"B ä\"", "components":{"Hull":{"plates":-12, "name":"a\u00e4\ud83d\ude80\"]}, \\"}},
  "tags":["Tall"]} ,{"entity":"Ann","pairs":{"Likes":["Fleet"], "Near":[]}}, {"entity":"C"}
 ] } )",
    R"({"entity":"A", "tags":["T", "U"], "pairs":{"R":["X"]}})",
    R"({"ids":[["T"]], "results":[{"ids":[["T"], ["R", "X"]], "entities":["A", "B"], "values":[0, 0]}]})",
    R"({"entities":[], "types":[]})", R"({"entities":[{"entity":"A"}],"kith":1})"};

constexpr const char* wrong[] = {
    "",
    "[]",
    "tru",
    "{",
    R"({"entities":[{"entity":"A"} {"entity":"B"}]})",
    R"({"entities":[{"entity":"A"},]})",
    R"({"entities":[{"entity":"A"}, {"tags":["T"]}]})",
    R"({"entities":[{"entity":"A", "tags":["T"}], {"entity":"B"}]})",
    R"({"entities":[{"entity":"A"}], "entities":[]})",
    "{\"entities\":[{\"entity\":\"A\"},\n\n {\"entity\":\"B\", \"tags\":[1]}, {\"entity\":\"C\"}]}",
    R"({"kith":2, "entities":[]})",
    R"({"kith":1 "entities":[]})",
    R"({"kith":1, "entitys" : [{"entity":"A"}, {"entity":"B"}], "types":[]})",
    R"({"entity":"A", "tag" :"B"})",
    R"({"entities":[{"entity":"A"}]} x)",
    R"({"entities":[{"entity":"\ud83d"}]})",
    R"({"entities":{"entity":"A"}})",
    R"({"entities":[{"entity":"A"}]]})",
    R"({"entities":[{"entity":"A"}]}, {"a":[1, 2]})",
    R"({"entities":[{"entity":"A)",
    R"({"entities":[{"entity":"A", "components":{"Nope":{}}}]})",
    R"({"entities":[{"entity":"A", "tags":["Wildcard"]}]})"};

// The world as JSON, or the mistake.
template <class Cuts>
std::string read_in_chunks(const std::string& text, Cuts&& next_size) {
    kith::world world;
    try {
        kith::json_reader reader(world);
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t size = std::min(next_size(), text.size() - at);
            // A copy, so that reading behind a chunk is seen by sanitizers.
            const std::string chunk = text.substr(at, size);
            reader.feed(chunk);
            at += size;
        }
        const kith::json_report report = reader.finish();
        return std::to_string(report.entities) + " " + std::to_string(report.facts) + " " +
               kith::to_json(world);
    } catch (const kith::error& raised) {
        world.check();
        CHECK(kith::to_json(world) == kith::to_json(kith::world()));
        return raised.what();
    }
}
std::string read_whole(const std::string& text) {
    kith::world world;
    try {
        const kith::json_report report = kith::from_json(world, text);
        return std::to_string(report.entities) + " " + std::to_string(report.facts) + " " +
               kith::to_json(world);
    } catch (const kith::error& raised) {
        return raised.what();
    }
}

void check_all_cuts(const std::string& text) {
    CAPTURE(text);
    const std::string expected = read_whole(text);
    CHECK(read_in_chunks(text, [] { return std::size_t{1}; }) == expected);
    for (std::size_t cut = 1; cut < text.size(); ++cut) {
        std::size_t size = cut;
        CHECK(read_in_chunks(text, [&] { return std::exchange(size, text.size()); }) == expected);
    }
    std::mt19937 dice(1);
    for (int round = 0; round < 20; ++round) {
        CHECK(read_in_chunks(text, [&] { return std::size_t{1} + dice() % 9; }) == expected);
    }
}

}  // namespace

TEST_SUITE("dsl.json_chunks") {
    // spec 551
    TEST_CASE("every cut of a text gives the same world") {
        for (const char* text : sound) {
            CHECK(read_whole(text)[0] >= '0');
            CHECK(contains(read_whole(text), "\"kith\":1"));
            check_all_cuts(text);
        }
    }

    // spec 551
    TEST_CASE("every cut of a text with a mistake gives the same message") {
        for (const char* text : wrong) {
            CHECK_FALSE(contains(read_whole(text), "\"kith\":1"));
            check_all_cuts(text);
        }
        CHECK(contains(read_whole(wrong[9]), "3:25: expected the path of an entity: a text"));
    }

    // spec 551
    TEST_CASE("the text itself is not kept") {
        kith::world world;
        kith::json_reader reader(world);
        reader.feed(R"({"entities":[)");
        const std::string blanks(1 << 16, ' ');
        // 64 MB of text with a few entities in it.
        for (int i = 0; i < 1024; ++i) {
            reader.feed(blanks);
            reader.feed((i > 0 ? ", " : "") + std::string(R"({"entity":"e)") + std::to_string(i) +
                        "\"}");
        }
        reader.feed("]}");
        CHECK(reader.finish().entities == 1024);
        CHECK(world.lookup("e1023"));
    }

    // spec 551
    TEST_CASE("limits are found before the memory is taken") {
        kith::world world;
        kith::json_options options;
        options.text = 1000;
        kith::json_reader endless(world, options);
        endless.feed(R"({"entities":[{"entity":")");
        const std::string part(500, 'a');
        CHECK(kith_test::error_of([&] {
                  for (int i = 0; i < 10; ++i) {
                      endless.feed(part);
                  }
              }) == kith::errc::limit);
        options = {};
        options.bytes = 20;
        CHECK(kith_test::error_of([&] {
                  kith::from_json(world, R"({"entity":"A", "tags":[]})", options);
              }) == kith::errc::limit);
        options = {};
        options.entities = 1;
        CHECK(kith_test::error_of([&] {
                  kith::from_json(world, R"({"entities":[{"entity":"A"}, {"entity":"B"}]})",
                                  options);
              }) == kith::errc::limit);
        options = {};
        options.depth = 4;
        options.unknown = kith::unknown_policy::skip;
        CHECK(kith_test::error_of([&] {
                  kith::from_json(world, R"({"entity":"A", "components":{"A":[[[[[[[[[]]]]]]]]]}})",
                                  options);
              }) == kith::errc::limit);
        CHECK_FALSE(world.lookup("A"));
    }

    // spec 551
    TEST_CASE("a reader ends with a mistake, and with finish()") {
        kith::world world;
        kith::json_reader broken(world);
        CHECK(kith_test::error_of([&] {
                  broken.feed("[1]");
                  broken.finish();
              }) == kith::errc::invalid_text);
        CHECK(kith_test::error_of([&] { broken.feed("{}"); }) == kith::errc::invalid_operation);
        CHECK(kith_test::error_of([&] { broken.finish(); }) == kith::errc::invalid_operation);
        kith::json_reader done(world);
        done.feed(R"({"entity":"A"})");
        CHECK_FALSE(world.lookup("A"));
        CHECK(done.finish().entities == 1);
        CHECK(world.lookup("A"));
        CHECK(kith_test::error_of([&] { done.finish(); }) == kith::errc::invalid_operation);
    }

    // spec 551
    TEST_CASE("results go out in chunks that the memory of one row bounds") {
        kith::world world;
        const kith::entity tag = world.entity("Tag");
        for (int i = 0; i < 20000; ++i) {
            world.entity(("ship" + std::to_string(i)).c_str()).add(tag);
        }
        struct receiver {
            std::string text;
            std::size_t most = 0;
        } got;
        const auto take = [](void* context, const char* data, std::size_t size) {
            auto& into = *static_cast<receiver*>(context);
            into.text.append(data, size);
            into.most = std::max(into.most, size);
            return true;
        };
        for (const bool columns : {false, true}) {
            got = {};
            kith::json_options options;
            options.columns = columns;
            kith::write_json(kith::json_sink(take, &got), world.query("Tag"), options);
            CHECK(got.text == kith::to_json(world.query("Tag"), options));
            CHECK(got.most < 66'000);
        }
    }
}
