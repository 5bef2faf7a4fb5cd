// spec 157: saving a world as text.
#include <kith/world_text.hpp>

#include "support/errors.hpp"
#include "support/types.hpp"
#include "support/world_text.hpp"

#include <doctest/doctest.h>

using namespace kith_test;
using kith::errc;

namespace {

std::string saved(const char* text) {
    kith::world world;
    kith::load_text(world, text);
    return kith::save_text(world);
}

void check_round_trip(const kith::world& world) {
    const std::string text = kith::save_text(world);
    CAPTURE(text);
    kith::world loaded;
    kith::load_text(loaded, text);
    const bool in_order = ids_follow_tree(world);
    CHECK(dump_facts(loaded, in_order, true) == dump_facts(world, in_order, true));
    CHECK(kith::save_text(loaded) == text);
}

void check_round_trip(const char* text) {
    kith::world world;
    kith::load_text(world, text);
    check_round_trip(world);
}

}  // namespace

TEST_SUITE("dsl.world_text_save") {
    TEST_CASE("an empty world is an empty text") {
        CHECK(kith::save_text(kith::world()).empty());
    }

    TEST_CASE("children are written in the blocks of their parents") {
        CHECK(
            saved("Planet {}\nSun { Earth: Planet { Moon {} } Mars: Planet }") ==
            "Planet {}\nSun {\n    Earth: Planet {\n        Moon {}\n    }\n    Mars: Planet\n}\n");
    }

    TEST_CASE("kinds are written before what is of the kind") {
        CHECK(saved("Earth: Planet") == "Planet {}\nEarth: Planet\n");
    }

    TEST_CASE("names are quoted if they must be") {
        CHECK(saved("\"a b\" { \"12\" {} \"x.y\" {} }") ==
              "\"a b\" {\n    \"12\" {}\n    \"x.y\" {}\n}\n");
    }

    TEST_CASE("a name that a builtin entity has is written from the root") {
        check_round_trip("::Tag: ::ChildOf\n::Prefab {}\nFoo: ::Tag, Tag");
    }

    TEST_CASE("an entity hidden by a nearer one of the same name is written from the root") {
        check_round_trip("Sun { Earth { Sun: (Likes, ::Sun) } }");
    }

    TEST_CASE("an entity can be named as a word of the language") {
        check_round_trip("using: using, (using, using)\nusing.using { using {} }");
    }

    TEST_CASE("properties survive") {
        check_round_trip(
            "Likes: Symmetric, Exclusive\nIn: Transitive, Reflexive\nLoves: (With, Likes)\n"
            "Loves(Bob, Alice)\nIn(A, B)\nIn(B, C)\nColor: OneOf, Exclusive { Red {} }\n"
            "Color(Car, Color.Red)\nKeeps: (OnDeleteTarget, Delete), Transient");
    }

    // What is transient is left out: a tag, a pair, a value that text could not say.
    TEST_CASE("transient tags and relationships are left out, the declaration is kept") {
        CHECK(
            saved("Hot: Transient\nTarget: Transient\nBob: Hot, Tall, (Target, Alice)\nAlice {}") ==
            "Tall {}\nHot: Transient\nTarget: Transient\nBob: Tall\nAlice {}\n");
    }
    TEST_CASE("a transient component with a value does not keep a world from being saved") {
        kith::world world;
        world.component<Position>("Position").add(kith::Transient);
        world.relation("Near", {.transient = true});
        world.entity("Bob").set(Position{1, 2}).add(world.entity("Near"), world.entity());
        CHECK(kith::save_text(world) ==
              "Position: Transient\nNear: Transient, Relationship\nBob {}\n");
    }

    TEST_CASE("what is transient stays where something else must have it with it") {
        check_round_trip(
            "Seen: Transient\nLikes: (With, Seen)\nBob: (Likes, Alice), (Seen, Carol)");
    }

    TEST_CASE("properties that come along with something survive") {
        check_round_trip(
            "R: (With, OneOf)\nA: (R, B)\nK: (With, Prefab), (With, Exclusive)\nC: K\n"
            "W: (With, With)\nD: (W, E)");
    }

    TEST_CASE("prefabs, their children, instances and slots survive") {
        check_round_trip(
            "Ship: Prefab { Bridge: (SlotOf, Ship) { Captain {} } Engine {} }\n"
            "Nostromo: (IsA, Ship)\nScout: Prefab, (IsA, Ship)\nTiny: (IsA, Scout)");
    }

    TEST_CASE("the order of children survives, also where it is not that of their ids") {
        check_round_trip(
            "Sun { A {} B {} C {} }\nB2: (ChildOf, Sun)\nZ: (ChildOf, Sun.C)\n"
            "Sun.A: (ChildOf, Sun.C)");
    }

    TEST_CASE("the order of targets survives, also where they are children of others") {
        check_round_trip("P {}\nQ { X {} }\nP { Y {} }\nBob: (Likes, Q.X), (Likes, P.Y)");
    }

    TEST_CASE("the order of the sources of a sparse relationship survives") {
        check_round_trip("At: Sparse\nA {}\nB {}\nC {}\nAt(C, B)\nAt(A, B)\nAt(B, B)");
    }

    TEST_CASE("facts about builtin entities are written, builtins by themselves are not") {
        CHECK(saved("DependsOn: Sparse\nPrefab: Handy") ==
              "DependsOn: Sparse\nHandy {}\n\nPrefab: Handy\n");
    }

    TEST_CASE("types are written only where something refers to them") {
        kith::world world;
        world.component<Position>();
        world.entity("Bob").add<Hot>();
        const std::string text = kith::save_text(world);
        CHECK(text.find("Position") == std::string::npos);
        CHECK(text.find("Hot") != std::string::npos);
        check_round_trip(text.c_str());
    }

    TEST_CASE("entities without a name that nobody refers to are left out") {
        kith::world world;
        world.entity().add(world.entity("Planet"));
        CHECK(kith::save_text(world) == "Planet {}\n");
    }

    TEST_CASE("what text cannot say is an error that names it") {
        kith::world world;
        kith::entity bob = world.entity("Bob");
        const auto check = [&](const char* named) {
            CAPTURE(named);
            std::string message;
            try {
                kith::save_text(world);
            } catch (const kith::error& e) {
                CHECK(e.code() == errc::invalid_text);
                message = e.what();
            }
            CHECK(message.find(named) != std::string::npos);
        };
        SUBCASE("a value without description") {
            bob.set(Position{1, 2});
            check("the value of kith_test.Position of Bob");
        }
        SUBCASE("an entity without a name that is referred to") {
            bob.add(world.entity("Likes"), world.entity());
            check("Bob has (Likes,#");
        }
        SUBCASE("a parent without a name") {
            bob.child_of(world.entity());
            check("child of an entity without a name");
        }
        SUBCASE("a disabled tag") {
            const kith::entity tag = world.entity("Hot");
            bob.add(tag).disable(tag);
            check("Hot of Bob is disabled");
        }
        SUBCASE("an override") {
            bob.override(world.entity("Hot"));
            check("OVERRIDE|Hot");
        }
        SUBCASE("an alias") {
            bob.set_alias("Robert");
            check("alias of Bob");
        }
        SUBCASE("a builtin that lacks something") {
            world.entity(kith::ChildOf).remove(kith::Sparse);
            check("ChildOf without Sparse");
        }
    }

    TEST_CASE("a hierarchy of 20,000 levels is saved and loaded") {
        kith::world world;
        const kith::entity planet = world.entity("Planet");
        kith::entity last = world.entity("n");
        for (int i = 0; i < 20'000; ++i) {
            kith::entity next = world.entity().child_of(last).set_name("n").add(planet);
            next.add(kith::Prefab);
            last = next;
        }
        const std::string text = kith::save_text(world);
        kith::world loaded;
        kith::load_text(loaded, text);
        CHECK(loaded.count(loaded.lookup("Planet")) == 20'000);
        CHECK(kith::save_text(loaded) == text);
    }

    TEST_CASE("random worlds are equal after saving and loading") {
        for (std::uint64_t seed = 0; seed < 200; ++seed) {
            CAPTURE(seed);
            kith::world world;
            random_facts(seed).grow(world, 10 + static_cast<int>(seed % 80));
            check_round_trip(world);
        }
    }
}
