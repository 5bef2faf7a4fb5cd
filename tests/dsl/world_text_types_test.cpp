// Types in worlds as text: struct, enum and flags are declared, used, saved and laid out.
#include <kith/kith.hpp>
#include <kith/save.hpp>
#include <kith/value.hpp>
#include <kith/world_text.hpp>

#include "support/errors.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace {

struct Slot {
    std::string what;
    int count;
};
struct Hold {
    std::vector<Slot> slots;
    float tons;
};
struct Gauge {
    int level;
};

struct text_world {
    kith::world world;

    void load(const std::string& text) { kith::load_text(world, text); }
    std::string value(const char* entity, const char* component) const {
        return kith::value_of(world.lookup(entity), world.lookup(component)).str();
    }
    std::string mistake(const std::string& source) {
        std::string message;
        CHECK(kith_test::refusal(world, [&] {
                  try {
                      kith::load_text(world, source);
                  } catch (const kith::error& raised) {
                      message = raised.what();
                      throw;
                  }
              }) == kith::errc::invalid_text);
        return message;
    }
};
bool has(const std::string& text, const char* part) {
    INFO(text);
    return text.find(part) != std::string::npos;
}

constexpr const char* all_kinds =
    "struct Circle { r: f64 }\n"
    "enum Color : u8 { Red, Green = 4, Blue }\n"
    "flags Toppings { Bacon, Lettuce, Tomato = 8 }\n"
    "struct Item {\n"
    "    name: text,  // how it is called\n"
    "    weight: f32 = 1 (unit: \"kg\", range: 0..100, was: \"mass\"),\n"
    "    owner: entity, tags: [text], slots: [i32; 4], best: ?f32,\n"
    "    prices: {text: f32}, shape: null | Circle | f32, at: (f32, f32),\n"
    "    color: Color = Green, on: Toppings = Bacon|Tomato, parts: [Item]\n"
    "}\n"
    "Bob {}\n"
    "Box: Item = {\"box\", owner: Bob, shape: Circle({r: 2}), best: 1, parts: [{name: \"lid\"}]}\n";

}  // namespace

