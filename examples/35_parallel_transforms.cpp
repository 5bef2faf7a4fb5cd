// A transform hierarchy on several threads: a split system with cascade computes all entities of
// one depth before those of the next, so that a parent is in place before its children.
#include <kith/kith.hpp>

#include <cstdio>

namespace {

struct Local {  // place in the parent
    float x = 0, y = 0;
};
struct Placed {  // place in the world
    float x = 0, y = 0;
};

// Ships with four turrets each, and a gun on each turret. Returns the last gun.
kith::entity build_fleet(kith::world& world, int ships) {
    kith::entity gun;
    for (int i = 0; i < ships; ++i) {
        kith::entity ship = world.entity().set(Local{static_cast<float>(i), 0}).add<Placed>();
        for (int t = 0; t < 4; ++t) {
            kith::entity turret = world.entity().child_of(ship);
            turret.set(Local{static_cast<float>(t), 1}).add<Placed>();
            gun = world.entity().child_of(turret).set(Local{0, 0.5f}).add<Placed>();
        }
    }
    return gun;
}

// The hash of a world of so many ships after three frames.
std::uint64_t simulate(int threads, int ships) {
    kith::world world;
    world.set_threads(threads);
    world.system<Local>("Drift").multi_threaded().each([](Local& local) { local.x += 0.5f; });
    // [transforms]
    world.system<const Local, Placed, const Placed*>("Place")
        .kind(kith::PostUpdate)
        .arg(3)
        .parent()
        .cascade()
        .multi_threaded()
        .each([](const Local& local, Placed& here, const Placed* parent) {
            here = {local.x + (parent ? parent->x : 0), local.y + (parent ? parent->y : 0)};
        });
    // [/transforms]
    kith::entity gun = build_fleet(world, ships);
    for (int frame = 0; frame < 3; ++frame) {
        world.progress(1);
    }
    const Placed* placed = gun.get<Placed>();
    std::printf("%d threads: the last gun is at %g, %g\n", threads, placed->x, placed->y);
    return world.hash();
}

}  // namespace

int main() {
    const std::uint64_t one = simulate(1, 2'000);
    std::printf("%s\n", simulate(4, 2'000) == one ? "the same world" : "another world");
    return 0;
}
