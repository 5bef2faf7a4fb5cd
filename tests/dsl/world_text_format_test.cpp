// spec 157: the layout of worlds as text.
#include <kith/world_text.hpp>

#include "support/world_text.hpp"

#include <doctest/doctest.h>

namespace {

struct format_case {
    const char* why;
    const char* text;
    const char* formatted;
};
constexpr format_case format_cases[] = {
    {"nothing", "", ""},
    {"nothing but lines", "\n\n\n", ""},
    {"spaces", "Planet ( Earth )\n  Likes(Bob ,Alice)", "Planet(Earth)\nLikes(Bob, Alice)\n"},
    {"lists", "Earth :Planet,(Orbits,Sun)", "Earth: Planet, (Orbits, Sun)\n"},
    {"semicolons", "A: B; ; C: D;\n;", "A: B\nC: D\n"},
    {"blocks", "A{B{}C:D{E:F}}G{}", "A {\n    B {}\n    C: D {\n        E: F\n    }\n}\nG {}\n"},
    {"a list over lines", "A: B,\n   C,\n\n D\n", "A: B, C, D\n"},
    {"a brace on its own line", "A: B\n{\nC: D\n}", "A: B {\n    C: D\n}\n"},
    {"comments", "//a\nA: B //b\n  //c\nC {\n//d\n}//e",
     "//a\nA: B  //b\n//c\nC {\n    //d\n}  //e\n"},
    {"a comment behind a brace", "A { // a\nB: C }", "A {  // a\n    B: C\n}\n"},
    {"a comment in an empty block", "A { // a\n}", "A {  // a\n}\n"},
    {"comments in a list", "A: B, // b\n // all\n C", "A: B,  // b\n    // all\n    C\n"},
    {"a comment before a brace", "A // a\n{ B: C }", "A  // a\n    {\n    B: C\n}\n"},
    {"blank lines between items, one at most", "A: B\n\n\n\nC: D\n\n// c\nE {\n\nF: G\n\n}\n",
     "A: B\n\nC: D\n\n// c\nE {\n    F: G\n}\n"},
    {"names as they were written", "A::B . C\n", nullptr},
    {"using", "using   A::B;using \"c d\"", "using A::B\nusing \"c d\"\n"},
    {"a brace in quotes", "\"{\": \"//\"", "\"{\": \"//\"\n"},
};

std::string facts_of(const std::string& text) {
    kith::world world;
    kith::load_text(world, text);
    return kith_test::dump_all(world);
}

}  // namespace

TEST_SUITE("dsl.world_text_format") {
    TEST_CASE("texts are laid out, and then stay as they are") {
        for (const format_case& one : format_cases) {
            CAPTURE(one.why);
            if (one.formatted) {
                CHECK(kith::format_text(one.text) == one.formatted);
                CHECK(kith::format_text(one.formatted) == one.formatted);
            } else {
                CHECK_THROWS_AS(kith::format_text(one.text), kith::error);
            }
        }
    }

    TEST_CASE("a text that was laid out says the same") {
        for (std::uint64_t seed = 0; seed < 100; ++seed) {
            kith_test::random_facts random(seed);
            const std::string text = random.layout_text(20);
            CAPTURE(text);
            const std::string formatted = kith::format_text(text);
            CHECK(kith::format_text(formatted) == formatted);
            CHECK(facts_of(formatted) == facts_of(text));
        }
    }

    TEST_CASE("what is saved is laid out already") {
        for (std::uint64_t seed = 0; seed < 50; ++seed) {
            kith::world world;
            kith_test::random_facts(seed).grow(world, 60);
            const std::string text = kith::save_text(world);
            CHECK(kith::format_text(text) == text);
        }
    }
}
