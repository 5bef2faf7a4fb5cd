// Worlds and tables as a whole.
#include "scenario.hpp"

namespace bench {
namespace {

void create_world(benchmark::State& state) {
    constexpr std::size_t worlds = 100;
    scenario run(state, worlds);
    for (auto _ : state) {
        counting_memory memory;
        run.kith(memory, [&] {
            for (std::size_t i = 0; i < worlds; ++i) {
                kith::world world(kith::use_memory(memory));
                use(world.c_ptr());
            }
        });
    }
}
KITH_BENCHMARK(create_world);

// Each entity gets a pair of its own, and so a table of its own. The argument is their number: the
// cost of one must not grow with it.
void create_tables(benchmark::State& state) {
    auto count = static_cast<std::size_t>(state.range(0));
    scenario run(state, count);
    for (auto _ : state) {
        counted_world counted;
        kith::entity relation = counted.world.entity();
        entity_ids targets(count);
        entity_ids ids(count);
        for (kith::entity_t& target : targets) {
            target = counted.world.entity();
        }
        for (kith::entity_t& id : ids) {
            id = counted.world.entity().set<Position>({});
        }
        std::size_t before = counted.memory.bytes();
        run.kith(counted.memory, [&] {
            for (std::size_t i = 0; i < count; ++i) {
                handle(counted.world, ids[i]).add(relation, targets[i]);
            }
        });
        run.show("bytes",
                 static_cast<double>(counted.memory.bytes() - before) / static_cast<double>(count));
    }
}
KITH_BENCHMARK(create_tables)->RangeMultiplier(10)->Range(1000, 100'000);

// Deletes the target of as many relations as the argument says, per relation.
void delete_shared_target(benchmark::State& state) {
    auto count = static_cast<std::size_t>(state.range(0));
    scenario run(state, count);
    for (auto _ : state) {
        counted_world counted;
        kith::entity target = counted.world.entity();
        for (std::size_t i = 0; i < count; ++i) {
            counted.world.entity().add(counted.world.entity(), target);
        }
        run.kith(counted.memory, [&] { target.destruct(); });
    }
}
KITH_BENCHMARK(delete_shared_target)->Arg(1000)->Arg(10'000);

}  // namespace
}  // namespace bench
