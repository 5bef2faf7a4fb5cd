// Aggregates describe themselves: names, types and offsets of their members, without macros.
#include <kith/kith.hpp>
#include <kith/reflect.hpp>

#include <cstddef>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace {

struct Position {
    float x, y;
};
struct Tag {};
struct Base {
    int inherited;
};
enum class Color : std::uint8_t { red, green = 4 };

struct Everything : Tag {
    Position at;
    const double weight;
    char name[16];
    std::int16_t grid[2][3];
    Color color;
    alignas(32) bool armed;
    [[no_unique_address]] Tag nothing;
    kith::entity owner;
    kith::handle target;
};

template <class T>
struct Wrapped {
    T first_value;
    T second_value;
};

struct Node {
    std::string name;
    std::vector<Node> children;
};

struct Wide {
    int a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19,
        a20, a21, a22, a23, a24, a25, a26, a27, a28, a29, a30, a31, a32, a33, a34, a35, a36, a37,
        a38, a39, a40, a41, a42, a43, a44, a45, a46, a47, a48, a49, a50, a51, a52, a53, a54, a55,
        a56, a57, a58, a59, a60, a61, a62, last;
};
struct TooWide : Tag {
    int first[1];
    Wide rest;
    int b0, b1, b2, b3, b4, b5, b6, b7, b8, b9, c0, c1, c2, c3, c4, c5, c6, c7, c8, c9, d0, d1, d2,
        d3, d4, d5, d6, d7, d8, d9, e0, e1, e2, e3, e4, e5, e6, e7, e8, e9, f0, f1, f2, f3, f4, f5,
        f6, f7, f8, f9, g0, g1, g2, g3, g4, g5, g6, g7, g8, g9, h0, h1, h2, h3, h4, h5, h6, h7;
};
struct Derived : Base {
    int own;
};
struct Made {
    explicit Made(int value) : number(value) {}
    int number;
};
struct Unmade {
    Made part;
};
union Choice {
    int number;
    float real;
};

std::string members_of(const kith::description& type) {
    std::string text;
    for (const kith::member_info& member : type) {
        text += std::string(text.empty() ? "" : ", ") + member.name + ": " +
                member.type->life.name + " @" + std::to_string(member.offset);
    }
    return text;
}
std::string obstacle_of(const kith::description& type) {
    return type.what == kith::kind::none ? type.obstacle : "";
}

}  // namespace

TEST_SUITE("features.values.aggregates") {
    // spec 512
    TEST_CASE("a struct has its members with names, types and offsets") {
        const kith::description& type = kith::describe<Position>();
        CHECK(type.what == kith::kind::structure);
        CHECK(std::string(type.life.name) == "Position");
        CHECK(type.life.size == sizeof(Position));
        CHECK(members_of(type) == "x: f32 @0, y: f32 @4");
    }

    TEST_CASE("nested structs, arrays, texts, enums, entities and aligned members are members") {
        const kith::description& type = kith::describe<Everything>();
        REQUIRE(type.count == 9);
        CHECK(std::string(type.members[0].type->life.name) == "Position");
        CHECK(type.members[1].type->what == kith::kind::f64);
        CHECK(type.members[2].type->what == kith::kind::text);
        CHECK(std::string(type.members[3].type->life.name) == "[[i16; 3]; 2]");
        CHECK(type.members[4].type->what == kith::kind::enumeration);
        CHECK(std::string(type.members[4].name) == "color");
        CHECK(type.members[5].offset % 32 == 0);
        CHECK(type.members[6].type->count == 0);
        CHECK(type.members[7].type->what == kith::kind::entity);
        CHECK(std::string(type.members[8].name) == "target");
        CHECK(type.members[8].type->life.size == 8);
    }

    TEST_CASE("templates and local types describe themselves") {
        struct Local {
            int inside;
            Color shade;
        };
        CHECK(members_of(kith::describe<Wrapped<std::int64_t>>()) ==
              "first_value: i64 @0, second_value: i64 @8");
        CHECK(std::string(kith::describe<Local>().members[1].name) == "shade");
    }

    TEST_CASE("sixty-four members are described") {
        const kith::description& type = kith::describe<Wide>();
        REQUIRE(type.count == 64);
        CHECK(std::string(type.members[10].name) == "a10");
        CHECK(std::string(type.members[63].name) == "last");
        CHECK(type.members[63].offset == offsetof(Wide, last));
    }

    TEST_CASE("a struct that contains itself in a list has one description") {
        const kith::description& type = kith::describe<Node>();
        REQUIRE(type.count == 2);
        CHECK(type.members[1].type->what == kith::kind::list);
        CHECK(type.members[1].type->element == &type);
        CHECK(std::string(type.members[1].type->life.name) == "[Node]");
    }

    // spec 513
    TEST_CASE("an obstacle is named") {
        CHECK(obstacle_of(kith::describe<Derived>()).find(".base<B>()") != std::string::npos);
        CHECK(obstacle_of(kith::describe<TooWide>()).find("64 members") != std::string::npos);
        CHECK(obstacle_of(kith::describe<Unmade>()).find("{}") != std::string::npos);
        CHECK(obstacle_of(kith::describe<Made>()).find("describe") != std::string::npos);
        CHECK(obstacle_of(kith::describe<Choice>()).find("union") != std::string::npos);
        CHECK(obstacle_of(kith::describe<int*>()).find("pointer") != std::string::npos);
    }

#if !defined(__clang__)
    TEST_CASE("a bit-field is an obstacle") {
        struct Packed {
            int low : 3;
            int high;
        };
        CHECK(obstacle_of(kith::describe<Packed>()).find("bit-field") != std::string::npos);
    }
#endif

    TEST_CASE("a description belongs to all worlds of the process") {
        kith::reflect<Position>();
        for (int i = 0; i < 2; ++i) {
            kith::world world;
            const kith::entity type = world.component<Position>();
            CHECK(kith::detail::find_description(world, type) == &kith::describe<Position>());
        }
    }
}
