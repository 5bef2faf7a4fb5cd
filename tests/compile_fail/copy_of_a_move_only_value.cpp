// expect: this type cannot be copied: move the value
#include <kith/kith.hpp>

#include <memory>

struct Owner {
    std::unique_ptr<int> number;
};

int main() {
    kith::world world;
    const Owner owner{};
    world.entity().set(owner);
}
