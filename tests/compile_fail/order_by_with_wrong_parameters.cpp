// expect: the function must take \(const T&, const T&\), or with their entities
// lines: 30
#include <kith/kith.hpp>

struct Position {
    int x;
};

int main() {
    kith::world world;
    world.query_builder<Position>().order_by<Position>([](int a, int b) { return a < b; });
}
