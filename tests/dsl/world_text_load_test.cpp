// spec 157: facts of a text become facts of a world.
#include <kith/world_text.hpp>

#include "support/errors.hpp"
#include "support/types.hpp"
#include "support/world_text.hpp"

#include <doctest/doctest.h>

using namespace kith_test;

namespace {

struct fixture {
    kith::world world;

    kith::load_result load(std::string_view text) { return kith::load_text(world, text); }
    kith::entity at(const char* path) const { return world.lookup(path, false); }
    bool has(const char* entity, const char* tag) const {
        return at(entity) && at(entity).owns(world.lookup(tag));
    }
    bool has(const char* entity, const char* relation, const char* target) const {
        return at(entity) && at(entity).owns(world.lookup(relation), world.lookup(target));
    }
    std::string refusal_of(std::string_view text, const kith::load_options& options = {}) {
        return message_of([&] { kith::load_text(world, text, options); });
    }
};

}  // namespace

TEST_SUITE("dsl.world_text_load") {
    TEST_CASE_FIXTURE(fixture, "a tag is added to an entity, and both are made") {
        load("Planet(Earth)");
        CHECK(has("Earth", "Planet"));
    }
    TEST_CASE_FIXTURE(fixture, "a pair is added to its source") {
        load("Likes(Bob, Alice)");
        CHECK(has("Bob", "Likes", "Alice"));
    }
    TEST_CASE_FIXTURE(fixture, "a description adds all that it lists") {
        load("Earth: Planet, (Orbits, Sun), Blue");
        CHECK(has("Earth", "Planet"));
        CHECK(has("Earth", "Orbits", "Sun"));
        CHECK(has("Earth", "Blue"));
    }
    TEST_CASE_FIXTURE(fixture, "entities described in a block are children of its entity") {
        load("Sun { Earth { Moon {} } Mars: Planet }");
        CHECK(at("Sun.Earth.Moon"));
        CHECK(at("Sun.Mars"));
        CHECK(!at("Earth"));
    }
    TEST_CASE_FIXTURE(fixture, "new tags and relationships of a block are made at the top") {
        load("Sun { Earth: Planet, (Orbits, Sun) }");
        CHECK(has("Sun.Earth", "Planet"));
        CHECK(at("Planet"));
        CHECK(at("Orbits"));
    }
    TEST_CASE_FIXTURE(fixture, "new entities and targets of a block are made in the block") {
        load("Sun { Planet(Earth)\n Mars: (Likes, Venus)\n Venus: Hot }");
        CHECK(has("Sun.Earth", "Planet"));
        CHECK(has("Sun.Mars", "Likes", "Sun.Venus"));
        CHECK(has("Sun.Venus", "Hot"));
    }
    TEST_CASE_FIXTURE(fixture, "a name in a block means the nearest entity of that name") {
        load("Bob {}\nHouse { Bob {} Room { Ann: (Likes, Bob) } }\nTent { Eve: (Likes, Bob) }");
        CHECK(has("House.Room.Ann", "Likes", "House.Bob"));
        CHECK(has("Tent.Eve", "Likes", "Bob"));
    }
    TEST_CASE_FIXTURE(fixture,
                      "describing an entity in a block makes one there, whatever is outside") {
        load("Earth: Round\nSun { Earth: Hot }");
        CHECK(has("Sun.Earth", "Hot"));
        CHECK(!has("Earth", "Hot"));
    }
    TEST_CASE_FIXTURE(fixture,
                      "a path means an entity elsewhere, and makes what is missing of it") {
        load("A { B {} }\nC { A.B: Tag1\n A.D.E: Tag1\n ::F.G: Tag1\n X.Y: Tag1 }");
        CHECK(has("A.B", "Tag1"));
        CHECK(has("A.D.E", "Tag1"));
        CHECK(has("F.G", "Tag1"));
        CHECK(has("C.X.Y", "Tag1"));
    }
    TEST_CASE_FIXTURE(fixture, "builtin entities are found by their names") {
        load("Likes: Symmetric\nLikes(A, B)\nShip: Prefab");
        CHECK(has("B", "Likes", "A"));
        CHECK(at("Ship").owns(kith::Prefab));
    }
    TEST_CASE_FIXTURE(fixture, "an entity can be named by its number") {
        const kith::entity bob = world.entity();
        load("#" + std::to_string(bob.id()) + ": Tall\nKnows(Ann, " + std::to_string(bob.id()) +
             ")");
        CHECK(bob.owns(at("Tall")));
        CHECK(at("Ann").owns(at("Knows"), bob));
        CHECK(refusal_of("#99999: Tall").find("1:1: there is no entity #99999") == 0);
    }
    TEST_CASE_FIXTURE(fixture, "names in quotes may have any characters") {
        load("\"a.b c\" { \"#1\": \"42\" }\n\"a.b c\".\"\\\"\" {}");
        const kith::entity odd = world.lookup("a.b c", "/", "/", false);
        REQUIRE(odd);
        std::vector<std::string> names;
        odd.children([&](kith::entity child) { names.push_back(child.name().c_str()); });
        CHECK(names == std::vector<std::string>{"#1", "\""});
    }
    TEST_CASE_FIXTURE(fixture, "names of a scope can be used without it, to the end of the block") {
        load("game { Hot {} }\nA { using game\n B: Hot }\nC: Hot");
        CHECK(has("A.B", "game.Hot"));
        CHECK(!has("C", "game.Hot"));
        CHECK(refusal_of("using gmae").find("1:7: there is no entity 'gmae'") == 0);
    }
    TEST_CASE_FIXTURE(fixture, "the world's lookup path and scope are as before") {
        const kith::entity scope = world.entity("Home");
        const kith::entity_t path[] = {world.entity("Lib"), 0};
        world.set_lookup_path(path);
        world.set_scope(scope);
        load("using Lib\nBob: Tall");
        CHECK(world.get_scope() == scope);
        CHECK(world.set_lookup_path(nullptr) == path);
    }
    TEST_CASE_FIXTURE(fixture, "the top of the text is the scope of the world") {
        world.set_scope(world.entity("Home"));
        load("Bob: Tall");
        world.set_scope(0);
        CHECK(has("Home.Bob", "Home.Tall"));
    }
    TEST_CASE_FIXTURE(fixture, "a parent can be named in a description") {
        load("Earth: (ChildOf, Sun) { Moon {} }");
        CHECK(at("Sun.Earth.Moon"));
    }
    TEST_CASE_FIXTURE(fixture, "ids of a prefab's head count for its block") {
        load("Ship: Prefab { Bridge {} }\nNostromo: (IsA, Ship)");
        CHECK(at("Ship.Bridge").owns(kith::Prefab));
        CHECK(at("Nostromo.Bridge"));
    }
    TEST_CASE_FIXTURE(fixture, "a component gets a default value") {
        world.component<Position>("Position");
        load("Position(Bob)");
        REQUIRE(at("Bob").get<Position>());
        CHECK(at("Bob").get<Position>()->x == 0);
    }
    TEST_CASE_FIXTURE(fixture, "facts and new entities are counted") {
        const kith::load_result result = load("A: B, (C, D)\nB(A)\nE {}");
        CHECK(result.facts == 3);
        CHECK(result.entities == 5);
    }
    TEST_CASE_FIXTURE(fixture, "what the world refuses is told with its place") {
        kith::load_options options;
        options.file = "people.kith";
        CHECK(
            refusal_of("In: Acyclic\nA: (In, B)\nB: (In, A)", options) ==
            "people.kith:3:4: a cycle of In: B \u2192 A \u2192 B\n    B: (In, A)\n       ^^^^^^^");
    }
    TEST_CASE_FIXTURE(fixture, "every kind of refusal is an error of the text") {
        for (const char* text : {
                 "In: Acyclic, Symmetric",
                 "R: OneOf { A {} }\nX: (R, Y)",
                 "F: Final\nX: (IsA, F)",
                 "R: Exclusive\nX: (R, A), (R, B)",
                 "X: Wildcard",
                 "X: (Wildcard, Y)",
                 "X: (ChildOf, X)",
                 "X: Component",
                 "X: (Identifier, Name)",
                 "R: (OnDelete, Y)",
                 "A { X {} }\nB { X {} }\nA.X: (ChildOf, B)",
             }) {
            CAPTURE(text);
            CHECK(refusal(world, [&] { load(text); }) == kith::errc::invalid_text);
        }
    }
    TEST_CASE_FIXTURE(fixture, "mistakes are all told before anything is changed") {
        const std::string message = refusal_of("A: B\nC: *\nD: $x");
        CHECK(message.find("2:4: ") == 0);
        CHECK(message.find("\n3:4: ") != std::string::npos);
        CHECK(!at("A"));
    }
    TEST_CASE_FIXTURE(fixture, "a text cannot be loaded while the world is deferred") {
        world.defer_begin();
        CHECK(error_of([&] { load("A: B"); }) == kith::errc::invalid_operation);
        world.defer_end();
    }
    TEST_CASE_FIXTURE(fixture, "progress is told up to the size of both readings") {
        std::string text;
        for (int i = 0; i < 30'000; ++i) {
            text += "E" + std::to_string(i % 100) + ": T\n";
        }
        std::vector<std::size_t> told;
        kith::load_options options;
        options.context = &told;
        options.progress = [](void* context, std::size_t done, std::size_t) {
            static_cast<std::vector<std::size_t>*>(context)->push_back(done);
            return true;
        };
        kith::load_text(world, text, options);
        CHECK(told.size() >= 4);
        CHECK(std::is_sorted(told.begin(), told.end()));
        CHECK(told.back() <= 2 * text.size());
    }
    TEST_CASE_FIXTURE(fixture, "names are found from deep inside, also when they come later") {
        std::string text = "Bob {}\n";
        for (int i = 0; i < 50; ++i) {
            text += "n: Deep {";
        }
        load(text + "A: (Likes, Bob)\n Bob {} B: (Likes, Bob) \n using ::n\n" +
             std::string(50, '}'));
        kith::entity last = at("n");
        for (kith::entity next = last; next; next = last.lookup("n")) {
            last = next;
        }
        CHECK(last.lookup("A").owns(at("Likes"), at("Bob")));
        CHECK(last.lookup("B").owns(at("Likes"), last.lookup("Bob")));
        CHECK(world.count(at("Deep")) == 50);
    }
}
