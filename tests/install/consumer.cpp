// The smallest program that needs kith's headers and its library.
#include <kith/kith.hpp>

struct Position {
    double x, y;
};

int main() {
    kith::world world;
    auto ship = world.entity().set(Position{3, 4});
    const Position* position = ship.get<Position>();
    return position != nullptr && position->x == 3 && position->y == 4 ? 0 : 1;
}
