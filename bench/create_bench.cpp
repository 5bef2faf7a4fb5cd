// Creating and deleting entities.
#include "scenario.hpp"

#include <cstring>

namespace bench {
namespace {

// What any store of entities must write.
struct raw_store {
    std::vector<kith::entity_t> ids = std::vector<kith::entity_t>(million);
    std::vector<raw_record> records = std::vector<raw_record>(million);
    std::vector<Position> positions = std::vector<Position>(million);
    std::vector<Velocity> velocities = std::vector<Velocity>(million);

    void place(std::size_t i) {
        ids[i] = i;
        records[i] = {static_cast<std::uint32_t>(i), 0, 0};
    }
    void fill() {
        for (std::size_t i = 0; i < million; ++i) {
            place(i);
            positions[i] = {1, 2, 3};
            velocities[i] = {1, 1, 1};
        }
    }
    // The last row takes the place of the one that is gone.
    void remove(std::size_t entity, std::size_t& count) {
        std::uint32_t row = records[entity].row;
        --count;
        ids[row] = ids[count];
        positions[row] = positions[count];
        velocities[row] = velocities[count];
        records[ids[row]].row = row;
        ++records[entity].generation;
    }
};

void create_empty(benchmark::State& state) {
    scenario run(state, million);
    raw_store raw;
    for (auto _ : state) {
        counted_world counted;
        run.kith(counted.memory, [&] {
            for (std::size_t i = 0; i < million; ++i) {
                use(counted.world.entity().id());
            }
        });
        run.raw([&] {
            for (std::size_t i = 0; i < million; ++i) {
                raw.place(i);
            }
        });
    }
}
KITH_BENCHMARK(create_empty);

void create_recycled(benchmark::State& state) {
    scenario run(state, ten_thousand);
    counted_world counted;
    entity_ids ids(ten_thousand);
    auto create = [&] {
        for (kith::entity_t& id : ids) {
            id = counted.world.entity().id();
        }
    };
    create();
    for (auto _ : state) {
        for (kith::entity_t id : ids) {
            handle(counted.world, id).destruct();
        }
        run.kith(counted.memory, create);
    }
}
KITH_BENCHMARK(create_recycled);

// Creates a million entities with two components by `create`, in a new world.
template <class Create>
void create_two(benchmark::State& state, Create&& create) {
    scenario run(state, million);
    raw_store raw;
    for (auto _ : state) {
        counted_world counted;
        counted.world.component<Position>();
        counted.world.component<Velocity>();
        std::size_t before = counted.memory.bytes();
        run.kith(counted.memory, [&] { create(counted.world); });
        run.show("bytes", static_cast<double>(counted.memory.bytes() - before) / million);
        run.raw([&] { raw.fill(); });
    }
}

void create_chained(benchmark::State& state) {
    create_two(state, [](kith::world& world) {
        for (std::size_t i = 0; i < million; ++i) {
            use(world.entity().set<Position>({1, 2, 3}).set<Velocity>({1, 1, 1}).id());
        }
    });
}
KITH_BENCHMARK(create_chained);

void create_in_one_call(benchmark::State& state) {
    create_two(state, [](kith::world& world) {
        for (std::size_t i = 0; i < million; ++i) {
            use(world.entity(Position{1, 2, 3}, Velocity{1, 1, 1}).id());
        }
    });
}
KITH_BENCHMARK(create_in_one_call);

void create_in_bulk(benchmark::State& state) {
    scenario run(state, million);
    raw_store raw;
    std::vector<Position> positions(million, Position{1, 2, 3});
    std::vector<Velocity> velocities(million, Velocity{1, 1, 1});
    for (auto _ : state) {
        counted_world counted;
        counted.world.component<Position>();
        counted.world.component<Velocity>();
        run.kith(counted.memory, [&] {
            use(counted.world.bulk(million, positions.data(), velocities.data()).first);
        });
        run.raw([&] {
            std::memcpy(static_cast<void*>(raw.positions.data()), positions.data(),
                        million * sizeof(Position));
            std::memcpy(static_cast<void*>(raw.velocities.data()), velocities.data(),
                        million * sizeof(Velocity));
            for (std::size_t i = 0; i < million; ++i) {
                raw.place(i);
            }
        });
    }
}
KITH_BENCHMARK(create_in_bulk);

void destroy(benchmark::State& state, const std::vector<std::uint32_t>& order) {
    scenario run(state, million);
    raw_store raw;
    counted_world counted;
    entity_ids ids(million);
    for (auto _ : state) {
        for (kith::entity_t& id : ids) {
            id = counted.world.entity(Position{1, 2, 3}, Velocity{1, 1, 1}).id();
        }
        run.kith(counted.memory, [&] {
            for (std::uint32_t i : order) {
                handle(counted.world, ids[i]).destruct();
            }
        });
        raw.fill();
        run.raw([&] {
            std::size_t count = million;
            for (std::uint32_t i : order) {
                raw.remove(i, count);
            }
        });
    }
}

void destroy_in_order(benchmark::State& state) {
    std::vector<std::uint32_t> order = shuffled(million);
    std::sort(order.begin(), order.end());
    destroy(state, order);
}
KITH_BENCHMARK(destroy_in_order);

void destroy_shuffled(benchmark::State& state) {
    destroy(state, shuffled(million));
}
KITH_BENCHMARK(destroy_shuffled);

}  // namespace
}  // namespace bench
