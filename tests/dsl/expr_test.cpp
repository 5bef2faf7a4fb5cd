// Queries made from text: the same terms, and the same results, as those of the builder.
#include "support/bindings.hpp"
#include "support/errors.hpp"
#include "support/queries.hpp"

#include <doctest/doctest.h>

namespace {

using kith_test::error_of;
using kith_test::message_of;
using kith_test::results_of;
using text_of = std::string;

struct Position {
    float x = 0;
};
struct Velocity {
    float x = 0;
};
struct Mass {
    float value = 0;
};
template <class T, int N>
struct Box {
    T value = {};
};

struct small_world {
    small_world() {
        world.component<Position>("Position");
        world.component<Velocity>("Velocity");
        world.component<Mass>("Mass");
        for (const char* tag : {"Npc", "Planet", "Star"}) {
            world.entity(tag);
        }
        for (const char* relation : {"Likes", "Eats", "DockedTo"}) {
            world.entity(relation);
        }
        alice.add(tag("Npc")).set<Position>({1});
        bob.add(tag("Npc")).set<Position>({2}).set<Velocity>({3});
        bob.add(tag("Likes"), alice).add(tag("Eats"), apples);
        earth.add(tag("Planet"));
        ship.add(tag("DockedTo"), earth).set<Velocity>({1});
    }
    kith::entity tag(const char* name) { return world.lookup(name); }
    text_of found(const char* text) {
        const text_of uncached = results_of(world.filter(text));
        CHECK(results_of(world.query(text)) == uncached);
        return uncached;
    }
    text_of refused(const char* text) {
        CHECK(error_of([&] { world.filter(text); }) == kith::errc::invalid_query);
        return message_of([&] { world.filter(text); });
    }

    kith::world world;
    kith::entity alice = world.entity("Alice");
    kith::entity bob = world.entity("Bob");
    kith::entity apples = world.entity("Apples");
    kith::entity earth = world.entity("Earth");
    kith::entity ship = world.entity("Ship");
};

}  // namespace

