#include <kith/syntax/query_parser.hpp>

#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace {

using namespace kith::syntax;

// The mistakes, each with the text it is about: `message @ text`.
std::vector<std::string> mistakes_in(std::string_view text) {
    const query_tree tree = parse_query(text);
    std::vector<std::string> found;
    for (std::uint32_t i = 0; i < tree.problem_count; ++i) {
        found.push_back(std::string(tree.problems[i].message) + " @ " +
                        std::string(tree.problems[i].at.of(text)));
    }
    return found;
}
std::string mistake_in(std::string_view text) {
    const std::vector<std::string> found = mistakes_in(text);
    REQUIRE(found.size() == 1);
    return found.front();
}

item only_item(std::string_view text) {
    const query_tree tree = parse_query(text);
    CAPTURE(text);
    REQUIRE(tree.problem_count == 0);
    REQUIRE(tree.count == 1);
    return tree.items[0];
}

std::string repeated(const char* text, int times) {
    std::string all;
    for (int i = 0; i < times; ++i) {
        all += text;
    }
    return all;
}

}  // namespace

TEST_SUITE("dsl.query_parser") {
    TEST_CASE("nothing is a query without terms") {
        for (const char* text : {"", "  \n ", "// only a comment"}) {
            CHECK(parse_query(text).count == 0);
            CHECK(parse_query(text).problem_count == 0);
        }
    }

    TEST_CASE("a pair with a source has the parts of the longer form") {
        for (std::string_view text : {"Likes(Bob, Alice)", "(Likes, Alice)(Bob)"}) {
            const item one = only_item(text);
            CHECK(one.first.id.at.of(text) == "Likes");
            CHECK(one.src.id.at.of(text) == "Bob");
            CHECK(one.second.id.at.of(text) == "Alice");
            CHECK(one.has_second);
        }
    }

    TEST_CASE("spellings of a search give the same flags") {
        for (const char* text : {"P(up)", "P(super)", "P(superset)"}) {
            CHECK(only_item(text).src.by.flags == kith::Up);
        }
        for (const char* text : {"P(down)", "P(sub)", "P(subset)"}) {
            CHECK(only_item(text).src.by.flags == kith::Down);
        }
        CHECK(only_item("P(self|up(ChildOf))").src.by.flags == (kith::Self | kith::Up));
        CHECK(only_item("P(parent|cascade)").src.by.flags == (kith::Parent | kith::Cascade));
        CHECK(only_item("P(cascade(ChildOf)|desc)").src.by.flags == (kith::Cascade | kith::Desc));
        CHECK(only_item("P(all|super(ChildOf))").src.by.flags == (kith::TraverseAll | kith::Up));
    }

    TEST_CASE("depths: one number is the last level, two are the first and the last") {
        CHECK(only_item("P(up(R, 3))").src.by.max_depth == 3);
        CHECK(only_item("P(up(R, 3))").src.by.min_depth == 0);
        CHECK(only_item("P(up(R, 2, 4))").src.by.min_depth == 2);
        CHECK(only_item("P(up(R, 2, 4))").src.by.max_depth == 4);
    }

    TEST_CASE("searches stand behind any identifier") {
        CHECK(only_item("A[self|all|subset]").first.by.flags ==
              (kith::Self | kith::TraverseAll | kith::Down));
        CHECK(only_item("P(Bob[super(ChildOf)])").src.by.flags == kith::Up);
        CHECK(only_item("(Likes, Alice[super(ChildOf)])").second.by.flags == kith::Up);
        const item both = only_item("C[self|all|subset] (self|superset)");
        CHECK(both.first.by.flags == (kith::Self | kith::TraverseAll | kith::Down));
        CHECK(both.src.by.flags == (kith::Self | kith::Up));
    }

    TEST_CASE("words of a search are names everywhere else") {
        CHECK(only_item("parent").first.by.flags == 0);
        CHECK(only_item("(Likes, self)").second.id.is_given());
        CHECK(only_item("Likes(Bob, up)").second.by.flags == 0);
        CHECK(only_item("P(\"up\")").src.by.flags == 0);
    }

    TEST_CASE("access and operator stand before a term in any order") {
        for (const char* text : {"[in] !P", "![in] P"}) {
            CHECK(only_item(text).access == kith::In);
            CHECK(only_item(text).oper == kith::Not);
        }
        CHECK(only_item("[none] P").access == kith::InOutNone);
        CHECK(only_item("[filter] P").access == kith::InOutNone);
        CHECK(only_item("[inout] P").access == kith::InOut);
        CHECK(only_item("[out] P").access == kith::Out);
    }

    TEST_CASE("operators of lists are words of any case") {
        CHECK(only_item("AND | l").oper == kith::AndFrom);
        CHECK(only_item("or|l").oper == kith::OrFrom);
        CHECK(only_item("Not |l(x)").oper == kith::NotFrom);
        CHECK(only_item("AND").oper == kith::And);
    }

    TEST_CASE("mistakes say what should stand where") {
        CHECK(mistake_in("A B") == "',' or '||' should stand between terms @ B");
        CHECK(mistake_in("A,") == "after ',' a term should follow @ ");
        CHECK(mistake_in("A ||") == "after '||' a term should follow @ ");
        CHECK(mistake_in("A(") == "a source should stand here @ ");
        CHECK(mistake_in("A(b") == "')' should follow @ ");
        CHECK(mistake_in("(A)") == "a pair has two elements: ',' should follow @ )");
        CHECK(mistake_in("(A, B, C)") == "')' should follow the second element of a pair @ ,");
        CHECK(mistake_in("A(b, c, d)") == "a term has a source and at most one target @ ,");
        CHECK(mistake_in("!?A") == "a term has one operator @ ?");
        CHECK(mistake_in("[in][out] A") == "a term has one access @ out");
        CHECK(mistake_in("[read] A") == "an access is one of in, out, inout, none @ read");
        CHECK(mistake_in("A | B") ==
              "before '|' stands AND, OR or NOT; alternatives are joined by '||' @ |");
        CHECK(mistake_in("$x ~= Foo") == "'~=' compares with a text in quotes @ Foo");
        CHECK(mistake_in("$x == *") == "a comparison needs an entity, not a wildcard @ *");
        CHECK(mistake_in("[in] $x == A") == "a comparison has no access: it gives no value @ ==");
        CHECK(mistake_in("A(self|self)") == "this was said before @ self");
        CHECK(mistake_in("A(self|up(R)|cascade(S))") ==
              "a search follows one relationship; another was named before @ S");
        CHECK(mistake_in("A(up(R, 0))") ==
              "levels count from 1, the first above or below; 'self' is level 0 @ 0");
        CHECK(mistake_in("A(up(R, 4, 2))") == "the last level is above the first @ 2");
        CHECK(mistake_in("A(up(R, 99999999999))") ==
              "this is more levels than there can be @ 99999999999");
        CHECK(mistake_in("A(up(R, x))") == "a number of levels should stand here @ x");
        CHECK(mistake_in("A[x]") ==
              "one of self, up, down, parent, cascade, desc, all should stand here @ x");
        CHECK(mistake_in("{ }") == "a scope has at least one term @ }");
        CHECK(mistake_in("!{ A, B") == "this '{' is not closed @ {");
        CHECK(mistake_in("A }") == "there is no '{' for this '}' @ }");
        CHECK(mistake_in("[in] { A }") == "a scope has no access of its own; its terms have @ [");
        CHECK(mistake_in("A & B") == "'&' is no mark of the language; ',' means and @ &");
        CHECK(mistake_in("A && B") == "'&' is no mark of the language; ',' means and @ &");
    }

    TEST_CASE("several mistakes are told at once, each once") {
        CHECK(mistakes_in("A B, (C), D, E(, F) && G, \"x").size() == 4);
        CHECK(mistakes_in("A(b c, d), E, F(,)").size() == 2);
    }

    TEST_CASE("there is an end to the number of terms, of scopes, and of mistakes") {
        CHECK(mistake_in(repeated("A, ", 64) + "B").find("at most 64 terms") != std::string::npos);
        CHECK(parse_query(repeated("A, ", 63) + "B").problem_count == 0);
        CHECK(mistakes_in(repeated("{", 17) + "A" + repeated("}", 17)).front().find("16 deep") !=
              std::string::npos);
        CHECK(parse_query(repeated("{", 16) + "A" + repeated("}", 16)).problem_count == 0);
        CHECK(mistakes_in(repeated("} x ", 1000)).size() == query_tree::most_problems);
    }

    TEST_CASE("nesting of parentheses and brackets ends") {
        CHECK(parse_query(repeated("(", 100'000)).problem_count == 1);
        CHECK(parse_query(repeated("A[up(", 100'000)).problem_count == 1);
        CHECK(parse_query(repeated("!", 100'000)).problem_count == 1);
        CHECK(parse_query(repeated("a.", 100'000)).problem_count == 1);
    }

    TEST_CASE("the compiler can read queries, too") {
        static_assert(parse_query("Position, !{ Mass, Velocity || Speed }").problem_count == 0);
        static_assert(parse_query("Position, !{ Mass").problem_count == 1);
    }
}
