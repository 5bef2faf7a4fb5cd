// Change detection: doing work only where something has changed.

#include <kith/kith.hpp>

#include <cstdio>

struct Position {
    float x, y;
};
struct Velocity {
    float x, y;
};
struct Ship {};

int main() {
    kith::world world;
    for (int i = 0; i < 3; ++i) {
        world.entity().set(Position{0, 0}).set(Velocity{1, 0});
    }
    auto ship = world.entity().set(Position{5, 5}).add<Ship>();

    // [changed]
    auto drawn = world.query<const Position>();
    auto draw = [&] {
        if (!drawn.changed()) {  // the first question makes the world count
            std::printf("nothing to draw\n");
            return;
        }
        drawn.iter([](kith::iter& it, const Position*) {
            if (it.changed()) {  // since the last time this table was iterated
                std::printf("draw %zu\n", it.count());
            }
        });
    };
    draw();
    draw();
    ship.set(Position{6, 5});
    draw();
    // [/changed]

    // [writing]
    auto moving = world.query<Position, const Velocity>();
    bool paused = true;
    auto move = [&] {
        moving.iter([&](kith::iter& it, Position* p, const Velocity* v) {
            if (paused) {
                it.skip();  // nothing was written here
                return;
            }
            for (auto row : it) {
                p[row].x += v[row].x;
            }
        });
    };
    move();
    draw();
    paused = false;
    move();
    draw();
    // [/writing]

    // [behind]
    ship.get_mut<Position>()->x = 7;  // nobody can know
    draw();
    ship.modified<Position>();
    draw();
    // [/behind]

    // [rows]
    auto single = world.query_builder<const Position>().track_rows().build();
    auto show = [&] {
        int changed = 0;
        single.each(
            [&](kith::iter& it, std::size_t row, const Position&) { changed += it.changed(row); });
        std::printf("%d rows changed\n", changed);
    };
    show();
    moving.first().set(Position{9, 9});
    show();
    // [/rows]

    // [each_changed]
    auto sent = world.query<const Position>();
    auto send = [&] {
        sent.each_changed([](kith::entity, const Position& p) {
            std::printf("send %d %d\n", int(p.x), int(p.y));
        });
    };
    send();  // the first time: all
    moving.first().set(Position{1, 2});
    send();
    // [/each_changed]
}
