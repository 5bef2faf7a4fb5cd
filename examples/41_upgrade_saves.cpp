// A file of an older program: the type has changed since, and a function makes its new values.
#include <kith/kith.hpp>
#include <kith/save.hpp>

#include <cstdio>
#include <string>

namespace {

struct Health {
    int points = 0;
    std::string label;
};

// The world as the older program saved it: points were a text, and no version was given.
std::string save_by_older_program() {
    kith::world world;
    auto health = world.component("Health").member(kith::String, "points");
    kith::edit(world.entity("Hero").add(health), health).parse("", R"({points: "70"})");
    return kith::save_to_string(world);
}

}  // namespace

int main() {
    const std::string file = save_by_older_program();
    // [upgrade]
    kith::world world;
    kith::reflect<Health>();
    world.component<Health>().version(1).upgrade(0, [](kith::value_view old, Health& now) {
        now.points = std::stoi(old["points"].get<std::string>());
        now.label = "from an old file";
    });
    kith::load_report report = kith::load_from_string(world, file);
    auto health = world.lookup("Hero").get<Health>();
    std::printf("%d points, %s\n%s", health->points, health->label.c_str(), report.notes.c_str());
    // [/upgrade]
}
