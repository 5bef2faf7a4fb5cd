#include <kith/kith.hpp>
#include <kith/meta.hpp>
#include <kith/save.hpp>
#include <kith/value.hpp>
#include <kith/world_text.hpp>

#include "support/errors.hpp"
#include "support/file_forge.hpp"
#include "support/types.hpp"

#include <cstdio>
#include <filesystem>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <unistd.h>

using namespace kith_test;

namespace {

struct Lamp {
    float watts = 0;
};

// True if the text has each line of the other one.
bool has_lines(const std::string& text, const std::string& wanted) {
    std::istringstream lines(wanted);
    for (std::string line; std::getline(lines, line);) {
        if (text.find(line + "\n") == std::string::npos) {
            INFO(text);
            FAIL_CHECK("no line ", line);
            return false;
        }
    }
    return true;
}

struct Place {
    float x = 0;
    float y = 0;
};
struct Slot {
    std::string name;
    int count = 0;
};
struct Cargo {
    bool open = false;
    std::vector<Slot> slots;
    std::map<std::string, double> prices;
    std::optional<int> limit;
    kith::handle owner;
    std::vector<kith::handle> seen;
};
struct Shield {
    int strength = 0;
};
struct Debt {
    int amount = 0;
};
struct Clock {
    long ticks = 0;
};
struct Marked {};
struct Secret {
    int code = 0;
};

void describe_types(const kith::world& world) {
    kith::reflect<Place, Cargo, Shield, Debt, Clock, Secret>();
    world.component<Shield>().add(kith::Sparse);
    world.component<Secret>().add(kith::Transient);
}

const value_printers& saved_values() {
    static const value_printers values = [] {
        value_printers made;
        made.add<Place>([](const Place& v) { return text_of(v.x, v.y); });
        made.add<Shield>([](const Shield& v) { return text_of(v.strength); });
        made.add<Debt>([](const Debt& v) { return text_of(v.amount); });
        made.add<Clock>([](const Clock& v) { return text_of(v.ticks); });
        made.add<Cargo>([](const Cargo& v) {
            std::string text = text_of(v.open, v.limit ? *v.limit : -1, v.owner.id());
            for (const Slot& slot : v.slots) {
                text += ";" + slot.name + "=" + std::to_string(slot.count);
            }
            for (const auto& [name, price] : v.prices) {
                text += ";" + name + ":" + std::to_string(price);
            }
            return text;
        });
        return made;
    }();
    return values;
}

std::string dump_own(const kith::world& world) {
    return dump_world(world, saved_values(), kith::first_entity);
}

std::string temporary_path() {
    return (std::filesystem::temp_directory_path() /
            ("kith_save_test_" + std::to_string(::getpid()) + ".kithb"))
        .string();
}

// A world with a bit of everything.
struct saved_scene {
    saved_scene() {
        describe_types(world);
        world.set(Clock{77});
        owes = world.entity("owes").add(kith::Sparse).add(kith::Exclusive);
        sun = world.entity("sun").set(Place{1, 2});
        world.entity().destruct();
        earth = world.entity("earth").child_of(sun).set(Place{3, 4}).set(Shield{7});
        moon = world.entity("moon").child_of(earth).add(owes, sun).add<Marked>();
        moon.set<Debt>(sun, Debt{5}).set(Place{5, 6}).disable<Place>();
        earth.set(Cargo{true, {{"ore", 3}, {"ice", 1}}, {{"ore", 1.5}}, 9, sun, {moon, sun}});
        ship = world.prefab("ship").set(Place{9, 9});
        world.prefab("gun").child_of(ship);
        fighter = world.entity("fighter").is_a(ship);
        moon.set(Secret{42});
    }

    kith::world world;
    kith::entity owes;
    kith::entity sun;
    kith::entity earth;
    kith::entity moon;
    kith::entity ship;
    kith::entity fighter;
};

}  // namespace

