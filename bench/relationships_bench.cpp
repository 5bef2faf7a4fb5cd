// Pairs, in tables (dense) and beside them (sparse): adding, changing and finding targets, and what
// one of these costs as the world grows. Then inheritance and prefabs.
#include "raw_links.hpp"

namespace bench {
namespace {

using kith::storage_kind;

constexpr std::size_t hundred_thousand = 100'000;
constexpr std::size_t sources_each = 10;

struct Likes {};
struct Knows {};

// Entities with a position, and one target for ten of them. Pairs are not made yet.
struct linked_world : counted_world {
    linked_world(storage_kind storage, std::size_t entities, std::size_t target_count,
                 bool exclusive = false)
        : relation(world.relation("relation", {.exclusive = exclusive, .storage = storage})) {
        for (std::size_t i = 0; i < target_count; ++i) {
            targets.push_back(world.entity());
        }
        for (std::size_t i = 0; i < entities; ++i) {
            ids.push_back(world.entity().set<Position>({}));
        }
    }
    kith::entity source(std::size_t i) const { return handle(world, ids[i]); }
    kith::entity_t target(std::size_t i) const { return targets[i % targets.size()]; }
    // Neighbours have different targets.
    void link_all() {
        for (std::size_t i = 0; i < ids.size(); ++i) {
            source(i).add(relation, target(i));
        }
    }

