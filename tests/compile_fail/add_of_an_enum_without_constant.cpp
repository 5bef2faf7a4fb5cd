// expect: an enum is added with its constant
#include <kith/kith.hpp>

enum class State { Idle, Run };

int main() {
    kith::world world;
    world.entity().add<State>();
}
