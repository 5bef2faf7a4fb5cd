// Queries as text: read when the program runs, added to a builder, read by the compiler.
#include <kith/kith.hpp>
#include <kith/query_literal.hpp>
#include <kith/world_text.hpp>

#include <cstdio>

struct Position {
    float x, y;
};

int main() {
    kith::world world;
    world.component<Position>("Position");
    kith::entity ship = world.entity("Ship");
    kith::entity planet = world.entity("Planet");
    kith::entity docked_to = world.entity("DockedTo");
    kith::entity earth = world.entity("Earth").add(planet);
    world.entity("Rocinante").add(ship).add(docked_to, earth).set<Position>({1, 2});
    world.entity("Nauvoo").add(ship).set<Position>({3, 4});

    // [make]
    auto docked = world.query("Ship, (DockedTo, $place), Planet($place)");
    docked.each([](kith::iter& it, std::size_t row) {
        std::printf("%s is docked to %s\n", it.entity(row).name().c_str(),
                    it.get_var("place").name().c_str());
    });
    // [/make]

    // [builder]
    auto free_ships = world.query_builder<Position>()
                          .expr("Ship, !(DockedTo, *)")
                          .term("$this ~= \"Nau\"")
                          .build();
    free_ships.each([](kith::entity e, Position& p) {
        std::printf("%s at %g, %g\n", e.name().c_str(), p.x, p.y);
    });
    std::printf("%s\n", free_ships.str().c_str());
    // [/builder]

    // [literal]
    auto guests = world.query<"(DockedTo, $host), Ship">();
    static_assert(guests.variable_count == 2);  // $this and $host
    guests.iter().set_var(guests.var<"host">(), earth).each([](kith::entity e) {
        std::printf("%s is a guest of Earth\n", e.name().c_str());
    });
    // [/literal]

    // [world]
    kith::load_text(world, R"(
        Sun: Star {
            Jupiter: Planet { Europa: Moon }
        }
        DockedTo(Nauvoo, Sun.Jupiter)
    )");
    kith::world copy;
    world.remove_all<Position>();  // a type without description has no text
    kith::load_text(copy, kith::save_text(world));
    // [/world]
    std::printf("%d are docked\n", copy.filter("(DockedTo, *)").count());

    try {
        world.query("Ship, (DockdTo, $place), Planet($place");
    } catch (const kith::error& problem) {
        std::printf("%s\n", problem.what());
    }
}
