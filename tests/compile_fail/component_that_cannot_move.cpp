// expect: a component needs a move constructor and a destructor
#include <kith/kith.hpp>

struct Fixed {
    Fixed() = default;
    Fixed(Fixed&&) = delete;
    int value = 0;
};

int main() {
    kith::world world;
    world.entity().add<Fixed>();
}
