// A program that fails if the library that it is linked with does not work.
#include <kith/kith.hpp>

struct Position {
    double x, y;
};

int main() {
    kith::world world;
    auto earth = world.entity("Earth").set(Position{3, 4});
    auto ship = world.entity("Ship").add(world.entity("DockedTo"), earth);
    return earth.get<Position>()->y == 4 && ship.target(world.lookup("DockedTo")) == earth ? 0 : 1;
}
