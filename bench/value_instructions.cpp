// Instructions and allocations of descriptions, JSON, snapshots and save files; see
// instructions.cpp.
#include <kith/aggregate.hpp>
#include <kith/json.hpp>
#include <kith/save.hpp>
#include <kith/snapshot.hpp>

#include "count_instructions.hpp"

#include <string>
#include <utility>

namespace bench {

namespace {

struct Label {
    std::string text;
    std::int32_t count = 0;
};
template <int I>
struct Group {};

void describe_members(kith::world& world) {
    world.component<Position>()
        .member("x", &Position::x)
        .member("y", &Position::y)
        .member("z", &Position::z);
    kith::reflect<Velocity>();
    kith::reflect<Label>();
    world.component<Velocity>();
}

// Named entities with two components, one of which has numbers with two decimals.
void fill(kith::world& world, int count) {
    describe_members(world);
    for (int i = 0; i < count; ++i) {
        world.entity(("e" + std::to_string(i)).c_str())
            .set<Position>({static_cast<float>(i) * .25f, 2, 3})
            .set<Velocity>({1, 1, 1});
    }
}

void single_values() {
    kith::world world;
    describe_members(world);
    const Position position{1.5f, 2, 3};
    const Position decimals{1.234567f, -98765.43f, 3e-20f};
    measure("value to JSON, 3 floats", entity_count, 350, [&] {
        for (int i = 0; i < entity_count; ++i) {
            use(world.to_json(&position).length());
        }
    });
    measure("value to JSON, 3 floats with many digits", entity_count, 2000, [&] {
        for (int i = 0; i < entity_count; ++i) {
            use(world.to_json(&decimals).length());
        }
    });
    const Label label{"a text of more letters than fit", 12};
    measure("value to JSON, text and integer", entity_count, 500, [&] {
        for (int i = 0; i < entity_count; ++i) {
            use(kith::to_json(world, label).size());
        }
    });
    Position read{};
    measure("value from JSON, 3 floats", entity_count, 900, [&] {
        for (int i = 0; i < entity_count; ++i) {
            world.from_json(&read, "{\"x\": 1.5, \"y\": 2, \"z\": 3}");
            use(read);
        }
    });
    Label read_label;
    measure("value from JSON, text and integer", entity_count, 1500, [&] {
        for (int i = 0; i < entity_count; ++i) {
            kith::from_json(world, read_label,
                            "{\"text\": \"a text of more letters than fit\", \"count\": 12}");
            use(read_label);
        }
    });
}

void worlds_as_json() {
    kith::world world;
    fill(world, entity_count);
    const kith::query<Position, Velocity> query = world.query<Position, Velocity>();
    measure("query to JSON, rows, per entity", entity_count, 1100,
            [&] { use(kith::to_json(query).size()); });
    measure("query to JSON, table form, per entity", entity_count, 1100,
            [&] { use(query.to_json().length()); });
    const kith::entity one = world.lookup("e500");
    measure("entity to JSON", 1000, 1000, [&] {
        for (int i = 0; i < 1000; ++i) {
            use(kith::to_json(one).size());
        }
    });
    measure("entity to JSON, table form", 1000, 1000, [&] {
        for (int i = 0; i < 1000; ++i) {
            use(one.to_json().length());
        }
    });
    std::string text;
    measure("world to JSON, per entity", entity_count, 1500, [&] { text = kith::to_json(world); });
    kith::string table;
    measure("world to JSON, table form, per entity", entity_count, 1100,
            [&] { table = world.to_json(); });
    auto read = [](const char* name, auto&& load) {
        kith::world worlds[2];
        describe_members(worlds[0]);
        describe_members(worlds[1]);
        int round = 0;
        measure(name, entity_count, 7500, [&] { load(worlds[round++]); });
    };
    read("world from JSON, per entity",
         [&](kith::world& into) { use(kith::from_json(into, text).facts); });
    read("world from JSON, table form, per entity",
         [&](kith::world& into) { use(into.from_json(table.c_str())); });
}

template <std::size_t... I>
void add_groups(kith::world& world, entity_ids& ids, std::index_sequence<I...>) {
    (..., [&] {
        for (int i = 0; i < entity_count / 100; ++i) {
            ids.push_back(world.entity().set<Position>({}).set<Velocity>({}).add<Group<I>>().id());
        }
    }());
}

// A hundred tables with a hundred entities each.
void snapshots() {
    kith::world world;
    entity_ids ids;
    add_groups(world, ids, std::make_index_sequence<100>());
    measure("first snapshot, per entity", entity_count, 20,
            [&] { use(world.snapshot().take().bytes()); });
    kith::snapshot kept = world.snapshot().take();
    measure("take a snapshot, nothing changed", 1, 20000, [&] { kept.take(); });
    float x = 0;
    auto change = [&] {
        for (std::size_t i = 0; i < 100; ++i) {
            handle(world, ids[i * 5]).set<Position>({++x, 0, 0});
        }
    };
    change();
    measure(
        "take a snapshot, 5 of 100 tables changed", 1, 60000, [&] { kept.take(); }, change);
    kept.take();
    measure("restore a snapshot, nothing changed", 1, 20000, [&] { kept.restore(); });
    change();
    measure(
        "restore a snapshot, 5 of 100 tables changed", 1, 60000, [&] { kept.restore(); }, change);
    kept.restore();
    measure(
        "set a component, first after a snapshot", 5, 400,
        [&] {
            for (std::size_t i = 0; i < 5; ++i) {
                handle(world, ids[i * 100]).set<Position>({++x, 0, 0});
            }
        },
        [&] { kept.take(); });
}

void save_files() {
    kith::world world;
    describe_members(world);
    for (int i = 0; i < entity_count; ++i) {
        world.entity().set<Position>({static_cast<float>(i), 2, 3}).set<Velocity>({1, 1, 1});
    }
    std::string file;
    measure("save, 24 bytes per entity", entity_count, 100,
            [&] { file = kith::save_to_string(world); });
    kith::world worlds[2];
    describe_members(worlds[0]);
    describe_members(worlds[1]);
    int round = 0;
    measure("load, 24 bytes per entity", entity_count, 200,
            [&] { use(kith::load_from_string(worlds[round++], file).facts); });
}

void values_of_rows() {
    kith::world world;
    describe_members(world);
    for (int i = 0; i < entity_count; ++i) {
        world.entity().set<Position>({static_cast<float>(i % 1000), 2, 3});
    }
    auto run = [&](const char* name, double goal, const char* text) {
        const kith::query<> query = world.query_builder<>().expr(text).build();
        measure(name, entity_count, goal, [&] {
            std::size_t rows = 0;
            query.each([&](kith::entity) { ++rows; });
            use(rows);
        });
    };
    run("value term, 1 % of the rows, per row", 13, "bench.Position.x < 10");
    run("value term, half of the rows, per row", 30, "bench.Position.x < 500");
    run("two value terms, per row", 19, "bench.Position.x < 10, bench.Position.y < 5");
    const kith::query<> all = world.query_builder<>().expr("bench.Position").build();
    measure("aggregate a member, per row", entity_count, 20,
            [&] { use(kith::aggregate(all, "bench.Position.x").avg()); });
}

}  // namespace

void value_operations() {
    single_values();
    worlds_as_json();
    snapshots();
    save_files();
    values_of_rows();
}

}  // namespace bench
