#include "types/type_name.hpp"

#include <typeinfo>

#include <doctest/doctest.h>

namespace game {
struct Position {};
template <class T>
struct Box {};
}  // namespace game

namespace {
struct Hidden {};
}  // namespace

using kith::types::is_function_local;
using kith::types::is_unit_local;
using kith::types::readable_type_name;

TEST_SUITE("unit.types.type_name") {
    TEST_CASE("names are readable, from labels and from mangled names") {
        struct name_case {
            const char* why;
            const char* label;
            const char* mangled;
            const char* name;
        };
        const name_case cases[] = {
            {"g++ label", "constexpr const char* f() [with T = game::Position]", nullptr,
             "game::Position"},
            {"clang label", "const char *f() [T = game::Position]", nullptr, "game::Position"},
            {"mangled", "", "N4game8PositionE", "game::Position"},
            {"g++ anonymous", "f() [with T = {anonymous}::Hidden]", nullptr, "Hidden"},
            {"clang anonymous", "f() [T = (anonymous namespace)::Hidden]", nullptr, "Hidden"},
            {"elaborated", "f() [T = struct game::Position]", nullptr, "game::Position"},
            {"nested templates", "f() [T = A<B<int> >]", nullptr, "A<B<int>>"},
        };
        for (const name_case& c : cases) {
            CAPTURE(c.why);
            CHECK(readable_type_name(c.label, c.mangled) == c.name);
        }
    }

    TEST_CASE("this compiler's names are readable") {
        CHECK(readable_type_name("", typeid(game::Position).name()) == "game::Position");
        CHECK(readable_type_name("", typeid(game::Box<game::Position>).name()) ==
              "game::Box<game::Position>");
        CHECK(readable_type_name("", typeid(Hidden).name()) == "Hidden");
    }

    TEST_CASE("types of anonymous namespaces and static functions are local to their unit") {
        struct Local {};
        CHECK(is_unit_local("", typeid(Hidden).name()));
        CHECK(is_unit_local("", typeid(Local).name()));
        CHECK(is_unit_local("", "ZL4funcvE5Local"));
        CHECK(is_unit_local("", "ZN4gameL4funcEvE5Local"));
        CHECK(is_unit_local("f() [with T = {anonymous}::Hidden]", nullptr));
        CHECK(is_unit_local("f() [T = (anonymous namespace)::Hidden]", nullptr));
    }

    TEST_CASE("other types are the same in every unit") {
        CHECK_FALSE(is_unit_local("", typeid(game::Position).name()));
        CHECK_FALSE(is_unit_local("", "ZN4game4funcEvE5Local"));
        CHECK_FALSE(is_unit_local("", "N4game3BoxIL5Color1EEE"));
        CHECK_FALSE(is_unit_local("", "Z5FooL1vE5Local"));
        CHECK_FALSE(is_unit_local("f() [with T = game::Position]", nullptr));
    }

    TEST_CASE("types of functions are known as such") {
        struct Local {};
        CHECK(is_function_local(typeid(Local).name()));
        CHECK_FALSE(is_function_local(typeid(game::Position).name()));
        CHECK_FALSE(is_function_local(nullptr));
    }
}
