// Names, paths, scopes and lookup.

#include <kith/kith.hpp>

#include <cstdio>
#include <string>

namespace game {
struct Position {
    double x, y;
};
}  // namespace game

int main() {
    kith::world world;

    // [names]
    auto sun = world.entity("Sun");    // finds it, or makes it
    auto again = world.entity("Sun");  // the same entity
    world.entity("Sun::Earth::Moon");  // makes Earth on the way
    std::printf("same: %s, name: %s\n", sun == again ? "yes" : "no", sun.name().c_str());
    std::printf("path: %s\n", world.lookup("Sun.Earth.Moon").path().c_str());
    // [/names]

    // [lookup]
    auto earth = sun.lookup("Earth");  // among the children
    auto moon = world.lookup("Sun::Earth::Moon");
    auto nobody = world.lookup("Pluto");  // the null entity
    std::printf("%s, %s, %s\n", earth.name().c_str(), moon.name().c_str(),
                nobody ? "found" : "not found");
    std::printf("from the Sun: %s\n", moon.path_from(sun).c_str());
    // [/lookup]

    // [scope]
    sun.scope([&] {
        world.entity("Mars");                                       // a child of Sun
        std::printf("%s\n", world.lookup("Earth").path().c_str());  // looks here first
    });
    kith::entity previous = world.set_scope(earth);
    world.entity("Station");
    world.set_scope(previous);
    std::printf("%s\n", world.lookup("Sun::Earth::Station").path().c_str());
    // [/scope]

    // [rename]
    moon.set_name("Luna");
    moon.child_of(sun);  // the name moves along
    std::printf("%s\n", moon.path().c_str());
    moon.set_name(nullptr);  // no name any more
    std::printf("Luna: %s\n", world.lookup("Sun::Luna") ? "found" : "free");
    // [/rename]

    // [strings]
    const std::string wanted = "Ship" + std::to_string(7);
    auto ship = world.entity(wanted);  // std::string, std::string_view, const char*
    std::string label = "<" + ship.name() + ">";
    std::printf("%s, found: %s\n", label.c_str(), ship.name() == wanted ? "yes" : "no");
    ship.destruct();
    // [/strings]

    // [types]
    auto position = world.component<game::Position>();
    std::printf("%s, as text %s\n", position.path().c_str(), position.str().c_str());
    std::printf("found: %s\n", world.lookup("game.Position") == position ? "yes" : "no");
    // [/types]

    // [use]
    world.use<game::Position>();  // the last part of its name
    world.use("Sun::Earth", "Home");
    std::printf("%s, %s\n", world.lookup("Position").path().c_str(),
                world.lookup("Home").path().c_str());
    // [/use]

    // [with]
    auto planet = world.entity("Planet");
    planet.with([&] { world.entity("Venus"); });
    std::printf("Venus is a planet: %s\n", world.lookup("Venus").has(planet) ? "yes" : "no");
    // [/with]
}
