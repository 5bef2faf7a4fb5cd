// A save game: a world in a file, loaded into another program's world, with undo; and a part of a
// world.
#include <kith/diff.hpp>
#include <kith/kith.hpp>
#include <kith/save.hpp>

#include <cstdio>
#include <string>
#include <vector>

namespace {

struct Position {
    float x = 0;
    float y = 0;
};
struct Inventory {
    std::vector<std::string> items;
    kith::handle owner;
};
struct Saved {};

}  // namespace

int main() {
    kith::reflect<Position, Inventory>();
    kith::world world;
    auto hero = world.entity("Hero").set(Position{1, 2}).add<Saved>();
    world.entity("Chest").child_of(hero).set(Inventory{{"sword", "map"}, hero}).add<Saved>();
    world.entity("Tree").set(Position{8, 8});

    // [save]
    kith::save_report saved = kith::save(world, "36_save_game.kithb");
    std::printf("%zu entities saved\n", saved.entities);
    kith::world next_day;
    kith::load(next_day, "36_save_game.kithb");
    std::printf("%s\n", next_day.lookup("Hero::Chest").get<Inventory>()->items[1].c_str());
    // [/save]

    // [undo]
    // Edits of a loaded world are taken back one by one.
    kith::history edits(next_day);
    auto loaded_chest = next_day.lookup("Hero::Chest");
    {
        auto edit = edits.edit("Sell the map");
        loaded_chest.edit<Inventory>().erase("items", 1);
    }
    std::printf("%zu item, ", loaded_chest.get<Inventory>()->items.size());
    edits.undo();
    std::printf("%zu items again\n", loaded_chest.get<Inventory>()->items.size());
    // [/undo]

    // [part]
    // The entities with Saved go into the file, and come into a world that has others already.
    kith::save_options part;
    part.query = "Saved";
    kith::save(world, "36_save_game.kithb", part);
    kith::world level;
    level.entity("Tree").set(Position{5, 5});
    kith::load(level, "36_save_game.kithb");
    auto chest = level.lookup("Hero::Chest");
    std::printf("the owner is %s\n", level.entity(chest.get<Inventory>()->owner).name().c_str());
    // [/part]
    std::remove("36_save_game.kithb");
}
