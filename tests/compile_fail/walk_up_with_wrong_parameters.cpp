// expect: walk_up calls func\(entity\) or func\(entity, depth\)
#include <kith/kith.hpp>

int main() {
    kith::world world;
    world.entity().walk_up(kith::ChildOf, [](const char*) {});
}
