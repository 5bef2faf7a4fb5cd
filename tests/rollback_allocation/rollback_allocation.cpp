// Counts the allocations of a rollback ring: a full ring of 8 frames of 100,000 moving entities
// saves and loads frames without any. A program of its own, because it replaces operator new.
//
// spec 574
#include <kith/diff.hpp>
#include <kith/kith.hpp>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>

namespace {

long allocations = 0;

struct Position {
    float x = 0;
    float y = 0;
    float z = 0;
};
struct Velocity {
    float x = 1;
    float y = 2;
    float z = 3;
};
struct Heat {
    int degrees = 0;
};
struct Team {};

constexpr int entity_count = 100000;
constexpr std::uint64_t ring_size = 8;

// All entities move. Some have names, a sparse value or a parent.
struct game {
    game() {
        world.component<Heat>().add(kith::Sparse);
        const kith::entity fleet = world.entity("fleet");
        for (int i = 0; i < entity_count; ++i) {
            kith::entity e = world.entity().set(Position{}).set(Velocity{});
            if (i % 1000 == 0) {
                e.set_name(("a ship with a long name, number " + std::to_string(i)).c_str());
                e.set(Heat{i}).child_of(fleet);
            }
            if (i % 2 == 0) {
                e.add<Team>();
            }
        }
        moving = world.query<Position, const Velocity>();
        hot = world.query<Heat>();
    }
    void run_frame() const {
        moving.each([](Position& p, const Velocity& v) {
            p.x += v.x;
            p.y += v.y;
            p.z += v.z;
        });
        hot.each([](Heat& heat) { ++heat.degrees; });
    }

    kith::world world;
    kith::query<Position, const Velocity> moving;
    kith::query<Heat> hot;
};

// Runs the frames up to `end`, and the last of them again; counts what saves and loads allocate.
long run(const game& played, kith::rollback& ring, std::uint64_t& frame, std::uint64_t end) {
    long counted = 0;
    auto count = [&](auto&& action) {
        const long before = allocations;
        action();
        counted += allocations - before;
    };
    auto run_to_end = [&] {
        for (; frame < end; ++frame) {
            count([&] { ring.save(frame); });
            played.run_frame();
        }
    };
    run_to_end();
    for (std::uint64_t back = 1; back <= ring_size; ++back) {
        count([&] { ring.load(end - back); });
        frame = end - back;
        run_to_end();
    }
    return counted;
}

}  // namespace

[[gnu::noinline]] void* operator new(std::size_t size, std::align_val_t alignment) {
    ++allocations;
    const auto step = static_cast<std::size_t>(alignment);
    void* made = std::aligned_alloc(step, (size / step + 1) * step);
    if (!made) {
        throw std::bad_alloc();
    }
    return made;
}
[[gnu::noinline]] void* operator new(std::size_t size) {
    return ::operator new(size, std::align_val_t(16));
}
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
    ++allocations;
    return std::malloc(size ? size : 1);
}
[[gnu::noinline]] void* operator new(std::size_t size, std::align_val_t alignment,
                                     const std::nothrow_t&) noexcept {
    return ::operator new(size, alignment);
}
[[gnu::noinline]] void operator delete(void* block) noexcept {
    std::free(block);
}
[[gnu::noinline]] void operator delete(void* block, std::size_t) noexcept {
    std::free(block);
}
[[gnu::noinline]] void operator delete(void* block, std::align_val_t) noexcept {
    std::free(block);
}
[[gnu::noinline]] void operator delete(void* block, std::size_t, std::align_val_t) noexcept {
    std::free(block);
}

int main() {
    const game played;
    kith::rollback ring(played.world, ring_size);
    std::uint64_t frame = 0;
    const long cold = run(played, ring, frame, 2 * ring_size);
    const long warm = run(played, ring, frame, 4 * ring_size);
    std::printf("allocations of saves and loads: %ld at first, %ld when the ring is warm\n", cold,
                warm);
    return cold > 0 && warm == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
