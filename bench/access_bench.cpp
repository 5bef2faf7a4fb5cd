// Reading and writing what entities have. "random" visits a million entities in random order, "hot"
// ten thousand that the caches hold.
#include "scenario.hpp"

#include <memory>

namespace bench {
namespace {

// A million entities in four tables, and the arrays that any archetype store must touch.
struct accessed_world : counted_world {
    accessed_world() {
        relation = world.entity();
        for (kith::entity_t& target : targets) {
            target = world.entity();
        }
        for (std::size_t i = 0; i < million; ++i) {
            float x = static_cast<float>(i % 8);
            in_order[i] = world.entity(Position{x, 2, 3}, Velocity{1, 1, 1})
                              .add(relation, targets[i % targets.size()]);
            raw_records[i] = {static_cast<std::uint32_t>(i), 0, 0};
            raw_positions[i] = {x, 2, 3};
        }
        for (std::size_t i = 0; i < million; ++i) {
            random[i] = in_order[raw_order[i]];
        }
    }
    kith::entity relation;
    std::vector<kith::entity_t> targets = entity_ids(4);
    entity_ids in_order = entity_ids(million);
    entity_ids random = entity_ids(million);
    std::vector<std::uint32_t> raw_order = shuffled(million);
    std::vector<raw_record> raw_records = std::vector<raw_record>(million);
    std::vector<Position> raw_positions = std::vector<Position>(million);
};

// Made once: nothing here changes its structure.
accessed_world& shared() {
    static std::unique_ptr<accessed_world> instance = std::make_unique<accessed_world>();
    return *instance;
}

void get_hot(benchmark::State& state) {
    scenario run(state, ten_thousand);
    accessed_world& data = shared();
    for (auto _ : state) {
        run.kith(data.memory, [&] {
            float sum = 0;
            for (std::size_t i = 0; i < ten_thousand; ++i) {
                sum += handle(data.world, data.in_order[i]).get<Position>()->x;
            }
            use(sum);
        });
        run.raw([&] {
            float sum = 0;
            for (std::size_t i = 0; i < ten_thousand; ++i) {
                sum += data.raw_positions[data.raw_records[i].row].x;
            }
            use(sum);
        });
    }
}
KITH_BENCHMARK(get_hot);

void get_random(benchmark::State& state) {
    scenario run(state, million);
    accessed_world& data = shared();
    for (auto _ : state) {
        run.kith(data.memory, [&] {
            float sum = 0;
            for (kith::entity_t id : data.random) {
                sum += handle(data.world, id).get<Position>()->x;
            }
            use(sum);
        });
        run.raw([&] {
            float sum = 0;
            for (std::uint32_t i : data.raw_order) {
                sum += data.raw_positions[data.raw_records[i].row].x;
            }
            use(sum);
        });
    }
}
KITH_BENCHMARK(get_random);

void get_through_ref(benchmark::State& state) {
    scenario run(state, ten_thousand);
    accessed_world& data = shared();
    std::vector<kith::ref<Position>> refs;
    std::vector<const Position*> pointers;
    for (std::size_t i = 0; i < ten_thousand; ++i) {
        refs.push_back(handle(data.world, data.in_order[i]).get_ref<Position>());
        pointers.push_back(&data.raw_positions[i]);
    }
    for (auto _ : state) {
        run.kith(data.memory, [&] {
            float sum = 0;
            for (kith::ref<Position>& ref : refs) {
                sum += ref->x;
            }
            use(sum);
        });
        run.raw([&] {
            float sum = 0;
            for (const Position* pointer : pointers) {
                sum += pointer->x;
            }
            use(sum);
        });
    }
}
KITH_BENCHMARK(get_through_ref);

// Counts the entities for which `test` holds, in random order.
template <class Test>
void count_random(benchmark::State& state, Test&& test) {
    scenario run(state, million);
    accessed_world& data = shared();
    for (auto _ : state) {
        run.kith(data.memory, [&] {
            long found = 0;
            for (kith::entity_t id : data.random) {
                found += test(data, handle(data.world, id));
            }
            use(found);
        });
        run.raw([&] {
            long found = 0;
            for (std::uint32_t i : data.raw_order) {
                found += data.raw_records[i].table != 9;
            }
            use(found);
        });
    }
}

void has_component(benchmark::State& state) {
    count_random(state, [](accessed_world&, kith::entity e) { return e.has<Velocity>(); });
}
KITH_BENCHMARK(has_component);

void has_pair(benchmark::State& state) {
    count_random(state, [](accessed_world& data, kith::entity e) {
        return e.has(data.relation, data.targets[0]);
    });
}
KITH_BENCHMARK(has_pair);

void target(benchmark::State& state) {
    count_random(state, [](accessed_world& data, kith::entity e) {
        return e.target(data.relation).id() == data.targets[1];
    });
}
KITH_BENCHMARK(target);

void set_random(benchmark::State& state) {
    scenario run(state, million);
    accessed_world& data = shared();
    for (auto _ : state) {
        run.kith(data.memory, [&] {
            for (kith::entity_t id : data.random) {
                handle(data.world, id).set<Position>({1, 2, 3});
            }
        });
        run.raw([&] {
            for (std::uint32_t i : data.raw_order) {
                data.raw_positions[data.raw_records[i].row] = {1, 2, 3};
            }
        });
    }
}
KITH_BENCHMARK(set_random);

}  // namespace
}  // namespace bench
