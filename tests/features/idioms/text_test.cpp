// Strings of the program where kith takes text, and kith's strings where the program has its own.
#include <kith/kith.hpp>
#include <kith/world_text.hpp>

#include "support/errors.hpp"

#include <algorithm>
#include <iomanip>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <doctest/doctest.h>

using namespace kith_test;

namespace {

struct Position {
    float x = 0;
    float y = 0;
};
struct Likes {};

// Text without a zero at its end: what follows must not be read.
constexpr std::string_view part = std::string_view("Ship7 and more").substr(0, 5);

}  // namespace

TEST_SUITE("features.idioms.text") {
    // A name is a name, in whatever kind of string it comes.
    TEST_CASE("an entity is found and made by any kind of string") {
        kith::world world;
        const std::string name = "Ship" + std::to_string(7);
        kith::entity ship = world.entity(name);
        CHECK(ship.name() == "Ship7");
        CHECK(ship.type().count() == 1);
        CHECK(world.entity(part) == ship);
        CHECK(world.entity("Ship7") == ship);
        CHECK(world.entity(ship.name()) == ship);
        CHECK(world.entity(ship.path()) == ship);
        CHECK(world.lookup(name) == ship);
        CHECK(world.lookup(part) == ship);
        CHECK(world.lookup("none").name().empty());
        CHECK(ship.lookup(std::string("wing")) == kith::entity());
        world.check();
    }

    TEST_CASE("prefabs, types and components take any kind of string as their name") {
        kith::world world;
        kith::entity prefab = world.prefab(std::string("Fighter"));
        CHECK(prefab.name() == "Fighter");
        CHECK(prefab.has(kith::Prefab));
        CHECK(world.prefab(std::string_view("Fighter")) == prefab);
        CHECK(world.type(std::string("List")).name() == "List");
        CHECK(world.component<Position>(std::string("Place")).name() == "Place");
        CHECK(world.component(std::string("Health")).name() == "Health");
        CHECK(world.relation(std::string("Owns")).name() == "Owns");
        CHECK(world.entity<Likes>(std::string("Loves")).name() == "Loves");
        CHECK(world.scope(std::string("level")).entity("door").path() == "::level::door");
        CHECK(world.observer<Position>(std::string("watch"))
                  .event(kith::OnAdd)
                  .each([](Position&) {})
                  .name() == "watch");
        world.check();
    }

    TEST_CASE("names and aliases are given as any kind of string") {
        kith::world world;
        kith::entity ship = world.entity();
        ship.set_name(part);
        CHECK(ship.name() == "Ship7");
        ship.set_alias(std::string("Flagship"));
        CHECK(world.lookup("Flagship") == ship);
        world.use(std::string("Ship7"), std::string_view("S7"));
        CHECK(world.lookup("S7") == ship);
        ship.set_name(std::string());
        CHECK(ship.name().empty());
    }

    TEST_CASE("queries take any kind of string") {
        kith::world world;
        kith::entity bob = world.entity("Bob").set(Position{1, 2});
        bob.add<Likes>(world.entity("Alice"));
        const std::string text = "Position, (Likes, $who)";
        CHECK(world.query(text).count() == 1);
        CHECK(world.filter(std::string_view(text)).count() == 1);
        CHECK(world.query(std::string_view(text).substr(0, 8)).count() == 1);
        CHECK(world.query_builder<Position>(std::string("movers")).build().entity().name() ==
              "movers");
        CHECK(world.query_builder().expr(text).build().count() == 1);
        CHECK(world.query_builder().with(std::string("Position")).build().count() == 1);
        CHECK(world.query_builder()
                  .with(std::string("Likes"), std::string_view("Alice"))
                  .build()
                  .count() == 1);
        CHECK(world.query_builder().with<Likes>(std::string("Alice")).build().count() == 1);
        CHECK(world.query_builder().with<Position>().src(std::string("Bob")).build().is_true());
        kith::filter<> likes = world.filter("(Likes, $who)");
        const std::string who = "who";
        CHECK(likes.find_var(who) == likes.find_var("who"));
        CHECK(likes.iter().set_var(who, world.entity("Alice")).count() == 1);
        kith::query_desc described;
        described.expr = text;
        CHECK(world.query(described).count() == 1);
    }

    TEST_CASE("worlds are loaded from any kind of string") {
        kith::world world;
        kith::load_text(world, std::string("Planet(Earth)"));
        kith::load_text(world, std::string_view("Planet(Mars)"));
        CHECK(world.query("Planet").count() == 2);
    }

    TEST_CASE("a string that is null has no text") {
        kith::world world;
        const char* nothing = nullptr;
        CHECK(world.entity(nothing).name().empty());
        CHECK(world.entity(nothing) != world.entity(nothing));
        CHECK_FALSE(world.lookup(nothing));
    }

    // A zero would end the name for everybody who reads it as a C string.
    TEST_CASE("a name with a zero character is refused, and nothing is made") {
        kith::world world;
        using namespace std::string_view_literals;
        const std::size_t before = world.stats().entities;
        kith::entity e = world.entity();
        CHECK(refusal(world, [&] { world.entity("a\0b"sv); }) == kith::errc::invalid_name);
        CHECK(refusal(world, [&] { world.entity("new::a\0b"sv); }) == kith::errc::invalid_name);
        CHECK(refusal(world, [&] { e.set_name("a\0b"sv); }) == kith::errc::invalid_name);
        CHECK(refusal(world, [&] { e.set_alias("a\0b"sv); }) == kith::errc::invalid_name);
        CHECK(refusal(world, [&] { world.query_builder().with("a\0b"sv); }) ==
              kith::errc::invalid_name);
        CHECK(refusal(world, [&] { world.query("Prefab\0, Disabled"sv); }) ==
              kith::errc::invalid_query);
        CHECK_FALSE(world.lookup("a\0b"sv));
        CHECK(world.stats().entities == before + 1);
    }

    TEST_CASE("names, paths and texts become strings of the standard") {
        kith::world world;
        kith::entity door = world.entity("level::door").add(world.entity("Open"));
        std::string copied = door.name();
        std::string made(door.name());
        std::string braced{door.name()};
        std::string_view seen = door.name();
        std::string path = door.path();
        std::string type = door.type().str();
        const std::string& bound = door.name();
        CHECK(copied == "door");
        CHECK(made == "door");
        CHECK(braced == "door");
        CHECK(seen == "door");
        CHECK(bound == "door");
        CHECK(path == "::level::door");
        CHECK(type.find("Open") != std::string::npos);
        copied = door.path();
        CHECK(copied == path);
        std::vector<std::string> all{door.name(), door.path()};
        all.push_back(door.name());
        all.emplace_back(door.name());
        CHECK(all.size() == 4);
        auto length = [](std::string_view text) { return text.size(); };
        CHECK(length(door.name()) == 4);
        CHECK(length(door.path()) == path.size());
    }

    TEST_CASE("strings compare by their text, whatever their types") {
        kith::world world;
        kith::entity a = world.entity("a");
        kith::entity b = world.entity("b");
        kith::entity ab = world.entity("ab");
        CHECK(a.name() < b.name());
        CHECK(a.name() < ab.name());
        CHECK_FALSE(b.name() < a.name());
        CHECK(b.name() > a.name());
        CHECK(a.name() <= a.name());
        CHECK(b.name() >= a.name());
        CHECK(a.name() != b.name());
        CHECK(a.name() == std::string("a"));
        CHECK(std::string("a") == a.name());
        CHECK(a.name() == std::string_view("a"));
        CHECK(std::string_view("b") > a.name());
        CHECK("a" == a.name());
        CHECK("b" > a.name());
        CHECK(a.path() == std::string("::a"));
        CHECK(a.path() != a.name());
        CHECK(a.path() < b.path());
    }

    TEST_CASE("entities are sorted by their names") {
        kith::world world;
        std::vector<kith::entity> all{world.entity("b"), world.entity("a"), world.entity("c")};
        std::sort(all.begin(), all.end(),
                  [](kith::entity x, kith::entity y) { return x.name() < y.name(); });
        CHECK(all[0].name() == "a");
        CHECK(all[2].name() == "c");
        std::ranges::sort(all, std::ranges::greater{}, &kith::entity::name);
        CHECK(all[0].name() == "c");
    }

    TEST_CASE("a name is true if there is one") {
        kith::world world;
        CHECK_FALSE(static_cast<bool>(world.entity().name()));
        CHECK_FALSE(static_cast<bool>(world.entity().path()));
        CHECK(static_cast<bool>(world.entity("a").name()));
        CHECK(static_cast<bool>(world.entity("a").path()));
    }

    TEST_CASE("strings are put together by +") {
        kith::world world;
        kith::entity a = world.entity("a");
        kith::entity b = world.entity("b");
        std::string text = "<" + a.name() + ">";
        CHECK(text == "<a>");
        CHECK(a.name() + "/" + b.name() + a.path() == "a/b::a");
        CHECK(std::string("x") + a.name() == std::string("xa"));
        CHECK(a.name() + std::string("x") == std::string("ax"));
        text += a.name();
        text.append(b.name());
        CHECK(text == "<a>ab");
    }

    TEST_CASE("names and paths are keys of maps and sets") {
        kith::world world;
        kith::entity a = world.entity("a");
        std::map<std::string, int> by_name;
        by_name[a.name()] = 1;
        CHECK(by_name.find(a.name()) != by_name.end());
        std::map<std::string, int, std::less<>> transparent{{"a", 2}};
        CHECK(transparent.find(a.name())->second == 2);
        std::unordered_map<std::string, int> hashed{{a.name(), 3}};
        CHECK(hashed.at(a.name()) == 3);
        std::unordered_set<kith::string_view> views{a.name()};
        CHECK(views.count(a.name()) == 1);
        std::unordered_set<kith::string> owned;
        owned.insert(a.path());
        CHECK(owned.contains(a.path()));
        std::set<kith::string> sorted{a.path(), world.entity("b").path()};
        CHECK(*sorted.begin() == "::a");
        CHECK(std::hash<kith::string>{}(a.path()) ==
              std::hash<kith::string_view>{}(kith::string_view("::a")));
    }

    TEST_CASE("names are written to streams") {
        kith::world world;
        kith::entity a = world.entity("a");
        std::ostringstream out;
        out << a.name() << ' ' << std::setw(5) << a.path() << '!';
        CHECK(out.str() == "a   ::a!");
    }
}
