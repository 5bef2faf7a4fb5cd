// Values in worlds as text: loading, saving, formatting and checking them.
#include <kith/kith.hpp>
#include <kith/value.hpp>
#include <kith/world_text.hpp>

#include "support/errors.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace {

using kith::errc;
using kith_test::refusal;

struct Position {
    float x = 0, y = 7;
};
struct Eats {
    int daily;
};
struct Clock {
    int ticks;
};
struct Follows {
    kith::handle who;
    std::vector<kith::handle> others;
};
struct Health {
    int points;
};
enum class Color { Red, Green };

struct described_world {
    described_world() {
        kith::reflect<Position, Eats, Clock, Follows, Health>();
        world.component<Position>();
        world.component<Eats>();
        world.component<Clock>();
        world.component<Follows>();
        world.component<Health>().on("points").range(0, 100);
        world.component<Color>();
    }
    std::string text(const char* name, kith::id_t id) const {
        return kith::value_of(world.lookup(name), id).str();
    }
    std::string mistake(const std::string& source) {
        const std::string before = kith::save_text(world);
        std::string message;
        try {
            kith::load_text(world, source);
        } catch (const kith::error& raised) {
            CHECK(raised.code() == errc::invalid_text);
            message = raised.what();
        }
        CHECK(kith::save_text(world) == before);
        world.check();
        return message;
    }
    kith::world world;
};
bool contains(const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_SUITE("dsl.world_text_values") {
    TEST_CASE_FIXTURE(described_world, "a value whose component is removed at once is refused") {
        world.observer<Position>().event(kith::OnAdd).each([](kith::entity e, Position&) {
            e.remove<Position>();
        });
        CHECK(mistake("Earth: Position = {1, 2}").find("has lost Position") != std::string::npos);
    }

    // spec 535
    TEST_CASE_FIXTURE(described_world, "values follow ids, pairs, facts and singletons") {
        kith::load_text(world, R"(
            Earth: Planet, Position = {x: 1, y: 2}, (Eats, Apples) = {daily: 3} {
                Moon: Position = {
                    5,  // a comment
                    y: 6,
                }
            }
            Position(Mars) = {3}
            Eats(Mars, Apples) = {4}
            Clock($) = {ticks: 9}
            Bob: Color = Green, Planet
            Anna: Color = Color.Red
        )");
        CHECK(text("Earth", world.id<Position>()) == "{x: 1, y: 2}");
        CHECK(text("Earth::Moon", world.id<Position>()) == "{x: 5, y: 6}");
        CHECK(text("Mars", world.id<Position>()) == "{x: 3, y: 7}");
        CHECK(world.lookup("Earth").get<Eats>(world.lookup("Apples"))->daily == 3);
        CHECK(world.lookup("Mars").get<Eats>(world.lookup("Apples"))->daily == 4);
        CHECK(world.get<Clock>()->ticks == 9);
        CHECK(*world.lookup("Bob").get<Color>() == Color::Green);
        CHECK(*world.lookup("Anna").get<Color>() == Color::Red);
        CHECK(world.lookup("Bob").has(world.lookup("Planet")));
    }

    // spec 539
    TEST_CASE_FIXTURE(described_world, "one entity is a line, which loads") {
        struct Unknown {
            int hidden;
        };
        kith::load_text(
            world, "Apples {}\nSol { Earth: Planet, Position = {1, 2}, (Eats, Apples) = {3} }");
        kith::entity earth = world.lookup("Sol::Earth");
        const std::string line = kith::to_text(earth);
        CHECK(contains(line, "Sol.Earth: "));
        CHECK(contains(line, "Position = {x: 1, y: 2}"));
        CHECK(contains(line, "(Eats, Apples) = {daily: 3}"));
        earth.set(Position{8, 9}).remove(world.lookup("Planet"));
        kith::load_text(world, line);
        CHECK(kith::to_text(earth).size() == line.size());
        CHECK(text("Sol::Earth", world.id<Position>()) == "{x: 1, y: 2}");
        earth.set(Unknown{1});
        CHECK(contains(kith::to_text(earth), "Unknown = ?"));
        CHECK(kith::to_text(world.entity()).starts_with("#"));
    }

    TEST_CASE_FIXTURE(described_world, "observers are notified of values") {
        int sets = 0;
        world.observer<Position>().event(kith::OnSet).each([&](Position&) { ++sets; });
        kith::load_text(world, "A: Position = {1, 2}\nB: Position");
        CHECK(sets == 1);
    }

    // spec 537
    TEST_CASE_FIXTURE(described_world, "members that are left out are default, or inherited") {
        kith::load_text(world,
                        "Base: Position = {1, 2}\nShip: (IsA, Base), Position = {x: 5}\n"
                        "Lone: Position = {x: 5}");
        CHECK(text("Ship", world.id<Position>()) == "{x: 5, y: 2}");
        CHECK(text("Lone", world.id<Position>()) == "{x: 5, y: 7}");
        CHECK(text("Base", world.id<Position>()) == "{x: 1, y: 2}");
    }

    // spec 538
    TEST_CASE_FIXTURE(described_world, "mistakes have their place, and nothing changes") {
        kith::load_text(world, "Old: Position = {1, 2}, Health = {5}\nClock($) = {1}");
        CHECK(contains(mistake("Old: Position = {8, 8}\nNew: Position = {z: 1}"),
                       "2:18: Position.z: no such member; Position has x, y"));
        CHECK(contains(mistake("New: Health = {points: 200}"),
                       "1:24: Health.points: 200 is outside of 0..100"));
        CHECK(contains(mistake("New: Position = {x: \"a\"}"), "1:21: Position.x: expected f32"));
        CHECK(contains(mistake("New: Tag = 5"), "Tag is a tag"));
        CHECK(contains(mistake("New: Color = Blue"), "no constant 'Blue'"));
        CHECK(contains(mistake("Clock($) = {2}\nNew: Follows = {Nobody}"), "no entity 'Nobody'"));
        CHECK(contains(mistake("A: Position = {x: }\nB: Position = [1\nC: Position ="), "1:19: "));
        CHECK(world.get<Clock>()->ticks == 1);
        CHECK(text("Old", world.id<Position>()) == "{x: 1, y: 2}");
    }

    TEST_CASE("mistakes of syntax are all found at once, without a world") {
        const auto mistakes = kith::check_text(
            "A: B = {x: }\nC: D = 1.\nE: F = {1, 2}, (G, H) = [3]\nI(J) = \"k\"\nL = 5");
        REQUIRE(mistakes.size() == 3);
        CHECK(mistakes[0].line == 1);
        CHECK(mistakes[0].column == 12);
        CHECK(mistakes[1].line == 2);
        CHECK(mistakes[2].line == 5);
    }

    // spec 539
    TEST_CASE_FIXTURE(described_world, "a saved world loads to an equal one") {
        kith::load_text(world, R"(
            Apples {}
            Earth: Planet, Position = {x: 1, y: 2.5}, (Eats, Apples) = {daily: 3} {
                Moon: Position = {5, 6}
            }
            Clock($) = {ticks: 9}
            Bob: Color = Green, Follows = {}
        )");
        kith::edit<Follows>(world.lookup("Bob"))
            .set("who", world.lookup("Earth::Moon"))
            .append("others", "Earth");
        const std::string saved = kith::save_text(world);
        described_world copy;
        kith::load_text(copy.world, saved);
        CHECK(kith::save_text(copy.world) == saved);
        CHECK(copy.text("Bob", copy.world.id<Follows>()) == "{who: Earth.Moon, others: [Earth]}");
        CHECK(contains(saved, "Position = {x: 1, y: 2.5}"));
        CHECK_FALSE(contains(saved, "TypeLibrary"));
    }

    TEST_CASE_FIXTURE(described_world, "values that cannot be said again are refused") {
        struct Plain {
            int number;
        };
        kith::entity holder = world.entity("Holder").set(Plain{1});
        CHECK(refusal(world, [&] { kith::save_text(world); }) == errc::invalid_text);
        holder.remove<Plain>();
        holder.set(Follows{world.entity(), {}});
        CHECK(refusal(world, [&] { kith::save_text(world); }) == errc::invalid_text);
        const kith::entity dead = world.entity("Dead");
        holder.set(Follows{dead, {}});
        dead.destruct();
        CHECK(refusal(world, [&] { kith::save_text(world); }) == errc::invalid_text);
    }

    TEST_CASE("formatting keeps values as they are written") {
        const std::string text =
            kith::format_text("A:B={x:1,\n  y: 0x10},C   // why\nD(E)=[1 ,2];F:G\n");
        CHECK(text == "A: B = {x:1,\n  y: 0x10}, C  // why\nD(E) = [1 ,2]\nF: G\n");
        CHECK(kith::format_text(text) == text);
    }

    TEST_CASE("run-time types have values in text") {
        kith::world world;
        world.component("Item")
            .member(kith::String, "name")
            .member(world.vector(kith::I32), "slots");
        kith::load_text(world, "Sword: Item = {\"sharp\", [1, 2]}");
        const kith::entity sword = world.lookup("Sword");
        CHECK(kith::value_of(sword, world.lookup("Item")).str() ==
              "{name: \"sharp\", slots: [1, 2]}");
    }
}
