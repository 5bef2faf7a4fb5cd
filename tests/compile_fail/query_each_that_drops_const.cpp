// expect: the callback must take the query's components
#include <kith/kith.hpp>

struct Position {
    int x;
};

int main() {
    kith::world world;
    world.query<const Position>().each([](Position&) {});
}