TEST_SUITE("dsl.world_text_types") {
    // spec 536
    TEST_CASE_FIXTURE(text_world, "members of all kinds are declared and have values") {
        load(all_kinds);
        CHECK(value("Box", "Item") ==
              "{name: \"box\", weight: 1, owner: Bob, tags: [], slots: [0, 0, 0, 0], best: 1, "
              "prices: {}, shape: Circle({r: 2}), at: [0, 0], color: Green, on: Tomato|Bacon, "
              "parts: [{name: \"lid\", weight: 1, owner: 0, tags: [], slots: [0, 0, 0, 0], "
              "best: null, prices: {}, shape: null, at: [0, 0], color: Green, "
              "on: Tomato|Bacon, parts: []}]}");
        const kith::entity box = world.lookup("Box");
        const kith::id_t item = world.lookup("Item");
        CHECK(kith_test::refusal(world, [&] { kith::edit(box, item).set("weight", 101); }) ==
              kith::errc::invalid_value);
        kith::edit(box, item).parse("", "{mass: 7}");
        CHECK(kith::value_of(box, item).at("weight").str() == "7");
        load("Lid: Color = Blue, Toppings = 3");
        CHECK(value("Lid", "Color") == "Blue");
        CHECK(value("Lid", "Toppings") == "Lettuce|Bacon");
    }

    // spec 536
    TEST_CASE_FIXTURE(text_world, "a saved world declares its types, and loads to the same text") {
        load(all_kinds);
        const std::string saved = kith::save_text(world);
        CHECK(has(saved,
                  "struct Item { name: text, weight: f32 = 1 (range: 0..100, unit: \"kg\", was: "
                  "\"mass\"), owner: entity, tags: [text], slots: [i32; 4], best: ?f32, prices: "
                  "{text: f32}, shape: null | Circle | f32, at: (f32, f32), color: Color = Green, "
                  "on: Toppings = Tomato|Bacon, parts: [Item] }\n"));
        CHECK(has(saved, "enum Color : u8 { Red = 0, Green = 4, Blue = 5 }\n"));
        CHECK(has(saved, "flags Toppings : u32 { Bacon = 1, Lettuce = 2, Tomato = 8 }\n"));
        kith::world copy;
        kith::load_text(copy, saved);
        CHECK(kith::save_text(copy) == saved);
        CHECK(kith::value_of(copy.lookup("Box"), copy.lookup("Item")).str() ==
              value("Box", "Item"));
    }

    TEST_CASE_FIXTURE(text_world, "a type belongs to the block in which it is declared") {
        load(
            "game { struct Cargo { tons: f32 }\n Bell: Cargo = {64} }\nstruct Cargo { n: i32 }\n"
            "Other: Cargo = {1}");
        CHECK(value("game.Bell", "game.Cargo") == "{tons: 64}");
        CHECK(value("Other", "Cargo") == "{n: 1}");
        // The order of siblings is that of their creation.
        load(
            "later { First {}\n struct Kind { n: i32 }\n Last: Kind }\nstruct Uses { k: later.Kind "
            "}");
        const std::string saved = kith::save_text(world);
        kith::world copy;
        kith::load_text(copy, saved);
        CHECK(kith::save_text(copy) == saved);
    }

    TEST_CASE_FIXTURE(text_world, "a type of the program is declared for readers without it") {
        kith::reflect<Hold>();
        world.component<Hold>();
        world.entity("Bell").set(Hold{{{"ore", 2}}, 64});
        const std::string saved = kith::save_text(world);
        CHECK(has(saved,
                  "struct Slot { what: text, count: i32 }\n\n"
                  "struct Hold { slots: [Slot], tons: f32 }\n"));
        kith::world same;
        kith::load_text(same, saved);
        CHECK(same.lookup("Bell").get<Hold>()->slots[0].count == 2);
        CHECK_FALSE(same.lookup("Slot"));
        CHECK(kith::save_text(same) == saved);
    }

    TEST_CASE_FIXTURE(text_world, "a declaration must fit the type of the program") {
        kith::reflect<Gauge>();
        world.component<Gauge>();
        load("struct Gauge { level: f64 = 3, more: text }");  // numbers convert, members may differ
        CHECK(has(mistake("A: Gauge = {1}\nstruct Gauge { level: text }"),
                  "2:8: Gauge is known with another type: .level: the text has text, the program "
                  "i32"));
        CHECK_FALSE(world.lookup("A"));
    }

    // spec 536
    TEST_CASE_FIXTURE(text_world, "types name each other in circles, before their declarations") {
        const char* const text =
            "struct Ship { name: text, ports: [Port], home: ?Berth }\n"
            "struct Port { ships: {text: Ship}, deep: Berth }\n"
            "struct Berth { depth: f32 = 3, guests: [Ship] }\n"
            "Bell: Ship = {\"Bell\", ports: [{ships: {a: {name: \"A\"}}, deep: {guests: "
            "[{name: \"B\"}]}}]}\n";
        load(text);
        const std::string bell = value("Bell", "Ship");
        CHECK(bell ==
              "{name: \"Bell\", ports: [{ships: {a: {name: \"A\", ports: [], home: null}}, deep: "
              "{depth: 3, guests: [{name: \"B\", ports: [], home: null}]}}], home: null}");
        const std::string saved = kith::save_text(world);
        kith::world copy;
        kith::load_text(copy, saved);
        CHECK(kith::save_text(copy) == saved);
        CHECK(kith::value_of(copy.lookup("Bell"), copy.lookup("Ship")).str() == bell);
        copy.lookup("Bell").clone().destruct();
    }

    // spec 536
    TEST_CASE_FIXTURE(text_world,
                      "circles of types inside of a block, and of types made by calls") {
        load("game { struct A { b: [B] }\n struct B { a: [A] }\n One: A = {b: [{a: [{}]}]} }");
        CHECK(value("game.One", "game.A") == "{b: [{a: [{b: []}]}]}");
        auto first = world.component("First").member<int>("n");
        auto second = world.component("Second").member(world.vector(first), "firsts");
        first.member(world.vector(second), "seconds");
        world.entity("Made").add(first);
        const std::string saved = kith::save_text(world);
        kith::world copy;
        kith::load_text(copy, saved);
        CHECK(kith::save_text(copy) == saved);
    }

    // spec 536
    TEST_CASE_FIXTURE(text_world, "circles of types lead through several blocks") {
        load(
            "game { struct Ship { crew: [people.Crew], sister: [Ship], log: [deep.Entry] }\n"
            "  deep { struct Entry { about: [game.Ship], next: [Entry] } } }\n"
            "people { struct Crew { ships: [game.Ship], home: ?Town }; struct Town { name: text } "
            "}\n"
            "Bell: game.Ship = {crew: [{ships: [{}], home: {\"Rim\"}}], log: [{}]}\n");
        const std::string value =
            kith::value_of(world.lookup("Bell"), world.lookup("game.Ship")).str();
        CHECK(value ==
              "{crew: [{ships: [{crew: [], sister: [], log: []}], home: {name: \"Rim\"}}], sister: "
              "[], log: [{about: [], next: []}]}");
        const std::string saved = kith::save_text(world);
        kith::world again;
        kith::load_text(again, saved);
        CHECK(kith::value_of(again.lookup("Bell"), again.lookup("game.Ship")).str() == value);
        kith::world binary;
        kith::load_from_string(binary, kith::save_to_string(world));
        kith::world third;
        kith::load_text(third, kith::save_text(binary));
        CHECK(kith::value_of(third.lookup("Bell"), third.lookup("game.Ship")).str() == value);
    }

    // spec 536, 539
    TEST_CASE("a circle of types is written in the same way behind a load") {
        kith::world world;
        kith::load_text(world,
                        "struct A { b: [N.B] }\nN { struct B { a: [A] } }\nX: A = {b: []}\n");
        const std::string text = kith::save_text(world);
        kith::world loaded;
        kith::load_text(loaded, text);
        CHECK(kith::save_text(loaded) == text);
    }

    // spec 536
    TEST_CASE_FIXTURE(text_world, "a mistake in a circle through several blocks leaves nothing") {
        CHECK_THROWS_AS(load("game { struct Ship { crew: [people.Crew] } }\n"
                             "people { struct Crew { ship: [game.Ship], home: Twn } }\n"),
                        kith::error);
        CHECK_FALSE(world.lookup("game"));
        CHECK_FALSE(world.lookup("people"));
        CHECK_THROWS_AS(load("game { struct Ship { crew: people.Crew } }\n"
                             "people { struct Crew { ship: game.Ship } }\n"),
                        kith::error);
        CHECK_FALSE(world.lookup("game"));
        load("game { struct Ship { count: i32 } }");
        CHECK(world.lookup("game.Ship"));
    }

    // spec 538
    TEST_CASE_FIXTURE(text_world, "a circle of structs by value is refused, and nothing stays") {
        for (const char* text :
             {"struct A { b: B }\nstruct B { a: A }", "struct A { b: B }\nstruct B { a: ?A }",
              "struct A { b: [B] }\nstruct B { a: [A; 2] }",
              "struct A { b: B }\nstruct B { c: C }\nstruct C { a: (A, f32) }"}) {
            CHECK(has(mistake(text), "a struct cannot contain itself"));
            CHECK_FALSE(world.lookup("A"));
            CHECK_FALSE(world.lookup("B"));
        }
        CHECK(has(mistake("struct A { b: [B] }\nstruct B { a: [A], x: Missing }"),
                  "2:23: there is no type 'Missing'"));
        CHECK(has(mistake("struct A { b: [B], x: Missing }\nstruct B { a: [A] = [] }"),
                  "1:23: there is no type 'Missing'"));
        CHECK_FALSE(world.lookup("B"));
        load("struct A { b: [B] }\nstruct B { a: [A] }\nX: A");
        CHECK(value("X", "A") == "{b: []}");
    }

    // spec 538
    TEST_CASE_FIXTURE(text_world, "mistakes have their places, and nothing of the text stays") {
        CHECK(has(mistake("struct A { x: f32, y: Missing }"), "1:23: there is no type 'Missing'"));
        CHECK(has(mistake("struct A { x: f32 }\nstruct B { a: A, a: A }"),
                  "2:18: B has a member 'a' already"));
        CHECK(has(mistake("struct A { a: A }"), "a struct cannot contain itself"));
        CHECK(has(mistake("struct A { a: [A; 2] }"), "a struct cannot contain itself"));
        CHECK(has(mistake("struct A { x: u8 = 256 }"), "1:20: A.x: 256 does not fit into u8"));
        CHECK(has(mistake("struct A { x: u8 = 7 (range: 8..9) }"), "7 is outside of 8..9"));
        CHECK(has(mistake("struct A { x: text (range: 8..9) }"), "cannot have a range"));
        CHECK(has(mistake("enum E : u8 { A = 256 }"), "E.A does not fit into u8"));
        CHECK(has(mistake("enum E { A, B, A }"), "has a constant 'A' already"));
        CHECK(has(mistake("struct A { x: [[[f64; 65536]; 65536]; 65536] }"), "more than 1 MiB"));
        CHECK(has(mistake("Old {}\nX: Old\nstruct Old { x: f32 }"), "exists already"));
        CHECK(has(mistake("struct A { x: f32 }\nB: A = {1}\nB: Wildcard"), "wildcards"));
    }

    // spec 538
    TEST_CASE("all mistakes of syntax are found at once") {
        const auto errors = kith::check_text(
            "struct A { x f32 }\n"
            "struct B { x: }\n"
            "enum C : f32 { A }\n"
            "flags D { A = x }\n"
            "struct E { x: f32 (colour: 1) }\n"
            "struct F { x: [f32; 0] }\n"
            "struct G {}\n"
            "struct H { x: f32 (range: 1) }\n"
            "Planet(Earth)\n"
            "struct I { x: f32");
        REQUIRE(errors.size() == 9);
        for (std::uint32_t i = 0; i < 8; ++i) {
            CHECK(errors[i].line == i + 1);
        }
        CHECK(errors[8].line == 10);
        CHECK(kith::check_text("struct A { x: " + std::string(1000, '[') + "f32").size() == 1);
    }

    TEST_CASE_FIXTURE(text_world, "struct, enum and flags stay names of entities") {
        load("struct {}\nenum: Word\nflags(struct)\nWord(flags)");
        CHECK(world.lookup("enum").has(world.lookup("Word")));
        CHECK(world.lookup("struct").has(world.lookup("flags")));
    }

    TEST_CASE("a declaration keeps the form that its author gave it") {
        const char* text =
            "struct A { x: f32,   // across\n"
            "           y: f32 }\n"
            "Earth: A = {1, 2}\n";
        CHECK(kith::format_text(text) == text);
        CHECK(kith::format_text("  struct A { x: f32 };Earth: A") ==
              "struct A { x: f32 }\nEarth: A\n");
        CHECK(kith::format_text("B{enum C {X}}") == "B {\n    enum C {X}\n}\n");
    }
}
