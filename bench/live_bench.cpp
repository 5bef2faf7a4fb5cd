// Live data: sorted queries, queries that ask what has changed, groups, observers, monitors.
#include "scenario.hpp"

namespace bench {
namespace {

struct Key {
    int value = 0;
};

int compare_keys(kith::entity_t, const Key* a, kith::entity_t, const Key* b) {
    return (a->value > b->value) - (a->value < b->value);
}

constexpr std::size_t hundred_thousand = 100'000;

// One of `changed_part` keys gets another value before each run; 0: none does. Per row.
void run_sorted(benchmark::State& state, std::size_t changed_part) {
    scenario run(state, hundred_thousand);
    counted_world data;
    std::mt19937 random(5);
    entity_ids ids;
    for (std::size_t i = 0; i < hundred_thousand; ++i) {
        ids.push_back(data.world.entity(Key{static_cast<int>(random() >> 2)}));
    }
    auto query = data.world.query_builder<const Key>().order_by<Key>(compare_keys).build();
    auto add_up = [&] {
        std::int64_t sum = 0;
        query.each([&](const Key& key) { sum += key.value; });
        use(sum);
    };
    add_up();
    for (auto _ : state) {
        for (std::size_t i = 0; changed_part != 0 && i < hundred_thousand / changed_part; ++i) {
            handle(data.world, ids[random() % hundred_thousand])
                .set(Key{static_cast<int>(random() >> 2)});
        }
        run.kith(data.memory, add_up);
    }
}
KITH_BENCHMARK_WITH(run_sorted, unchanged, 0);
KITH_BENCHMARK_WITH(run_sorted, one_percent_changed, 100);

// A thousand tables, each of which is asked whether it has changed. Per table.
void scan_for_changes(benchmark::State& state) {
    constexpr std::size_t tables = 1'000;
    scenario run(state, tables);
    counted_world data;
    for (std::size_t i = 0; i < tables; ++i) {
        data.world.entity(Position{}).add(data.world.entity());
    }
    auto query = data.world.query<const Position>();
    auto scan = [&] {
        int changed = 0;
        query.iter([&](kith::iter& it) { changed += it.changed(); });
        use(changed);
    };
    scan();
    for (auto _ : state) {
        run.kith(data.memory, scan);
    }
}
KITH_BENCHMARK(scan_for_changes);

// A thousand groups of a hundred entities. Per group.
void run_one_group(benchmark::State& state) {
    constexpr std::size_t groups = 1'000;
    scenario run(state, groups);
    counted_world data;
    kith::entity relation = data.world.entity();
    entity_ids targets;
    for (std::size_t i = 0; i < groups; ++i) {
        targets.push_back(data.world.entity());
    }
    for (std::size_t i = 0; i < hundred_thousand; ++i) {
        data.world.entity(Position{}).add(relation, targets[i % groups]);
    }
    auto query = data.world.query_builder<Position>().group_by(relation).build();
    const std::vector<std::uint32_t> order = shuffled(groups);
    for (auto _ : state) {
        run.kith(data.memory, [&] {
            for (std::uint32_t at : order) {
                query.iter().set_group(targets[at]).each([](Position& p) { p.x += 1; });
            }
        });
    }
}
KITH_BENCHMARK(run_one_group);

entity_ids make_positions(counted_world& data, std::size_t count) {
    entity_ids ids;
    for (std::size_t i = 0; i < count; ++i) {
        ids.push_back(data.world.entity(Position{}));
    }
    return ids;
}
void add_marks(counted_world& data, const entity_ids& ids) {
    for (kith::entity_t id : ids) {
        handle(data.world, id).add<Mark>();
    }
}
void remove_marks(counted_world& data, const entity_ids& ids) {
    for (kith::entity_t id : ids) {
        handle(data.world, id).remove<Mark>();
    }
}

// What an operation costs with so many observers of it.
void observe_add(benchmark::State& state, int observers) {
    scenario run(state, ten_thousand);
    counted_world data;
    data.world.component<Mark>();
    entity_ids ids = make_positions(data, ten_thousand);
    int calls = 0;
    for (int i = 0; i < observers; ++i) {
        data.world.observer<>().with<Mark>().event(kith::OnAdd).each([&](kith::entity) {
            ++calls;
        });
    }
    for (auto _ : state) {
        run.kith(data.memory, [&] { add_marks(data, ids); });
        remove_marks(data, ids);
    }
    use(calls);
}
KITH_BENCHMARK_WITH(observe_add, none, 0);
KITH_BENCHMARK_WITH(observe_add, one, 1);
KITH_BENCHMARK_WITH(observe_add, two, 2);

void observe_set(benchmark::State& state, int observers) {
    scenario run(state, ten_thousand);
    counted_world data;
    entity_ids ids = make_positions(data, ten_thousand);
    int calls = 0;
    for (int i = 0; i < observers; ++i) {
        data.world.observer<Position>().event(kith::OnSet).each([&](kith::entity, Position&) {
            ++calls;
        });
    }
    for (auto _ : state) {
        run.kith(data.memory, [&] {
            for (kith::entity_t id : ids) {
                handle(data.world, id).set(Position{1, 2, 3});
            }
        });
    }
    use(calls);
}
KITH_BENCHMARK_WITH(observe_set, none, 0);
KITH_BENCHMARK_WITH(observe_set, one, 1);
KITH_BENCHMARK_WITH(observe_set, two, 2);

// A result of the query begins and ceases with each change.
void monitor_add(benchmark::State& state) {
    constexpr std::size_t count = 1'000;
    scenario run(state, 2 * count);
    counted_world data;
    data.world.component<Mark>();
    entity_ids ids = make_positions(data, count);
    auto query = data.world.query_builder<const Position>().with<Mark>().build();
    int calls = 0;
    kith::monitor watching = query.monitor([&](kith::iter&) { ++calls; });
    for (auto _ : state) {
        run.kith(data.memory, [&] {
            add_marks(data, ids);
            remove_marks(data, ids);
        });
    }
    use(calls);
}
KITH_BENCHMARK(monitor_add);

// A tree of 100,000 nodes of which one in `moved_part` gets another place before each run; 0: none
// does. Per node of the tree.
struct Local {
    float x = 0;
};
struct Placed {
    float x = 0;
};
void place_moved(benchmark::State& state, std::size_t moved_part) {
    scenario run(state, hundred_thousand);
    counted_world data;
    entity_ids nodes;
    for (std::size_t i = 0; i < hundred_thousand; ++i) {
        kith::entity made = data.world.entity(Local{1}, Placed{});
        if (i >= 10) {
            made.child_of(nodes[i / 10]);
        }
        nodes.push_back(made);
    }
    auto query = data.world.query_builder<const Local, Placed, const Placed*>()
                     .arg(3)
                     .parent()
                     .cascade()
                     .build();
    auto place = [&] {
        query.each_changed([](const Local& local, Placed& here, const Placed* parent) {
            here.x = local.x + (parent ? parent->x : 0);
        });
    };
    place();
    std::mt19937 random(5);
    for (auto _ : state) {
        for (std::size_t i = 0; moved_part != 0 && i < hundred_thousand / moved_part; ++i) {
            handle(data.world, nodes[random() % hundred_thousand]).set(Local{2});
        }
        run.kith(data.memory, place);
    }
}
KITH_BENCHMARK_WITH(place_moved, nothing, 0);
KITH_BENCHMARK_WITH(place_moved, one, hundred_thousand);
KITH_BENCHMARK_WITH(place_moved, one_percent, 100);
KITH_BENCHMARK_WITH(place_moved, all, 1);

// So many monitors of one query, made, notified of one change, and ended. Per monitor.
void monitors_of_one_query(benchmark::State& state) {
    const auto count = static_cast<std::size_t>(state.range(0));
    scenario run(state, count);
    counted_world data;
    auto query = data.world.query<const Position>();
    for (auto _ : state) {
        run.kith(data.memory, [&] {
            std::vector<kith::monitor> monitors;
            for (std::size_t i = 0; i < count; ++i) {
                monitors.push_back(query.monitor([](kith::iter& it) { use(it.count()); }));
            }
            data.world.entity(Position{}).destruct();
        });
    }
}
KITH_BENCHMARK(monitors_of_one_query)->Arg(100)->Arg(1000)->Arg(10000);

// So many observers of one id, made and ended. Per observer.
void observers_of_one_id(benchmark::State& state) {
    const auto count = static_cast<std::size_t>(state.range(0));
    scenario run(state, count);
    counted_world data;
    for (auto _ : state) {
        run.kith(data.memory, [&] {
            std::vector<kith::observer> observers;
            for (std::size_t i = 0; i < count; ++i) {
                observers.push_back(
                    data.world.observer<Position>().event(kith::OnAdd).each([](Position& p) {
                        use(p.x);
                    }));
            }
            for (kith::observer one : observers) {
                one.destruct();
            }
        });
    }
}
KITH_BENCHMARK(observers_of_one_id)->Arg(100)->Arg(1000)->Arg(10000);

}  // namespace
}  // namespace bench
