// Time and timers: systems that run at intervals, chains of rates, fixed steps with interpolation,
// scaled and paused time.

#include <kith/kith.hpp>

#include <cstdio>

struct Position {
    float x;
};
struct Velocity {
    float x;
};

namespace {

void intervals() {
    // [interval]
    kith::world world;
    world.system("Beat").interval(0.5f).iter(
        [](kith::iter& it) { std::printf("beat after %g s\n", it.delta_system_time()); });
    for (int frame = 0; frame < 4; ++frame) {
        world.progress(0.25f);
    }
    // [/interval]
}

void shared_timers() {
    // [timer]
    kith::world world;
    kith::timer second = world.timer("Second").interval(1);
    kith::timer minute = world.timer("Minute").rate(60, second);

    world.system("Clock").tick_source(second).iter([](kith::iter&) { std::printf("tick\n"); });
    world.system("Autosave").tick_source(minute).iter([](kith::iter&) { std::printf("saved\n"); });
    // [/timer]
    for (int i = 0; i < 2; ++i) {
        world.progress(1);
    }
    second.stop();
    world.progress(1);
}

void rates() {
    // [rate]
    kith::world world;
    int frames = 0;
    kith::system third = world.system("EveryThird").rate(3).iter([&](kith::iter&) {
        std::printf("frame %d\n", frames);
    });
    world.system("EverySixth").rate(third, 2).iter([&](kith::iter&) {
        std::printf("frame %d, as well\n", frames);
    });
    for (frames = 1; frames <= 6; ++frames) {
        world.progress(0.1f);
    }
    // [/rate]
}

void fixed_steps() {
    // [fixed]
    kith::world world;
    kith::phase physics = world.phase("Physics").depends_on(kith::OnUpdate).fixed(0.1).max_steps(4);

    world.system<Position, const Velocity>("Move").kind(physics).each(
        [](kith::iter& it, std::size_t, Position& p, const Velocity& v) {
            p.x += v.x * it.delta_time();  // always 0.1
        });
    world.entity("Ball").set(Position{0}).set(Velocity{10});

    world.progress(0.25f);  // two steps, and half of one is left over
    std::printf("x = %g, alpha = %g\n", world.lookup("Ball").get<Position>()->x, physics.alpha());
    // [/fixed]
    // [dropped]
    world.progress(10);  // no more than four steps: the rest is dropped
    const kith::FixedStep& account = *physics.get<kith::FixedStep>();
    std::printf("%lld steps, %g s dropped\n", static_cast<long long>(account.steps),
                static_cast<double>(account.dropped) / 1e9);
    // [/dropped]
}

void scaled() {
    // [scale]
    kith::world world;
    kith::timer raw = world.timer().interval(1);
    kith::timer slow = world.timer().interval(1).scaled();
    world.set_time_scale(0.5f);
    world.progress(1);
    std::printf("systems see %g s; raw %d, scaled %d\n", world.delta_time(),
                raw.get<kith::TickSource>()->tick, slow.get<kith::TickSource>()->tick);

    world.pause();
    world.progress(1);  // runs PreFrame and PostFrame
    world.step_frames(1);
    world.progress(1);  // one frame, then it stands still again
    std::printf("%g s have passed\n", world.get_info()->world_time_total_raw);
    // [/scale]
}

}  // namespace

int main() {
    intervals();
    shared_timers();
    rates();
    fixed_steps();
    scaled();
}
