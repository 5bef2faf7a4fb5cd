// Results of queries as JSON: rows, blocks of columns, flat numbers.
#include <kith/json.hpp>
#include <kith/kith.hpp>
#include <kith/world_text.hpp>

#include "support/errors.hpp"
#include "support/values.hpp"

#include <string>

#include <doctest/doctest.h>

namespace {

using kith_test::contains;

struct Cargo {
    float tons;
    int crates;
};
struct Spot {
    float x, y;
};
struct Body {
    Spot at;
    float mass;
    int secret;
};
struct Unknown {
    Unknown() = default;
    int hidden = 0;
};

struct fleet {
    kith::world world;
    kith::entity sun = world.entity("Sun");
    kith::entity port = world.entity("Port");

    fleet() {
        kith::reflect<Cargo, Body>();
        const kith::entity docked = world.entity("DockedTo");
        port.set(Cargo{1, 2});
        world.entity("Bell").set(Cargo{64, 3}).add(docked, port);
        world.entity("Ann").set(Cargo{8, 4}).add(docked, sun);
    }
    // The part behind the columns.
    std::string rest(const std::string& text) { return text.substr(text.find("], \"") + 3); }
    std::string of(const char* query, const kith::json_options& options = {}) {
        return kith::to_json(world.query(query), options);
    }
};

}  // namespace

