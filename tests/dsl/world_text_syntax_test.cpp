// spec 157: the grammar of worlds as text, and what is said about mistakes in it.
#include <kith/world_text.hpp>

#include <string>

#include <doctest/doctest.h>

namespace {

struct right_case {
    const char* why;
    const char* text;
};
constexpr right_case right_cases[] = {
    {"nothing", ""},
    {"only a comment", "// nothing"},
    {"a tag", "Planet(Earth)"},
    {"a pair", "Likes(Bob, Alice)"},
    {"a description", "Earth: Planet, (Orbits, Sun)"},
    {"a description that goes on after a comma",
     "Earth: Planet,\n    // comment\n    (Orbits,\n Sun)"},
    {"several on a line", "Planet(Earth); Planet(Mars); ; Earth: Hot"},
    {"an empty block", "Earth {}"},
    {"blocks in blocks", "Sun: Star { Earth { Moon {} } Planet(Mars) }"},
    {"the brace on the next line", "Sun: Star\n{\n}\nEarth\n{ }"},
    {"blocks one after the other on a line", "A {} B {} C: D"},
    {"paths", "A.B::C: ::D, (E.F, \"g h\".i)"},
    {"numbers", "#12: 13"},
    {"a scope to use", "using A.B\nusing C; using D"},
    {"an entity of the name 'using'", "using: A\nusing { }\nusing(A)"},
    {"escapes in names", "A: \"\\x01\\n\\\\\", \"\\x1d\""},
    {"names of types", "Box<a::b, c>(Earth)"},
    {"names in any script", "Зем\u043bя: 惑星"},
    {"lines that end as on Windows", "A: B\r\nC: D\r\n"},
};

struct wrong_case {
    const char* text;
    const char* messages;  // line:column: message, one per line
};
constexpr wrong_case wrong_cases[] = {
    {"Earth", "1:1: a name by itself says nothing; to only make the entity, write 'Name {}'\n"},
    {"Planet(*)", "1:8: a fact cannot have wildcards: name the entity that is meant\n"},
    {"Planet(_)", "1:8: a fact cannot have wildcards: name the entity that is meant\n"},
    {"Likes(Bob, $x)", "1:12: a fact cannot have variables; they are for queries\n"},
    {"A: B || C", "1:6: '||' is for queries; a fact only says what there is\n"},
    {"A: !B", "1:4: '!' is for queries; a fact only says what there is\n"},
    {"A: ?B", "1:4: '?' is for queries; a fact only says what there is\n"},
    {"A: B[in]", "1:5: '[' is for queries; a fact only says what there is\n"},
    {"Planet(Earth) Planet(Mars)", "1:15: expected a new line or ';', found a name\n"},
    {"Planet(Earth", "1:13: expected ')', found the end\n"},
    {"Likes(A, B, C)", "1:11: a relationship has one target: write a fact for each\n"},
    {"A: (B)", "1:6: expected ',' and the target, found ')'\n"},
    {"A: B,", "1:6: expected a tag or a pair, found the end\n"},
    {"Earth = {x: 1,\n  y: {2}}\nA",
     "1:7: a value belongs to a component: 'Entity: Position = {x: 1}' or 'Position(Entity) = {x: "
     "1}'\n"
     "3:1: a name by itself says nothing; to only make the entity, write 'Name {}'\n"},
    {"usng Foo", "1:1: this is no fact; did you mean 'using'?\n"},
    {"}", "1:1: '}' closes nothing\n"},
    {"A {\nB {}\n", "1:1: this block is not closed: '}' is missing\n"},
    {"A: \"b", "1:4: a quote is not closed on its line\n"},
    {"A: \"\\x00\"", "1:4: a name cannot have the characters \\x00, \\x1e and \\x1f\n"},
    {"A: b.", "1:4: a path ends with a separator: a name should follow\n"},
    {"A: #x", "1:4: '#' needs the number of an entity, as in #123\n"},
    {"{ A: B }", "1:1: expected a fact, such as 'Planet(Earth)' or 'Earth: Planet', found '{'\n"},
    {"A: *\nB: C\n$x\nD: (E",
     "1:4: a fact cannot have wildcards: name the entity that is meant\n"
     "3:1: a fact cannot have variables; they are for queries\n"
     "4:6: expected ',' and the target, found the end\n"},
    {"A: * { B: C; D: * }",
     "1:4: a fact cannot have wildcards: name the entity that is meant\n"
     "1:17: a fact cannot have wildcards: name the entity that is meant\n"},
};

std::string messages_of(std::string_view text) {
    std::string all;
    for (const kith::text_error& one : kith::check_text(text)) {
        all +=
            std::to_string(one.line) + ":" + std::to_string(one.column) + ": " + one.message + "\n";
    }
    return all;
}

}  // namespace

TEST_SUITE("dsl.world_text_syntax") {
    TEST_CASE("texts of the grammar have no mistakes") {
        for (const right_case& one : right_cases) {
            CAPTURE(one.why);
            CHECK(messages_of(one.text).empty());
        }
    }

    TEST_CASE("mistakes are told with their places, several at once") {
        for (const wrong_case& one : wrong_cases) {
            CAPTURE(one.text);
            CHECK(messages_of(one.text) == one.messages);
        }
    }

    TEST_CASE("the excerpt shows the line and points at the mistake") {
        const auto found = kith::check_text("A: B\nPlanet($x)  // who?\n");
        REQUIRE(found.size() == 1);
        CHECK(found[0].excerpt == "    Planet($x)  // who?\n           ^^");
    }

    TEST_CASE("what is no text at all ends soon") {
        std::string junk;
        SUBCASE("bytes that are not UTF-8") {
            junk = std::string(1 << 20, '\xFF');
        }
        SUBCASE("zeros") {
            junk = std::string(1 << 20, '\0');
        }
        SUBCASE("every byte") {
            for (int i = 0; i < 1 << 18; ++i) {
                junk += static_cast<char>(i * 7);
            }
        }
        SUBCASE("open quotes") {
            junk = std::string(1 << 20, '"');
        }
        SUBCASE("open braces") {
            junk = std::string(1 << 18, '{');
        }
        SUBCASE("open parentheses") {
            junk = std::string(1 << 18, '(');
        }
        SUBCASE("one long name that is not closed") {
            junk = "A: \"" + std::string(1 << 20, 'x');
        }
        const auto found = kith::check_text(junk);
        CHECK(!found.empty());
        CHECK(found.size() <= 20);
        for (const kith::text_error& one : found) {
            CHECK(one.excerpt.size() < 1000);
        }
    }

    TEST_CASE("a text that was cut off anywhere is read to its end") {
        const std::string whole =
            "using A\nSun: Star, (Orbits, \"x y\") {\n  Earth: Planet // c\n  Likes(A, ::B.C) }\n";
        for (std::size_t size = 0; size < whole.size(); ++size) {
            kith::check_text(std::string_view(whole).substr(0, size));
        }
    }

    TEST_CASE("blocks nested a hundred thousand deep are read") {
        std::string text;
        for (int i = 0; i < 100'000; ++i) {
            text += "a{";
        }
        CHECK(messages_of(text + std::string(100'000, '}')).empty());
        CHECK(kith::check_text(text).size() == 1);
    }
}
