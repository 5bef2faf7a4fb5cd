// A tour of what kith can do. Each function is one stop and prints what it shows.

#include <kith/kith.hpp>

#include <cstdio>
#include <string>

struct Position {
    double x, y;
};
struct Velocity {
    double dx, dy;
};
struct Cargo {
    std::string what;
};
struct Trades {
    int tons;
};
struct Damaged {};  // no members: a tag
enum class Status { Idle, Flying, Docked };

static void title(const char* text) {
    std::printf("\n-- %s\n", text);
}

static const char* yes_no(bool value) {
    return value ? "yes" : "no";
}

static void entities() {
    title("Entities are ids; a handle of a dead one is never mistaken for a new one");
    kith::world world;
    auto first = world.entity();
    first.destruct();
    auto second = world.entity();
    std::printf("same index: %s, same id: %s, first is alive: %s\n",
                yes_no(kith::index_of(first) == kith::index_of(second)), yes_no(first == second),
                yes_no(first.is_alive()));
}

static void components() {
    title("Components can be any type that can be moved and destroyed");
    kith::world world;
    auto ship = world.entity(Position{1, 2}, Velocity{3, 4});  // both in one step
    ship.emplace<Cargo>("tea");
    ship.get([](Position& p, const Velocity& v) { p = {p.x + v.dx, p.y + v.dy}; });
    std::printf("position %g,%g, cargo %s\n", ship.get<Position>()->x, ship.get<Position>()->y,
                ship.get<Cargo>()->what.c_str());
    std::printf("Damaged? %s\n", yes_no(ship.has<Damaged>()));
    ship.remove<Velocity>();
    std::printf("now: %s\n", ship.type().str().c_str());
}

static void pairs() {
    title("Pairs of a relation and a target connect entities");
    kith::world world;
    auto docked_to = world.entity("DockedTo");
    auto earth = world.entity("Earth");
    auto ship = world.entity("Ship").add(docked_to, earth);
    std::printf("Ship has: %s\n", ship.type().str().c_str());
    std::printf("docked to %s\n", ship.target(docked_to).name().c_str());
    earth.destruct();  // takes the pair along
    std::printf("without Earth: %s\n", ship.type().str().c_str());
}

static void pair_values() {
    title("A pair can hold a value: the same component many times, once per target");
    kith::world world;
    auto earth = world.entity("Earth");
    auto mars = world.entity("Mars");
    auto ship = world.entity("Ship").set<Trades>(earth, {5}).set<Trades>(mars, {7});
    ship.each<Trades>([&](kith::entity planet) {
        std::printf("trades %d tons with %s\n", ship.get<Trades>(planet)->tons,
                    planet.name().c_str());
    });
    ship.remove<Trades>(earth);
    std::printf("with Earth: %s, with anyone: %s\n", yes_no(ship.has<Trades>(earth)),
                yes_no(ship.has<Trades>(kith::Wildcard)));
}

static void relationships() {
    title("Relationships have properties, and can be followed");
    kith::world world;
    auto orbits = world.relation("Orbits", {.exclusive = true, .acyclic = true});
    auto allied = world.relation("Allied", {.symmetric = true});
    auto sun = world.entity("Sun");
    auto earth = world.entity("Earth").add(orbits, sun);
    auto moon = world.entity("Moon").add(orbits, earth).add(allied, sun);
    std::printf("the sun is allied to %s\n", sun.target(allied).name().c_str());
    for (auto [depth, body] : sun.traverse(orbits)) {
        std::printf("%*s%s\n", depth * 2, "", body.name().c_str());
    }
    std::printf("depth of the moon: %d\n", moon.depth(orbits));
}

static void prefabs() {
    title("Instances share what their prefab has, and get copies of its children");
    kith::world world;
    auto freighter = world.prefab("Freighter").set(Cargo{"ore"});
    auto bridge = world.prefab("Bridge").child_of(freighter).slot();
    auto ship = world.entity("Ship").is_a(freighter);
    auto other = world.entity("Other").is_a(freighter).set(Cargo{"tea"});
    std::printf("cargo: %s and %s, own: %s and %s\n", ship.get<Cargo>()->what.c_str(),
                other.get<Cargo>()->what.c_str(), yes_no(ship.owns<Cargo>()),
                yes_no(other.owns<Cargo>()));
    std::printf("its bridge: %s\n", ship.target(bridge).path().c_str());
}

static void iteration() {
    title("Visit everything that has a component, a tag or a pair");
    kith::world world;
    world.entity("Ship").set(Position{1, 2}).add<Damaged>();
    world.entity("Buoy").set(Position{3, 4});
    world.each([](kith::entity e, const Position& p) {
        std::printf("%s is at %g,%g\n", e.name().c_str(), p.x, p.y);
    });
    world.each<Damaged>([](kith::entity e) { std::printf("%s is damaged\n", e.name().c_str()); });
}

