// Entities, results of queries and worlds as JSON.
#include <kith/json.hpp>
#include <kith/kith.hpp>
#include <kith/value.hpp>
#include <kith/world_text.hpp>

#include "support/errors.hpp"
#include "support/values.hpp"

#include <string>

#include <doctest/doctest.h>

namespace {

using kith_test::contains;

struct Cargo {
    float tons;
};
struct Eats {
    int daily;
};
struct Unknown {
    Unknown() = default;
    int hidden = 0;
};

struct harbour {
    kith::world world;
    kith::entity sol = world.entity("Sol");
    kith::entity earth = world.entity("Earth").child_of(sol);
    kith::entity planet = world.entity("Planet");
    kith::entity orbits = world.entity("Orbits");
    kith::entity apples = world.entity("Apples");

    harbour() {
        kith::reflect<Cargo, Eats>();
        earth.add(planet).add(orbits, sol).set(Cargo{64}).set<Eats>(apples, Eats{3});
    }
    std::string mistake(std::string_view text) {
        std::string message;
        CHECK(kith_test::refusal(world, [&] {
                  try {
                      kith::from_json(world, text);
                  } catch (const kith::error& raised) {
                      message = raised.what();
                      throw;
                  }
              }) == kith::errc::invalid_text);
        return message;
    }
};

constexpr const char* ships =
    "struct Hull { plates: i32 = 4, name: text, captain: entity }\n"
    "DockedTo: Exclusive, Sparse\n"
    "Ceres {} Vesta {}\n"
    "Fleet { Ann: (Likes, Vesta) = {5}\n"
    "        Bell: Hull = {name: \"B\", captain: Ann}, (DockedTo, Ceres) }\n"
    "Ship: Prefab, Hull = {plates: 9} { Bridge: (SlotOf, Ship) }\n"
    "Nostromo: (IsA, Ship), (DockedTo, Vesta)\n";

}  // namespace

