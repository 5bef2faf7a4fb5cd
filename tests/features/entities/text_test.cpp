#include <kith/kith.hpp>

#include "support/errors.hpp"
#include "support/types.hpp"

#include <cstring>

using namespace kith_test;

TEST_SUITE("features.entities.text") {
    // spec 12
    TEST_CASE("an id prints as its name, a pair as both names") {
        kith::world world;
        kith::entity alice = world.entity("Alice");
        kith::entity likes = world.entity("Likes");
        CHECK(world.id(alice).str() == "Alice");
        CHECK(world.pair(likes, alice).str() == "(Likes,Alice)");
        CHECK(world.id(kith::make_pair(likes, kith::Wildcard)).str() == "(Likes,*)");
    }

    // spec 12
    TEST_CASE("paths in ids are separated by dots") {
        kith::world world;
        kith::entity deep = world.entity("a::b::c");
        CHECK(world.id(deep).str() == "a.b.c");
    }

    TEST_CASE("flags are printed in front of an id") {
        kith::world world;
        kith::entity e = world.entity("X");
        CHECK(world.id(e).add_flags(kith::Override).str() == "OVERRIDE|X");
    }

    TEST_CASE("an entity without a name prints as its number") {
        kith::world world;
        kith::entity e = world.entity();
        const std::string text = world.id(e).str().c_str();
        CHECK(text.find(std::to_string(kith::index_of(e))) != std::string::npos);
    }

    TEST_CASE("a type prints as a list of ids") {
        kith::world world;
        kith::entity alice = world.entity("Alice");
        kith::entity likes = world.entity("Likes");
        kith::entity hungry = world.entity("Hungry");
        kith::entity e = world.entity().add(hungry).add(likes, alice);
        CHECK(e.type().str() == "Hungry, (Likes,Alice)");
        CHECK(e.table().str() == "Hungry, (Likes,Alice)");
        CHECK(world.entity().type().str() == "");
    }

    TEST_CASE("ids of dead, null and foreign entities can be printed") {
        kith::world world;
        kith::entity e = world.entity();
        e.destruct();
        CHECK(world.id(e).str().size() > 0);
        CHECK_NOTHROW(world.id(kith::id_t{0}).str());
        CHECK_NOTHROW(world.id(kith::make_pair(e, 0)).str());
        CHECK_NOTHROW(world.id(~kith::id_t{0}).str());
    }

    TEST_CASE("an owned string moves and compares") {
        kith::string a(strdup("text"));
        CHECK(a.size() == 4);
        CHECK(a == "text");
        CHECK(a != "other");
        kith::string b(std::move(a));
        CHECK(b == "text");
        CHECK(a == "");
        a = std::move(b);
        CHECK(a == "text");
        const char* plain = a.c_str();
        CHECK(std::strcmp(plain, "text") == 0);
        CHECK(kith::string() == "");
        CHECK(kith::string(static_cast<char*>(nullptr)).size() == 0);
    }

    TEST_CASE("a string view compares with text, null is empty") {
        kith::string_view view("abc");
        CHECK(view == "abc");
        CHECK(view != "abd");
        CHECK(view.size() == 3);
        CHECK(kith::string_view(nullptr) == "");
        CHECK(kith::string_view() == static_cast<const char*>(nullptr));
    }
}
