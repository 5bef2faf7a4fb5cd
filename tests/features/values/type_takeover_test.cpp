// C++ types that are used for the first time in a world where a component that was declared at run
// time has their name: they take it over with its values, or are refused.
#include <kith/diff.hpp>
#include <kith/json.hpp>
#include <kith/kith.hpp>
#include <kith/meta.hpp>
#include <kith/reflect.hpp>
#include <kith/save.hpp>
#include <kith/snapshot.hpp>
#include <kith/value.hpp>
#include <kith/world_text.hpp>

#include "support/errors.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace kith_test;

namespace late {

struct Cargo {
    float tons = 1;
    std::int32_t count = 2;
};
struct Point {
    float x;
    float y;
};
enum class Grade : std::int32_t { raw, refined };
// Members of all kinds that have one layout for declared and C++ types.
struct Crate {
    std::string label;
    Point at;
    std::int16_t sizes[3];
    char code[4];
    kith::handle owner;
    Grade grade;
    bool sealed;
};
struct Undescribed {
    explicit Undescribed(int given) : value(given) {}
    int value;
};
struct Bag {
    std::vector<int> items;
};
struct Pinned {
    float x;
    Pinned() = default;
    Pinned(const Pinned&) = delete;
    Pinned(Pinned&&) = default;
    static void describe(kith::describer<Pinned>& to) { to.member("x", &Pinned::x); }
    Pinned& operator=(Pinned&&) = default;
};
struct Loud {
    std::int32_t value;
};
struct Strict {
    std::int32_t value = 0;
    explicit Strict(std::int32_t given) : value(given) {}
    static void describe(kith::describer<Strict>& to) { to.member("value", &Strict::value); }
};

}  // namespace late

namespace {

struct fixture {
    fixture() {
        kith::reflect<late::Cargo, late::Crate, late::Bag, late::Pinned, late::Loud, late::Grade,
                      late::Point, late::Strict>();
    }
    // The text behind the declarations may use the types. A text that declared them itself would
    // use the C++ types, which are described.
    void load(const std::string& text) { kith::load_text(world, text); }
    kith::untyped_component declare(const char* name) { return world.component(name); }
    kith::untyped_component declare_cargo() {
        return declare("late::Cargo")
            .member<float>("tons")
            .default_value(1.0f)
            .member<std::int32_t>("count")
            .default_value(2);
    }
    void declare_crate() {
        const kith::entity point = declare("late::Point").member<float>("x").member<float>("y");
        const kith::entity grade = declare("late::Grade").constant("raw", 0).constant("refined", 1);
        declare("late::Crate")
            .member(kith::String, "label")
            .member(point, "at")
            .member<std::int16_t>("sizes", 3)
            .member<char>("code", 4)
            .member(kith::Entity, "owner")
            .member(grade, "grade")
            .member<bool>("sealed");
    }
    kith::entity at(const char* path) const { return world.lookup(path); }
    kith::world world;
};

}  // namespace

