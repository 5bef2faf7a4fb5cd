// JSON in the table form of Flecs, with the names that programs for Flecs use.
#include <kith/json.hpp>
#include <kith/kith.hpp>

#include "support/errors.hpp"
#include "support/values.hpp"

#include <cstring>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace {

using kith_test::contains;

struct Position {
    float x, y;
};
struct Mass {
    float value;
};
struct Eats {
    int daily;
};
struct Follows {
    kith::handle who;
};
struct Marked {};

struct yard {
    kith::world ecs;

    yard() { describe(ecs); }
    static void describe(kith::world& world) {
        world.component<Position>().member<float>("x").member<float>("y");
        world.component<Mass>().member<float>("value");
        world.component<Eats>().member<int>("daily");
        world.component<Marked>();
    }
};

std::string text_of(const kith::string& text) {
    return std::string(text);
}

}  // namespace

TEST_SUITE("features.values.json_table") {
    // spec 552
    TEST_CASE_FIXTURE(yard, "values go out and in by their type") {
        Position p{10, 20};
        CHECK(text_of(ecs.to_json(&p)) == R"({"x":10, "y":20})");
        CHECK(text_of(ecs.to_json(ecs.component<Position>(), &p)) == R"({"x":10, "y":20})");
        const char* text = R"({"y":7})";
        CHECK(ecs.from_json(&p, text) == text + std::strlen(text));
        CHECK(p.x == 10);
        CHECK(p.y == 7);
        CHECK(*ecs.from_json(ecs.component<Position>(), &p, R"({"x":1})") == '\0');
        CHECK(p.x == 1);
        CHECK(kith_test::error_of([&] { ecs.from_json(&p, R"({"x":2, "z":1})"); }) ==
              kith::errc::invalid_text);
        CHECK(p.x == 1);
        CHECK(kith_test::error_of([&] { ecs.from_json(&p, nullptr); }) == kith::errc::invalid_text);
        Marked none;
        CHECK(kith_test::error_of([&] { ecs.to_json(&none); }) == kith::errc::wrong_type);
    }

    // spec 552
    TEST_CASE_FIXTURE(yard, "an entity has its path and ids, and more on demand") {
        const kith::entity parent = ecs.entity("Farm");
        const kith::entity apples = ecs.entity("Apples");
        const kith::entity e =
            ecs.entity("Bob").child_of(parent).set<Position>({1, 2}).set<Eats>(apples, Eats{3});
        CHECK(text_of(e.to_json()) ==
              R"({"path":"Farm.Bob", "ids":[["Position"], ["Eats", "Apples"]]})");
        kith::entity_to_json_desc_t desc = {};
        CHECK(text_of(e.to_json(&desc)) == "{}");
        desc.serialize_ids = true;
        desc.serialize_values = true;
        CHECK(
            text_of(e.to_json(&desc)) ==
            R"({"ids":[["Position"], ["Eats", "Apples"]], "values":[{"x":1, "y":2}, {"daily":3}]})");
        desc = {};
        desc.serialize_label = true;
        desc.serialize_refs = ecs.component<Eats>();
        CHECK(text_of(e.to_json(&desc)) == R"({"label":"Bob", "refs":[]})");
        CHECK(text_of(apples.to_json(&desc)) == R"({"label":"Apples", "refs":["Farm.Bob"]})");
        desc = {};
        desc.serialize_ids = desc.serialize_private = true;
        CHECK(contains(text_of(e.to_json(&desc)), "Identifier"));
        desc = {};
        desc.serialize_type_info = true;
        CHECK(contains(text_of(e.to_json(&desc)), "\"type_info\":[{"));
        const kith::entity base = ecs.prefab("Animal").set<Mass>({4});
        kith::entity cat = ecs.entity("Cat").is_a(base);
        CHECK(text_of(cat.to_json()) ==
              R"({"path":"Cat", "is_a":[{"path":"Animal", "ids":[["Mass"], ["Prefab"]]}], )"
              R"("ids":[["IsA", "Animal"]]})");
        cat.destruct();
        CHECK(kith_test::error_of([&] { cat.to_json(); }) == kith::errc::invalid_entity);
    }

    // spec 552
    TEST_CASE_FIXTURE(yard, "an entity takes its name, ids and values from a text") {
        kith::entity e = ecs.entity();
        const char* text =
            R"({"path":"ent", "ids":[["Position"], ["Marked"]], "values":[{"x":10, "y":20}, 0]})";
        CHECK(*e.from_json(text) == '\0');
        CHECK(std::string_view(e.name()) == "ent");
        CHECK(e.get<Position>()->y == 20);
        CHECK(e.has<Marked>());
        e.from_json(R"({"components":{"Mass":{"value":3}}, "tags":["Old"]})");
        CHECK(e.get<Mass>()->value == 3);
        CHECK(e.has(ecs.lookup("Old")));
        kith::entity refused = ecs.entity();
        CHECK(kith_test::error_of([&] {
                  refused.from_json(R"({"path":"x", "ids":[["Position"]], "values":[{"q":1}]})");
              }) == kith::errc::invalid_text);
        CHECK(refused.name().empty());
        CHECK_FALSE(refused.has<Position>());
        CHECK(kith_test::error_of([&] {
                  refused.from_json(R"({"ids":[["Nope"]], "values":[{"q":1}]})");
              }) == kith::errc::invalid_text);
        CHECK(kith_test::error_of([&] { refused.from_json(R"({"ids":[[1]]})"); }) ==
              kith::errc::invalid_text);
    }

    // spec 552
    TEST_CASE_FIXTURE(yard, "a component is set from a text with one OnSet") {
        int told = 0;
        ecs.observer<Position>().event(kith::OnSet).each([&](kith::entity, Position&) { ++told; });
        const kith::entity apples = ecs.entity("Apples");
        kith::entity e = ecs.entity();
        e.set_json<Position>(R"({"x":1, "y":2})");
        CHECK(told == 1);
        e.set_json(ecs.component<Position>(), R"({"y":5})");
        CHECK(told == 2);
        CHECK(e.get<Position>()->x == 1);
        CHECK(e.get<Position>()->y == 5);
        e.set_json<Eats>(apples, R"({"daily":4})");
        CHECK(e.get<Eats>(apples)->daily == 4);
        e.set_json(ecs.component<Eats>(), apples, R"({"daily":5})");
        CHECK(e.get<Eats>(apples)->daily == 5);
        e.set_json<Eats, Marked>(R"({"daily":6})");
        CHECK(e.get<Eats, Marked>()->daily == 6);
        e.set_json_second<Mass>(ecs.entity("Has"), R"({"value":7})");
        CHECK(e.get_second<Mass>(ecs.lookup("Has"))->value == 7);
        CHECK(kith_test::error_of([&] { e.set_json<Position>("{"); }) == kith::errc::invalid_text);
        CHECK(e.get<Position>()->y == 5);
        CHECK(told == 2);
    }

    // spec 552
    TEST_CASE_FIXTURE(yard, "a descriptor names the file, and finds entities") {
        ecs.component<Follows>().member(kith::Entity, "who");
        kith::from_json_desc_t desc = {};
        desc.name = "save.json";
        Position p{};
        CHECK(contains(kith_test::message_of([&] { ecs.from_json(&p, "{\n\"x\":[]}", &desc); }),
                       "save.json:2:5: "));
        kith::entity bob = ecs.entity("Bob");
        desc.lookup_action = [](const kith::world_t*, const char* name, void* context) {
            return std::strcmp(name, "boss") == 0 ? static_cast<kith::entity*>(context)->id()
                                                  : kith::entity_t{0};
        };
        desc.lookup_ctx = &bob;
        kith::entity e = ecs.entity();
        e.set_json<Follows>(R"({"who":"boss"})", &desc);
        CHECK(e.get<Follows>()->who == bob.id());
        CHECK(kith_test::error_of([&] { e.set_json<Follows>(R"({"who":"Bob"})", &desc); }) ==
              kith::errc::invalid_text);
    }

    // spec 552
    TEST_CASE_FIXTURE(yard, "results of a query have ids, sources, entities and values") {
        ecs.entity("A").set<Position>({1, 2});
        ecs.entity("B").set<Position>({3, 4});
        const auto query = ecs.query<Position>();
        CHECK(text_of(query.iter().to_json()) ==
              R"({"ids":[["Position"]], "results":[{"ids":[["Position"]], "sources":[0], )"
              R"("is_set":[true], "entities":["A", "B"], )"
              R"("values":[[{"x":1, "y":2}, {"x":3, "y":4}]]}]})");
        CHECK(text_of(query.to_json()) == text_of(query.iter().to_json()));
        kith::iter_to_json_desc_t desc = {};
        CHECK(text_of(query.iter().to_json(&desc)) == R"({"results":[{}]})");
        CHECK(text_of(query.to_json(&desc)) == R"({"results":[{}]})");
        desc.serialize_entities = true;
        CHECK(text_of(query.iter().to_json(&desc)) == R"({"results":[{"entities":["A", "B"]}]})");
        desc = {};
        desc.serialize_values = desc.serialize_table = desc.serialize_ids = true;
        CHECK(contains(text_of(query.iter().to_json(&desc)), R"("ids":[["Position"]])"));
        CHECK(text_of(ecs.filter<Mass>().iter().to_json()) == R"({"results":[]})");
        const std::string out =
            text_of(ecs.query_builder<Position>().term_at(1).out().build().iter().to_json());
        CHECK(contains(out, R"("values":[0])"));
    }

    // spec 552
    TEST_CASE_FIXTURE(yard, "results name variables, other sources and fields that are not set") {
        const kith::entity sun = ecs.entity("Sun").set<Mass>({9});
        ecs.entity("Earth").add(ecs.entity("Orbits"), sun).add<Marked>();
        const std::string text =
            text_of(ecs.query("Marked, (Orbits, $s), Mass($s), ?Position").iter().to_json());
        CHECK(contains(text, R"("variables":["s"])"));
        CHECK(contains(text, R"("sources":[0, 0, "Sun", 0])"));
        CHECK(contains(text, R"("variables":["Sun"])"));
        CHECK(contains(text, R"("is_set":[true, true, true, false])"));
        CHECK(contains(text, R"("values":[0, 0, {"value":9}, 0])"));
    }

    // spec 552
    TEST_CASE_FIXTURE(yard, "a world comes back into itself and into another one") {
        const kith::entity farm = ecs.entity("Farm");
        const kith::entity apples = ecs.entity("Apples").add<Marked>();
        ecs.entity("Bob").child_of(farm).set<Position>({1, 2}).set<Eats>(apples, Eats{3});
        ecs.entity("Ann").set<Position>({3, 4}).set<Mass>({.25f});
        kith::entity unnamed = ecs.entity().set<Mass>({7});
        const std::string text = text_of(ecs.to_json());
        CHECK_FALSE(contains(text, "\"Component\""));
        kith::world other;
        yard::describe(other);
        CHECK(*other.from_json(text.c_str()) == '\0');
        CHECK(other.lookup("Farm::Bob").get<Position>()->y == 2);
        CHECK(other.lookup("Farm::Bob").get<Eats>(other.lookup("Apples"))->daily == 3);
        CHECK(other.lookup("Ann").get<Mass>()->value == .25f);
        CHECK(other.count<Mass>() == 2);
        unnamed.destruct();
        const std::string named = text_of(ecs.to_json());
        ecs.from_json(named.c_str());
        CHECK(text_of(ecs.to_json()) == named);
        ecs.check();
        other.check();
    }

    // spec 552
    TEST_CASE_FIXTURE(yard, "results of a query are read as what they say about their rows") {
        ecs.entity("A").set<Position>({1, 2});
        const kith::entity sun = ecs.entity("Sun").set<Mass>({9});
        ecs.entity("B").add(ecs.entity("Orbits"), sun).set<Position>({3, 4});
        const std::string text =
            text_of(ecs.query("Position, ?(Orbits, $s), ?Mass($s)").iter().to_json());
        kith::world other;
        yard::describe(other);
        other.from_json(text.c_str());
        CHECK(other.lookup("B").get<Position>()->x == 3);
        CHECK(other.lookup("B").has(other.lookup("Orbits"), other.lookup("Sun")));
        CHECK_FALSE(other.lookup("A").has<Mass>());
        CHECK_FALSE(other.lookup("B").has<Mass>());
    }

    // spec 552
    TEST_CASE_FIXTURE(yard, "a refused table changes nothing, and the message has the place") {
        const auto mistake = [&](const char* text) {
            return kith_test::message_of([&] {
                CHECK(kith_test::refusal(ecs, [&] { ecs.from_json(text); }) ==
                      kith::errc::invalid_text);
                ecs.from_json(text);
            });
        };
        CHECK(contains(mistake(R"({"results":[{"ids":[["Position"]], "entities":["A", "B"],
            "values":[[{"x":1}, {"x":"b"}]]}]})"),
                       "results[0].entities[1]: Position.x: expected f32, found a text"));
        CHECK(contains(mistake(R"({"results":[{"ids":[["Position"]]}]})"),
                       "a table needs the paths of its entities"));
        CHECK(contains(mistake(R"({"results":[{"ids":[["Positio"]], "entities":["A"],
            "values":[[{"x":1}]]}]})"),
                       "there is no component 'Positio'; did you mean 'Position'?"));
        CHECK(contains(mistake(R"({"results":[{"rows":[]}]})"), "no part 'rows'"));
        CHECK(contains(mistake(R"({"results":[{"ids":[[]], "entities":[]}]})"),
                       "an id is a list of one or two paths"));
        CHECK(contains(mistake(R"({"results":[{"ids":[], "entities":["*"]}]})"), "no path"));
    }

    // spec 552
    TEST_CASE_FIXTURE(yard, "a label stands for one new entity, or for the one with its index") {
        ecs.from_json(R"({"results":[{"ids":[["Likes", "#77"]], "entities":["A", "#77"]}]})");
        const kith::entity liked = ecs.lookup("A").target(ecs.lookup("Likes"));
        CHECK(liked.name().empty());
        CHECK(liked.has(ecs.lookup("Likes"), liked));
        const kith::entity alone = ecs.entity();
        kith::json_options options;
        options.by_id = true;
        kith::from_json(
            ecs,
            R"({"entity":"#)" + std::to_string(kith::index_of(alone)) + R"(", "tags":["Old"]})",
            options);
        CHECK(alone.has(ecs.lookup("Old")));
        CHECK(kith_test::error_of([&] {
                  kith::from_json(ecs, R"({"entity":"#99999", "tags":["Old"]})", options);
              }) == kith::errc::invalid_text);
    }
}
