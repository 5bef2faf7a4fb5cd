// Files of cases as text: what is read from them, which mistakes are found, and that answers can be
// written back.
#include "support/corpus/corpus.hpp"

#include <doctest/doctest.h>

namespace {

using corpus::line_list;

// `line: message; …`
std::string mistakes_of(std::string_view text) {
    std::string all;
    for (const corpus::mistake& one : corpus::read(text).diagnostics) {
        all += (all.empty() ? "" : "; ") + std::to_string(one.line) + ": " + one.message;
    }
    return all;
}

constexpr const char* small_file =
    "# Prose.\n"
    "world\n"
    "    A(B)\n"
    "\n"
    "    C {\n"
    "        D: A {}\n"
    "    }\n"
    "\n"
    "query A, B\n"
    "plan\n"
    "    scan\n"
    "    yield\n"
    "text A, B\n"
    "rows none\n"
    "\n"
    "# More of it.\n"
    "\n"
    "query\n"
    "    A,\n"
    "      C\n"
    "error 2:3: no\n";

}  // namespace

TEST_SUITE("dsl.corpus_reader") {
    TEST_CASE("sections stand behind or below their keyword") {
        const corpus::file file = corpus::read(small_file);
        CHECK(file.diagnostics.empty());
        REQUIRE(file.worlds.size() == 1);
        CHECK(file.worlds[0].text() == "A(B)\n\nC {\n    D: A {}\n}");
        REQUIRE(file.questions.size() == 2);
        CHECK(file.questions[0].query.text() == "A, B");
        CHECK(file.questions[0].query.first_line == 9);
        CHECK(file.questions[0].plan->lines == line_list{"scan", "yield"});
        CHECK(file.questions[0].text->lines == line_list{"A, B"});
        CHECK(file.questions[0].rows->lines == line_list{"none"});
        CHECK_FALSE(file.questions[0].error);
        CHECK(file.questions[1].query.text() == "A,\n  C");
        CHECK(file.questions[1].error->lines == line_list{"2:3: no"});
    }

    TEST_CASE("a section may go on as far to the right as it began") {
        const corpus::file file = corpus::read(
            "world   A(B)\n"
            "        C(D)\n"
            "query   A\n"
            "rows    B\n"
            "        D\n");
        CHECK(file.diagnostics.empty());
        CHECK(file.worlds[0].lines == line_list{"A(B)", "C(D)"});
        CHECK(file.questions[0].rows->lines == line_list{"B", "D"});
    }

    TEST_CASE("each world is that of the cases below it") {
        const corpus::file file = corpus::read(
            "world A(B)\nquery A\nrows B\nworld C(D)\nquery A\nrows none\nquery C\nrows D\n");
        CHECK(file.diagnostics.empty());
        REQUIRE(file.questions.size() == 3);
        CHECK(file.questions[0].world == 0);
        CHECK(file.questions[1].world == 1);
        CHECK(file.questions[2].world == 1);
    }

    TEST_CASE("what is no case is a mistake with its line") {
        CHECK(mistakes_of("hello\n") == "1: 'hello' is no section");
        CHECK(mistakes_of("query A\n") == "1: a query before the first world");
        CHECK(mistakes_of("world A(B)\nrows B\n") == "2: 'rows' stands directly below its query");
        CHECK(mistakes_of("world A(B)\nquery A\n\nrows B\n") ==
              "4: 'rows' stands directly below its query; 2: a query without rows or an error");
        CHECK(mistakes_of("world A(B)\nquery A\nrows B\nrows B\n") == "4: a query has one 'rows'");
        CHECK(mistakes_of("world A(B)\nquery A\n") == "2: a query without rows or an error");
        CHECK(mistakes_of("world A(B)\nquery A\nrows B\nerror no\n") ==
              "2: a query has rows or an error, not both");
        CHECK(mistakes_of("world A(B)\nquery A\ntext A\nerror no\n") ==
              "2: a query that is refused has no plan and no text");
        CHECK(mistakes_of("world A(B)\nquery A\nerror\n    a\n    b\n") ==
              "3: an error is one line");
        CHECK(mistakes_of("world A(B)\nquery A\nrows\n") == "3: 'none' stands for no rows");
        CHECK(mistakes_of("    A\n") ==
              "1: this line belongs to no section, or is not indented as far");
        CHECK(mistakes_of("world\n  A(B)\n") ==
              "2: this line belongs to no section, or is not indented as far");
        CHECK(mistakes_of("world A(B)\r\n") == "1: a control character");
        CHECK(mistakes_of("world\n\tA(B)\n") == "2: a control character");
    }

    TEST_CASE("mistakes do not grow with the text") {
        std::string text;
        for (int i = 0; i < 1000; ++i) {
            text += "nonsense\n";
        }
        CHECK(corpus::read(text).diagnostics.size() == 20);
    }

    TEST_CASE("answers are written back, and everything else stays") {
        const corpus::file file = corpus::read(small_file);
        const std::vector<corpus::answer> same = {{{"scan", "yield"}, {"A, B"}, {"none"}, {}},
                                                  {{}, {}, {}, {"2:3: no"}}};
        CHECK(corpus::rewrite(small_file, file, same) == small_file);
        const std::vector<corpus::answer> other = {{{}, {}, {}, {"1:1: never"}},
                                                   {{"one", "two"}, {}, {"B", "C"}, {}}};
        CHECK(corpus::rewrite(small_file, file, other) ==
              "# Prose.\n"
              "world\n"
              "    A(B)\n"
              "\n"
              "    C {\n"
              "        D: A {}\n"
              "    }\n"
              "\n"
              "query A, B\n"
              "error 1:1: never\n"
              "\n"
              "# More of it.\n"
              "\n"
              "query\n"
              "    A,\n"
              "      C\n"
              "plan\n"
              "    one\n"
              "    two\n"
              "rows\n"
              "    B\n"
              "    C\n");
    }

    TEST_CASE("a question without answers gets them") {
        const std::string text = "world A(B)\nquery A\n\nquery B\nrows none\n";
        const corpus::file file = corpus::read(text);
        REQUIRE(file.diagnostics.size() == 1);
        CHECK(file.diagnostics[0].of_answer);
        CHECK(corpus::rewrite(text, file, {{{}, {}, {"B"}, {}}, {{}, {}, {"none"}, {}}}) ==
              "world A(B)\nquery A\nrows B\n\nquery B\nrows none\n");
    }
}