TEST_SUITE("dsl.json_results") {
    // spec 543
    TEST_CASE_FIXTURE(fleet, "columns come in blocks of rows with a list for each column") {
        CHECK(rest(of("Cargo, DockedTo", {.columns = true})) == R"("blocks":[]})");
        CHECK(rest(of("Cargo, (DockedTo, $where)", {.columns = true})) ==
              R"("blocks":[{"count":1, "data":[["Bell"], ["Port"], [{"tons":64, "crates":3}]]}, )"
              R"({"count":1, "data":[["Ann"], ["Sun"], [{"tons":8, "crates":4}]]}]})");
        CHECK(rest(of("Cargo, !(DockedTo, *)", {.columns = true, .flat = true})) ==
              R"("blocks":[{"count":1, "data":[["Port"], [1], [2]]}]})");
    }

    // spec 543
    TEST_CASE_FIXTURE(fleet, "flat results have a column for each number") {
        const std::string text = of("Cargo", {.flat = true});
        CHECK(contains(text, R"({"name":"Cargo.tons", "kind":"value", "type":"f32"}, )"
                             R"({"name":"Cargo.crates", "kind":"value", "type":"i32"}])"));
        CHECK(contains(text, R"(["Bell", 64, 3])"));
        world.entity("Moon").set(Body{{1, 2}, 3, 4});
        CHECK(contains(of("Body", {.flat = true}), R"("Body.at.x")"));
        CHECK(rest(of("Body", {.flat = true})) == R"("rows":[["Moon", 1, 2, 3, 4]]})");
    }

    // spec 543
    TEST_CASE_FIXTURE(fleet, "members that are hidden from tables are there on demand") {
        world.component<Body>().on("secret").hidden();
        world.entity("Moon").set(Body{{1, 2}, 3, 4});
        CHECK(rest(of("Body")) == R"("rows":[["Moon", {"at":{"x":1, "y":2}, "mass":3}]]})");
        CHECK(rest(of("Body", {.flat = true})) == R"("rows":[["Moon", 1, 2, 3]]})");
        CHECK(contains(of("Body", {.hidden = true}), R"("secret":4)"));
        CHECK(contains(of("Body", {.flat = true, .hidden = true}), R"(["Moon", 1, 2, 3, 4])"));
        CHECK(contains(kith::to_json(world.lookup("Moon")), R"("secret":4)"));
    }

    // spec 543
    TEST_CASE_FIXTURE(fleet, "values of other sources have columns of their own") {
        const std::string text = of("Cargo, (DockedTo, $where), ?Cargo($where), Cargo(Bell)");
        CHECK(contains(text, R"({"name":"Cargo", "kind":"value", "type":"Cargo"}, )"
                             R"_({"name":"Cargo($where)", "kind":"value", "type":"Cargo"}, )_"
                             R"_({"name":"Cargo(Bell)", "kind":"value", "type":"Cargo"}])_"));
        CHECK(contains(text, R"(["Bell", "Port", {"tons":64, "crates":3}, {"tons":1, "crates":2}, )"
                             R"({"tons":64, "crates":3}])"));
        CHECK(contains(text, R"(["Ann", "Sun", {"tons":8, "crates":4}, null, )"));
        CHECK(contains(of("Cargo, Cargo", {.flat = true}), R"("Cargo#2.tons")"));
    }

    // spec 543
    TEST_CASE_FIXTURE(fleet, "rows that share a value each have it") {
        const kith::entity base = world.prefab("Tanker").set(Cargo{9, 9});
        world.entity("A").is_a(base);
        world.entity("B").is_a(base);
        CHECK(contains(of("Cargo(self|up(IsA)), (IsA, Tanker)"),
                       R"(["A", {"tons":9, "crates":9}], ["B", {"tons":9, "crates":9}])"));
        CHECK(contains(of("Cargo(self|up(IsA)), (IsA, Tanker)", {.columns = true}),
                       R"([["A"], [{"tons":9, "crates":9}]]})"));
    }

    // spec 543
    TEST_CASE_FIXTURE(fleet, "terms of an Or chain share a column, whatever their types are") {
        world.entity("Moon").set(Body{{1, 2}, 3, 4});
        const std::string text = of("Body || Cargo", {.flat = true});
        CHECK(contains(text, R"(["Moon", {"at":{"x":1, "y":2}, "mass":3, "secret":4}])"));
        CHECK(contains(text, R"(["Bell", {"tons":64, "crates":3}])"));
    }

    // spec 543
    TEST_CASE_FIXTURE(fleet, "a query about named entities has one row without columns") {
        CHECK(of("Cargo(Bell)") ==
              R"_({"columns":[{"name":"Cargo(Bell)", "kind":"value", "type":"Cargo"}], )_"
              R"("rows":[[{"tons":64, "crates":3}]]})");
        CHECK(of("DockedTo(Bell, Port)", {.columns = true}) ==
              R"({"columns":[], "blocks":[{"count":1, "data":[]}]})");
        CHECK(of("DockedTo(Bell, Sun)", {.columns = true}) == R"({"columns":[], "blocks":[]})");
    }

    // spec 543
    TEST_CASE_FIXTURE(fleet, "a value without description is refused, or null") {
        world.entity("Odd").set(Unknown{});
        CHECK(kith_test::error_of([&] { of("Unknown"); }) == kith::errc::invalid_type);
        CHECK(rest(of("Unknown", {.flat = true, .skip_unknown = true})) ==
              R"("rows":[["Odd", null]]})");
    }

    TEST_CASE_FIXTURE(fleet, "pretty texts have a line for each part") {
        CHECK(kith::to_json(world, Cargo{1, 2}, {.pretty = true}) ==
              "{\n  \"tons\": 1,\n  \"crates\": 2\n}");
        CHECK(contains(kith::to_json(port, {.pretty = true}), "\n      \"tons\": 1,"));
        kith::world copy;
        kith::from_json(copy, kith::to_json(world, {.pretty = true}));
        CHECK(kith::to_json(copy) == kith::to_json(world));
    }

    TEST_CASE("a writer puts commas, keys and values where they belong") {
        std::string text;
        kith::json_writer out(text);
        out.begin_object().key("a").value(1).key("b").begin_array().value("x\n").value(true).null();
        out.end_array().key("c").value(Cargo{1, 2}).key("d").begin_object().end_object();
        out.end_object().finish();
        CHECK(text == R"({"a":1, "b":["x\n", true, null], "c":{"tons":1, "crates":2}, "d":{}})");
        const auto refused = [](auto&& write) {
            std::string ignored;
            kith::json_writer to(ignored);
            return kith_test::error_of([&] { write(to); }) == kith::errc::invalid_operation;
        };
        CHECK(refused([](auto& to) { to.key("a"); }));
        CHECK(refused([](auto& to) { to.begin_object().value(1); }));
        CHECK(refused([](auto& to) { to.begin_object().end_array(); }));
        CHECK(refused([](auto& to) { to.begin_object().key("a").end_object(); }));
        CHECK(refused([](auto& to) { to.value(1).value(2); }));
        CHECK(refused([](auto& to) { to.begin_array().finish(); }));
        CHECK(refused([](auto& to) { to.finish(); }));
    }
}
