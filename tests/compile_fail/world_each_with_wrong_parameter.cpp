// expect: parameter_of_each<3, (struct )?Velocity ?&&>
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
    world.each([](kith::entity, Position&, Velocity&&) {});
}
