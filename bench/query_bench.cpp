// Running queries: over many rows, over many tables, up a tree.
#include "scenario.hpp"

namespace bench {
namespace {

// The loop that any query over two arrays comes down to.
void move_raw(std::vector<Position>& positions, const std::vector<Velocity>& velocities) {
    for (std::size_t i = 0; i < positions.size(); ++i) {
        positions[i].x += velocities[i].x;
        positions[i].y += velocities[i].y;
        positions[i].z += velocities[i].z;
    }
    use(positions.data());
}

void move_one(Position& position, const Velocity& velocity) {
    position.x += velocity.x;
    position.y += velocity.y;
    position.z += velocity.z;
}

void each_of_a_million(benchmark::State& state) {
    scenario run(state, million);
    counted_world data;
    std::vector<Position> positions(million);
    std::vector<Velocity> velocities(million);
    data.world.bulk(million, positions.data(), velocities.data());
    auto query = data.world.query<Position, const Velocity>();
    for (auto _ : state) {
        run.kith(data.memory, [&] { query.each(move_one); });
        run.raw([&] { move_raw(positions, velocities); });
    }
}
KITH_BENCHMARK(each_of_a_million);

template <class Query>
void run_small(benchmark::State& state, counted_world& data, const Query& query) {
    scenario run(state, ten_thousand);
    for (auto _ : state) {
        run.kith(data.memory, [&] {
            for (std::size_t i = 0; i < ten_thousand; ++i) {
                query.each(move_one);
            }
        });
    }
}

void run_with_one_match_cached(benchmark::State& state) {
    counted_world data;
    data.world.entity(Position{}, Velocity{});
    run_small(state, data, data.world.query<Position, const Velocity>());
}
KITH_BENCHMARK(run_with_one_match_cached);

void run_with_one_match_uncached(benchmark::State& state) {
    counted_world data;
    data.world.entity(Position{}, Velocity{});
    run_small(state, data, data.world.filter<Position, const Velocity>());
}
KITH_BENCHMARK(run_with_one_match_uncached);

// 100,000 entities on 100 teams, ten in each vehicle: a call finds the ten of a team in a vehicle.
void run_with_arguments(benchmark::State& state, kith::storage_kind storage) {
    constexpr std::size_t teams = 100;
    scenario run(state, ten_thousand);
    counted_world data;
    kith::entity on_team = data.world.relation("OnTeam", {.storage = storage});
    kith::entity in_vehicle = data.world.relation("InVehicle", {.storage = storage});
    entity_ids team_of;
    entity_ids vehicles;
    for (std::size_t i = 0; i < teams; ++i) {
        team_of.push_back(data.world.entity());
    }
    for (std::size_t i = 0; i < ten_thousand; ++i) {
        vehicles.push_back(data.world.entity());
        for (int crew = 0; crew < 10; ++crew) {
            data.world.entity(Position{}, Velocity{})
                .add(on_team, team_of[i % teams])
                .add(in_vehicle, vehicles[i]);
        }
    }
    auto query = data.world.query_builder<Position, const Velocity>()
                     .with(on_team, kith::Wildcard)
                     .with(in_vehicle, kith::Wildcard)
                     .build();
    for (auto _ : state) {
        run.kith(data.memory, [&] {
            for (std::size_t i = 0; i < ten_thousand; ++i) {
                query.each(team_of[i % teams], vehicles[i], move_one);
            }
        });
    }
}
KITH_BENCHMARK_WITH(run_with_arguments, dense, kith::storage::dense);
KITH_BENCHMARK_WITH(run_with_arguments, sparse, kith::storage::sparse);

// Each node is asked for what is far above it.
void search_upwards(benchmark::State& state) {
    constexpr std::size_t nodes = 100'000;
    scenario run(state, nodes);
    counted_world data;
    entity_ids all;
    for (std::size_t i = 0; i < nodes; ++i) {
        kith::entity made = data.world.entity(Position{});
        if (i != 0) {
            made.child_of(all[(i - 1) / 4]);
        }
        all.push_back(made);
    }
    handle(data.world, all[0]).set(Velocity{1, 1, 1});
    auto query = data.world.query_builder<Position, const Velocity>().arg(2).parent().build();
    for (auto _ : state) {
        run.kith(data.memory, [&] { query.each(move_one); });
    }
}
KITH_BENCHMARK(search_upwards);

}  // namespace
}  // namespace bench
