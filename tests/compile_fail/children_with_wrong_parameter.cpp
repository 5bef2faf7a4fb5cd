// expect: the callback must take these arguments
// lines: 30
#include <kith/kith.hpp>

struct Position {
    int x;
};

int main() {
    kith::world world;
    world.entity().children([](Position&) {});
}
