// Where a world's memory comes from, and how to look after it.

#include <kith/kith.hpp>
#include <kith/memory_resource.hpp>

#include <cstdio>
#include <memory_resource>

struct Position {
    double x, y;
};
struct Chases {};

int main() {
    // [arena]
    std::pmr::monotonic_buffer_resource arena;
    {
        kith::world world(kith::use_memory(arena));
        world.entity().set(Position{1, 2});
    }  // the world ends before its memory
    // [/arena]

    kith::world world;

    // [stats]
    for (int i = 0; i < 100; ++i) {
        world.entity().set(Position{0, 0}).add<Chases>(world.entity());
    }
    kith::world_stats full = world.stats();
    std::printf("rows take %s, entities %s\n", full.bytes_rows > 0 ? "memory" : "nothing",
                full.bytes_entities > 0 ? "too" : "nothing");
    // [/stats]

    // [shrink]
    world.delete_with<Position>();
    world.shrink();  // deletes empty tables, gives unused rows back
    kith::world_stats small = world.stats();
    std::printf("fewer tables: %s, less row memory: %s\n",
                small.tables < full.tables ? "yes" : "no",
                small.bytes_rows < full.bytes_rows ? "yes" : "no");
    // [/shrink]

    // [check]
    world.check();  // throws kith::error if the storage contradicts itself
    // [/check]

    // [reset]
    world.reset();  // everything is gone; same memory, same object
    std::printf("positions: %d\n", world.count<Position>());
    // [/reset]
}
