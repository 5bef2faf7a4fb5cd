// expect: a pointer is no component: give the value that it points to
#include <kith/kith.hpp>

struct Node {
    int number;
};

int main() {
    kith::world world;
    Node node{7};
    Node* pointer = &node;
    world.entity().set(pointer);
}
