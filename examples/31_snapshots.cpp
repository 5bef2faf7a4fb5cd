// Snapshots: a copy of the world, to which it can return any number of times; a rollback loop.
#include <kith/diff.hpp>
#include <kith/kith.hpp>

#include <cstdio>

struct Position {
    int x = 0;
};
struct Velocity {
    int x = 0;
};
struct Crate {};

namespace {

// [frame]
// One frame of a small simulation: everything moves, and every third frame drops a crate.
void run_frame(const kith::world& world, int frame, int push) {
    world.query<Position, const Velocity>().each(
        [&](Position& position, const Velocity& velocity) { position.x += velocity.x + push; });
    if (frame % 3 == 0) {
        world.entity().add<Crate>().set(Position{frame});
    }
}
// [/frame]

void show(const kith::world& world, const char* when) {
    int sum = 0;
    world.each([&](const Position& position) { sum += position.x; });
    std::printf("%s: %d crates, positions add up to %d\n", when, world.count<Crate>(), sum);
}

}  // namespace

int main() {
    kith::world world;
    auto ship = world.entity("ship").set(Position{0}).set(Velocity{2});

    // [take]
    kith::snapshot start = world.snapshot().take();
    ship.set(Position{100}).set_name("wreck");
    start.restore();
    std::printf("%s at %d\n", ship.name().c_str(), ship.get<Position>()->x);
    // [/take]

    // [rollback]
    // A late message says that frame 4 had another push: the world returns to the beginning of
    // that frame, and the frames since then run again.
    kith::rollback ring(world, 8);
    int pushes[8] = {};
    for (int frame = 0; frame < 8; ++frame) {
        ring.save(static_cast<std::uint64_t>(frame));
        run_frame(world, frame, pushes[frame]);
    }
    show(world, "before the message");
    pushes[4] = 10;
    ring.load(4);
    for (int frame = 4; frame < 8; ++frame) {
        ring.save(static_cast<std::uint64_t>(frame));
        run_frame(world, frame, pushes[frame]);
    }
    show(world, "after the message ");
    // [/rollback]

    // [open]
    kith::world other = start.open();
    show(other, "another world     ");
    // [/open]
}
