// expect: each_source calls func\(entity\)
#include <kith/kith.hpp>

int main() {
    kith::world world;
    world.entity().each_source(kith::ChildOf, [](kith::entity, int) {});
}
