// Components and members that a world does not know: refused, left out, or kept.
#include <kith/json.hpp>
#include <kith/kith.hpp>
#include <kith/value.hpp>
#include <kith/world_text.hpp>

#include "support/errors.hpp"
#include "support/values.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace {

using kith_test::contains;

struct Berth {
    float x;
};
struct Cargo {
    float tons;
    Berth at;
    std::vector<Berth> way;
};

constexpr const char* text =
    R"({"entity":"Bell", "components":{)"
    R"("Cargo":{"colour":"red", "tons":3, "at":{"y":[1, 2], "x":5}, "way":[{"x":1, "z":0}]}, )"
    R"("Engine":{"power":[1, {"a":"}"}]}}, "tags":["Tall"]})";

struct harbour {
    kith::world world;

    harbour() {
        kith::reflect<Cargo>();
        world.component<Cargo>();
    }
    kith::json_report read(kith::unknown_policy policy) {
        kith::json_options options;
        options.unknown = policy;
        return kith::from_json(world, text, options);
    }
    std::string mistake(const char* given, const kith::json_options& options = {}) {
        try {
            kith::from_json(world, given, options);
        } catch (const kith::error& raised) {
            return raised.what();
        }
        return {};
    }
};

}  // namespace

TEST_SUITE("dsl.json_unknown") {
    // spec 550
    TEST_CASE_FIXTURE(harbour, "unknown names are mistakes, with the nearest name") {
        CHECK(contains(mistake(R"({"entity":"A", "components":{"Crgo":{}}})"),
                       "1:30: there is no component 'Crgo'; did you mean 'Cargo'?"));
        CHECK(
            contains(mistake(R"({"entity":"A", "components":{"Cargo":{"tins":1}}})"),
                     "Cargo.tins: no such member; Cargo has tons, at, way; did you mean 'tons'?"));
        Cargo cargo{1, {2}, {}};
        CHECK(kith_test::error_of([&] { kith::from_json(world, cargo, R"({"tins":1})"); }) ==
              kith::errc::invalid_text);
        CHECK(cargo.tons == 1);
    }

    // spec 550
    TEST_CASE_FIXTURE(harbour, "unknown components and members are left out on demand") {
        const kith::json_report report = read(kith::unknown_policy::skip);
        CHECK(report.skipped == 4);
        CHECK(report.kept == 0);
        const kith::entity bell = world.lookup("Bell");
        CHECK(bell.get<Cargo>()->tons == 3);
        CHECK(bell.get<Cargo>()->at.x == 5);
        CHECK(bell.get<Cargo>()->way.at(0).x == 1);
        CHECK_FALSE(world.lookup("Engine"));
        CHECK(bell.has(world.lookup("Tall")));
        Cargo cargo{1, {2}, {}};
        kith::json_options options;
        options.unknown = kith::unknown_policy::skip;
        kith::from_json(world, cargo, R"({"tins":[1, 2], "tons":4, "x":{}})", options);
        CHECK(cargo.tons == 4);
        kith::from_json(world, cargo, R"({ "tins" : "," })", options);
        CHECK(cargo.tons == 4);
    }

    // spec 550
    TEST_CASE_FIXTURE(harbour, "skipping does not accept mistakes inside of what is skipped") {
        kith::json_options options;
        options.unknown = kith::unknown_policy::skip;
        CHECK(
            contains(mistake(R"({"entity":"A", "components":{"Engine":{"a":1, "a":2}}})", options),
                     "twice"));
        CHECK(contains(mistake(R"({"entity":"A", "components":{"Engine":"\ud800"}})", options),
                       "surrogate"));
        CHECK(contains(mistake(R"({"entity":"A", "components":{"Cargo":{"a":01}}})", options),
                       "zeros"));
        CHECK(contains(
            mistake(R"({"entity":"A", "components":{"Cargo":{"b":1, "tons":""}}})", options),
            "Cargo.tons: expected f32, found a text"));
        CHECK_FALSE(world.lookup("A"));
    }

    // spec 550
    TEST_CASE_FIXTURE(harbour, "what nobody knows is kept, and written again") {
        const kith::json_report report = read(kith::unknown_policy::keep);
        CHECK(report.kept == 3);
        CHECK(report.skipped == 1);
        const kith::entity bell = world.lookup("Bell");
        CHECK(bell.get<Cargo>()->tons == 3);
        const std::string written = kith::to_json(bell);
        CHECK(written == R"({"entity":"Bell", "tags":["Tall"], "components":{"Cargo":{"tons":3, )"
                         R"("at":{"x":5, "y":[1, 2]}, "way":[{"x":1}], "colour":"red"}, )"
                         R"("Engine":{"power":[1, {"a":"}"}]}}})");
        kith::json_options options;
        options.unknown = kith::unknown_policy::keep;
        kith::world copy;
        copy.component<Cargo>();
        kith::from_json(copy, kith::to_json(world), options);
        CHECK(kith::to_json(copy) == kith::to_json(world));
        CHECK(kith::to_json(copy.lookup("Bell")) == written);
        kith::from_json(world, written, options);
        CHECK(kith::to_json(bell) == written);
        world.check();
    }

    // spec 550
    TEST_CASE_FIXTURE(harbour, "what was kept survives worlds as text, and a move between tables") {
        read(kith::unknown_policy::keep);
        const std::string written = kith::to_json(world.lookup("Bell"));
        kith::world copy;
        copy.component<Cargo>();
        kith::load_text(copy, kith::save_text(world));
        CHECK(kith::to_json(copy.lookup("Bell")) == written);
        world.lookup("Bell").add(world.entity("Old"));
        CHECK(contains(kith::to_json(world.lookup("Bell")), R"("Engine":{"power")"));
    }

    // spec 550
    TEST_CASE_FIXTURE(harbour, "setting a component keeps its unknown members as well") {
        kith::entity bell = world.entity("Bell");
        kith::json_options options;
        options.unknown = kith::unknown_policy::keep;
        kith::set_json(bell, world.component<Cargo>(), R"({"tons":2, "colour":"red"})", options);
        CHECK(contains(kith::to_json(bell), R"("colour":"red")"));
    }

    // spec 550
    TEST_CASE("a refused text with kept parts leaves no trace") {
        kith::world world;
        const std::size_t before = world.stats().entities;
        kith::json_options options;
        options.unknown = kith::unknown_policy::keep;
        CHECK(kith_test::error_of([&] {
                  kith::from_json(world,
                                  R"({"entities":[{"entity":"A", "components":{"E":1}}, )"
                                  R"({"entity":"A", "tags":["Wildcard"]}]})",
                                  options);
              }) == kith::errc::invalid_text);
        CHECK(world.stats().entities == before);
    }
}
