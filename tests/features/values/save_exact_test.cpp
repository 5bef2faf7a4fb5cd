// Save files as exact copies: a world that is loaded by another process has the hash of the saved
// one.
#include <kith/kith.hpp>
#include <kith/save.hpp>
#include <kith/value.hpp>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <unistd.h>

namespace exact_scene {

struct Place {
    float x = 0;
    float y = 0;
};
struct Padded {
    char kind = 0;
    double weight = 0;
};
struct Label {
    std::string text;
};
struct Rare {
    int number = 0;
};
struct Bond {
    int strength = 0;
};
struct Marked {};
enum class Mood { Calm, Angry };

}  // namespace exact_scene

using namespace exact_scene;

namespace {

void describe(const kith::world& world) {
    kith::reflect<Place, Padded, Label, Rare, Bond>();
    world.component<Rare>().add(kith::Sparse);
    world.component<Bond>();
    world.component<Marked>();
    world.component<Mood>();
}

void add_entities(const kith::world& world) {
    const kith::entity near = world.entity("near").add(kith::Sparse);
    const kith::entity best = world.entity("best").add(kith::Exclusive);
    std::vector<kith::entity> all;
    for (int i = 0; i < 30; ++i) {
        all.push_back(i % 3 == 0 ? world.entity(("e" + std::to_string(i)).c_str())
                                 : world.entity());
    }
    for (std::size_t i = 0; i < all.size(); ++i) {
        const int number = static_cast<int>(i);
        if (i % 2 == 0) {
            all[i].set(Place{static_cast<float>(i), 1});
        }
        if (i % 4 == 1) {
            all[i].set(Padded{'p', number / 2.0}).set(Label{std::to_string(i)});
        }
        if (i % 5 == 2) {
            all[i].set(Rare{number}).add<Marked>();
        }
        // Targets that are not in the order of their indices.
        all[i].add(near, all[(i * 7 + 3) % 30]).add(near, all[(i * 11 + 1) % 30]);
        all[i].add(best, all[(i + 5) % 30]);
        all[i].set<Bond>(all[(i * 13 + 2) % 30], Bond{number});
    }
    for (std::size_t i : {4u, 21u, 9u, 17u}) {
        all[i].destruct();
    }
    all[6].remove<Place>().set(Place{9, 9}).disable<Place>();
    all[8].child_of(all[2]);
    all[12].child_of(all[2]);
    all[7].child_of(all[2]);
    const kith::entity prefab = world.prefab("Ship").set(Place{3, 4});
    world.prefab("Ship::Mast").set(Rare{7});
    world.entity("boat").is_a(prefab);
    world.entity("canoe").is_a(prefab).set(Place{5, 5});
}

void add_runtime_types(const kith::world& world) {
    const kith::entity item =
        world.component("Item").member<float>("weight").member(kith::String, "name");
    kith::edit(world.entity("sword").add(item), item).parse("", R"({weight: 2, name: "x"})");
}

void add_enums(const kith::world& world) {
    world.entity("judge").add(Mood::Calm);
    world.entity("guard").add(Mood::Angry);
}

// Names of scenes: what is in the world in addition.
void fill(const kith::world& world, const std::string& scene) {
    describe(world);
    add_entities(world);
    if (scene == "runtime") {
        add_runtime_types(world);
    }
    if (scene == "enums") {
        add_enums(world);
    }
}

std::string read_all(const std::string& path) {
    std::ifstream from(path, std::ios::binary);
    std::ostringstream text;
    text << from.rdbuf();
    return text.str();
}

std::string hex(std::uint64_t number) {
    char text[20];
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(number));
    return text;
}

// Runs one test case of this program in a process of its own, which writes a line to `out`.
std::string run_case(const std::string& name, const std::string& scene, const std::string& file) {
    const std::string out = file + ".out";
    const std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
    const std::string command = "KITH_SCENE=" + scene + " KITH_FILE='" + file + "' KITH_OUT='" +
                                out + "' '" + program + "' --no-skip=true --test-case='" + name +
                                "' >/dev/null 2>&1";
    CHECK(std::system(command.c_str()) == 0);
    const std::string text = read_all(out);
    std::filesystem::remove(out);
    return text;
}

void report(const std::string& text) {
    std::ofstream(std::getenv("KITH_OUT")) << text;
}

}  // namespace

