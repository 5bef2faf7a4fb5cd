// Components and their values: adding, setting, reading, hooks, sparse storage.

#include <kith/kith.hpp>

#include <cstdio>
#include <memory>
#include <string>

struct Position {
    double x, y;
};
struct Velocity {
    double dx, dy;
};
struct Frozen {};
struct Selected {
    int order;
};

// [types]
struct Label {
    explicit Label(std::string given) : text(std::move(given)) {}  // no default constructor
    std::string text;
};
struct Engine {
    std::unique_ptr<int> power;  // can be moved, not copied
};
// [/types]

int main() {
    kith::world world;

    // [set]
    auto ship = world.entity();
    ship.set(Position{1, 2});                                  // adds, or assigns if it is there
    ship.add<Velocity>();                                      // a default value: zero
    ship.add<Frozen>();                                        // a tag: no value
    ship.emplace<Label>("Hull");                               // constructs in place
    ship.set(Engine{std::make_unique<int>(9)});                // moves the value
    auto boat = world.entity(Position{5, 5}, Velocity{1, 0});  // two in one step
    // [/set]

    // [get]
    if (const Position* p = ship.get<Position>()) {
        std::printf("position %g,%g\n", p->x, p->y);
    }
    std::printf("boat is frozen: %s\n", boat.has<Frozen>() ? "yes" : "no");
    bool moved = boat.get([](Position& p, const Velocity& v) { p.x += v.dx; });
    std::printf("boat moved: %s, x is %g\n", moved ? "yes" : "no", boat.get<Position>()->x);
    // [/get]

    // [mutate]
    ship.get_mut<Position>()->x = 10;  // adds the component if it is missing
    ship.modified<Position>();         // tell those who listen
    ship.ensure<Velocity>().dx = 1;    // the same as a reference
    ship.remove<Velocity>();           // no effect if it is not there
    // [/mutate]

    // [disable]
    boat.disable<Position>();  // keeps the value, hides it from each()
    std::printf("has it: %s, enabled: %s\n", boat.has<Position>() ? "yes" : "no",
                boat.enabled<Position>() ? "yes" : "no");
    boat.enable<Position>();
    // [/disable]

    // [ref]
    auto position = ship.get_ref<Position>();
    ship.remove<Frozen>();  // the entity moves to another table
    position->y = 7;        // the ref finds the value again
    std::printf("y is %g\n", ship.get<Position>()->y);
    // [/ref]

    // [hooks]
    world.component<Label>()
        .on_add([](Label& label) { std::printf("add %s\n", label.text.c_str()); })
        .on_set([](Label& label) { std::printf("set %s\n", label.text.c_str()); })
        .on_remove([](kith::entity, Label& label) { std::printf("bye %s\n", label.text.c_str()); });
    boat.set(Label("Skiff"));
    boat.set(Label("Yacht"));
    boat.destruct();
    // [/hooks]

    // [sparse]
    world.component<Selected>().add(kith::Sparse);
    ship.set(Selected{1});
    const Selected* selected = ship.get<Selected>();
    ship.add<Frozen>();
    std::printf("still there: %s\n", selected == ship.get<Selected>() ? "yes" : "no");
    // [/sparse]
}
