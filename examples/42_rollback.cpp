// Rollback: a client predicts frames without the input of another player, and runs them again when
// the input arrives late.
#include <kith/diff.hpp>
#include <kith/kith.hpp>

#include <cstdint>
#include <cstdio>
#include <memory>

namespace {

struct Position {
    int x = 0;
};
struct Velocity {
    int x = 0;
};
// The push of each player in the current frame.
struct Input {
    int push = 0;
};
// A voice of the sound card: it cannot be copied, and is no part of the game's state.
struct Voice {
    std::unique_ptr<int> channel;
};

void show(const kith::world& world, const char* when) {
    std::printf("%s: frame %lld", when,
                static_cast<long long>(world.get_info()->frame_count_total));
    world.each([](kith::entity e, const Position& p) {
        std::printf(", %s at %d", e.name().c_str(), p.x);
    });
    std::printf("\n");
}

}  // namespace

int main() {
    kith::world world;
    // [transient]
    world.component<Voice>().add(kith::Transient);
    // [/transient]
    world.system<Velocity, const Input>("Steer").each(
        [](Velocity& v, const Input& input) { v.x += input.push; });
    world.system<Position, const Velocity>("Move").each(
        [](Position& p, const Velocity& v) { p.x += v.x; });
    kith::entity here = world.entity("here").set(Position{}).set(Velocity{1}).set(Input{});
    kith::entity there = world.entity("there").set(Position{}).set(Velocity{1}).set(Input{});
    here.set(Voice{std::make_unique<int>(3)});

    // [loop]
    kith::rollback ring(world, 8);
    int pushes[12] = {};
    auto run_frame = [&](int frame) {
        ring.save(static_cast<std::uint64_t>(frame));
        there.set(Input{pushes[frame]});
        world.progress(0.0625f);
    };
    for (int frame = 0; frame < 10; ++frame) {
        run_frame(frame);
    }
    show(world, "predicted");
    // The other player pushed in frame 4: the world returns to its beginning, and the frames since
    // then run again.
    pushes[4] = 10;
    if (ring.load(4)) {
        for (int frame = 4; frame < 10; ++frame) {
            run_frame(frame);
        }
    }
    show(world, "corrected");
    // [/loop]

    std::printf("the voice is on channel %d\n", *here.get<Voice>()->channel);
    std::printf("frame 1 is %s\n", ring.load(1) ? "kept" : "not kept");
}