static void queries() {
    title("A query finds entities by several terms, and hands out their values");
    kith::world world;
    world.entity("Ship").set(Position{1, 2}).set(Velocity{1, 0});
    world.entity("Wreck").set(Position{5, 5}).set(Velocity{0, 1}).add<Damaged>();
    world.entity("Buoy").set(Position{3, 4});
    auto moving = world.query_builder<Position, const Velocity>().without<Damaged>().build();
    moving.each([](kith::entity e, Position& p, const Velocity& v) {
        p = {p.x + v.dx, p.y + v.dy};
        std::printf("%s moves to %g,%g\n", e.name().c_str(), p.x, p.y);
    });
    auto by_x = world.query_builder<const Position>().order_by_desc(&Position::x).build();
    by_x.each([](kith::entity e, const Position&) { std::printf("%s ", e.name().c_str()); });
    std::printf("from right to left\n");
}

struct DockedTo {};
struct Allied {};

static void graph_queries() {
    title("Variables join entities: which ships are docked at an ally of whom?");
    kith::world world;
    auto mars = world.entity("Mars");
    auto earth = world.entity("Earth").add<Allied>(mars);
    world.entity("Eagle").add<DockedTo>(earth);
    world.entity("Viking").add<DockedTo>(mars);
    auto guests =
        world.query_builder().with<DockedTo>("$port").with<Allied>("$ally").src("$port").build();
    guests.each([](kith::iter& it, std::size_t row) {
        std::printf("%s is at %s, an ally of %s\n", it.entity(row).name().c_str(),
                    it.get_var("port").name().c_str(), it.get_var("ally").name().c_str());
    });
}

static void observers() {
    title("An observer is called when something happens to the entities that it asks for");
    kith::world world;
    world.observer<const Position>()
        .with<Damaged>()
        .event(kith::OnAdd)
        .each([](kith::entity e, const Position& p) {
            std::printf("%s was hit at %g,%g\n", e.name().c_str(), p.x, p.y);
        });
    auto ship = world.entity("Ship").set(Position{1, 2});
    ship.add<Damaged>();
    world.entity("Ghost").add<Damaged>();  // has no position: the observer does not match
}

static void monitors() {
    title("A monitor reports results of a query that begin and end, whatever the cause");
    kith::world world;
    auto wrecks = world.query_builder<const Position>().with<Damaged>().build();
    auto watch = wrecks.monitor([](kith::iter& it) {
        for (auto row : it) {
            std::printf("%s %s\n", it.entity(row).name().c_str(),
                        it.event() == kith::OnAdd ? "is a wreck" : "is no wreck any more");
        }
    });
    auto ship = world.entity("Ship").set(Position{1, 2}).add<Damaged>();
    ship.disable();
    ship.enable();
    ship.destruct();
}

static void changes() {
    title("A query knows whether anything has changed since it last ran");
    kith::world world;
    auto ship = world.entity("Ship").set(Position{1, 2});
    auto drawn = world.query<const Position>();
    const auto frame = [&] {
        if (!drawn.changed()) {
            std::printf("nothing to draw\n");
            return;
        }
        drawn.each([](const Position& p) { std::printf("draw at %g,%g\n", p.x, p.y); });
    };
    frame();
    frame();
    ship.set(Position{2, 2});
    frame();
}

static void names() {
    title("Names are unique per parent; ChildOf makes the hierarchy");
    kith::world world;
    auto sun = world.entity("Sun");
    world.entity("Sun::Earth::Moon");  // makes what is missing on the way
    sun.scope([&] { world.entity("Mars"); });
    sun.children([](kith::entity child) { std::printf("%s\n", child.path().c_str()); });
    auto moon = world.lookup("Sun.Earth.Moon");
    std::printf("found %s, parent %s\n", moon.path().c_str(), moon.parent().name().c_str());
    sun.destruct();
    std::printf("the Sun is gone, and the Moon: %s\n", moon.is_alive() ? "alive" : "gone");
}

static void enums() {
    title("An enum is a component with one value at a time");
    kith::world world;
    auto ship = world.entity().add(Status::Idle);
    ship.add(Status::Docked);
    std::printf("Idle? %s. Docked? %s. As text: %s\n", yes_no(ship.has(Status::Idle)),
                yes_no(ship.has(Status::Docked)), ship.target<Status>().name().c_str());
}

struct Clock {
    int ticks;
};

static void singletons() {
    title("A singleton is a value that the world has once");
    kith::world world;
    world.set(Clock{41});
    world.ensure<Clock>().ticks += 1;
    std::printf("ticks: %d\n", world.get<Clock>()->ticks);
}

