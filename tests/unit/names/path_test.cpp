#include "names/path.hpp"

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
