// expect: a pointer is no component: give the value that it points to
#include <kith/kith.hpp>

struct Node {
    int number;
};

int main() {
    kith::world world;
    Node* const pointers[2] = {};
    world.bulk(2, pointers);
}
