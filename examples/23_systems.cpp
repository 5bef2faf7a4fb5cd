// Systems: queries with a callback, run by frames in one order.
#include <kith/schedule.hpp>

#include <cstdio>

namespace {

struct Position {
    float x, y;
};
struct Velocity {
    float x, y;
};
struct Health {
    int value;
};
struct Dead {};
struct Settings {
    float gravity = 10;
};

void make_and_run() {
    kith::world world;
    // [make]
    world.system<Position, const Velocity>("Move").each(
        [](kith::iter& it, std::size_t, Position& p, const Velocity& v) {
            p.x += v.x * it.delta_time();
            p.y += v.y * it.delta_time();
        });
    kith::entity ship = world.entity("Ship").set<Position>({0, 0}).set<Velocity>({1, 2});
    world.progress(0.5f);
    // [/make]
    std::printf("%g %g\n", static_cast<double>(ship.get<Position>()->x),
                static_cast<double>(ship.get<Position>()->y));
}

void declare_access() {
    kith::world world;
    world.component<Dead>("Dead");
    // [access]
    world.system<const Health>("Kill").write<Dead>().each([](kith::entity e, const Health& h) {
        if (h.value <= 0) {
            e.add<Dead>();
        }
    });
    world.system("Bury").with<Dead>().each(
        [](kith::entity e) { std::printf("%s is buried\n", e.name().c_str()); });
    // [/access]
    world.entity("Ghost").set<Health>({0});
    world.progress(1);
}

void order() {
    kith::world world;
    // [order]
    world.system("Render").kind(kith::OnStore).each([] { std::puts("render"); });
    world.system("Move").each([] { std::puts("move"); });
    world.system("Input").before("Move").each([] { std::puts("input"); });
    // [/order]
    world.progress(1);
    // [explain]
    std::fputs(world.schedule().explain().c_str(), stdout);
    // [/explain]
}

void pipelines() {
    kith::world world;
    // [pipeline]
    kith::entity physics = world.entity("Physics");
    world.system("Collide").kind(physics).each([] { std::puts("collide"); });
    kith::entity pipeline = world.pipeline().with(kith::System).with(physics).build();
    world.run_pipeline(pipeline, 1);
    // [/pipeline]
}

void conditions() {
    kith::world world;
    world.component<Dead>("Dead");
    // [condition]
    world.system("Mourn").run_if("Dead").each([] { std::puts("mourn"); });
    // [/condition]
    world.progress(1);
    world.entity().add<Dead>();
    world.progress(1);
}

void settings() {
    kith::world world;
    // [settings]
    kith::system fall = world.system<Settings>("Fall").arg(1).src().name("Fall").each(
        [](Settings& s) { std::printf("gravity %g\n", static_cast<double>(s.gravity)); });
    fall.set<Settings>({20});
    fall.run();
    // [/settings]
}

}  // namespace

int main() {
    make_and_run();
    declare_access();
    order();
    pipelines();
    conditions();
    settings();
}
