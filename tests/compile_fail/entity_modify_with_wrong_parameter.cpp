// expect: modify<T> calls func\(T&\)
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
    world.entity().modify<Position>([](Velocity&) {});
}