TEST_SUITE("features.values.save") {
    TEST_CASE_FIXTURE(saved_scene, "a world is saved and loaded") {
        const std::string data = kith::save_to_string(world);
        const kith::world other;
        const kith::load_report report = kith::load_from_string(other, data);
        CHECK(report.exact);
        CHECK(report.notes == "");
        moon.remove<Secret>();
        CHECK(dump_own(other) == dump_own(world));
        CHECK(other.get<Clock>()->ticks == 77);
        CHECK(other.component<Shield>().has(kith::Sparse));
        CHECK(other.lookup("sun::earth::moon") == moon.id());
        const Cargo* cargo = other.entity(earth.id()).get<Cargo>();
        REQUIRE(cargo);
        CHECK(cargo->owner.id() == sun.id());
        CHECK(cargo->seen.size() == 2);
        other.check();
    }

    TEST_CASE_FIXTURE(saved_scene, "new entities after a load have the ids that they had") {
        world.entity().destruct();
        world.entity("last");
        world.entity("gone").destruct();
        const kith::world other;
        kith::load_from_string(other, kith::save_to_string(world));
        for (int i = 0; i < 4; ++i) {
            CHECK(other.entity().id() == world.entity().id());
        }
    }

    TEST_CASE_FIXTURE(saved_scene, "a loaded world is saved as the same bytes") {
        const std::string data = kith::save_to_string(world);
        const kith::world other;
        kith::load_from_string(other, data);
        const std::string again = kith::save_to_string(other);
        const kith::world third;
        kith::load_from_string(third, again);
        CHECK(kith::save_to_string(third) == again);
        CHECK(dump_own(third) == dump_own(other));
    }

    TEST_CASE_FIXTURE(saved_scene, "a file replaces an older one") {
        const std::string path = temporary_path();
        kith::save(world, path.c_str());
        sun.set(Place{8, 8});
        const kith::save_report report = kith::save(world, path.c_str());
        CHECK(report.entities > 5);
        const kith::world other;
        kith::load(other, path.c_str());
        CHECK(other.entity(sun.id()).get<Place>()->x == 8);
        CHECK(kith::check_file(path.c_str()).entities == report.entities);
        std::remove(path.c_str());
        CHECK_THROWS_AS(kith::load(other, path.c_str()), kith::error);
        CHECK_THROWS_AS(kith::save(world, "/nowhere/at/all.kithb"), kith::error);
    }

    // spec 576
    TEST_CASE_FIXTURE(saved_scene, "a world in use gets new ids, and references follow") {
        const std::string data = kith::save_to_string(world);
        kith::world other;
        describe_types(other);
        const kith::entity own = other.entity("own").set(Place{1, 1});
        other.entity().add<Marked>();
        const kith::load_report report = kith::load_from_string(other, data);
        CHECK_FALSE(report.exact);
        const kith::entity new_sun = other.lookup("sun");
        const kith::entity new_earth = other.lookup("sun::earth");
        const kith::entity new_moon = other.lookup("sun::earth::moon");
        REQUIRE(new_moon);
        CHECK(own.get<Place>()->x == 1);
        CHECK(new_sun.id() != sun.id());
        CHECK(new_earth.get<Cargo>()->owner.id() == new_sun.id());
        CHECK(new_earth.get<Cargo>()->seen[0].id() == new_moon.id());
        CHECK(new_earth.get<Shield>()->strength == 7);
        CHECK(new_moon.has(other.lookup("owes"), new_sun));
        CHECK(new_moon.get<Debt>(new_sun)->amount == 5);
        CHECK_FALSE(new_moon.enabled<Place>());
        CHECK(other.lookup("fighter").has(kith::IsA, other.lookup("ship")));
        CHECK(other.lookup("fighter::gun"));
        other.check();
    }

    TEST_CASE_FIXTURE(saved_scene, "observers are notified of what a load adds") {
        const std::string data = kith::save_to_string(world);
        kith::world other;
        describe_types(other);
        int sets = 0;
        other.observer<Shield>().event(kith::OnSet).each([&](Shield&) { ++sets; });
        kith::load_from_string(other, data);
        CHECK(sets == 1);
    }

    // spec 576
    TEST_CASE_FIXTURE(saved_scene, "a name that is taken is refused, or means the same entity") {
        const std::string data = kith::save_to_string(world);
        kith::world other;
        describe_types(other);
        const kith::entity own = other.entity("sun").set(Debt{3});
        const std::string before = dump_own(other);
        try {
            kith::load_from_string(other, data);
            FAIL_CHECK("loaded");
        } catch (const kith::error& refused) {
            CHECK(refused.code() == kith::errc::name_taken);
        }
        CHECK(dump_own(other) == before);
        kith::load_file_options options;
        options.names = kith::names_policy::join;
        kith::load_from_string(other, data, options);
        CHECK(own.get<Place>()->y == 2);
        CHECK(own.get<Debt>()->amount == 3);
        CHECK(other.lookup("sun::earth").parent() == own);
        other.check();
    }

    // spec 576
    TEST_CASE_FIXTURE(saved_scene, "a file is loaded below an entity") {
        kith::world other;
        describe_types(other);
        kith::load_file_options options;
        options.under = other.entity("level");
        kith::load_from_string(other, kith::save_to_string(world), options);
        CHECK(other.lookup("level::sun::earth"));
        CHECK_FALSE(other.lookup("sun"));
        kith::load_file_options again;
        again.under = other.entity("second level");
        kith::load_from_string(other, kith::save_to_string(world), again);
        CHECK(other.lookup("second level::sun::earth::moon"));
    }

    // spec 578
    TEST_CASE_FIXTURE(saved_scene, "transient values are left out") {
        const kith::world other;
        kith::load_from_string(other, kith::save_to_string(world));
        CHECK_FALSE(other.entity(moon.id()).has<Secret>());
    }

    // spec 578
    TEST_CASE_FIXTURE(saved_scene, "a part has the entities of a query") {
        kith::save_options part;
        part.query = "Shield || Marked";
        kith::save_report saved;
        const std::string data = kith::save_to_string(world, part, &saved);
        CHECK(saved.entities == 2);
        kith::world other;
        describe_types(other);
        const kith::entity new_sun = other.entity("sun");
        other.entity("owes");
        kith::load_report report = kith::load_from_string(other, data);
        const kith::entity new_earth = other.lookup("sun::earth");
        REQUIRE(new_earth);
        CHECK(new_earth.get<Cargo>()->owner.id() == new_sun.id());
        CHECK(report.outside == 0);
        kith::world empty;
        describe_types(empty);
        report = kith::load_from_string(empty, data);
        CHECK(report.outside > 0);
        CHECK(empty.lookup("earth").get<Cargo>()->owner.id() == 0);
    }

    // spec 579
    TEST_CASE("types that the program does not have are kept") {
        kith::world first;
        const kith::entity item = first.component("Item")
                                      .member(kith::String, "name")
                                      .member(first.vector(kith::F32), "weights")
                                      .member(kith::Entity, "owner");
        const kith::entity box = first.entity("box").add(item);
        kith::edit(box, item).parse("", R"({name: "a", weights: [1, 2.5], owner: box})");
        const std::string data = kith::save_to_string(first);
        kith::world second;
        const kith::load_report report = kith::load_from_string(second, data);
        kith::entity loaded = second.lookup("box");
        const kith::entity kept = second.lookup("Item");
        CHECK(report.types == 2);  // Item, and its list of numbers
        CHECK(kith::value_of(loaded, kept).str() == kith::value_of(box, item).str());
        loaded.add<Marked>();
        const kith::entity copy = loaded.clone(true);
        CHECK(kith::value_of(copy, kept).at("weights[1]").get<float>() == 2.5f);
        kith::world third;
        kith::load_from_string(third, kith::save_to_string(second));
        CHECK(kith::value_of(third.lookup("box"), third.lookup("Item")).str() ==
              kith::value_of(box, item).str());
    }

    // spec 575, 579
    TEST_CASE("types of run time keep the attributes of their members") {
        const char* const text =
            "enum Quality : u8 { raw, refined }\n"
            "struct Drawer { name: text = \"none\", count: i32 = 3 (range: 0..9) }\n"
            "struct Chest { weight: f32 = 1.5 (range: 0..100, warning: 10..90, error: 5..95, step: "
            "0.5, "
            "unit: \"kg\", doc: \"what it \\\"weighs\\\"\", was: \"mass\"), grade: Quality = "
            "refined, "
            "slots: [Drawer] = [{count: 4}], spare: Drawer, best: ?f32 = 2, tags: {text: i32} = "
            "{a: 1}, "
            "owner: entity (on_delete_target: \"Clear\"), secret: i32 (hidden), fixed: i32 "
            "(read_only) }\n"
            "Anna {}\n"
            "First: Chest = {owner: Anna}\n";
        kith::world first;
        kith::load_text(first, text);
        const std::string declared = kith::save_text(first);
        kith::world second;
        kith::load_from_string(second, kith::save_to_string(first));
        CHECK(has_lines(kith::save_text(second), declared));
        kith::world third;
        third.entity("present");
        kith::load_from_string(third, kith::save_to_string(second));
        third.lookup("present").destruct();
        CHECK(has_lines(kith::save_text(third), declared));
        const kith::entity item = third.lookup("Chest");
        CHECK(kith::value_of(third.entity("new").add(item), item).str() ==
              "{weight: 1.5, grade: refined, slots: [{name: \"none\", count: 4}], spare: {name: "
              "\"none\", count: 3}, best: 2, tags: {a: 1}, owner: 0, secret: 0, fixed: 0}");
        third.lookup("Anna").destruct();
        CHECK(kith::value_of(third.lookup("First"), item).at("owner").str() == "0");
        CHECK_THROWS_AS(kith::set_path(third.lookup("First"), "Chest.weight", 200), kith::error);
    }

    // spec 575, 579
    TEST_CASE("types that are parts of other types stay the types of their components") {
        kith::world first;
        kith::load_text(first,
                        "struct Outer { one: Inner, many: [Inner], any: Inner | f32, of: Kind }\n"
                        "struct Inner { a: i32 = 7, next: [Outer] }\n"
                        "enum Kind { x, y }\n"
                        "thing: Outer = {many: [{next: [{}]}]}\n");
        first.component("Row").member(first.vector(first.lookup("Inner").id()), "cells");
        const std::string data = kith::save_to_string(first);
        kith::world second;
        kith::load_from_string(second, data);
        CHECK(kith::save_text(second) == kith::save_text(first));
        CHECK(kith::save_to_string(second) == data);
        kith::world third;
        third.entity("present");
        kith::load_from_string(third, data);
        third.lookup("present").destruct();
        CHECK(kith::save_text(third) == kith::save_text(first));
        CHECK(third.component("Outer").member_entity("one").get<kith::Member>()->type ==
              third.lookup("Inner"));
    }
    TEST_CASE("a type of a file refers to the types that a world has, if they are alike") {
        kith::world saved;
        kith::load_text(saved, "struct Inner { a: i32 }\nstruct Outer { one: Inner }\nx: Outer\n");
        const std::string data = kith::save_to_string(saved);
        kith::world like;
        kith::load_text(like, "struct Inner { a: i32 }\n");
        kith::load_from_string(like, data);
        CHECK(kith::save_text(like) == kith::save_text(saved));
        kith::world other;
        kith::load_text(other, "struct Inner { a: i64 }\n");
        kith::load_from_string(other, data);
        kith::entity x = other.lookup("x");
        kith::set_path(x, "Outer.one.a", 3);
        CHECK_THROWS_AS(kith::set_path(x, "Outer.one.a", std::int64_t{1} << 40), kith::error);
    }

    // spec 579
    TEST_CASE("types of C++ that are kept have the attributes of their members") {
        kith::world first;
        first.component<Lamp>().member("watts", &Lamp::watts).doc("how bright");
        first.entity("holder").set(Lamp{});
        std::string file = kith::save_to_string(first);
        for (std::size_t at = file.find("Lamp"); at != std::string::npos;
             at = file.find("Lamp", at)) {
            file.replace(at, 4, "Lump");
        }
        file_forge::repair(file);
        kith::world second;
        kith::load_from_string(second, file);
        CHECK(kith::save_text(second).find("doc: \"how bright\"") != std::string::npos);
    }

    TEST_CASE("values without description are refused with their name") {
        kith::world world;
        world.entity("holder").set(Owner{});
        try {
            kith::save_to_string(world);
            FAIL_CHECK("saved");
        } catch (const kith::error& refused) {
            CHECK(refused.code() == kith::errc::invalid_type);
            CHECK(std::string(refused.what()).find("Owner") != std::string::npos);
        }
    }

    TEST_CASE_FIXTURE(saved_scene, "loading is refused while the world is deferred") {
        const std::string data = kith::save_to_string(world);
        world.defer([&] { CHECK_THROWS_AS(kith::load_from_string(world, data), kith::error); });
    }

    // Every byte and every length of a file.
    // spec 581
    TEST_CASE("damage is found before anything changes") {
        kith::world small;
        kith::reflect<Place>();
        small.entity("a").set(Place{1, 2});
        small.entity().child_of(small.entity("b")).add<Marked>();
        const std::string data = kith::save_to_string(small);
        kith::world target;
        target.entity("own").set(Place{3, 3});
        const std::string before = dump_world(target, saved_values());
        std::size_t refused = 0;
        auto try_load = [&](std::string_view damaged) {
            try {
                kith::load_from_string(target, damaged);
            } catch (const kith::error& found) {
                refused += found.code() == kith::errc::invalid_file &&
                           std::string(found.what()).find("offset") != std::string::npos;
            }
        };
        for (std::size_t length = 0; length < data.size(); ++length) {
            try_load(std::string_view(data).substr(0, length));
        }
        CHECK(refused == data.size());
        refused = 0;
        for (std::size_t at = 0; at < data.size(); ++at) {
            std::string damaged = data;
            damaged[at] = static_cast<char>(damaged[at] ^ (1 << at % 8));
            try_load(damaged);
        }
        CHECK(refused == data.size());
        try_load(data + "x");
        CHECK(refused == data.size() + 1);
        CHECK(dump_world(target, saved_values()) == before);
    }
}
