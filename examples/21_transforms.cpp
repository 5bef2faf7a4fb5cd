// A transform hierarchy: where things are in the world follows from where they are in their
// parents. Parents come first (cascade), and only what moved is worked out again (change
// detection).

#include <kith/kith.hpp>

#include <cstdio>

// [components]
struct Local {  // place in the parent
    float x, y;
};
struct Placed {  // place in the world, and the frame in which it was last worked out
    float x, y;
    int frame;
};
// [/components]

class transforms {
public:
    explicit transforms(kith::world& world)
        // [query]
        // What is to be placed, parents before their children. Changes are told apart row by row:
        // trees share tables. It does not ask for places, so it does not see that they change.
        : moved_(world.query_builder<const Local>()
                     .with<Local>()
                     .parent()
                     .cascade()
                     .optional()
                     .track_rows()
                     .build()) {}
    // [/query]

    // The number of places that were worked out.
    int update() {
        // [update]
        if (!moved_.changed()) {
            return 0;  // nothing was touched: no row is looked at
        }
        ++frame_;
        placed_ = 0;
        moved_.iter([&](kith::iter& it) {
            for (auto row : it) {
                if (it.changed(row)) {
                    place(it.entity(row));
                }
            }
        });
        return placed_;
        // [/update]
    }

private:
    // [place]
    // An entity that moved, and all that is below it. No other is looked at.
    void place(kith::entity one) {
        Placed* placed = one.get_mut<Placed>();
        if (placed->frame == frame_) {
            return;  // a parent that moved, too, was here before
        }
        const Local& local = *one.get<Local>();
        const Placed* parent = one.parent() ? one.parent().get<Placed>() : nullptr;
        *placed = {local.x + (parent ? parent->x : 0), local.y + (parent ? parent->y : 0), frame_};
        one.modified<Placed>();
        ++placed_;
        one.children([&](kith::entity child) {
            if (child.has<Local>()) {
                place(child);
            }
        });
    }
    // [/place]

    kith::query<const Local> moved_;
    int frame_ = 0;
    int placed_ = 0;
};

int main() {
    kith::world world;
    // What has a place in its parent has one in the world.
    world.component<Local>().add(kith::With, world.component<Placed>());
    transforms places(world);
    // Somebody else who wants to know which places are new.
    auto drawn = world.query_builder<const Placed>().track_rows().build();
    auto update = [&](const char* what) {
        const int placed = places.update();
        int draw = 0;
        drawn.each(
            [&](kith::iter& it, std::size_t row, const Placed&) { draw += it.changed(row); });
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
    update("a turret on another ship, so anything may have moved");
    const Placed* placed = gun.get<Placed>();
    std::printf("the gun is at %.1f, %.1f\n", placed->x, placed->y);
    // [/run]
}
