// expect: an empty type is a tag: add it, it has no value to set
#include <kith/kith.hpp>

struct Hot {};

int main() {
    kith::world world;
    world.prefab().set_override(Hot{});
}
