// expect: an empty type is a tag: it has no value to get
#include <kith/kith.hpp>

struct Hot {};

int main() {
    kith::world world;
    return world.entity().get<Hot>() != nullptr;
}
