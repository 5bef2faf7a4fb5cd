#include <kith/diff.hpp>
#include <kith/kith.hpp>
#include <kith/reflect.hpp>
#include <kith/value.hpp>

#include "support/errors.hpp"
#include "support/types.hpp"

#include <stdexcept>
#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace kith_test;

namespace {

struct edited_world {
    edited_world() {
        register_all(world);
        ship = world.entity("ship").set(Position{0, 0});
    }
    void move(kith::history& edits, int x) {
        auto scope = edits.edit("Move");
        ship.set(Position{x, 0});
    }
    int x() const { return ship.get<Position>()->x; }

    kith::world world;
    kith::entity ship;
};

std::string labels_of(const kith::history& edits) {
    std::string text;
    edits.labels([&](const kith::string& label) { text += std::string(label.c_str()) + ";"; });
    return text;
}

}  // namespace

TEST_SUITE("features.snapshots.history") {
    // spec 570
    TEST_CASE_FIXTURE(edited_world, "edits are undone and made again in their order") {
        kith::history edits(world);
        CHECK_FALSE(edits.undo());
        move(edits, 1);
        move(edits, 2);
        {
            auto scope = edits.edit("Sink");
            ship.destruct();
        }
        CHECK(edits.undo());
        CHECK(ship.is_alive());
        CHECK(x() == 2);
        CHECK(edits.undo());
        CHECK(x() == 1);
        CHECK(edits.redo());
        CHECK(x() == 2);
        CHECK(edits.redo());
        CHECK_FALSE(ship.is_alive());
        CHECK_FALSE(edits.redo());
    }

    // spec 570
    TEST_CASE_FIXTURE(edited_world, "an edit forgets what was undone") {
        kith::history edits(world);
        move(edits, 1);
        edits.undo();
        CHECK(edits.redo_count() == 1);
        move(edits, 5);
        CHECK(edits.redo_count() == 0);
        CHECK_FALSE(edits.redo());
        CHECK(x() == 5);
    }

    // spec 570
    TEST_CASE_FIXTURE(edited_world, "an edit without a change is none") {
        kith::history edits(world);
        move(edits, 0);
        CHECK(edits.undo_count() == 0);
    }

    // spec 570
    TEST_CASE_FIXTURE(edited_world, "edits with the same label can join") {
        kith::history edits(world);
        for (int i = 1; i < 4; ++i) {
            auto scope = edits.edit("Drag", kith::merge);
            ship.set(Position{i, 0});
        }
        {
            auto scope = edits.edit("Drop", kith::merge);
            ship.add<Hot>();
        }
        CHECK(labels_of(edits) == "Drag;Drop;");
        edits.undo();
        edits.undo();
        CHECK(x() == 0);
    }

    // spec 570
    TEST_CASE_FIXTURE(edited_world, "one edit can be undone out of order, if it fits") {
        kith::history edits(world);
        move(edits, 1);
        {
            auto scope = edits.edit("Heat");
            ship.add<Hot>();
        }
        move(edits, 2);
        CHECK_FALSE(edits.undo(7));
        CHECK(edits.undo(1));
        CHECK_FALSE(ship.has<Hot>());
        CHECK(x() == 2);
        CHECK(labels_of(edits) == "Move;Move;");
        CHECK_THROWS_AS(edits.undo(0), kith::error);
        CHECK(labels_of(edits) == "Move;Move;");
        CHECK(x() == 2);
    }

    // spec 570
    TEST_CASE_FIXTURE(edited_world, "an edit of a query leaves other entities alone") {
        kith::history edits(world);
        kith::entity drifting = world.entity("drifting").set(Velocity{1, 1});
        {
            const auto scope = edits.edit("Move", world.query<const Position>());
            ship.set(Position{5, 0});
            drifting.set(Velocity{2, 2});
            world.entity("new").set(Position{1, 1});
        }
        CHECK(edits.undo());
        CHECK(x() == 0);
        CHECK(drifting.get<Velocity>()->x == 2);
        CHECK_FALSE(world.lookup("new"));
        drifting.set(Velocity{3, 3});
        CHECK(edits.redo());
        CHECK(x() == 5);
        CHECK(world.lookup("new").has<Position>());
        CHECK(drifting.get<Velocity>()->x == 3);
        {
            const auto scope = edits.edit("Drift", world.query<const Position>());
            drifting.set(Velocity{4, 4});
        }
        CHECK(edits.undo_count() == 1);
    }

    // spec 570
    TEST_CASE_FIXTURE(edited_world, "the oldest edits go first at the limits") {
        kith::history edits(world, {.steps = 3, .bytes = 1 << 20});
        for (int i = 1; i < 8; ++i) {
            move(edits, i);
        }
        CHECK(edits.undo_count() == 3);
        while (edits.undo()) {}
        CHECK(x() == 4);
    }

    // spec 570
    TEST_CASE_FIXTURE(edited_world, "an exception ends an edit without recording it") {
        kith::history edits(world);
        try {
            auto scope = edits.edit("Fail");
            throw std::runtime_error("no");
        } catch (const std::runtime_error&) {}
        CHECK(edits.undo_count() == 0);
        move(edits, 1);
        CHECK(edits.undo_count() == 1);
    }

    // spec 570
    TEST_CASE_FIXTURE(edited_world, "an edit inside of an edit belongs to it") {
        kith::history edits(world);
        {
            auto outer = edits.edit("Outer");
            move(edits, 1);
            ship.add<Hot>();
        }
        CHECK(labels_of(edits) == "Outer;");
        edits.undo();
        CHECK(x() == 0);
        CHECK_FALSE(ship.has<Hot>());
    }

    // spec 570
    TEST_CASE("the declaration of a type is undone and made again") {
        kith::world world;
        kith::history edits(world);
        {
            auto edit = edits.edit("Declare");
            world.component("Item").member<float>("weight").member(kith::String, "name");
        }
        {
            auto edit = edits.edit("Make");
            const kith::entity rock = world.entity("rock").add(world.lookup("Item"));
            kith::edit(rock, world.lookup("Item")).set("weight", 2).set("name", "granite");
        }
        CHECK(edits.undo());
        CHECK_FALSE(world.lookup("rock"));
        CHECK(edits.undo());
        CHECK_FALSE(world.lookup("Item"));
        CHECK(edits.redo());
        CHECK(edits.redo());
        const kith::entity item = world.lookup("Item");
        CHECK(kith::value_of(world.lookup("rock"), item).str() ==
              R"({weight: 2, name: "granite"})");
        CHECK(edits.undo());
        CHECK(edits.undo());
        CHECK_FALSE(edits.undo());
    }

    // spec 570
    TEST_CASE("values have the type that they had, whatever their component became since") {
        kith::world world;
        const kith::snapshot empty = world.snapshot().take();
        kith::history edits(world);
        auto declare = [&](const char* label, auto&& describe) {
            auto edit = edits.edit(label);
            const kith::entity item = describe(world.component("Item"));
            kith::edit(world.entity("rock").add(item), item).parse("", "{1}");
        };
        auto value = [&] {
            return kith::value_of(world.lookup("rock"), world.lookup("Item")).str();
        };
        declare("Weight", [](auto item) { return item.template member<double>("weight"); });
        {
            auto edit = edits.edit("Empty");
            empty.restore();
        }
        declare("Name", [](auto item) { return item.template member<std::int8_t>("number"); });
        CHECK(value() == "{number: 1}");
        CHECK(edits.undo());
        CHECK(edits.undo());
        CHECK(value() == "{weight: 1}");
        world.component("Item").doc("in tons");
        kith::set_path(world.lookup("rock"), "Item.weight", 2.5);
        CHECK(value() == "{weight: 2.5}");
        CHECK_NOTHROW(world.check());
    }

    // spec 524, 563
    TEST_CASE("a return to a world without descriptions keeps those of C++ types") {
        struct Lamp {
            float watts;
        };
        kith::world world;
        kith::entity lamp = world.entity("lamp");
        const kith::snapshot empty = world.snapshot().take();
        world.component<Lamp>().member("power", &Lamp::watts).range(0, 100);
        empty.restore();
        lamp.set(Lamp{5});
        CHECK(kith::value_of(lamp, kith::type_id<Lamp>()).str() == "{power: 5}");
        CHECK_THROWS_AS(kith::set_path(lamp, "Lamp.power", 500), kith::error);
    }

    TEST_CASE_FIXTURE(edited_world, "a ring keeps the states of the last frames") {
        kith::rollback ring(world, 4);
        for (std::uint64_t frame = 0; frame < 10; ++frame) {
            ring.save(frame);
            ship.set(Position{static_cast<int>(frame) + 1, 0});
        }
        CHECK(ring.size() == 4);
        CHECK(ring.oldest() == 6);
        CHECK(ring.newest() == 9);
        CHECK_FALSE(ring.load(5));
        CHECK(x() == 10);
        CHECK(ring.load(7));
        CHECK(x() == 7);
        ring.save(7);
        CHECK(ring.newest() == 7);
        CHECK(ring.load(6));
        CHECK(x() == 6);
    }
}
