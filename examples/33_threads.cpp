// Threads: systems that run at the same time, and the same world for any number of threads.
#include <kith/executor.hpp>
#include <kith/kith.hpp>

#include <cstdio>

namespace {

struct Position {
    float x = 0;
};
struct Velocity {
    float x = 0;
};
struct Health {
    int value = 0;
};
struct Spark {};

// A world with systems that use threads. The number of threads does not change what comes out.
std::uint64_t simulate(int threads) {
    kith::world world;
    // [make]
    world.set_threads(threads);
    world.system<Position, const Velocity>("Move").multi_threaded().each(
        [](Position& p, const Velocity& v) { p.x += v.x; });
    world.system<Health>("Heal").parallel().each([](Health& h) { h.value += 1; });
    // [/make]

    // [spawn]
    world.system<const Health>("Spawn").write<Spark>().multi_threaded().each(
        [](kith::entity e, const Health& h) {
            if (h.value % 7 == 0) {
                e.world().entity().add<Spark>();  // waits for the sync point
            }
        });
    // [/spawn]
    for (int i = 0; i < 1000; ++i) {
        world.entity().set<Position>({0}).set<Velocity>({1}).set<Health>({i});
    }
    for (int frame = 0; frame < 10; ++frame) {
        world.progress(1);
    }
    std::printf("%d sparks\n", static_cast<int>(world.count<Spark>()));
    return world.hash();
}

}  // namespace

int main() {
    const std::uint64_t one = simulate(1);
    std::printf("%s\n", simulate(4) == one ? "the same world" : "another world");
    return 0;
}