// spec 523
TEST_SUITE("features.values.type_takeover") {
    TEST_CASE_FIXTURE(fixture, "values become values of the C++ type") {
        declare_cargo();
        load(
            "Bell: late.Cargo = {64, 3}\n"
            "Ann: late.Cargo = {count: 9}, (late.Cargo, Bell) = {5, 6}\n"
            "late.Cargo($) = {7, 8}\n");
        const kith::entity bell = at("Bell");
        const kith::entity declared = at("late::Cargo");
        const kith::entity type = world.component<late::Cargo>();
        CHECK(at("late::Cargo") == type);
        CHECK_FALSE(declared.is_alive());
        REQUIRE(bell.get<late::Cargo>());
        CHECK(bell.get<late::Cargo>()->tons == 64);
        CHECK(bell.get<late::Cargo>()->count == 3);
        CHECK(at("Ann").get<late::Cargo>()->count == 9);
        REQUIRE(at("Ann").get<late::Cargo>(bell));
        CHECK(at("Ann").get<late::Cargo>(bell)->tons == 5);
        REQUIRE(world.get<late::Cargo>());
        CHECK(world.get<late::Cargo>()->count == 8);
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "texts, nested structs, arrays, handles, enums keep their values") {
        declare_crate();
        load(
            "Ann {}\n"
            "Box: late.Crate = {\"a label that is too long for a short string\", {1, 2}, "
            "[1, 2, 3], \"abc\", Ann, refined, true}\n");
        world.component<late::Crate>();
        const late::Crate* box = at("Box").get<late::Crate>();
        REQUIRE(box);
        CHECK(box->label == "a label that is too long for a short string");
        CHECK(box->at.y == 2);
        CHECK(box->sizes[2] == 3);
        CHECK(std::string(box->code) == "abc");
        CHECK(box->owner == at("Ann"));
        CHECK(box->grade == late::Grade::refined);
        CHECK(box->sealed);
        world.component<late::Point>();
        world.component<late::Grade>();
        CHECK(kith::to_json(at("Box")).find("\"refined\"") != std::string::npos);
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "any first use of the type takes over") {
        const auto tons = [&] { return at("Bell").get<late::Cargo>()->tons; };
        declare_cargo();
        load("Bell: late.Cargo = {64, 3}\n");
        SUBCASE("set") {
            at("Bell").set(late::Cargo{5, 6});
            CHECK(tons() == 5);
        }
        SUBCASE("query") {
            CHECK(world.query<late::Cargo>().count() == 1);
            CHECK(tons() == 64);
        }
        SUBCASE("add") {
            const kith::entity other = world.entity().add<late::Cargo>();
            CHECK(other.get<late::Cargo>()->tons == 1);
            CHECK(tons() == 64);
        }
        SUBCASE("ensure") {
            CHECK(at("Bell").ensure<late::Cargo>().tons == 64);
        }
        SUBCASE("several values at once") {
            at("Bell").set([](late::Cargo& cargo, late::Loud&) { cargo.tons += 1; });
            CHECK(tons() == 65);
        }
        SUBCASE("an entity with values") {
            const kith::entity both = world.entity().add(at("late::Cargo")).set(late::Cargo{3, 4});
            CHECK(both.get<late::Cargo>()->tons == 3);
        }
        SUBCASE("many entities") {
            const kith::id_t ids[] = {at("late::Cargo"), kith::type_id<late::Cargo>()};
            CHECK(error_of([&] { kith::detail::new_bulk(world, 3, ids, 2, nullptr); }).has_value());
            world.component<late::Cargo>();
        }
        SUBCASE("observer") {
            int told = 0;
            world.observer<late::Cargo>().event(kith::OnSet).each([&](late::Cargo&) { ++told; });
            at("Bell").set(late::Cargo{});
            CHECK(told == 1);
        }
        SUBCASE("JSON") {
            at("Bell").set_json<late::Cargo>("{\"tons\":4}");
            CHECK(tons() == 4);
        }
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "a name of the program's choice is taken over, too") {
        load("struct Freight { tons: f32, count: i32 }\nBell: Freight = {4, 5}\n");
        const kith::entity type = world.component<late::Cargo>("Freight");
        CHECK(at("Freight") == type);
        CHECK(at("Bell").get<late::Cargo>()->tons == 4);
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "queries, value terms and orders that were made before follow") {
        declare_cargo();
        load("A: late.Cargo = {3, 1}\nB: late.Cargo = {1, 2}\nC: late.Cargo = {2, 3}\n");
        auto plain = world.query("late.Cargo");
        auto above = world.query("late.Cargo.tons > 1.5");
        auto sorted = world.query_builder().expr("late.Cargo").order_by("late.Cargo.tons").build();
        CHECK(above.count() == 2);
        CHECK(sorted.first() == at("B"));
        world.component<late::Cargo>();
        CHECK(plain.count() == 3);
        CHECK(above.count() == 2);
        CHECK(sorted.first() == at("B"));
        at("A").set(late::Cargo{0, 0});
        CHECK(above.count() == 1);
        CHECK(sorted.first() == at("A"));
        world.entity("D").set(late::Cargo{-1, 0});
        CHECK(plain.count() == 4);
        CHECK(sorted.first() == at("D"));
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "an index follows, and is asked") {
        declare_cargo();
        const kith::entity type = at("late::Cargo");
        for (int i = 0; i < 2000; ++i) {
            kith::edit(world.entity().add(type), type).set("count", i);
        }
        kith::untyped_component(world, type).index("count");
        auto few = world.query("late.Cargo.count in [7, 1999]");
        CHECK(few.count() == 2);
        world.component<late::Cargo>();
        CHECK(few.count() == 2);
        CHECK(std::string(few.explain().c_str()).find("seek") != std::string::npos);
        world.entity().set(late::Cargo{0, 7});
        CHECK(few.count() == 3);
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "attributes, checks and hooks of the declared type go on") {
        declare_cargo().hidden().on("tons").range(0, 10).unit("t");
        load("Bell: late.Cargo\n");
        int told = 0;
        kith::hook counting;
        counting.call = [](const kith::hook_event&, void* count) { ++*static_cast<int*>(count); };
        counting.context = &told;
        kith::untyped_component(world, at("late::Cargo")).on_set(counting);
        world.component<late::Cargo>();
        CHECK(at("Bell").get<late::Cargo>()->tons == 1);
        CHECK(told == 0);
        at("Bell").set(late::Cargo{1, 1});
        CHECK(told == 1);
        kith::edit(at("Bell"), world.id<late::Cargo>()).set("tons", 10);
        CHECK(error_of([&] { kith::edit(at("Bell"), world.id<late::Cargo>()).set("tons", 11); }) ==
              kith::errc::invalid_value);
        CHECK(kith::detail::find_description(world, world.id<late::Cargo>())->members[1].hidden);
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "declared types with members of the type go on") {
        declare_cargo();
        load(
            "struct Hold { main: late.Cargo, others: [late.Cargo] }\n"
            "Bell: Hold = {{1, 2}, [{3, 4}, {5, 6}]}\n");
        const std::string before = kith::to_json(at("Bell"));
        world.component<late::Cargo>();
        CHECK(kith::to_json(at("Bell")) == before);
        const std::string text = kith::save_text(world);
        kith::world again;
        kith::load_text(again, text);
        CHECK(kith::to_json(again.lookup("Bell")) == before);
        kith::from_json(at("Bell"), R"({"components":{"Hold":{"main":{"tons":9}}}})");
        CHECK(kith::to_json(at("Bell")) != before);
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "sparse values, prefabs, marks and switched-off ids follow") {
        declare_cargo();
        kith::entity type = at("late::Cargo");
        SUBCASE("in tables") {}
        SUBCASE("sparse") {
            type.add(kith::Sparse);
        }
        const kith::entity base = world.prefab("Base").add(type).override(type);
        kith::edit(base, type).set("count", 77);
        const kith::entity instance = world.entity("Instance").is_a(base);
        kith::entity off = world.entity("Off").add(type);
        off.disable(type);
        world.component<late::Cargo>();
        CHECK(instance.get<late::Cargo>()->count == 77);
        CHECK(instance.owns<late::Cargo>());
        CHECK(base.owns(kith::Override | world.id<late::Cargo>()));
        CHECK_FALSE(off.enabled<late::Cargo>());
        CHECK(off.get<late::Cargo>()->count == 2);
        CHECK(world.entity().is_a(base).get<late::Cargo>()->count == 77);
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "another layout is refused, says the difference, changes nothing") {
        kith::untyped_component type = declare("late::Cargo");
        std::string expected;
        SUBCASE("kind") {
            type.member<std::int32_t>("tons").member<std::int32_t>("count");
            expected = "late.Cargo.tons is i32, and in C++ f32";
        }
        SUBCASE("name") {
            type.member<float>("weight").member<std::int32_t>("count");
            expected = "late.Cargo has the member 'weight', and in C++ 'tons' in its place";
        }
        SUBCASE("size") {
            type.member<float>("tons");
            expected = "late.Cargo has 4 bytes, and in C++ 8";
        }
        SUBCASE("number of members") {
            type.member<float>("tons").member<std::int16_t>("count").member<bool>("more");
            expected = "late.Cargo.count is i16, and in C++ i32";
        }
        SUBCASE("one member for two") {
            type.member<std::int64_t>("tons");
            expected = "late.Cargo is aligned to 8 bytes, and in C++ 4";
        }
        SUBCASE("no struct") {
            type.constant("one", 1);
            expected = "late.Cargo is enum of i32, and in C++ struct";
        }
        load("Bell: late.Cargo\n");
        const std::string before = kith::save_text(world);
        CHECK(message_of([&] { world.component<late::Cargo>(); }) == expected);
        CHECK(error_of([&] { at("Bell").set(late::Cargo{}); }) == kith::errc::type_conflict);
        CHECK(kith::save_text(world) == before);
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "constants and containers of another kind are refused") {
        declare("late::Grade").constant("raw", 0).constant("refined", 2);
        declare("late::Bag").member(world.vector(kith::I32), "items");
        CHECK(message_of([&] { world.component<late::Grade>(); }) ==
              "late.Grade has 2 as constant 'refined', and in C++ 1");
        CHECK(error_of([&] { world.component<late::Bag>(); }) == kith::errc::type_conflict);
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "a type without description is refused") {
        declare("late::Undescribed").member<std::int32_t>("value");
        CHECK(message_of([&] { world.component<late::Undescribed>(); }).find("kith::reflect") !=
              std::string::npos);
        CHECK(at("late::Undescribed").is_alive());
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "a type without a default value, or without copies") {
        declare("late::Strict").member<std::int32_t>("value");
        declare("late::Pinned").member<float>("x");
        load("Bell: late.Strict = {1}, late.Pinned = {2}\n");
        CHECK(error_of([&] { world.component<late::Strict>(); }) == kith::errc::not_constructible);
        CHECK(kith::to_json(at("Bell")).find("Strict") != std::string::npos);
        world.component<late::Pinned>();
        CHECK(at("Bell").get<late::Pinned>()->x == 2);
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "observers of the declared type prevent it") {
        declare_cargo();
        load("Bell: late.Cargo\n");
        auto watching =
            world.observer().with(at("late::Cargo")).event(kith::OnSet).each([](kith::entity) {});
        CHECK(error_of([&] { world.component<late::Cargo>(); }) == kith::errc::in_use);
        watching.destruct();
        world.component<late::Cargo>();
        CHECK(at("Bell").get<late::Cargo>()->count == 2);
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "waiting commands and iterations prevent it") {
        declare_cargo();
        load("Bell: late.Cargo\n");
        const kith::entity type = at("late::Cargo");
        kith::entity bell = at("Bell");
        world.defer_begin();
        const kith::entity other = world.entity().add(type);
        CHECK(error_of([&] { world.component<late::Cargo>(); }) == kith::errc::in_use);
        world.defer_end();
        world.each(type, [&](kith::entity) {
            CHECK(error_of([&] { world.component<late::Cargo>(); }) == kith::errc::locked);
        });
        bool was_refused = false;
        world.system("late_use").with(type).each([&](kith::entity e) {
            was_refused = error_of([&] { e.set(late::Cargo{8, 9}); }).has_value();
        });
        world.progress();
        CHECK(was_refused);
        world.defer_begin();
        bell.set(late::Cargo{5, 6});
        world.defer_end();
        CHECK(bell.get<late::Cargo>()->tons == 5);
        CHECK(other.get<late::Cargo>()->tons == 1);
        was_refused = true;
        world.progress();
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "snapshots from before come back, and the type takes over again") {
        declare_cargo();
        load("Bell: late.Cargo = {64, 3}\n");
        kith::snapshot before = world.snapshot().take();
        auto query = world.query("late.Cargo.tons > 10");
        at("Bell").set(late::Cargo{1, 1});
        CHECK(query.count() == 0);
        kith::snapshot after = world.snapshot().take();
        before.restore();
        CHECK(at("Bell").get<late::Cargo>()->tons == 64);
        CHECK(query.count() == 1);
        world.check();
        after.restore();
        CHECK(at("Bell").get<late::Cargo>()->tons == 1);
        CHECK(query.count() == 0);
        before.restore();
        CHECK(at("Bell").get<late::Cargo>()->tons == 64);
        world.check();
        kith::world opened = before.open();
        opened.component<late::Cargo>();
        CHECK(opened.lookup("Bell").get<late::Cargo>()->tons == 64);
        opened.check();
    }

    TEST_CASE_FIXTURE(fixture, "files and texts are as if the type had been there") {
        declare_crate();
        load("Ann {}\nBox: late.Crate = {\"x\", {1, 2}, [1, 2, 3], \"abc\", Ann}\n");
        world.component<late::Crate>();
        world.component<late::Point>();
        world.component<late::Grade>();
        const std::string file = kith::save_to_string(world);
        kith::world again;
        again.component<late::Crate>();
        kith::load_from_string(again, file);
        CHECK(kith::to_json(again.lookup("Box")) == kith::to_json(at("Box")));
        CHECK(again.lookup("Box").get<late::Crate>()->label == "x");
        kith::world by_text;
        kith::load_text(by_text, kith::save_text(world));
        by_text.component<late::Crate>();
        CHECK(by_text.lookup("Box").get<late::Crate>()->label == "x");
    }

    TEST_CASE_FIXTURE(fixture, "unknown types of files are taken over when they are used") {
        declare_cargo();
        load("Bell: late.Cargo = {64, 3}\n");
        const std::string file = kith::save_to_string(world);
        kith::world other;
        kith::load_from_string(other, file);
        other.component<late::Cargo>();
        CHECK(other.lookup("Bell").get<late::Cargo>()->tons == 64);
        other.check();
    }

    TEST_CASE_FIXTURE(fixture, "entities of members stay children of the type") {
        declare_cargo();
        load("Bell: late.Cargo\n");
        kith::untyped_component declared(world, at("late::Cargo"));
        const kith::entity tons = declared.member_entity("tons");
        const kith::entity type = world.component<late::Cargo>();
        CHECK(tons.parent() == type);
        CHECK(world.component<late::Cargo>().member_entity("tons") == tons);
        CHECK(tons.get<kith::Member>()->type == kith::F32);
        world.check();
    }
}
