// The program that the tests of the debugger scripts stop: one world with everything that printers
// show. It stops in stop_in_scene(), in stop_in_callback() (an iterator) and in stop_in_hook() (a
// deferred world). The expected output is in scene.out, that of all stops in live.out.
#include <kith/kith.hpp>

#include <string>

namespace game {

struct Position {
    float x, y;
};
struct Cargo {
    char what[8];
    int tons;
};
struct Damaged {};
struct Trades {
    int tons;
};
struct Shield {
    int strength;
};
struct Trust {
    double level;
};
enum class Mood { calm, angry };

}  // namespace game

// Handles of each type. Debuggers read them by their names.
struct scene {
    kith::entity ship, earth, moon, deep, wide, instance, base, mooded, renamed;
    kith::entity dead, null, without_world;
    kith::entity_view view;
    kith::observer observer;
    kith::component<game::Position> component;
    kith::untyped_component untyped;
    kith::id pair, wildcard, mark, dead_pair;
    kith::world* world;
    kith::world* no_world;
    kith::table table, no_table;
    kith::table_range range;
    kith::query<game::Position> cached;
    kith::filter<game::Position> uncached;
    kith::query<> no_query, orphan;
    kith::ref<game::Position> ref;
    kith::ref<game::Shield> sparse_ref;
    kith::string text;
    kith::string_view text_view;
    kith::error* error;
    kith::entity random;  // overwritten by the test with random bytes
};

// The places where the tests stop the program; their arguments stay alive.
[[gnu::noinline, gnu::used]] void stop_in_scene(kith::world& world, scene& all);
[[gnu::noinline, gnu::used]] void stop_in_callback(kith::iter& it);
[[gnu::noinline, gnu::used]] void stop_in_hook(kith::world& world, kith::entity entity,
                                               game::Shield& value);

void stop_in_scene(kith::world& world, scene& all) {
    asm volatile("" : : "r"(&world), "r"(&all) : "memory");
}
void stop_in_callback(kith::iter& it) {
    asm volatile("" : : "r"(&it) : "memory");
}
void stop_in_hook(kith::world& world, kith::entity entity, game::Shield& value) {
    asm volatile("" : : "r"(&world), "r"(&entity), "r"(&value) : "memory");
}

static void make_hierarchy(kith::world& world, scene& all) {
    kith::entity at = world.entity("Sun");
    all.earth = world.entity("Earth").child_of(at);
    all.moon = world.entity("Moon").child_of(all.earth);
    for (int level = 0; level < 200; ++level) {
        const std::string name = "level" + std::to_string(level);
        at = level == 0 ? world.entity("deep") : world.entity(name.c_str()).child_of(at);
    }
    all.deep = at;
}

static void make_ship(kith::world& world, scene& all) {
    kith::entity docked_to = world.entity("DockedTo");
    all.ship = world.entity("Ship")
                   .set(game::Position{100, 40})
                   .set(game::Cargo{"tea", 12})
                   .add<game::Damaged>()
                   .set<game::Trades>(all.earth, {7})
                   .add(docked_to, all.earth);
    all.ship.disable<game::Cargo>();
    all.pair = kith::id(docked_to, all.earth);
    all.wildcard = kith::id(world, kith::make_pair(docked_to, kith::Wildcard));
    all.mark = kith::id(world, kith::Override | world.id<game::Position>());
}

// Values and links outside of tables.
static void add_sparse(kith::world& world, scene& all) {
    world.component<game::Shield>().add(kith::Sparse);
    world.component<game::Trust>().add(kith::Sparse);
    kith::entity near = world.entity("Near").add(kith::Sparse).add(kith::Exclusive);
    all.ship.set(game::Shield{55}).add(near, all.moon);
    all.ship.set<game::Trust>(all.earth, {0.25}).set<game::Trust>(all.moon, {0.5});
    all.ship.set<game::Trust>(world.entity("Mars"), {0.75});
}

static void make_others(kith::world& world, scene& all) {
    all.wide = world.entity("Wide");
    for (int i = 0; i < 100; ++i) {
        all.wide.add(world.entity());
    }
    all.base = world.prefab("Base").set(game::Position{1, 2}).add(all.mark);
    all.instance = world.entity().is_a(all.base);
    all.mooded = world.entity("Mooded").set(game::Mood::angry);
    all.renamed = world.entity("Before");
    all.renamed.set_name("After");
    all.without_world = kith::entity(kith::entity_t{4711});
    all.view = all.moon;
    all.component = world.component<game::Position>();
    all.untyped = world.component<game::Damaged>();
    all.observer =
        world.observer<game::Position>("Watcher").event(kith::OnSet).iter([](kith::iter& it) {
            stop_in_callback(it);
        });
    all.dead = world.entity();
    all.dead_pair = kith::id(all.pair.first(), all.dead);
    all.dead.destruct();
}

static void make_queries(kith::world& world, scene& all) {
    all.table = all.ship.table();
    all.range = all.ship.range();
    all.cached = world.query<game::Position>();
    all.cached.count();
    all.uncached = world.filter<game::Position>();
    all.ref = all.ship.get_ref<game::Position>();
    all.sparse_ref = all.ship.get_ref<game::Shield>();
    all.text = all.moon.path();
    all.text_view = all.moon.name();
}

int main() {
    scene all;
    static kith::error error(kith::errc::locked, "the table is locked");
    all.error = &error;
    kith::world no_world(nullptr);
    all.no_world = &no_world;
    {
        kith::world ended;
        all.orphan = ended.query_builder<>().with(kith::Prefab).build();
    }
    kith::world world;
    all.world = &world;
    make_hierarchy(world, all);
    make_ship(world, all);
    add_sparse(world, all);
    make_others(world, all);
    make_queries(world, all);
    stop_in_scene(world, all);
    all.ship.set(game::Position{3, 4});
    world.component<game::Shield>().on_set([&world](kith::entity entity, game::Shield& value) {
        world.entity("Made by a hook");
        stop_in_hook(world, entity, value);
    });
    all.ship.set(game::Shield{66});
}
