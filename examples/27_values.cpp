// Values as text, and parts of values by path.

#include <kith/kith.hpp>
#include <kith/value.hpp>

#include <cstdio>
#include <string>
#include <vector>

struct Slot {
    std::string name;
    int count;
};
struct Cargo {
    float tons;
    std::vector<Slot> slots;
};

static void print(const std::string& text) {
    std::printf("%s\n", text.c_str());
}

int main() {
    kith::world world;
    kith::entity ship = world.entity("Bell");
    ship.set(Cargo{64, {{"ore", 3}, {"ice", 1}}});
    world.observer<Cargo>().event(kith::OnSet).each([](Cargo&) { print("the cargo was set"); });

    // [text]
    Cargo cargo{};
    kith::from_text(world, cargo, R"({tons: 8, slots: [{"tin", 2}]})");
    print(kith::to_text(world, cargo));
    // [/text]

    // [paths]
    kith::value_view value = kith::value_of<Cargo>(ship);
    print(value.str());
    print(value.at("slots[1].name").str());
    // [/paths]

    // [edit]
    kith::edit<Cargo>(ship)
        .set("tons", 12.5)
        .set("slots[0].count", 4)
        .append("slots", R"({name: "gold", count: 1})");
    kith::set_path(ship, "Cargo.tons", 13);
    // [/edit]
    print(kith::value_of<Cargo>(ship).str());
}
