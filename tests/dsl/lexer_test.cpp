#include <kith/syntax/lexer.hpp>

#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace {

using kith::syntax::lexer;
using kith::syntax::token;
using kith::syntax::token_kind;

std::vector<token> tokens_of(std::string_view text, bool with_comments = false) {
    std::vector<token> found;
    lexer words(text, with_comments);
    do {
        found.push_back(words.next());
    } while (found.back().kind != token_kind::end);
    return found;
}

// The tokens, each in brackets; `!` before what cannot be read.
std::string words_of(std::string_view text, bool with_comments = false) {
    std::string shown;
    for (const token& one : tokens_of(text, with_comments)) {
        if (one.kind != token_kind::end) {
            shown += one.kind == token_kind::bad ? "!" : "";
            shown += "[" + std::string(one.at.of(text)) + "]";
        }
    }
    return shown;
}

token_kind kind_of(std::string_view text) {
    return tokens_of(text).front().kind;
}

std::string problem_of(std::string_view text) {
    lexer words(text);
    for (;;) {
        const token one = words.next();
        if (one.kind == token_kind::bad) {
            return words.problem();
        }
        if (one.kind == token_kind::end) {
            return {};
        }
    }
}

}  // namespace

TEST_SUITE("dsl.lexer") {
    TEST_CASE("marks are told apart without spaces") {
        CHECK(words_of("!A||B,{?(C,*)}|$x==D!=_~=\"e\";:=") ==
              "[!][A][||][B][,][{][?][(][C][,][*][)][}][|][$x][==][D][!=][_][~=][\"e\"][;][:][=]");
    }

    TEST_CASE("a path is one word, whichever separator it has") {
        CHECK(words_of("a.b::c ::d a::\"b c\".d") == "[a.b::c][::d][a::\"b c\".d]");
        CHECK(kind_of("a.b") == token_kind::name);
        CHECK(kind_of("::a") == token_kind::name);
    }

    TEST_CASE("a single colon is a mark of its own") {
        CHECK(words_of("parent:widget") == "[parent][:][widget]");
    }

    TEST_CASE("digits alone are a number, with letters a name") {
        CHECK(kind_of("123") == token_kind::number);
        CHECK(kind_of("3d") == token_kind::name);
        CHECK(kind_of("#123") == token_kind::name);
        CHECK(kind_of("\"123\"") == token_kind::quoted);
    }

    TEST_CASE("an underscore alone is a wildcard, in a name a letter") {
        CHECK(kind_of("_") == token_kind::underscore);
        CHECK(kind_of("_a") == token_kind::name);
    }

    TEST_CASE("a dollar alone is no variable") {
        CHECK(kind_of("$") == token_kind::dollar);
        CHECK(kind_of("$x") == token_kind::variable);
    }

    TEST_CASE("the angles of a type's name belong to it, with everything in them") {
        CHECK(words_of("ns::Vec<int, std::array<a, 3>>.x, B") ==
              "[ns::Vec<int, std::array<a, 3>>.x][,][B]");
        CHECK(problem_of("Vec<int").find("'>'") != std::string::npos);
    }

    TEST_CASE("angles that are not closed end their line, which is read once") {
        CHECK(words_of("A<B, C\nD") == "![A<][D]");
        std::string open;
        for (int i = 0; i < 1'000; ++i) {
            open += "A<";
        }
        CHECK(tokens_of(open + "B>\nC").size() == 3);
    }

    TEST_CASE("letters of any language are letters") {
        CHECK(words_of("Größe, 星.月, $é") == "[Größe][,][星.月][,][$é]");
    }

    TEST_CASE("comments end with their line") {
        CHECK(words_of("A // b, c\n, D //") == "[A][,][D]");
        CHECK(words_of("A // b\nC", true) == "[A][// b][C]");
    }

    TEST_CASE("a word knows whether it begins its line") {
        std::vector<bool> begins;
        for (const token& one : tokens_of("a b\nc\n\n// x\n d e")) {
            if (one.kind != token_kind::end) {
                begins.push_back(one.on_new_line);
            }
        }
        CHECK(begins == std::vector<bool>{true, false, true, true, false});
    }

    TEST_CASE("escapes in quotes are checked") {
        CHECK(words_of(R"("a\"b\\c\n\x41")") == R"(["a\"b\\c\n\x41"])");
        for (const char* wrong : {R"("\q")", R"("\x4")", R"("\xzz")", R"("\)"}) {
            CAPTURE(wrong);
            CHECK(!problem_of(wrong).empty());
        }
    }

    TEST_CASE("a quote that is not closed, and an empty one, are mistakes") {
        CHECK(problem_of("\"abc\nd\"").find("closed") != std::string::npos);
        CHECK(problem_of("\"\"").find("at least one") != std::string::npos);
    }

    TEST_CASE("a path must go on after its separator") {
        for (const char* wrong : {"a.", "a. b", "a..b", "::", "a::"}) {
            CAPTURE(wrong);
            CHECK(problem_of(wrong).find("separator") != std::string::npos);
        }
    }

    TEST_CASE("what is no UTF-8 is a mistake wherever it stands") {
        for (const char* wrong : {"\x80", "a\xC3", "\"\xFF\"", "$\xC0\xAF", "\xED\xA0\x80",
                                  "\xF4\x90\x80\x80", "\xE0\x80\x80"}) {
            CHECK(problem_of(wrong) == "this is not UTF-8");
        }
    }

    TEST_CASE("every byte is read once, whatever it is") {
        std::string all;
        for (int i = 0; i < 256; ++i) {
            all += static_cast<char>(i);
            all += ' ';
        }
        std::uint32_t last = 0;
        for (const token& one : tokens_of(all)) {
            CHECK(one.at.begin >= last);
            CHECK(one.at.end >= one.at.begin);
            last = one.at.end;
        }
        CHECK(last == all.size());
    }

    TEST_CASE("the compiler can read words, too") {
        constexpr token first = lexer("  Position, x").next();
        static_assert(first.kind == token_kind::name && first.at.begin == 2 && first.at.end == 10);
        CHECK(first.kind == token_kind::name);
    }
}