TEST_SUITE("features.values.save_exact") {
    TEST_CASE("child process: saves a scene" * doctest::skip()) {
        if (!std::getenv("KITH_OUT")) {
            return;
        }
        kith::world world;
        fill(world, std::getenv("KITH_SCENE"));
        kith::save(world, std::getenv("KITH_FILE"));
        report(hex(world.hash()));
    }

    TEST_CASE("child process: loads a scene" * doctest::skip()) {
        if (!std::getenv("KITH_OUT")) {
            return;
        }
        kith::world world;
        describe(world);
        const kith::load_report loaded = kith::load(world, std::getenv("KITH_FILE"));
        REQUIRE(loaded.exact);
        world.check();
        report(hex(world.hash()));
    }

    // spec 575
    TEST_CASE("a world that another process loads has the hash of the saved one") {
        const std::string file = (std::filesystem::temp_directory_path() /
                                  ("kith_exact_" + std::to_string(::getpid()) + ".kithb"))
                                     .string();
        for (const char* scene : {"plain", "enums", "runtime"}) {
            CAPTURE(scene);
            const std::string saved = run_case("child process: saves a scene", scene, file);
            const std::string loaded = run_case("child process: loads a scene", scene, file);
            CHECK(saved.size() == 16);
            CHECK(saved == loaded);
        }
        std::filesystem::remove(file);
    }

    // spec 318
    // Rows of a table are made at once, with names that are unique among siblings only.
    TEST_CASE("entities of a table keep names, values, tags and pairs") {
        const kith::world world;
        describe(world);
        const kith::entity dock = world.entity("dock");
        const kith::entity parents[] = {world.entity("left"), world.entity("right"), {}};
        for (int i = 0; i < 60; ++i) {
            kith::entity made = world.entity().add<Marked>().add(dock, parents[i % 2]);
            made.set(Place{static_cast<float>(i), 1}).set(Padded{'p', i * 0.5});
            made.set(Label{"label " + std::to_string(i)});
            if (const kith::entity parent = parents[i % 3]) {
                made.child_of(parent);
            }
            made.set_name(("same " + std::to_string(i / 3)).c_str());
        }
        const kith::world copy;
        describe(copy);
        const kith::load_report report = kith::load_from_string(copy, kith::save_to_string(world));
        CHECK(report.exact);
        CHECK(copy.hash() == world.hash());
        const kith::entity one = copy.lookup("right::same 7");
        REQUIRE(one);
        CHECK(one.get<Label>()->text == "label 22");
        CHECK(one.get<Padded>()->weight == 11);
        copy.check();
        // The names are those of the index.
        kith::entity(copy, one).set_name("other");
        CHECK_FALSE(copy.lookup("right::same 7"));
        CHECK(copy.lookup("right::other") == one);
    }

    TEST_CASE("links are restored in both directions, with their values") {
        const kith::world world;
        const kith::entity likes = world.entity("likes").add(kith::Sparse);
        world.component<Label>().add(kith::Sparse);
        kith::reflect<Label, Bond>();
        kith::entity hub = world.entity("hub");
        const kith::entity last = world.entity("last");
        kith::entity first = world.entity("first");
        // The targets of hub and the sources of last are not in the order of their ids.
        hub.set<Label>(last, Label{"to last"}).set<Label>(first, Label{"to first"});
        hub.add(likes, last).add(likes, first).set<Bond>(first, Bond{3});
        first.add(likes, last).set<Label>(last, Label{"first to last"});
        const kith::world copy;
        kith::load_from_string(copy, kith::save_to_string(world));
        kith::entity same(copy, hub.id());
        CHECK(same.get<Label>(last.id())->text == "to last");
        CHECK(same.get<Label>(first.id())->text == "to first");
        CHECK(same.get<Bond>(first.id())->strength == 3);
        CHECK(same.target(likes.id(), 0).id() == last.id());
        CHECK(same.target(likes.id(), 1).id() == first.id());
        auto sources_of = [&](const kith::world& in, kith::entity target) {
            std::vector<kith::entity_t> sources;
            in.each(likes.id(), target.id(),
                    [&](kith::entity source) { sources.push_back(source.id()); });
            return sources;
        };
        CHECK(sources_of(copy, last) == std::vector{hub.id(), first.id()});
        CHECK(sources_of(copy, first) == std::vector{hub.id()});
        // A deleted target takes its links along, as in the saved world.
        kith::entity(copy, last.id()).destruct();
        CHECK_FALSE(same.has<Label>(last.id()));
        CHECK(same.target(likes.id(), 0).id() == first.id());
        copy.check();
    }

    // spec 575
    TEST_CASE("instances of prefabs keep the copies that fill their slots") {
        kith::world world;
        const kith::entity older = world.entity("older");
        const kith::entity ship = world.prefab("ship");
        const kith::entity bridge = world.prefab("bridge").child_of(ship).slot();
        const kith::entity later = world.entity("later").is_a(ship);
        kith::entity(older).is_a(ship);
        world.entity("of an instance").is_a(older);
        const kith::entity hold = world.prefab("hold").child_of(ship).slot();
        const std::string data = kith::save_to_string(world);
        kith::world copy;
        REQUIRE(kith::load_from_string(copy, data).exact);
        CHECK(copy.hash() == world.hash());
        CHECK(kith::save_to_string(copy) == data);
        for (const kith::entity& instance : {older, later}) {
            CHECK(copy.entity(instance).target(bridge.id()).id() == instance.target(bridge).id());
            CHECK(instance.target(bridge) != 0);
            CHECK_FALSE(copy.entity(instance).target(hold.id()));
        }
        kith::world used;
        used.entity("present");
        kith::load_from_string(used, data);
        const kith::entity copied = used.lookup("later");
        CHECK(copied.target(used.lookup("ship::bridge")) == used.lookup("later::bridge"));
        CHECK_FALSE(used.lookup("ship::hold").has(kith::Union));
    }

    // spec 575
    TEST_CASE("an instance that was moved into its prefab is loaded there") {
        kith::world world;
        const kith::entity ship = world.prefab("ship");
        world.prefab("bridge").child_of(ship);
        world.entity("inner").is_a(ship).child_of(ship);
        world.entity("outer").is_a(ship);
        const std::string data = kith::save_to_string(world);
        kith::world copy;
        REQUIRE(kith::load_from_string(copy, data).exact);
        CHECK(copy.hash() == world.hash());
        kith::world used;
        used.entity("present");
        kith::load_from_string(used, data);
        CHECK(used.lookup("ship::inner").has(kith::IsA, used.lookup("ship")));
        CHECK(used.count(kith::ChildOf, used.lookup("ship::inner")) == 1);
        used.check();
    }

    // spec 575
    TEST_CASE("constants of enums are those of the program that loads") {
        const kith::world world;
        fill(world, "enums");
        const std::string data = kith::save_to_string(world);
        const kith::world copy;
        copy.component<Mood>();
        CHECK(kith::load_from_string(copy, data).exact);
        CHECK(copy.lookup("judge").has(Mood::Calm));
        CHECK(*copy.lookup("guard").get<Mood>() == Mood::Angry);
        copy.lookup("guard").add(Mood::Calm);
        CHECK(copy.lookup("guard").has(Mood::Calm));
        copy.check();
        kith::world used;
        used.entity("present").add(Mood::Angry);
        CHECK_FALSE(kith::load_from_string(used, data).exact);
        CHECK(used.lookup("judge").has(Mood::Calm));
        CHECK(used.lookup("present").has(Mood::Angry));
        used.check();
    }

    // spec 575
    TEST_CASE("a world without entities gets tables, rows, links and free ids as they were") {
        for (const char* scene : {"plain", "runtime", "enums"}) {
            CAPTURE(scene);
            const kith::world world;
            fill(world, scene);
            const std::string data = kith::save_to_string(world);
            const kith::world copy;
            CHECK(kith::load_from_string(copy, data).exact);
            copy.check();
            CHECK(copy.hash() == world.hash());
            CHECK(kith::save_to_string(copy) == data);
            for (int i = 0; i < 6; ++i) {
                REQUIRE(copy.entity().set(Place{1, 1}).id() ==
                        world.entity().set(Place{1, 1}).id());
            }
            CHECK(copy.hash() == world.hash());
        }
    }

    // spec 575
    TEST_CASE("an empty table of a loaded world goes with an element of its ids") {
        const kith::world world;
        const kith::entity_t near = world.entity();
        const kith::entity_t target = world.entity();
        world.entity().add(near, target).remove(near, target);
        const kith::world copy;
        CHECK(kith::load_from_string(copy, kith::save_to_string(world)).exact);
        copy.check();
        copy.entity(target).destruct();
        copy.check();
        CHECK_FALSE(copy.is_alive(target));
    }
}
