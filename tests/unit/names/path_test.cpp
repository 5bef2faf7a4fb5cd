#include "names/path.hpp"

#include <random>
#include <string>

#include <doctest/doctest.h>

namespace {

std::string elements(std::string_view path,
                     std::string_view separator = "::", std::string_view root = "::") {
    kith::names::path_reader reader(path, separator, root);
    std::string result = reader.starts_at_root() ? "/" : "";
    for (std::string_view element; reader.next(element);) {
        result += "[" + std::string(element) + "]";
    }
    return result;
}

// The same, one character after the other.
std::string elements_by_character(std::string path) {
    std::string result;
    if (path.rfind("::", 0) == 0) {
        result = "/";
        path.erase(0, 2);
    }
    result += "[";
    int depth = 0;
    for (std::size_t i = 0; i < path.size(); ++i) {
        const bool is_scope_sign = path.compare(i, 2, "::") == 0;
        if (depth == 0 && (path[i] == '.' || is_scope_sign)) {
            result += "][";
            i += is_scope_sign;
            continue;
        }
        depth += path[i] == '<' || path[i] == '(';
        depth -= (path[i] == '>' || path[i] == ')') && depth > 0;
        result += path[i];
    }
    return result + "]";
}

}  // namespace

TEST_SUITE("unit.names.path") {
    TEST_CASE("paths are taken apart") {
        struct path_case {
            const char* why;
            const char* path;
            const char* elements;
        };
        const path_case cases[] = {
            {"one element", "a", "[a]"},
            {"two colons", "a::b", "[a][b]"},
            {"dots", "a.b.c", "[a][b][c]"},
            {"both", "a.b::c", "[a][b][c]"},
            {"from the root", "::a::b", "/[a][b]"},
            {"one colon is part of a name", "a:b", "[a:b]"},
            {"not inside of template arguments", "A<b::c, d.e>::f", "[A<b::c, d.e>][f]"},
            {"not inside of parentheses", "f(a::b)::Local", "[f(a::b)][Local]"},
            {"empty elements are seen", "a::::b", "[a][][b]"},
            {"an empty end is seen", "a::", "[a][]"},
        };
        for (const path_case& c : cases) {
            CAPTURE(c.why);
            CHECK(elements(c.path) == c.elements);
        }
    }

    // Several characters are read at once: lengths and places around eight matter.
    TEST_CASE("paths of any characters are taken apart as character by character") {
        std::mt19937 random(5);
        const std::string characters = "abz_019_8-ab:.<>()\xC3\xA9\x80\xFF";
        for (int turn = 0; turn < 20'000; ++turn) {
            std::string path;
            const std::size_t size = random() % 40;
            // Few of the characters are special in most paths.
            const std::size_t choice = random() % 3 == 0 ? characters.size() : 12;
            while (path.size() < size) {
                path += random() % 6 == 0 ? "::" : std::string{characters[random() % choice]};
            }
            CAPTURE(path);
            REQUIRE(elements(path) == elements_by_character(path));
        }
    }

    TEST_CASE("a caller may choose the separator") {
        CHECK(elements("a/b.c/d", "/", "/") == "[a][b.c][d]");
        CHECK(elements("/a/b", "/", "/") == "/[a][b]");
    }

    TEST_CASE("an element may be an index") {
        CHECK(kith::names::index_element("#123") == 123);
        CHECK(kith::names::index_element("123") == 0);
        CHECK(kith::names::index_element("#") == 0);
        CHECK(kith::names::index_element("#12x") == 0);
        CHECK(kith::names::index_element("#99999999999999999999") == 0);
    }
}
