// Parts of values by path: reading, and edits that notify once.
#include <kith/kith.hpp>
#include <kith/value.hpp>
#include <kith/world_text.hpp>

#include "support/errors.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include <doctest/doctest.h>

namespace {

using kith::errc;
using kith_test::refusal;

struct Slot {
    std::string name;
    int count;
};
struct Circle {
    double r;
};
struct Cargo {
    float tons;
    std::vector<Slot> slots;
    std::map<std::string, Slot> by_name;
    std::optional<Slot> best;
    std::variant<int, Circle> shape;
    std::set<int> marks;
    std::int8_t small;
    kith::handle owner;
};
struct Health {
    int points;
    int most;
};

struct ship_fixture {
    kith::world world;
    kith::entity ship = world.entity("Bell").set(
        Cargo{64, {{"ore", 1}, {"ice", 2}}, {{"a b", {"x", 3}}}, {}, Circle{2}, {5}, 1, {}});
    kith::value_view cargo() const { return kith::value_of<Cargo>(ship); }
    std::string text(const char* path) const { return cargo().at(path).str(); }
};

}  // namespace

TEST_SUITE("features.values.path") {
    TEST_CASE_FIXTURE(ship_fixture, "parts are read by members, indexes, keys and alternatives") {
        CHECK(text("tons") == "64");
        CHECK(text("slots[1].name") == "\"ice\"");
        CHECK(text("by_name[\"a b\"].count") == "3");
        CHECK(text("shape<Circle>.r") == "2");
        CHECK(cargo()["slots"][0]["count"].get<int>() == 1);
        CHECK(cargo().at("slots").size() == 2);
        CHECK(cargo().at("slots[0].name").get<std::string_view>() == "ore");
        CHECK(cargo().at("slots[0]").get<Slot>().count == 1);
        CHECK(cargo().at("tons").get<double>() == 64);
        CHECK(cargo().at("slots[0]") == cargo().find("slots[0]"));
        CHECK_FALSE(kith::value_of<Health>(ship));
    }

    TEST_CASE_FIXTURE(ship_fixture, "find() is empty where at() is refused") {
        for (const char* path : {"slots[2]", "by_name[\"b\"].count", "best.name", "shape<i32>"}) {
            CHECK_FALSE(cargo().find(path));
            CHECK(refusal(world, [&] { cargo().at(path); }) == errc::invalid_value);
        }
        CHECK(refusal(world, [&] { cargo().find("slats"); }) == errc::invalid_value);
        CHECK(refusal(world, [&] { cargo().at("slots[0]name"); }) == errc::invalid_text);
        CHECK(refusal(world, [&] { cargo().at("slots["); }) == errc::invalid_text);
        CHECK(refusal(world, [&] { cargo().at(std::string(2000, 'a')); }) == errc::limit);
        CHECK(refusal(world, [&] { cargo().at("tons").get<std::string_view>(); }) ==
              errc::wrong_type);
        CHECK(refusal(world, [&] { cargo().at("slots[0].name").get<int>(); }) == errc::wrong_type);
    }

    // spec 528
    TEST_CASE_FIXTURE(ship_fixture, "a path is parsed once, and used for many values") {
        const kith::entity cargo_type = world.component<Cargo>().reflect();
        const kith::path name(world, cargo_type, "slots[1].name");
        const kith::entity boat =
            world.entity().set(Cargo{1, {{"fish", 1}, {"net", 2}}, {}, {}, 5, {}, 0, {}});
        CHECK(cargo().at(name).str() == "\"ice\"");
        CHECK(kith::value_of<Cargo>(boat).at(name).str() == "\"net\"");
        CHECK(name.part_type().what == kith::kind::text);
        CHECK(name.str() == "slots[1].name");
        kith::path copy = name;
        copy = kith::path(world, cargo_type, "by_name[\"a b\"].count");
        CHECK(cargo().at(copy).get<int>() == 3);
        CHECK_FALSE(kith::value_of<Cargo>(boat).find(copy));
        CHECK(refusal(world, [&] { kith::value_of<Cargo>(boat).at(copy); }) == errc::invalid_value);
        for (const char* text : {"best.name", "best?.name", "shape<Circle>.r", "shape<i32>"}) {
            const kith::path part(world, cargo_type, text);
            CHECK(static_cast<bool>(cargo().find(part)) == (text[6] == 'C'));
        }
        CHECK(cargo().at(kith::path(world, cargo_type, "")) == cargo());
    }

    // spec 528
    TEST_CASE_FIXTURE(ship_fixture, "a path that no value of the type has is refused when made") {
        const kith::entity type = world.component<Cargo>().reflect();
        const auto make = [&](const char* text) {
            return refusal(world, [&] { kith::path(world, type, text); });
        };
        CHECK(make("slats") == errc::invalid_value);
        CHECK(make("best.nothing") == errc::invalid_value);
        CHECK(make("tons.x") == errc::invalid_value);
        CHECK(make("tons[0]") == errc::invalid_value);
        CHECK(make("tons?") == errc::invalid_value);
        CHECK(make("slots[-1]") == errc::invalid_value);
        CHECK(make("shape<Square>") == errc::invalid_value);
        CHECK(make("slots[0") == errc::invalid_text);
        CHECK(make("slots[0]]") == errc::invalid_text);
        CHECK(make(".") == errc::invalid_text);
        CHECK(make("shape<Circle") == errc::invalid_text);
        CHECK(make(std::string(1025, 'a').c_str()) == errc::limit);
        const kith::entity tag = world.entity("Tag");
        CHECK(refusal(world, [&] { kith::path(world, tag, "x"); }) == errc::wrong_type);
        const kith::path other(world, world.component<Health>().reflect(), "points");
        CHECK(refusal(world, [&] { cargo().at(other); }) == errc::wrong_type);
    }

    // spec 529
    TEST_CASE_FIXTURE(ship_fixture, "writes convert without loss, or are refused") {
        kith::edit<Cargo>(ship)
            .set("tons", 7)
            .set("small", 100.0)
            .set("slots[0].name", "gold")
            .set("best.name", "made")
            .set("by_name[\"new\"].count", 9)
            .set("owner", ship)
            .parse("shape", "i32(3)");
        CHECK(text("tons") == "7");
        CHECK(text("small") == "100");
        CHECK(text("slots[0]") == "{name: \"gold\", count: 1}");
        CHECK(text("best.name") == "\"made\"");
        CHECK(text("by_name[\"new\"]") == "{name: \"\", count: 9}");
        CHECK(text("owner") == "Bell");
        CHECK(text("shape") == "i32(3)");
        const std::string before = cargo().str();
        CHECK(refusal(world, [&] { kith::edit<Cargo>(ship).set("small", 128); }) ==
              errc::invalid_value);
        CHECK(refusal(world, [&] { kith::edit<Cargo>(ship).set("small", 1.5); }) ==
              errc::invalid_value);
        CHECK(refusal(world, [&] { kith::edit<Cargo>(ship).set("tons", "much"); }) ==
              errc::invalid_value);
        CHECK(refusal(world, [&] { kith::edit<Cargo>(ship).set("tons", 1).set("slots[9]", 1); }) ==
              errc::invalid_value);
        CHECK(cargo().str() == before);
    }

    TEST_CASE("ranges, read-only members and validation refuse what is written") {
        kith::world world;
        kith::reflect<Health>();
        world.component<Health>().on("points").range(0, 100).on("most").read_only().validate(
            [](const Health& value) {
                return value.points > value.most ? "more points than allowed" : nullptr;
            });
        const kith::entity hero = world.entity().set(Health{5, 50});
        kith::edit<Health>(hero).set("points", 50);
        CHECK(refusal(world, [&] { kith::edit<Health>(hero).set("points", 101); }) ==
              errc::invalid_value);
        CHECK(refusal(world, [&] { kith::edit<Health>(hero).set("points", 60); }) ==
              errc::invalid_value);
        CHECK(refusal(world, [&] { kith::edit<Health>(hero).parse("", "{points: -1}"); }) ==
              errc::invalid_value);
        CHECK(refusal(world, [&] { kith::edit<Health>(hero).set("most", 60); }) ==
              errc::invalid_operation);
        CHECK(hero.get<Health>()->points == 50);
        hero.get_mut<Health>()->points = 1000;  // C++ code is free
    }

    // spec 521
    TEST_CASE("a copied value is held to ranges, and an edit to the rules of all parts") {
        struct Engine {
            int heat;
        };
        struct Boat {
            Engine engine;
            std::vector<Engine> spares;
        };
        kith::reflect<Engine, Boat>();
        kith::world world;
        world.component<Engine>().on("heat").range(0, 100).validate(
            [](const Engine& value) { return value.heat == 13 ? "unlucky" : nullptr; });
        const kith::entity boat = world.entity().set(Boat{{1}, {{2}}});
        const kith::entity hot = world.entity().set(Boat{{500}, {{600}}});
        const kith::value_view from = kith::value_of<Boat>(hot);
        CHECK(refusal(world, [&] { kith::edit<Boat>(boat).set("", from); }) == errc::invalid_value);
        CHECK(refusal(world, [&] { kith::edit<Boat>(boat).set("engine", from["engine"]); }) ==
              errc::invalid_value);
        CHECK(refusal(world, [&] {
                  kith::edit<Boat>(boat).set("engine.heat", from.at("engine.heat"));
              }) == errc::invalid_value);
        CHECK(refusal(world, [&] { kith::edit<Boat>(boat).set("spares[0].heat", 13); }) ==
              errc::invalid_value);
        kith::edit<Boat>(boat).set("spares[0].heat", 14);
        CHECK(boat.get<Boat>()->spares[0].heat == 14);
    }

    // spec 530
    TEST_CASE_FIXTURE(ship_fixture, "containers grow, shrink and change their alternative") {
        kith::edit<Cargo>(ship)
            .append("slots", "{\"tin\", 3}")
            .insert("slots", 0, "{\"first\", 0}")
            .erase("slots", 1)
            .append("marks", "7")
            .erase("marks", "5")
            .erase("by_name", "\"a b\"")
            .emplace("best")
            .emplace("shape", "i32");
        CHECK(text("slots") ==
              "[{name: \"first\", count: 0}, {name: \"ice\", count: 2}, "
              "{name: \"tin\", count: 3}]");
        CHECK(text("marks") == "[7]");
        CHECK(text("by_name") == "{}");
        CHECK(text("best") == "{name: \"\", count: 0}");
        CHECK(text("shape") == "i32(0)");
        kith::edit<Cargo>(ship).resize("slots", 1).clear("marks").reset("best").reset("tons");
        CHECK(cargo().at("slots").size() == 1);
        CHECK(text("best") == "null");
        CHECK(text("tons") == "0");
        CHECK(refusal(world, [&] { kith::edit<Cargo>(ship).append("tons", "1"); }) ==
              errc::invalid_value);
        CHECK(refusal(world, [&] { kith::edit<Cargo>(ship).erase("slots", 5); }) ==
              errc::invalid_value);
        CHECK(refusal(world, [&] { kith::edit<Cargo>(ship).emplace("shape", "Square"); }) ==
              errc::invalid_value);
    }

    // spec 532
    TEST_CASE("an edit notifies once, when it is committed") {
        kith::world world;
        int sets = 0;
        world.observer<Health>().event(kith::OnSet).each([&](Health&) { ++sets; });
        const kith::entity hero = world.entity().set(Health{1, 2});
        sets = 0;
        {
            auto edit = kith::edit<Health>(hero);
            edit.set("points", 5).set("most", 6);
            CHECK(sets == 0);
            CHECK(hero.get<Health>()->points == 1);
        }
        CHECK(sets == 1);
        CHECK(hero.get<Health>()->most == 6);
        auto dropped = kith::edit<Health>(hero);
        dropped.set("points", 9);
        dropped.discard();
        CHECK(sets == 1);
        world.defer([&] {
            kith::set_path(hero, "Health.points", 7);
            CHECK(hero.get<Health>()->points == 5);
        });
        CHECK(hero.get<Health>()->points == 7);
        CHECK(sets == 2);
    }

    TEST_CASE("an edit of an inherited component makes an own one") {
        kith::world world;
        const kith::entity base = world.prefab().set(Health{1, 2});
        const kith::entity hero = world.entity().is_a(base);
        kith::edit<Health>(hero).set("points", 5);
        CHECK(hero.owns<Health>());
        CHECK(hero.get<Health>()->most == 2);
        CHECK(base.get<Health>()->points == 1);
    }

    TEST_CASE("an edit whose owner or component is gone is refused") {
        kith::world world;
        kith::entity hero = world.entity().set(Health{1, 2});
        auto first = kith::edit<Health>(hero);
        hero.remove<Health>();
        CHECK(refusal(world, [&] { first.commit(); }) == errc::missing_component);
        CHECK(refusal(world, [&] { kith::edit<Health>(hero); }) == errc::missing_component);
        hero.set(Health{1, 2});
        auto second = kith::edit<Health>(hero);
        hero.destruct();
        CHECK(refusal(world, [&] { second.commit(); }) == errc::invalid_entity);
    }
    // spec 528, 529, 532
    TEST_CASE("entities, worlds and iterators give values and edits") {
        kith::world world;
        world.reflect<Slot>();
        const kith::entity holder = world.entity("Holder").set(Slot{"ore", 3});
        CHECK(holder.value<Slot>().at("count").get<int>() == 3);
        CHECK(holder.value(world.id<Slot>()).str() == "{name: \"ore\", count: 3}");
        CHECK_FALSE(world.entity().value<Slot>());
        const Slot other{"ice", 4};
        CHECK(world.value(world.id<Slot>(), &other).str() == "{name: \"ice\", count: 4}");
        holder.edit<Slot>().set("count", 5);
        holder.edit<Slot>().set(Slot{"gold", 7});
        CHECK(holder.value<Slot>().str() == "{name: \"gold\", count: 7}");
        holder.edit(world.id<Slot>()).parse("{name: \"gas\"}");
        holder.set_path("Slot.count", 6);
        CHECK(holder.to_text() == "Holder: Slot = {name: \"gas\", count: 6}");
        std::string seen;
        world.query<const Slot>().iter([&](kith::iter& it) {
            for (const std::size_t row : it) {
                seen += it.value(1, row).at("name").str();
            }
        });
        CHECK(seen == "\"gas\"");
    }
}