static void hooks() {
    title("Hooks run when a component is added, set and removed");
    kith::world world;
    world.component<Position>()
        .on_add([](Position&) { std::printf("added\n"); })
        .on_set([](Position& p) { std::printf("set to %g,%g\n", p.x, p.y); })
        .on_remove(
            [](kith::entity e, Position&) { std::printf("removed from %s\n", e.name().c_str()); });
    auto ship = world.entity("Ship").set(Position{1, 2});
    ship.destruct();
}

static void deferring() {
    title("Deferred changes wait, and each entity moves once");
    kith::world world;
    for (int i = 1; i <= 3; ++i) {
        world.entity(Position{i * 1.0, 0});
    }
    world.defer([&] {
        world.each([](kith::entity e, Position& p) {
            if (p.x > 1) {
                e.add<Damaged>().remove<Position>();
            }
        });
        std::printf("inside:  %d damaged\n", world.count<Damaged>());
    });
    std::printf("outside: %d damaged, %d with a position\n", world.count<Damaged>(),
                world.count<Position>());
}

static void many() {
    title("Many at once, and copies");
    kith::world world;
    const Position places[] = {{1, 0}, {2, 0}, {3, 0}};
    auto made = world.bulk(3, places);
    auto last = world.entity(made[2]);
    auto copy = last.clone();
    copy.get_mut<Position>()->y = 9;
    std::printf("%d positions; the copy has %g,%g, the original %g,%g\n", world.count<Position>(),
                copy.get<Position>()->x, copy.get<Position>()->y, last.get<Position>()->x,
                last.get<Position>()->y);
}

static void references() {
    title("A ref finds its value wherever the entity has moved");
    kith::world world;
    auto ship = world.entity().set(Position{1, 1});
    auto position = ship.get_ref<Position>();
    ship.add<Damaged>();  // another table
    position->x = 5;
    std::printf("x = %g", ship.get<Position>()->x);
    ship.remove<Position>();
    std::printf(", and after removal the ref is %s\n", position ? "full" : "empty");
}

static void sparse() {
    title("A sparse component keeps its address and moves nothing");
    kith::world world;
    world.component<Cargo>().add(kith::Sparse);
    auto ship = world.entity().set(Cargo{"tea"});
    const Cargo* before = ship.get<Cargo>();
    ship.set(Position{1, 2}).add<Damaged>();
    std::printf("same address: %s\n", yes_no(before == ship.get<Cargo>()));
    std::printf("its table: %s\nall it has: %s\n", ship.table().str().c_str(),
                ship.type().str().c_str());
}

template <class Action>
static void show_error(Action&& action) {
    try {
        action();
    } catch (const kith::error& failed) {
        std::printf("%s: %s\n", kith::to_string(failed.code()), failed.what());
    }
}

static void errors() {
    title("Mistakes are errors that say what is wrong, and change nothing");
    kith::world world;
    auto sun = world.entity("Sun");
    auto earth = world.entity("Sun::Earth").set(Position{1, 0});
    auto gone = world.entity();
    gone.destruct();
    show_error([&] { gone.add<Damaged>(); });
    show_error([&] { sun.child_of(earth); });
    show_error([&] { world.entity("Mars").set_name("Sun"); });
    show_error([&] { earth.emplace<Position>(2.0, 0.0); });
    show_error([&] { world.component<Position>().destruct(); });
    show_error([&] { world.each([](kith::entity e, Position&) { e.add<Damaged>(); }); });
}

static void care() {
    title("A world can be measured, checked and made smaller");
    kith::world world;
    const auto empty = world.stats();
    for (int i = 0; i < 1000; ++i) {
        world.entity().add<Trades>(world.entity());  // a table for each target
    }
    const auto full = world.stats();
    world.delete_with(kith::make_pair(kith::type_id<Trades>(), kith::Wildcard));
    world.shrink();
    world.check();  // throws if anything in the storage contradicts
    const auto after = world.stats();
    std::printf("tables: %s when full, %s after shrinking\n",
                full.tables > empty.tables + 1000 ? "over 1000 more" : "?",
                after.tables < empty.tables + 10 ? "hardly more than at first" : "?");
    std::printf("row memory: %s\n", after.bytes_rows < full.bytes_rows ? "given back" : "kept");
}

int main() {
    std::printf("A tour of kith\n");
    entities();
    components();
    pairs();
    pair_values();
    relationships();
    prefabs();
    iteration();
    queries();
    graph_queries();
    observers();
    monitors();
    changes();
    names();
    enums();
    singletons();
    hooks();
    deferring();
    many();
    references();
    sparse();
    errors();
    care();
}
