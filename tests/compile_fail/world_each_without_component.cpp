// expect: name the component: each<T>\(func\(entity\)\)
// lines: 30
#include <kith/kith.hpp>

int main() {
    kith::world world;
    world.each([](kith::entity) {});
}
