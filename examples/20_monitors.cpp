// Monitors: told when results of a query begin and cease to hold.
#include <kith/kith.hpp>

#include <cstdio>

struct Ship {};
struct Planet {};
struct Broken {};
struct DockedTo {};
struct Cargo {
    int tons = 0;
};

int main() {
    kith::world world;
    auto earth = world.entity("earth").add<Planet>();
    auto mars = world.entity("mars").add<Planet>();
    auto eagle = world.entity("eagle").add<Ship>();

    // [watch]
    auto docked =
        world.query_builder<Ship>().with<DockedTo>("$place").with<Planet>().src("$place").build();
    kith::monitor watch = docked.monitor([](kith::iter& it) {
        const bool began = it.event() == kith::OnAdd;
        for (auto row : it) {
            std::printf("%s %s %s\n", it.entity(row).name().c_str(), began ? "is at" : "has left",
                        it.get_var("place").name().c_str());
        }
    });
    eagle.add<DockedTo>(mars);
    eagle.remove<DockedTo>(mars);
    // [/watch]

    // [sides]
    auto loads = world.query<Ship, const Cargo>();
    auto known = loads.on_enter([](kith::iter& it) { std::printf("%zu with cargo\n", it.count()); },
                                kith::yield_existing);
    auto lost = loads.on_leave([](kith::iter& it) {
        auto cargo = it.field<const Cargo>(2);
        for (auto row : it) {
            std::printf("%s had %d t\n", it.entity(row).name().c_str(), cargo[row].tons);
        }
    });
    world.defer([&] {
        world.entity("viking").add<Ship>().set(Cargo{20});
        world.entity("soyuz").add<Ship>().set(Cargo{7});
    });
    world.entity("soyuz").destruct();
    // [/sides]

    // [scope]
    auto safe = world.query_builder<Planet>()
                    .none([](auto& scope) {
                        scope.template with<DockedTo>("$this").src("$ship");
                        scope.template with<Broken>().src("$ship");
                    })
                    .build();
    auto alarm = safe.on_leave([](kith::iter& it) {
        std::printf("%s is not safe any more\n", it.entity(0).name().c_str());
    });
    eagle.add<DockedTo>(earth);
    eagle.add<Broken>();
    // [/scope]

    // [observer]
    world.observer<Ship>().event(kith::Monitor).each([](kith::iter& it, std::size_t row, Ship&) {
        std::printf("%s: %s\n", it.event().name().c_str(), it.entity(row).name().c_str());
    });
    world.entity("titan").add<Ship>();
    world.entity("titan").disable();
    // [/observer]
    return 0;
}
