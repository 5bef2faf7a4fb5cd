// expect: the callback must take the query's components
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
    world.query<Position, Velocity>().each([](Position&) {});
}
