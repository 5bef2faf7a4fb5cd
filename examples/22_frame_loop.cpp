// A frame loop: input, simulation in fixed steps, reactions, drawing. Queries and observers are
// made once; each frame runs them in an order that the program decides.

#include <kith/kith.hpp>

#include <cstdio>

// [components]
struct Position {
    float x;
};
struct Velocity {
    float x;
};
struct Lifetime {
    float seconds;
};
struct Time {  // a singleton: what every step may read
    float step;
    int frame;
};
struct Expired {};  // the event that a shot emits when its time is over
// [/components]

// [game]
class game {
public:
    explicit game(kith::world& world)
        : world_(world),
          moving_(world.query<Position, const Velocity>()),
          aging_(world.query<Lifetime>()),
          drawn_(world.query<const Position>()) {
        world.set(Time{0.25f, 0});
        world.observer<const Position>().event<Expired>().each(
            [](kith::entity e, const Position& at) {
                std::printf("  %s fizzles out at %g\n", e.name().c_str(), at.x);
            });
    }

    // One frame. `elapsed` is what the clock of the program says.
    void update(float elapsed) {
        unused_ += elapsed;
        const float step = world_.get<Time>()->step;
        for (; unused_ >= step; unused_ -= step) {  // fixed steps: the same on every machine
            world_.ensure<Time>().frame += 1;
            simulate(step);
        }
        draw();
    }

private:
    void simulate(float step) const;
    void draw() const;

    kith::world& world_;
    kith::query<Position, const Velocity> moving_;
    kith::query<Lifetime> aging_;
    kith::query<const Position> drawn_;
    float unused_ = 0;
};
// [/game]

// [simulate]
void game::simulate(float step) const {
    moving_.each([&](Position& p, const Velocity& v) { p.x += v.x * step; });
    // Deletion changes tables that the loop stands on, so it waits until the loop is over.
    world_.defer([&] {
        aging_.each([&](kith::entity e, Lifetime& left) {
            left.seconds -= step;
            if (left.seconds <= 0) {
                world_.event<Expired>().id<Position>().entity(e).emit();
                e.destruct();
            }
        });
    });
}
// [/simulate]

// [draw]
void game::draw() const {
    std::printf("frame %d:", world_.get<Time>()->frame);
    if (drawn_.changed()) {
        drawn_.each([](kith::entity e, const Position& p) {
            std::printf(" %s at %g", e.name().c_str(), p.x);
        });
    } else {
        std::printf(" as before");
    }
    std::printf("\n");
}
// [/draw]

int main() {
    // [main]
    kith::world world;
    game pong(world);
    world.entity("Wall").set(Position{10});
    world.entity("Shot").set(Position{0}).set(Velocity{4}).set(Lifetime{0.5f});
    for (float elapsed : {0.25f, 0.0f, 0.25f, 0.5f}) {
        pong.update(elapsed);
    }
    // [/main]
}
