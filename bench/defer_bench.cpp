// Deferred operations: 100,000 commands are queued, then run at once.
#include "scenario.hpp"

#include <utility>

namespace bench {
namespace {

constexpr std::size_t command_count = 100'000;

struct deferred_world : counted_world {
    deferred_world() {
        world.component<Velocity>();
        for (kith::entity_t& id : ids) {
            id = world.entity().set<Position>({});
        }
    }
    template <class Change>
    void change_all(Change&& change) {
        world.defer_begin();
        for (kith::entity_t id : ids) {
            change(handle(world, id));
        }
        world.defer_end();
    }
    void set_all() {
        change_all([](kith::entity e) { e.set<Velocity>({1, 2, 3}); });
    }
    void remove_all() {
        change_all([](kith::entity e) { e.remove<Velocity>(); });
    }
    entity_ids ids = entity_ids(command_count);
};

void deferred_set_existing(benchmark::State& state) {
    scenario run(state, command_count);
    deferred_world data;
    auto set = [&] { data.change_all([](kith::entity e) { e.set<Position>({1, 2, 3}); }); };
    set();
    std::vector<std::pair<std::uint32_t, Position>> queue;
    std::vector<Position> raw(command_count);
    for (auto _ : state) {
        run.kith(data.memory, set);
        run.raw([&] {
            queue.clear();
            for (std::uint32_t i = 0; i < command_count; ++i) {
                queue.push_back({i, {1, 2, 3}});
            }
            for (const auto& [entity, value] : queue) {
                raw[entity] = value;
            }
        });
    }
}
KITH_BENCHMARK(deferred_set_existing);

void deferred_set_new(benchmark::State& state) {
    scenario run(state, command_count);
    deferred_world data;
    data.set_all();
    for (auto _ : state) {
        data.remove_all();
        run.kith(data.memory, [&] { data.set_all(); });
    }
}
KITH_BENCHMARK(deferred_set_new);

void deferred_remove(benchmark::State& state) {
    scenario run(state, command_count);
    deferred_world data;
    data.remove_all();
    for (auto _ : state) {
        data.set_all();
        run.kith(data.memory, [&] { data.remove_all(); });
    }
}
KITH_BENCHMARK(deferred_remove);

// Values that appear while deferred are found by later calls. The argument is the number of
// commands: the cost of one must not grow with it.
void deferred_get_mut(benchmark::State& state) {
    auto count = static_cast<std::size_t>(state.range(0));
    scenario run(state, count);
    counted_world counted;
    counted.world.component<Velocity>();
    entity_ids ids(count);
    for (kith::entity_t& id : ids) {
        id = counted.world.entity();
    }
    for (auto _ : state) {
        run.kith(counted.memory, [&] {
            counted.world.defer_begin();
            for (kith::entity_t id : ids) {
                handle(counted.world, id).get_mut<Velocity>()->x = 1;
            }
            counted.world.defer_end();
        });
        counted.world.remove_all<Velocity>();
    }
}
KITH_BENCHMARK(deferred_get_mut)->Arg(1000)->Arg(10'000);

// Commands with different pairs of one entity. The argument is their number: the cost of one must
// not grow with it.
template <class Change>
void deferred_pairs_of_one(benchmark::State& state, kith::storage_kind storage, bool symmetric,
                           Change&& change) {
    auto count = static_cast<std::size_t>(state.range(0));
    scenario run(state, count);
    counted_world counted;
    kith::entity relation = counted.world.relation<Velocity>({.storage = storage});
    if (symmetric) {
        relation.add(kith::Symmetric);
    }
    auto one = counted.world.entity();
    entity_ids targets(count);
    for (kith::entity_t& id : targets) {
        id = counted.world.entity();
    }
    for (auto _ : state) {
        run.kith(counted.memory, [&] {
            counted.world.defer_begin();
            for (kith::entity_t target : targets) {
                change(one, target);
            }
            counted.world.defer_end();
        });
        one.remove(relation, kith::Wildcard);
    }
}
constexpr auto add_pair = [](kith::entity one, kith::entity_t target) {
    one.add<Velocity>(target);
};
constexpr auto change_pair = [](kith::entity one, kith::entity_t target) {
    one.get_mut<Velocity>(target)->x = 1;
};
void deferred_dense_pairs_of_one(benchmark::State& state) {
    deferred_pairs_of_one(state, kith::storage_kind::dense, false, add_pair);
}
void deferred_sparse_pairs_of_one(benchmark::State& state) {
    deferred_pairs_of_one(state, kith::storage_kind::sparse, false, add_pair);
}
void deferred_symmetric_pairs_of_one(benchmark::State& state) {
    deferred_pairs_of_one(state, kith::storage_kind::dense, true, add_pair);
}
void deferred_get_mut_of_dense_pairs(benchmark::State& state) {
    deferred_pairs_of_one(state, kith::storage_kind::dense, false, change_pair);
}
void deferred_get_mut_of_sparse_pairs(benchmark::State& state) {
    deferred_pairs_of_one(state, kith::storage_kind::sparse, false, change_pair);
}
KITH_BENCHMARK(deferred_dense_pairs_of_one)->Arg(1000)->Arg(10'000);
KITH_BENCHMARK(deferred_sparse_pairs_of_one)->Arg(1000)->Arg(10'000);
KITH_BENCHMARK(deferred_symmetric_pairs_of_one)->Arg(1000)->Arg(10'000);
KITH_BENCHMARK(deferred_get_mut_of_dense_pairs)->Arg(1000)->Arg(10'000);
KITH_BENCHMARK(deferred_get_mut_of_sparse_pairs)->Arg(1000)->Arg(10'000);

}  // namespace
}  // namespace bench
