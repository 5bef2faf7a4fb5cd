// expect: a module is made from the world: it needs a constructor M\(kith::world&\)
#include <kith/kith.hpp>

struct Physics {};

int main() {
    kith::world world;
    world.import <Physics>();
}