TEST_SUITE("dsl.json_world") {
    // spec 542
    TEST_CASE_FIXTURE(harbour, "an entity has tags, components and pairs, in a fixed order") {
        const std::string text =
            R"({"entity":"Sol.Earth", "tags":["Planet"], "components":{"Cargo":{"tons":64}}, )"
            R"("pairs":{"Eats":{"Apples":{"daily":3}}, "Orbits":["Sol"]}})";
        CHECK(kith::to_json(earth) == text);
        world.entity("::Prefab").add(kith::Prefab);
        CHECK(contains(kith::to_json(world.lookup("::Prefab")),
                       R"({"entity":"::Prefab", "tags":["Prefab"]})"));
        CHECK(kith::to_json(sol) == R"({"entity":"Sol"})");
        CHECK(kith::to_json(earth, {.compact = true}).find(' ') == std::string::npos);
        kith::entity copy = world.entity();
        kith::from_json(copy, text);
        CHECK(copy.get<Cargo>()->tons == 64);
        CHECK(copy.get<Eats>(apples)->daily == 3);
        CHECK(copy.has(orbits, sol));
        CHECK(copy.has(planet));
        CHECK(copy.name().empty());
    }

    // spec 542
    TEST_CASE_FIXTURE(harbour, "inherited values are written on demand, disabled ids always") {
        const kith::entity base = world.prefab("Tanker").set(Cargo{9}).add(planet);
        const kith::entity far = world.entity("Far").set(Cargo{8});
        kith::entity ship = world.entity("Ship").is_a(base);
        CHECK(kith::to_json(ship) == R"({"entity":"Ship", "pairs":{"IsA":["Tanker"]}})");
        const std::string text = kith::to_json(ship, {.base = true});
        CHECK(contains(text, R"("inherited":{"Cargo":{"from":"Tanker", "value":{"tons":9}}})"));
        kith::from_json(ship, text);
        CHECK_FALSE(ship.owns<Cargo>());
        kith::entity(far).disable<Cargo>();
        CHECK(contains(kith::to_json(far), R"("disabled":["Cargo"])"));
    }

    // spec 542
    TEST_CASE_FIXTURE(harbour, "a value without description is refused, or left out") {
        earth.set(Unknown{});
        CHECK(kith_test::error_of([&] { kith::to_json(earth); }) == kith::errc::invalid_type);
        CHECK(contains(kith::to_json(earth, {.skip_unknown = true}),
                       R"("components":{"Cargo":{"tons":64}})"));
    }

    TEST_CASE_FIXTURE(harbour, "results of queries have rows, or columns") {
        const auto query = world.query<const Cargo>();
        CHECK(kith::to_json(query) ==
              R"({"columns":[{"name":"this", "kind":"entity"}, {"name":"Cargo", "kind":"value", )"
              R"("type":"Cargo"}], "rows":[["Sol.Earth", {"tons":64}]]})");
        CHECK(
            kith::to_json(query, {.columns = true}) ==
            R"({"columns":[{"name":"this", "kind":"entity"}, {"name":"Cargo", "kind":"value", )"
            R"("type":"Cargo"}], "blocks":[{"count":1, "data":[["Sol.Earth"], [{"tons":64}]]}]})");
        const auto variables = world.query("(Orbits, $sun), ?Cargo($sun), (Eats, *)");
        const std::string text = kith::to_json(variables);
        CHECK(contains(text, R"({"name":"sun", "kind":"variable"})"));
        CHECK(contains(text, R"("rows":[["Sol.Earth", "Sol", "Apples", null, {"daily":3}]])"));
        CHECK(contains(kith::to_json(world.query("Planet, Apples")), R"("rows":[])"));
    }

    // spec 544, 190
    TEST_CASE_FIXTURE(harbour, "fields that are written only, or not read, have no values") {
        const auto out = world.query_builder<>().with<Cargo>().out().build();
        CHECK_FALSE(contains(kith::to_json(out), "tons"));
        const auto none = world.query_builder<>().with<Cargo>().inout_none().build();
        CHECK_FALSE(contains(kith::to_json(none), "tons"));
        const auto both = world.query_builder<>().with<Cargo>().inout().build();
        CHECK(contains(kith::to_json(both), R"({"tons":64})"));
    }

    // spec 545, 547
    TEST_CASE("a world comes back equal, with the same bytes") {
        kith::world world;
        kith::load_text(world, "struct Likes { strength: i32 }\n" + std::string(ships));
        const std::string text = kith::to_json(world);
        CHECK(contains(text, R"("struct Hull { plates: i32 = 4, name: text, captain: entity }")"));
        CHECK(contains(text,
                       "\n"
                       R"({"entity":"Fleet.Bell", "components":{"Hull":{"plates":4, "name":"B", )"
                       R"("captain":"Fleet.Ann"}}, "pairs":{"DockedTo":["Ceres"]}})"));
        kith::world copy;
        const kith::json_report report = kith::from_json(copy, text);
        CHECK(report.entities > 8);
        CHECK(kith::save_text(copy) == kith::save_text(world));
        CHECK(kith::to_json(copy) == text);
        copy.check();
    }

    TEST_CASE_FIXTURE(harbour, "a refused text changes nothing; the message has place and path") {
        CHECK(contains(mistake("{\"kith\":1, \"entities\":[\n{\"entity\":\"A\"},\n"
                               "{\"entity\":\"B\", \"components\":{\"Cargo\":{\"tons\":\"x\"}}}]}"),
                       "3:30: entities[1]: Cargo.tons: expected f32, found a text"));
        CHECK(contains(mistake(R"({"entities":[{"entity":"A", "components":{"Carg":{}}}]})"),
                       "1:43: there is no component 'Carg'; did you mean 'Cargo'?"));
        CHECK(contains(mistake(R"({"entity":"A", "components":{"Cargo":{"ton":1}}})"),
                       "no such member; Cargo has tons; did you mean 'tons'?"));
        CHECK(contains(mistake(R"({"entities":[{"tags":["A"]}]})"), "needs its path"));
        CHECK(contains(mistake(R"({"entities":[{"entity":"A: B\nC"}]})"), "no path of names"));
        CHECK(contains(mistake(R"({"types":["A {}"]})"), "expected a type"));
        CHECK(contains(mistake(R"({"types":["struct A { x: f32 }\nB {}"]})"), "expected a type"));
        CHECK(
            contains(mistake(R"({"types":["struct A { x: Nope }"]})"), "there is no type 'Nope'"));
        CHECK(contains(mistake(R"({"entities":[{"entity":"A", "tags":["*"]}]})"), "no path"));
        CHECK(contains(mistake(R"({"entities":[{"entity":"A", "tag":[]}]})"), "no part 'tag'"));
        CHECK(contains(mistake(R"({"entities":[{"entity":"A", "tags":["Wildcard"]}]})"),
                       "wildcards"));
        CHECK(contains(mistake(R"({"kith":2})"), "expected 1"));
        CHECK(contains(mistake(R"([])"), "expected an object"));
        CHECK(contains(mistake(R"({"entity":"A"} x)"), "nothing follows"));
        world.component<Cargo>().on("tons").range(0, 100);
        CHECK(contains(mistake(R"({"entity":"A", "components":{"Cargo":{"tons":101}}})"),
                       "101 is outside of 0..100"));
        kith::json_options options;
        options.skip_unknown = true;
        kith::from_json(world, R"({"entity":"A", "components":{"Carg":{"a":[1]}}, "tags":["T"]})",
                        options);
        CHECK(world.lookup("A").has(world.lookup("T")));
    }

    TEST_CASE_FIXTURE(harbour, "a text cannot be read while the world is deferred") {
        world.defer([&] {
            CHECK(kith_test::error_of([&] { kith::from_json(world, R"({"entity":"A"})"); }) ==
                  kith::errc::invalid_operation);
        });
    }

    TEST_CASE("long texts are sent in chunks, and a receiver may refuse them") {
        kith::world world;
        for (int i = 0; i < 4000; ++i) {
            world.entity(("ship" + std::to_string(i)).c_str()).add(world.entity("Ship"));
        }
        struct receiver {
            std::string text;
            std::size_t calls = 0;
            std::size_t most = 0;
        } got;
        const auto take = [](void* context, const char* data, std::size_t size) {
            auto& into = *static_cast<receiver*>(context);
            into.text.append(data, size);
            into.most = std::max(into.most, size);
            return ++into.calls < 100;
        };
        kith::write_json(kith::json_sink(take, &got), world);
        CHECK(got.text == kith::to_json(world));
        CHECK(got.calls > 1);
        CHECK(got.most < 70'000);
        got.calls = 99;
        CHECK(kith_test::error_of([&] { kith::write_json(kith::json_sink(take, &got), world); }) ==
              kith::errc::invalid_operation);
    }

    TEST_CASE("a world is read while its scope is an entity that was deleted") {
        kith::world world;
        kith::entity scope = world.entity("Gone");
        world.set_scope(scope);
        scope.destruct();
        kith::from_json(world, R"({"entity":"A", "tags":["B"]})");
        CHECK(world.lookup("A").has(world.lookup("B")));
        CHECK_FALSE(world.get_scope());
    }
}
