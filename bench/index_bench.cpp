// Indexes on members: questions for 100 of a million values, building an index, bringing it up to
// date after 100 writes, and writes of a member with an index. Plain arrays have no counterpart;
// `scan` asks the same question without an index.
#include "scenario.hpp"

#include <memory>

namespace bench {
namespace {

struct Health {
    std::int32_t points = 0;
    std::int32_t most = 0;
    float speed = 0;
};

// A million entities whose points are 0 … 999,999, in random order.
struct healthy_world {
    healthy_world() {
        std::vector<Health> values(million);
        const std::vector<std::uint32_t> order = shuffled(million);
        for (std::size_t i = 0; i < million; ++i) {
            values[i].points = static_cast<std::int32_t>(order[i]);
        }
        const kith::entity_span made = world.bulk(million, values.data());
        entities.assign(made.begin(), made.end());
        few = world.query_builder<const Health>().where(&Health::points, kith::less, 100).build();
    }
    std::int64_t ask() const {
        std::int64_t sum = 0;
        few.each([&](const Health& health) { sum += health.points; });
        return sum;
    }
    void set(std::size_t i, std::int32_t points) const {
        handle(world, entities[i]).set(Health{points, 0, 0});
    }

    kith::world world;
    entity_ids entities;
    kith::query<const Health> few;
};

healthy_world& shared_world() {
    static const std::unique_ptr<healthy_world> made = std::make_unique<healthy_world>();
    return *made;
}

void index_scan_100(benchmark::State& state) {
    healthy_world& data = shared_world();
    data.world.component<Health>().drop_index(&Health::points);
    for (auto _ : state) {
        use(data.ask());
    }
}

void index_find_100(benchmark::State& state) {
    healthy_world& data = shared_world();
    data.world.component<Health>().index(&Health::points);
    use(data.ask());
    for (auto _ : state) {
        use(data.ask());
    }
}

void index_build_1m(benchmark::State& state) {
    healthy_world& data = shared_world();
    for (auto _ : state) {
        state.PauseTiming();
        data.world.component<Health>().drop_index(&Health::points).index(&Health::points);
        state.ResumeTiming();
        use(data.ask());
    }
}

// The time of the question that follows is that of index_find_100.
void index_settle_100(benchmark::State& state) {
    healthy_world& data = shared_world();
    data.world.component<Health>().index(&Health::points);
    use(data.ask());
    std::size_t next = 0;
    for (auto _ : state) {
        state.PauseTiming();
        for (int i = 0; i < 100; ++i) {
            next = (next + 7919) % million;
            data.set(next, static_cast<std::int32_t>(million / 2 + next));
        }
        state.ResumeTiming();
        use(data.ask());
    }
}

void index_set(benchmark::State& state) {
    healthy_world& data = shared_world();
    data.world.component<Health>().index(&Health::points);
    use(data.ask());
    std::size_t next = 0;
    std::int32_t points = 0;
    for (auto _ : state) {
        next = (next + 7919) % ten_thousand;
        data.set(next, ++points);
    }
}

BENCHMARK(index_scan_100);
BENCHMARK(index_find_100);
BENCHMARK(index_build_1m)->Unit(benchmark::kMillisecond);
BENCHMARK(index_settle_100);
BENCHMARK(index_set);

}  // namespace
}  // namespace bench
