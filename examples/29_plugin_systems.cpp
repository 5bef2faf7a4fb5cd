// A plugin that adds systems to a running world, replaces one of them, and leaves again. Here the
// plugin is a module in the same file; docs/manual/plugins.md says what a shared library needs.

#include <kith/kith.hpp>

#include <cstdio>

struct Cargo {
    int tons;
};

// [plugin]
// What a plugin exports: a function that gets the raw handle of the program's world.
struct Tolls {
    explicit Tolls(kith::world& world) {
        world.module<Tolls>();
        world.system<Cargo>("Collect").each([](kith::entity e, Cargo& cargo) {
            cargo.tons -= 1;
            std::printf("  %s pays a ton, %d left\n", e.name().c_str(), cargo.tons);
        });
    }
};
static void load_plugin(kith::world_t* raw) {
    kith::world(raw).import <Tolls>();
}
// [/plugin]

int main() {
    // [run]
    kith::world world;
    world.entity("Hauler").set(Cargo{10});
    world.system<const Cargo>("Report").each([](kith::entity e, const Cargo& cargo) {
        std::printf("  %s has %d tons\n", e.name().c_str(), cargo.tons);
    });
    std::printf("frame 1\n");
    world.progress(1);

    load_plugin(world.c_ptr());
    std::printf("frame 2\n");
    world.progress(1);

    // The same name again replaces the callback; the place in the order and timers stay.
    world.system<Cargo>("Tolls::Collect").each([](Cargo& cargo) {
        cargo.tons -= 2;
        std::printf("  two tons now\n");
    });
    std::printf("frame 3\n");
    world.progress(1);

    world.entity<Tolls>().destruct();  // systems end with their module
    std::printf("frame 4\n");
    world.progress(1);
    // [/run]
}
