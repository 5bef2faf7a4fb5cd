// Values as data: JSON, conditions on values, numbers over results, snapshots, save files. `bytes`
// are those of the text, the file or the copy, for each entity.
#include <kith/aggregate.hpp>
#include <kith/diff.hpp>
#include <kith/json.hpp>
#include <kith/save.hpp>
#include <kith/snapshot.hpp>

#include "scenario.hpp"

#include <string>

namespace bench {
namespace {

void describe_components(kith::world& world) {
    kith::reflect<Position>();
    kith::reflect<Velocity>();
    world.component<Position>("Position");
    world.component<Velocity>("Velocity");
}

Position position_of(std::size_t number) {
    return {static_cast<float>(number % 100'000) * 0.25f, 2, 3};
}

// -- JSON ----------------------------------------------------------------------------------------

void fill_with_names(kith::world& world) {
    describe_components(world);
    for (std::size_t i = 0; i < million; ++i) {
        world.entity(("e" + std::to_string(i)).c_str())
            .set<Position>(position_of(i))
            .set<Velocity>({1, 1, 1});
    }
}

// A million entities, sent in chunks to a function that counts them.
void json_world(benchmark::State& state) {
    scenario run(state, million);
    counted_world data;
    fill_with_names(data.world);
    std::size_t bytes = 0;
    const kith::json_sink sink(
        [](void* context, const char*, std::size_t size) {
            *static_cast<std::size_t*>(context) += size;
            return true;
        },
        &bytes);
    kith::json_options compact;
    compact.compact = true;
    for (auto _ : state) {
        bytes = 0;
        run.kith(data.memory, [&] { kith::write_json(sink, data.world, compact); });
    }
    run.show("bytes", static_cast<double>(bytes) / million);
}
KITH_BENCHMARK(json_world)->Iterations(3);

// The same entities as results of a query.
void json_rows(benchmark::State& state) {
    scenario run(state, million);
    counted_world data;
    fill_with_names(data.world);
    auto query = data.world.query<const Position, const Velocity>();
    std::string text;
    for (auto _ : state) {
        run.kith(data.memory, [&] { text = kith::to_json(query); });
    }
    run.show("bytes", static_cast<double>(text.size()) / million);
}
KITH_BENCHMARK(json_rows)->Iterations(3);

// A hundred thousand values, one by one. Per value.
void json_parse(benchmark::State& state) {
    constexpr std::size_t values = 100'000;
    scenario run(state, values);
    counted_world data;
    describe_components(data.world);
    std::vector<std::string> texts;
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < values; ++i) {
        texts.push_back(kith::to_json(data.world, position_of(i)));
        bytes += texts.back().size();
    }
    for (auto _ : state) {
        run.kith(data.memory, [&] {
            Position read;
            for (const std::string& text : texts) {
                kith::from_json(data.world, read, text);
                use(read);
            }
        });
    }
    run.show("bytes", static_cast<double>(bytes) / values);
}
KITH_BENCHMARK(json_parse);

// -- values of rows ------------------------------------------------------------------------------

void fill_positions(kith::world& world) {
    describe_components(world);
    for (std::size_t i = 0; i < million; ++i) {
        world.entity(Position{static_cast<float>(i * 7919 % 1000), static_cast<float>(i % 10), 3});
    }
}

// Rows whose x is below `limit`, of a thousand possible values; below 5 of ten for y, if it says
// so. Per row. Raw: a loop over the column.
void where(benchmark::State& state, float limit, bool both) {
    scenario run(state, million);
    counted_world data;
    fill_positions(data.world);
    const std::string text = "Position.x < " + std::to_string(static_cast<int>(limit)) +
                             (both ? ", Position.y < 5" : "");
    auto query = data.world.query_builder<>().expr(text.c_str()).build();
    std::vector<Position> plain;
    data.world.each([&](const Position& position) { plain.push_back(position); });
    for (auto _ : state) {
        run.kith(data.memory, [&] {
            std::size_t found = 0;
            query.each([&](kith::entity) { ++found; });
            use(found);
        });
        run.raw([&] {
            std::size_t found = 0;
            for (const Position& position : plain) {
                found += position.x < limit && (!both || position.y < 5);
                use(found);
            }
        });
    }
}
KITH_BENCHMARK_WITH(where, one_percent, 10.0f, false);
KITH_BENCHMARK_WITH(where, half, 500.0f, false);
KITH_BENCHMARK_WITH(where, two_conditions, 10.0f, true);

// Count, sum, minimum and maximum of a member. Per row.
void aggregate_member(benchmark::State& state) {
    scenario run(state, million);
    counted_world data;
    fill_positions(data.world);
    auto query = data.world.query<const Position>();
    for (auto _ : state) {
        run.kith(data.memory, [&] { use(kith::aggregate(query, "Position.x").avg()); });
    }
}
KITH_BENCHMARK(aggregate_member);

// -- snapshots -----------------------------------------------------------------------------------

constexpr std::size_t groups = 100;

// Returns an entity of each table.
entity_ids fill_groups(kith::world& world) {
    entity_ids first;
    for (std::size_t group = 0; group < groups; ++group) {
        const kith::entity tag = world.entity();
        for (std::size_t i = 0; i < million / groups; ++i) {
            const kith::entity made = world.entity(Position{1, 2, 3}, Velocity{1, 1, 1}).add(tag);
            if (i == 0) {
                first.push_back(made);
            }
        }
    }
    return first;
}

// A million entities in a hundred tables, of which so many were written since the last snapshot:
// one of two columns of these. Per snapshot.
void take_snapshot(benchmark::State& state, std::size_t written) {
    scenario run(state, 1);
    counted_world data;
    const entity_ids first = fill_groups(data.world);
    kith::snapshot kept = data.world.snapshot().take();
    for (auto _ : state) {
        for (std::size_t i = 0; i < written; ++i) {
            handle(data.world, first[i]).set<Position>({2, 2, 2});
        }
        run.kith(data.memory, [&] { kept.take(); });
    }
}
KITH_BENCHMARK_WITH(take_snapshot, nothing_written, 0);
KITH_BENCHMARK_WITH(take_snapshot, one_table, 1);
KITH_BENCHMARK_WITH(take_snapshot, five_tables, 5);
KITH_BENCHMARK_WITH(take_snapshot, all_tables, groups);

// Per restore.
void restore_snapshot(benchmark::State& state, std::size_t written) {
    scenario run(state, 1);
    counted_world data;
    const entity_ids first = fill_groups(data.world);
    const kith::snapshot kept = data.world.snapshot().take();
    for (auto _ : state) {
        for (std::size_t i = 0; i < written; ++i) {
            handle(data.world, first[i]).set<Position>({2, 2, 2});
        }
        run.kith(data.memory, [&] { kept.restore(); });
    }
}
KITH_BENCHMARK_WITH(restore_snapshot, nothing_written, 0);
KITH_BENCHMARK_WITH(restore_snapshot, one_table, 1);
KITH_BENCHMARK_WITH(restore_snapshot, all_tables, groups);

// A hundred thousand entities that all move: a snapshot for each of eight frames, and a return to
// the first of them. Per frame.
void roll_back(benchmark::State& state) {
    constexpr std::size_t frames = 8;
    scenario run(state, frames);
    counted_world data;
    for (std::size_t i = 0; i < million / 10; ++i) {
        data.world.entity(Position{}, Velocity{1, 1, 1});
    }
    auto query = data.world.query<Position, const Velocity>();
    kith::rollback ring(data.world, frames);
    auto play = [&] {
        for (std::uint64_t frame = 0; frame < frames; ++frame) {
            ring.save(frame);
            query.each([](Position& p, const Velocity& v) { p.x += v.x; });
        }
        ring.load(0);
    };
    play();
    for (auto _ : state) {
        run.kith(data.memory, play);
    }
}
KITH_BENCHMARK(roll_back);

// -- save files ----------------------------------------------------------------------------------

void fill_for_file(kith::world& world) {
    describe_components(world);
    for (std::size_t i = 0; i < million; ++i) {
        world.entity(position_of(i), Velocity{1, 1, 1});
    }
}

// A million entities with 24 bytes each, into memory. Per entity.
void save_file(benchmark::State& state) {
    scenario run(state, million);
    counted_world data;
    fill_for_file(data.world);
    std::string file;
    for (auto _ : state) {
        run.kith(data.memory, [&] { file = kith::save_to_string(data.world); });
    }
    run.show("bytes", static_cast<double>(file.size()) / million);
}
KITH_BENCHMARK(save_file)->Iterations(5);

// The same file into a new world.
void load_file(benchmark::State& state) {
    scenario run(state, million);
    std::string file;
    {
        kith::world written;
        fill_for_file(written);
        file = kith::save_to_string(written);
    }
    for (auto _ : state) {
        counted_world data;
        describe_components(data.world);
        run.kith(data.memory, [&] { use(kith::load_from_string(data.world, file).facts); });
    }
}
KITH_BENCHMARK(load_file)->Iterations(2);

}  // namespace
}  // namespace bench