TEST_SUITE("dsl.expr") {
    TEST_CASE_FIXTURE(small_world, "a list of names asks for all of them") {
        // spec 149
        CHECK(found("Position, Velocity") == "Bob: Position, Velocity\n");
        CHECK(found("Npc,Position") == "Alice: Npc, Position\nBob: Npc, Position\n");
    }

    TEST_CASE_FIXTURE(small_world, "factories without types take text, all three of them") {
        // spec 147
        CHECK(world.filter("Planet").count() == 1);
        CHECK(world.query("Planet").count() == 1);
        CHECK(world.rule("Planet").count() == 1);
        CHECK(world.query<>("Planet").count() == 1);
    }

    TEST_CASE_FIXTURE(small_world, "with types the text is the query's name") {
        CHECK(world.query<Position>("Mine").count() == 2);
        CHECK(world.lookup("Mine").is_alive());
        CHECK(world.query_builder<>("Yours").with<Position>().build().count() == 2);
        CHECK(world.lookup("Yours").is_alive());
    }

    TEST_CASE_FIXTURE(small_world, "expr adds its terms behind those that are there") {
        // spec 147
        kith::query<Position> query =
            world.query_builder<Position>().expr("Velocity, (Likes, *)").with(tag("Npc")).build();
        CHECK(text_of(query.str().c_str()) == "Position, Velocity, (Likes,*), Npc");
        int calls = 0;
        query.each([&](kith::entity e, Position& p) {
            CHECK(e == bob);
            CHECK(p.x == 2);
            ++calls;
        });
        CHECK(calls == 1);
    }

    TEST_CASE_FIXTURE(small_world, "modifiers after expr are about its last term") {
        CHECK(text_of(world.filter_builder().expr("Npc, Position").not_().build().str().c_str()) ==
              "Npc, !Position");
    }

    TEST_CASE_FIXTURE(small_world, "a term may be text of its own") {
        CHECK(text_of(world.filter_builder()
                          .term("Npc")
                          .term("(Likes, Alice)")
                          .term("Position(up(ChildOf))")
                          .optional()
                          .build()
                          .str()
                          .c_str()) == "Npc, (Likes,Alice), ?Position(up(ChildOf))");
        CHECK(world.filter_builder().with("(Likes, Alice)").build().count() == 1);
        CHECK(world.filter_builder().with("Npc").without("(Likes, Alice)").build().first() ==
              alice);
    }

    TEST_CASE_FIXTURE(small_world, "a term of text is one term") {
        CHECK(error_of([&] { world.filter_builder().term("Npc, Position"); }) ==
              kith::errc::invalid_query);
    }

    TEST_CASE_FIXTURE(small_world, "a description may have text beside its terms") {
        // spec 147
        kith::term_desc npc;
        npc.id = tag("Npc");
        kith::query_desc desc;
        desc.terms = &npc;
        desc.count = 1;
        desc.expr = "Velocity";
        CHECK(text_of(world.filter(desc).str().c_str()) == "Npc, Velocity");
        CHECK(world.query(desc).first() == bob);
        desc.terms = nullptr;
        desc.count = 0;
        CHECK(world.filter(desc).count() == 2);
    }

    TEST_CASE_FIXTURE(small_world, "names are paths from the scope and from the root") {
        // spec 150
        kith::entity engine = world.entity("Engine").child_of(ship);
        kith::entity hot = world.entity("Hot");
        engine.add(hot);
        CHECK(found("Hot, $this == Ship.Engine").starts_with("Engine"));
        CHECK(found("Hot, $this == Ship::Engine").starts_with("Engine"));
        CHECK(found("Hot, $this == ::Ship::Engine").starts_with("Engine"));
        ship.scope([&] { CHECK(found("Hot, $this == Engine").starts_with("Engine")); });
    }

    TEST_CASE_FIXTURE(small_world, "a name with spaces, dots or digits only stands in quotes") {
        // spec 150
        kith::entity odd = world.entity();
        odd.set_name("My Tag");
        kith::entity dotted = world.entity();
        dotted.set_name("1");
        kith::entity quoted = world.entity().child_of(odd);
        quoted.set_name("say \"hi\"");
        alice.add(odd).add(dotted).add(quoted);
        CHECK(found(R"("My Tag", "1")").starts_with("Alice"));
        CHECK(found(R"("My Tag"."say \"hi\"")").starts_with("Alice"));
        CHECK(found(R"("\x4dy Tag")").starts_with("Alice"));
    }

    TEST_CASE_FIXTURE(small_world, "names of types with arguments need no quotes") {
        kith::component<Box<int, 3>> box = world.component<Box<int, 3>>();
        alice.add<Box<int, 3>>();
        const text_of path = box.path().c_str();
        const text_of query = path + ", Npc";
        CHECK(world.filter(query.c_str()).count() == 1);
    }

    TEST_CASE_FIXTURE(small_world, "digits are the number of an entity") {
        // spec 17
        const text_of number = std::to_string(tag("Npc").id());
        CHECK(world.filter(number.c_str()).count() == 2);
        CHECK(world.filter(("#" + number).c_str()).count() == 2);
        CHECK(error_of([&] { world.filter(("\"" + number + "\"").c_str()); }) ==
              kith::errc::invalid_query);
        CHECK(refused("4000000000").find("no entity has the number") != text_of::npos);
        CHECK(refused("99999999999999999999").find("no entity has the number") != text_of::npos);
    }

    TEST_CASE_FIXTURE(small_world, "pairs, with and without a source") {
        // spec 151
        CHECK(found("(Likes, Alice)") == "Bob: (Likes,Alice)\n");
        CHECK(found("Likes(Bob, Alice)") == "() (Likes,Alice)@Bob\n");
        CHECK(found("Position(Alice)") == "() Position@Alice\n");
        CHECK(found("Planet, Likes(Bob, Alice)") == "Earth: Planet, (Likes,Alice)@Bob\n");
        CHECK(found("Likes(Alice, Bob)").empty());
    }

    TEST_CASE_FIXTURE(small_world, "access is said in brackets") {
        // spec 152
        auto query = world.filter("[in] Position, [out] Velocity, [inout] Mass, [none] Npc");
        CHECK(query.term(0).inout() == kith::In);
        CHECK(query.term(1).inout() == kith::Out);
        CHECK(query.term(2).inout() == kith::InOut);
        CHECK(query.term(3).inout() == kith::InOutNone);
        CHECK(world.filter("Position").term(0).inout() == kith::InOutDefault);
    }

    TEST_CASE_FIXTURE(small_world, "a term that may only be read refuses to be written") {
        world.filter("[in] Position").iter([](kith::iter& it) {
            CHECK(error_of([&] { it.field<Position>(1); }) == kith::errc::invalid_query);
            CHECK_NOTHROW(it.field<const Position>(1));
        });
    }

    TEST_CASE_FIXTURE(small_world, "operators: not, maybe, or") {
        // spec 153
        CHECK(found("Npc, !Velocity") == "Alice: Npc, -\n");
        CHECK(found("Npc, ?Velocity") == "Alice: Npc, -\nBob: Npc, Velocity\n");
        CHECK(found("Planet || Velocity") == "Bob: Velocity\nEarth: Planet\nShip: Velocity\n");
        CHECK(found("Npc || Planet, Position || Velocity, !(Eats, *)") ==
              "Alice: Npc, Position, -\n");
    }

    TEST_CASE_FIXTURE(small_world, "operators: comparisons") {
        // spec 153
        CHECK(found("Npc, $this == Bob").starts_with("Bob"));
        CHECK(found("Npc, $this != Bob").starts_with("Alice"));
        CHECK(found("Npc, $this == \"Bob\"").starts_with("Bob"));
        CHECK(found("Npc, $this == \"Nobody\"").empty());
        CHECK(found("Npc, $this ~= \"lic\"").starts_with("Alice"));
        CHECK(found("Npc, !$this ~= \"lic\"").starts_with("Bob"));
        CHECK(found("Npc, !$this != Bob").starts_with("Bob"));
    }

    TEST_CASE_FIXTURE(small_world, "operators: lists") {
        // spec 153
        world.prefab("Kit").add<Position>().add<Velocity>();
        CHECK(found("AND | Kit").starts_with("Bob"));
        CHECK(world.filter("OR | Kit").count() == 3);
        CHECK(found("Npc || Planet, NOT | Kit").starts_with("Earth"));
    }

    TEST_CASE_FIXTURE(small_world, "members of a chain may be negated") {
        CHECK(found("Npc, !Velocity || (Likes, Alice)") ==
              "Alice: Npc, -, -\nBob: Npc, -, (Likes,Alice)\n");
        CHECK(found("Npc, Planet || !{ Velocity, (Likes, Alice) }").starts_with("Alice"));
        CHECK(found("Npc, Planet || $this != Alice").starts_with("Bob"));
    }

    TEST_CASE_FIXTURE(small_world, "scopes, variables and wildcards") {
        // spec 154
        CHECK(found("Npc, !{ Velocity, (Likes, *) }").starts_with("Alice"));
        CHECK(found("(DockedTo, $p), Planet($p)") == "Ship: (DockedTo,Earth), Planet@Earth\n");
        CHECK(found("(*, Alice)") == "Bob: (Likes,Alice)\n");
        CHECK(found("(Likes, _)") == "Bob: (Likes,Alice)\n");
        CHECK(found("Npc, { (Eats, *) } || { !Velocity }") ==
              "Alice: Npc, -, -\nBob: Npc, (Eats,Apples), -\n");
        CHECK(found("Npc, ?{ (Likes, $x), Position($x) }") ==
              "Alice: Npc, -, -\nBob: Npc, (Likes,Alice), Position@Alice\n");
    }

    TEST_CASE_FIXTURE(small_world, "the matched entity has several names") {
        for (const char* text : {"Npc($this)", "Npc($This)", "Npc($THIS)", "Npc(This)"}) {
            CAPTURE(text);
            CHECK(text_of(world.filter(text).str().c_str()) == "Npc");
        }
    }

    TEST_CASE_FIXTURE(small_world, "a bare This is an entity if there is one") {
        world.entity("This").add(tag("Npc"));
        CHECK(text_of(world.filter("Npc(This)").str().c_str()) == "Npc(This)");
        CHECK(text_of(world.filter("Npc($this)").str().c_str()) == "Npc");
    }

    TEST_CASE_FIXTURE(small_world, "a dollar as source is the component itself") {
        world.set<Mass>({5});
        CHECK(found("Mass($)") == "() Mass@Mass\n");
        CHECK(found("Mass(Mass)") == "() Mass@Mass\n");
        CHECK(found("Planet, Mass($)") == "Earth: Planet, Mass@Mass\n");
    }

    TEST_CASE_FIXTURE(small_world, "searches") {
        // spec 155
        kith::entity cabin = world.entity("Cabin").child_of(ship);
        kith::entity bed = world.entity("Bed").child_of(cabin);
        bed.add(tag("Npc"));
        for (const char* text :
             {"Npc, Velocity(up(ChildOf))", "Npc, Velocity(parent)",
              "Npc, Velocity(super(ChildOf))", "Npc, Velocity(superset(ChildOf))",
              "Npc, Velocity(up ChildOf)", "Npc, Velocity(up(ChildOf, 2))",
              "Npc, Velocity(up(ChildOf, 2, 3))", "Npc, Velocity(cascade|up(ChildOf))",
              "Npc, Velocity(parent|cascade)", "Npc, Velocity($this[up(ChildOf)])"}) {
            CAPTURE(text);
            CHECK(found(text) == "Bed: Npc, Velocity@Ship\n");
        }
        CHECK(found("Npc, Velocity(up(ChildOf, 1))").empty());
        CHECK(found("Npc, Velocity(self|up(ChildOf))") ==
              "Bed: Npc, Velocity@Ship\nBob: Npc, Velocity\n");
        CHECK(found("Velocity(parent:Ship.Cabin.Bed)") == "() Velocity@Ship\n");
        CHECK(found("Velocity(Ship.Cabin.Bed[parent])") == "() Velocity@Ship\n");
        CHECK(found("Npc(down(ChildOf)), $this == Ship").starts_with("Ship: Npc@Bed"));
    }

    TEST_CASE_FIXTURE(small_world, "searches on first and second") {
        // spec 155
        kith::entity artwork = world.entity("Artwork");
        kith::entity painting = world.entity("Painting").is_a(artwork);
        kith::entity lisa = world.entity("MonaLisa").add(painting);
        CHECK(found("Artwork[self|all|subset]").starts_with("MonaLisa"));
        CHECK(found("Artwork[self|all|sub(IsA)]").starts_with("MonaLisa"));
        kith::entity museum = world.entity("Museum");
        lisa.child_of(museum);
        alice.add(tag("Likes"), museum);
        CHECK(found("(Likes, Museum.MonaLisa[super(ChildOf)])").starts_with("Alice"));
    }

    TEST_CASE_FIXTURE(small_world, "roots have no parent: 0") {
        world.entity("Moon").child_of(earth).add(tag("Star"));
        CHECK(found("Star, (ChildOf, 0)").empty());
        CHECK(found("Planet, (ChildOf, 0)").starts_with("Earth"));
    }

    TEST_CASE_FIXTURE(small_world, "unknown names are refused together, each with a suggestion") {
        CHECK(refused("Npc, Plnet, Veloctiy(Alcie)") ==
              "1:6: no entity 'Plnet'; did you mean 'Planet'?\n"
              "    Npc, Plnet, Veloctiy(Alcie)\n"
              "         ^^^^^\n"
              "1:13: no entity 'Veloctiy'; did you mean 'Velocity'?\n"
              "    Npc, Plnet, Veloctiy(Alcie)\n"
              "                ^^^^^^^^\n"
              "1:22: no entity 'Alcie'; did you mean 'Alice'?\n"
              "    Npc, Plnet, Veloctiy(Alcie)\n"
              "                         ^^^^^");
    }

    TEST_CASE_FIXTURE(small_world, "builtins are suggested, and children by their path") {
        world.entity("Engine").child_of(ship);
        CHECK(refused("(ChildOff, *)").find("did you mean 'ChildOf'?") != text_of::npos);
        CHECK(refused("Ship.Engin").find("did you mean 'Ship.Engine'?") != text_of::npos);
        CHECK(refused("Engine").find("did you mean 'Ship.Engine'?") != text_of::npos);
        CHECK(refused("Xylophone").find("did you mean") == text_of::npos);
    }

    TEST_CASE_FIXTURE(small_world, "mistakes of meaning show the term, too") {
        CHECK(refused("Npc,\n  Position(up(Likes))") ==
              "2:3: Likes cannot be followed: it may have cycles; add Traversable to it\n"
              "      Position(up(Likes))\n"
              "      ^^^^^^^^^^^^^^^^^^^");
        CHECK(refused("Npc, $x ~= \"a\"").starts_with("1:6: the variable $x has no value"));
    }

    TEST_CASE_FIXTURE(small_world, "lines and columns count characters") {
        CHECK(refused("// Größe\n\"Größe\"").starts_with("2:1: "));
        CHECK(refused("Npc, /* */").starts_with("1:6: "));
        CHECK(refused("\"ß\" ß").starts_with("1:5: "));
    }

    TEST_CASE_FIXTURE(small_world, "a long line is cut around the mistake") {
        text_of text = "Npc";
        for (int i = 0; i < 30; ++i) {
            text += ", Position(Alice)";
        }
        text += " !, Npc";
        const text_of message = refused(text.c_str());
        CHECK(message.size() < 400);
        CHECK(message.find("...") != text_of::npos);
    }

    TEST_CASE_FIXTURE(small_world, "text that is too long is refused") {
        const text_of text((1 << 20) + 1, ' ');
        CHECK(error_of([&] { world.filter(text.c_str()); }) == kith::errc::limit);
    }

    TEST_CASE_FIXTURE(small_world, "a builder is as it was when its text was refused") {
        auto builder = world.filter_builder().with(tag("Npc"));
        CHECK(error_of([&] { builder.expr("Planet, Nonsense"); }) == kith::errc::invalid_query);
        CHECK(text_of(builder.build().str().c_str()) == "Npc");
    }

    TEST_CASE_FIXTURE(small_world, "builders with text can be copied and outlive their text") {
        auto builder = world.filter_builder();
        {
            text_of text = "(Likes, $someone), Position($someone)";
            builder.expr(text.c_str());
            text.assign(text.size(), 'x');
        }
        auto copy = builder;
        builder = world.filter_builder();
        CHECK(copy.build().count() == 1);
    }
}
