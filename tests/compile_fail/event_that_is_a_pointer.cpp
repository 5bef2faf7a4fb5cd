// expect: a pointer is no component: give the value that it points to
#include <kith/kith.hpp>

struct Hit {
    int damage;
};

int main() {
    kith::world world;
    Hit hit{7};
    world.entity().emit(&hit);
}
