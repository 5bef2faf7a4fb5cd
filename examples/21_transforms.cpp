// A transform hierarchy: where things are in the world follows from where they are in their
// parents. Parents come first (cascade), and what did not move is not worked out again.

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
        // What is placed, its parent's place if it has one, parents before their children. Values
        // are told apart row by row: trees share tables.
        : moved_(world.query_builder<const Local, const Placed*, Placed>()
                     .arg(2)
                     .parent()
                     .cascade()
                     .track_rows()
                     .build()) {}
    // [/query]

    // The number of places that were worked out.
    int update() {
        // [update]
        if (!moved_.changed()) {
            return 0;  // nothing was touched: no row is looked at
        }
        int updated = 0;
        ++frame_;
        moved_.each([&](kith::iter& it, std::size_t row, const Local& local, const Placed* parent,
                        Placed& placed) {
            // The query does not see what it writes itself, so a moved parent leaves a note.
            const bool parent_moved = parent && parent->frame == frame_;
            if (!it.changed(row) && !parent_moved) {
                return;  // neither it, nor anything above it
            }
            placed = {local.x + (parent ? parent->x : 0), local.y + (parent ? parent->y : 0),
                      frame_};
            ++updated;
        });
        return updated;
        // [/update]
    }

private:
    kith::query<const Local, const Placed*, Placed> moved_;
    int frame_ = 0;
};

int main() {
    kith::world world;
    transforms places(world);

    // [tree]
    // Three ships with four turrets each, and a gun on each turret.
    kith::entity ships[3];
    kith::entity turret, gun;
    for (kith::entity& ship : ships) {
        ship = world.entity().set(Local{100, 0}).add<Placed>();
        for (int i = 0; i < 4; ++i) {
            turret = world.entity().child_of(ship).set(Local{float(i), 1}).add<Placed>();
            gun = world.entity().child_of(turret).set(Local{0, 0.5f}).add<Placed>();
        }
    }
    // [/tree]

    // [run]
    std::printf("all is new: %d\n", places.update());
    std::printf("nothing moved: %d\n", places.update());
    gun.set(Local{0, 2});
    std::printf("one gun: %d\n", places.update());
    turret.set(Local{5, 1});
    std::printf("a turret and its gun: %d\n", places.update());
    ships[0].set(Local{200, 0});
    std::printf("a ship and all on it: %d\n", places.update());
    turret.child_of(ships[0]);
    std::printf("a turret on another ship, so anything may have moved: %d\n", places.update());
    const Placed* placed = gun.get<Placed>();
    std::printf("the gun is at %.1f, %.1f\n", placed->x, placed->y);
    // [/run]
}
