// The threads of a program: frames run on a job system that exists already, here oneTBB.
#include <kith/executor.hpp>
#include <kith/kith.hpp>

#include <cstdio>

#include <tbb/global_control.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

namespace {

// [adapter]
// Lends the threads of a oneTBB arena to worlds. Must outlive them.
class tbb_threads {
public:
    explicit tbb_threads(int threads) : arena_(threads) {}

    kith::executor executor() { return {capacity, start, finish, this}; }

private:
    static tbb_threads& of(void* context) { return *static_cast<tbb_threads*>(context); }
    // One place of the arena is that of the caller.
    static std::uint32_t capacity(void* context) {
        return static_cast<std::uint32_t>(of(context).arena_.max_concurrency() - 1);
    }
    static void start(void* context, std::uint32_t count, void (*work)(void*), void* argument) {
        tbb_threads& me = of(context);
        me.arena_.execute([&] {
            for (std::uint32_t i = 0; i < count; ++i) {
                me.group_.run([=] { work(argument); });
            }
        });
    }
    static void finish(void* context) {
        tbb_threads& me = of(context);
        me.arena_.execute([&] { me.group_.wait(); });
    }

    tbb::task_arena arena_;
    tbb::task_group group_;
};
// [/adapter]

struct Position {
    float x = 0;
};
struct Velocity {
    float x = 0;
};
struct Fragment {};

// The hash of a world after ten frames, on the threads of an executor or without threads.
std::uint64_t simulate(tbb_threads* threads) {
    kith::world world;
    // [use]
    if (threads) {
        world.set_executor(threads->executor());
    }
    // [/use]
    world.system<Position, const Velocity>("Move").multi_threaded().each(
        [](Position& p, const Velocity& v) { p.x += v.x; });
    world.system<const Position>("Break").multi_threaded().write<Fragment>().each(
        [](kith::entity e, const Position& p) {
            if (p.x > 30) {
                e.world().entity().add<Fragment>();
            }
        });
    for (int i = 0; i < 20'000; ++i) {
        world.entity().set(Position{static_cast<float>(i % 32)}).set(Velocity{0.25f});
    }
    for (int frame = 0; frame < 10; ++frame) {
        world.progress(1);
    }
    std::printf("%d threads, %d fragments\n", world.get_threads(),
                static_cast<int>(world.count<Fragment>()));
    return world.hash();
}

}  // namespace

int main() {
    // Four threads even where the machine has fewer.
    tbb::global_control limit(tbb::global_control::max_allowed_parallelism, 4);
    tbb_threads threads(4);
    const std::uint64_t on_four = simulate(&threads);
    std::printf("%s\n", simulate(nullptr) == on_four ? "the same world" : "another world");
    return 0;
}
