// expect: parameter_of_callback<2, (struct )?Position ?&, (struct )?Velocity>
// lines: 30
#include <kith/kith.hpp>

struct Position {
    int x;
};
struct Velocity {
    int x;
};

int main() {
    kith::world world;
    world.each<Position, Velocity>([](Position&, Position&) {});
}
