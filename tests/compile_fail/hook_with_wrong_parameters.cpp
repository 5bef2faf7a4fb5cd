// expect: a hook takes \(T&\), \(entity, T&\), \(iter&, T\*\)
#include <kith/kith.hpp>

struct Position {
    int x;
};

int main() {
    kith::world world;
    world.component<Position>().on_add([](const char*) {});
}
