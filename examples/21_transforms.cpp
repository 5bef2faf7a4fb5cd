// A transform hierarchy: where things are in the world follows from where they are in their
// parents. Parents come first (cascade), and only what moved is worked out again, with all that is
// below it (each_changed).

#include <kith/kith.hpp>

#include <cstdio>

// [components]
struct Local {  // place in the parent
    float x, y;
};
struct Placed {  // place in the world
    float x, y;
};
// [/components]

class transforms {
public:
    explicit transforms(kith::world& world)
        // [query]
        // The place in the parent, that in the world, and that of the parent if there is one.
        : moved_(world.query_builder<const Local, Placed, const Placed*>()
                     .arg(3)
                     .parent()
                     .cascade()
                     .build()) {}
    // [/query]

    // The number of places that were worked out.
    int update() {
        // [update]
        int placed = 0;
        moved_.each_changed([&](const Local& local, Placed& here, const Placed* parent) {
            here = {local.x + (parent ? parent->x : 0), local.y + (parent ? parent->y : 0)};
            ++placed;
        });
        return placed;
        // [/update]
    }

private:
    kith::query<const Local, Placed, const Placed*> moved_;
};

int main() {
    kith::world world;
    // What has a place in its parent has one in the world.
    world.component<Local>().add(kith::With, world.component<Placed>());
    transforms places(world);
    // Somebody else who wants to know which places are new.
    auto drawn = world.query<const Placed>();
    auto update = [&](const char* what) {
        const int placed = places.update();
        int draw = 0;
        drawn.each_changed([&](const Placed&) { ++draw; });
        std::printf("%s: %d placed, %d to draw\n", what, placed, draw);
    };

    // [tree]
    // Three ships with four turrets each, and a gun on each turret.
    kith::entity ships[3];
    kith::entity turret, gun;
    for (kith::entity& ship : ships) {
        ship = world.entity().set(Local{100, 0});
        for (int i = 0; i < 4; ++i) {
            turret = world.entity().child_of(ship).set(Local{float(i), 1});
            gun = world.entity().child_of(turret).set(Local{0, 0.5f});
        }
    }
    // [/tree]

    // [run]
    update("all is new");
    update("nothing moved");
    gun.set(Local{0, 2});
    update("one gun");
    turret.set(Local{5, 1});
    update("a turret and its gun");
    gun.set(Local{0, 3});
    turret.set(Local{6, 1});
    update("both moved");
    ships[0].set(Local{200, 0});
    update("a ship and all on it");
    turret.child_of(ships[0]);
    update("a turret on another ship");
    const Placed* placed = gun.get<Placed>();
    std::printf("the gun is at %.1f, %.1f\n", placed->x, placed->y);
    // [/run]
}
