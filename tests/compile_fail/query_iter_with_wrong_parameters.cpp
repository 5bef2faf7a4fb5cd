// expect: the callback must take \(iter&\) or \(iter&, T\*...\)
#include <kith/kith.hpp>

struct Position {
    int x;
};

int main() {
    kith::world world;
    world.query<Position>().iter([](kith::iter&, Position*, int*) {});
}
