// expect: name the components where parameters are auto
// lines: 30
#include <kith/kith.hpp>

int main() {
    kith::world world;
    world.each([](auto&) {});
}
