// Differences between snapshots, and a history of edits with undo and redo.
#include <kith/diff.hpp>
#include <kith/kith.hpp>
#include <kith/reflect.hpp>

#include <cstdio>

namespace {

struct Health {
    int points = 0;
    float armor = 0;
};
struct Armed {};

}  // namespace

int main() {
    kith::world world;
    kith::reflect<Health>();
    auto likes = world.entity("Likes");
    auto alice = world.entity("Alice");
    auto bob = world.entity("Bob").set(Health{10, 1}).add(likes, alice);

    // [diff]
    kith::snapshot before = world.snapshot().take();
    bob.set(Health{7, 1}).add<Armed>().remove(likes, alice);
    kith::diff change(before, world);
    std::printf("%s", change.str().c_str());
    // [/diff]

    // [apply]
    kith::apply(world, change.invert());
    std::printf("points %d\n", bob.get<Health>()->points);
    kith::apply(world, change);
    std::printf("points %d\n", bob.get<Health>()->points);
    // [/apply]

    // [history]
    kith::history edits(world, {.steps = 100, .bytes = 16 << 20});
    {
        auto edit = edits.edit("Rename");
        bob.set_name("Robert");
    }
    {
        auto edit = edits.edit("Delete");
        bob.destruct();
    }
    edits.undo();
    std::printf("%s is alive\n", bob.name().c_str());
    edits.undo();
    std::printf("%s is alive\n", bob.name().c_str());
    edits.redo();
    std::printf("%s is alive\n", bob.name().c_str());
    // [/history]

    // [part]
    kith::snapshot armed = world.snapshot().take(world.query<const Armed>());
    bob.set(Health{1, 0});
    alice.set(Health{2, 0});
    armed.restore();
    std::printf("Robert %d, Alice %d\n", bob.get<Health>()->points, alice.get<Health>()->points);
    // [/part]
}