    kith::entity relation;
    entity_ids targets;
    entity_ids ids;
};

raw_links linked_arrays(std::size_t entities, std::size_t targets) {
    raw_links raw(entities, targets);
    for (std::uint32_t i = 0; i < entities; ++i) {
        raw.link(i, i % static_cast<std::uint32_t>(targets));
    }
    return raw;
}

std::uint32_t size_of(const benchmark::State& state) {
    return static_cast<std::uint32_t>(state.range(0));
}

// -- adding, changing, finding

void first_target(benchmark::State& state, storage_kind storage) {
    scenario run(state, hundred_thousand);
    for (auto _ : state) {
        linked_world linked(storage, hundred_thousand, ten_thousand);
        std::size_t before = linked.memory.bytes();
        run.kith(linked.memory, [&] { linked.link_all(); });
        run.show("bytes", static_cast<double>(linked.memory.bytes() - before) / hundred_thousand);
        raw_links raw(hundred_thousand, ten_thousand);
        run.raw([&] {
            for (std::uint32_t i = 0; i < hundred_thousand; ++i) {
                raw.link(i, i % ten_thousand);
            }
        });
    }
}
KITH_BENCHMARK_WITH(first_target, dense, kith::storage::dense);
KITH_BENCHMARK_WITH(first_target, sparse, kith::storage::sparse);

// Takes the target away and adds another one; an exclusive relationship does both in one step.
void next_target(benchmark::State& state, storage_kind storage, bool exclusive) {
    scenario run(state, hundred_thousand);
    linked_world linked(storage, hundred_thousand, ten_thousand, exclusive);
    linked.link_all();
    raw_links raw = linked_arrays(hundred_thousand, ten_thousand);
    std::uint32_t shift = 0;
    auto round = [&] {
        for (std::uint32_t i = 0; i < hundred_thousand; ++i) {
            kith::entity source = linked.source(i);
            if (!exclusive) {
                source.remove(linked.relation, linked.target(i + shift));
            }
            source.add(linked.relation, linked.target(i + shift + 1));
        }
    };
    round();
    for (auto _ : state) {
        ++shift;
        run.kith(linked.memory, round);
        run.raw([&] {
            for (std::uint32_t i = 0; i < hundred_thousand; ++i) {
                raw.unlink(i);
                raw.link(i, (i + shift) % ten_thousand);
            }
        });
    }
}
KITH_BENCHMARK_WITH(next_target, dense, kith::storage::dense, false);
KITH_BENCHMARK_WITH(next_target, dense_exclusive, kith::storage::dense, true);
KITH_BENCHMARK_WITH(next_target, sparse, kith::storage::sparse, false);
KITH_BENCHMARK_WITH(next_target, sparse_exclusive, kith::storage::sparse, true);

// One operation visits the ten sources of a target.
void sources_of_one(benchmark::State& state, storage_kind storage) {
    scenario run(state, ten_thousand);
    linked_world linked(storage, hundred_thousand, ten_thousand);
    linked.link_all();
    raw_links raw = linked_arrays(hundred_thousand, ten_thousand);
    for (auto _ : state) {
        run.kith(linked.memory, [&] {
            for (kith::entity_t target : linked.targets) {
                handle(linked.world, target).each_source(linked.relation, [](kith::entity source) {
                    use(source.id());
                });
            }
        });
        run.raw([&] {
            for (std::uint32_t target = 0; target < ten_thousand; ++target) {
                for (std::uint32_t source : raw.sources(target)) {
                    use(source);
                }
            }
        });
    }
}
KITH_BENCHMARK_WITH(sources_of_one, dense, kith::storage::dense);
KITH_BENCHMARK_WITH(sources_of_one, sparse, kith::storage::sparse);

// Two relationships of C++ types with four targets each, drawn from the 32 entities around; per
// entity.
void random_graph(benchmark::State& state, storage_kind storage) {
    constexpr std::size_t degree = 4;
    constexpr std::uint32_t around = 32;
    std::mt19937 random(7);
    std::vector<std::uint32_t> edges;
    for (std::uint32_t i = 0; i < hundred_thousand; ++i) {
        for (int k = 0; k < 2; ++k) {
            std::size_t first = edges.size();
            while (edges.size() < first + degree) {
                std::uint32_t target = i / around * around + random() % around;
                auto begin = edges.begin() + static_cast<std::ptrdiff_t>(first);
                if (target != i && target < hundred_thousand &&
                    std::find(begin, edges.end(), target) == edges.end()) {
                    edges.push_back(target);
                }
            }
        }
    }
    scenario run(state, hundred_thousand);
    for (auto _ : state) {
        counted_world counted;
        counted.world.relation<Likes>({.storage = storage});
        counted.world.relation<Knows>({.storage = storage});
        entity_ids ids(hundred_thousand);
        for (kith::entity_t& id : ids) {
            id = counted.world.entity();
        }
        std::size_t before = counted.memory.bytes();
        run.kith(counted.memory, [&] {
            auto edge = edges.begin();
            for (kith::entity_t id : ids) {
                kith::entity source = handle(counted.world, id);
                for (std::size_t k = 0; k < degree; ++k) {
                    source.add<Likes>(ids[*edge++]);
                }
                for (std::size_t k = 0; k < degree; ++k) {
                    source.add<Knows>(ids[*edge++]);
                }
            }
        });
        run.show("bytes", static_cast<double>(counted.memory.bytes() - before) / hundred_thousand);
        // Both directions, as kith keeps them.
        std::vector<std::vector<std::uint32_t>> targets(hundred_thousand),
            sources(hundred_thousand);
        run.raw([&] {
            for (std::size_t i = 0; i < edges.size(); ++i) {
                auto source = static_cast<std::uint32_t>(i / (2 * degree));
                targets[source].push_back(edges[i]);
                sources[edges[i]].push_back(source);
            }
        });
    }
}
KITH_BENCHMARK_WITH(random_graph, dense, kith::storage::dense)->Iterations(2);
KITH_BENCHMARK_WITH(random_graph, sparse, kith::storage::sparse);

// -- growth: the argument is the number of sources, a tenth of it that of targets

void delete_source(benchmark::State& state, storage_kind storage) {
    std::uint32_t count = size_of(state);
    scenario run(state, count);
    std::vector<std::uint32_t> order = shuffled(count);
    for (auto _ : state) {
        linked_world linked(storage, count, count / sources_each);
        linked.link_all();
        run.kith(linked.memory, [&] {
            for (std::uint32_t i : order) {
                linked.source(i).destruct();
            }
        });
        raw_links raw = linked_arrays(count, count / sources_each);
        run.raw([&] {
            for (std::uint32_t i : order) {
                raw.unlink(i);
            }
        });
    }
}
KITH_GROWTH(delete_source, dense, kith::storage::dense);
KITH_GROWTH(delete_source, sparse, kith::storage::sparse);

// One operation deletes a target with its ten sources' pairs.
void delete_target(benchmark::State& state, storage_kind storage) {
    std::uint32_t count = size_of(state);
    std::uint32_t target_count = count / sources_each;
    scenario run(state, target_count);
    std::vector<std::uint32_t> order = shuffled(target_count);
    for (auto _ : state) {
        linked_world linked(storage, count, target_count);
        linked.link_all();
        run.kith(linked.memory, [&] {
            for (std::uint32_t i : order) {
                handle(linked.world, linked.targets[i]).destruct();
            }
        });
        raw_links raw = linked_arrays(count, target_count);
        run.raw([&] {
            for (std::uint32_t i : order) {
                raw.unlink_all(i);
            }
        });
    }
}
KITH_GROWTH(delete_target, dense, kith::storage::dense);
KITH_GROWTH(delete_target, sparse, kith::storage::sparse);

// Sources in random order get another target.
void retarget(benchmark::State& state, storage_kind storage) {
    std::uint32_t count = size_of(state);
    std::uint32_t target_count = count / sources_each;
    scenario run(state, count);
    std::vector<std::uint32_t> order = shuffled(count);
    linked_world linked(storage, count, target_count, true);
    linked.link_all();
    raw_links raw = linked_arrays(count, target_count);
    std::uint32_t shift = 0;
    for (auto _ : state) {
        ++shift;
        run.kith(linked.memory, [&] {
            for (std::uint32_t i : order) {
                linked.source(i).add(linked.relation, linked.target(i + shift));
            }
        });
        run.raw([&] {
            for (std::uint32_t i : order) {
                raw.unlink(i);
                raw.link(i, (i + shift) % target_count);
            }
        });
    }
}
KITH_GROWTH(retarget, dense, kith::storage::dense);
KITH_GROWTH(retarget, sparse, kith::storage::sparse);

// All pairs of the relationship, per pair.
void visit_pairs(benchmark::State& state, storage_kind storage) {
    std::uint32_t count = size_of(state);
    scenario run(state, count);
    linked_world linked(storage, count, count / sources_each);
    linked.link_all();
    raw_links raw = linked_arrays(count, count / sources_each);
    for (auto _ : state) {
        run.kith(linked.memory, [&] {
            linked.world.each(linked.relation, kith::Wildcard,
                              [](kith::entity source) { use(source.id()); });
        });
        run.raw([&] {
            for (std::uint32_t i = 0; i < raw.size(); ++i) {
                if (raw.target(i) != raw_links::none) {
                    use(i);
                }
            }
        });
    }
}
KITH_GROWTH(visit_pairs, dense, kith::storage::dense);
KITH_GROWTH(visit_pairs, sparse, kith::storage::sparse);

// One source gets that many targets and loses them in random order; mean of both. In tables, each
// target more is one table more, with all ids of the one before: there the numbers stay small.
void many_targets(benchmark::State& state, storage_kind storage) {
    std::uint32_t count = size_of(state);
    scenario run(state, 2 * std::size_t{count});
    std::vector<std::uint32_t> order = shuffled(count);
    linked_world linked(storage, 1, count);
    kith::entity source = linked.source(0);
    auto round = [&] {
        for (kith::entity_t target : linked.targets) {
            source.add(linked.relation, target);
        }
        for (std::uint32_t i : order) {
            source.remove(linked.relation, linked.targets[i]);
        }
    };
    round();
    for (auto _ : state) {
        run.kith(linked.memory, round);
    }
}
KITH_BENCHMARK_WITH(many_targets, dense, kith::storage::dense)->Arg(8)->Arg(100);
KITH_BENCHMARK_WITH(many_targets, sparse, kith::storage::sparse)->Arg(8)->Arg(100);
KITH_GROWTH(many_targets, sparse, kith::storage::sparse);

// -- inheritance

void get_inherited(benchmark::State& state) {
    constexpr std::uint32_t bases = 100;
    counted_world counted;
    entity_ids prefabs, ids(million);
    for (std::uint32_t i = 0; i < bases; ++i) {
        prefabs.push_back(counted.world.prefab().set<Position>({1, 2, 3}));
    }
    std::vector<std::uint32_t> order = shuffled(million), base_of(million);
    std::vector<Position> values(bases);
    for (std::uint32_t i = 0; i < million; ++i) {
        base_of[order[i]] = i % bases;
        ids[order[i]] = counted.world.entity().is_a(prefabs[i % bases]);
    }
    scenario run(state, million);
    for (auto _ : state) {
        run.kith(counted.memory, [&] {
            for (kith::entity_t id : ids) {
                use(handle(counted.world, id).get<Position>()->x);
            }
        });
        run.raw([&] {
            for (std::uint32_t i : order) {
                use(values[base_of[i]].x);
            }
        });
    }
}
KITH_BENCHMARK(get_inherited);

struct prefab_world : counted_world {
    prefab_world() : base(world.prefab().set<Position>({1, 2, 3})) {
        for (int i = 0; i < 10; ++i) {
            world.prefab().child_of(base).set<Position>({}).set<Velocity>({});
        }
    }
    void instantiate() {
        for (kith::entity_t& id : ids) {
            id = world.entity().is_a(base);
        }
    }
    void delete_all() {
        for (kith::entity_t id : ids) {
            handle(world, id).destruct();
        }
    }
    kith::entity base;
    entity_ids ids = entity_ids(ten_thousand);
};

void instantiate_prefab(benchmark::State& state) {
    scenario run(state, ten_thousand);
    prefab_world prefab;
    prefab.instantiate();
    for (auto _ : state) {
        prefab.delete_all();
        run.kith(prefab.memory, [&] { prefab.instantiate(); });
    }
}
KITH_BENCHMARK(instantiate_prefab);

void delete_instance(benchmark::State& state) {
    scenario run(state, ten_thousand);
    prefab_world prefab;
    for (auto _ : state) {
        prefab.instantiate();
        run.kith(prefab.memory, [&] { prefab.delete_all(); });
    }
}
KITH_BENCHMARK(delete_instance);

}  // namespace
}  // namespace bench
