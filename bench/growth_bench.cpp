// How the cost of reading relationships and of running queries grows with what is not part of the
// answer. The argument is the size that must not matter; one operation is what the comment says.
#include "scenario.hpp"

namespace bench {
namespace {

using kith::storage_kind;

std::uint32_t size_of(const benchmark::State& state) {
    return static_cast<std::uint32_t>(state.range(0));
}

entity_ids make_entities(counted_world& data, std::size_t count) {
    entity_ids ids;
    for (std::size_t i = 0; i < count; ++i) {
        ids.push_back(data.world.entity());
    }
    return ids;
}

// Three of the sizes that the table of growth shows.
void grow(benchmark::internal::Benchmark* one) {
    one->Arg(1000)->Arg(10000)->Arg(100000)->Iterations(5);
}

// The last target of a source, found by its number.
void last_target(benchmark::State& state) {
    constexpr std::size_t times = 100;
    scenario run(state, times);
    counted_world data;
    kith::entity relation = data.world.relation("R", {.storage = kith::storage::sparse});
    kith::entity source = data.world.entity();
    const std::uint32_t count = size_of(state);
    for (kith::entity_t target : make_entities(data, count)) {
        source.add(relation, target);
    }
    for (auto _ : state) {
        run.kith(data.memory, [&] {
            for (std::size_t i = 0; i < times; ++i) {
                use(source.target(relation, static_cast<std::int32_t>(count - 1)).id());
            }
        });
    }
}
KITH_BENCHMARK(last_target)->Apply(grow);

// One of so many pairs of one entity, by a query with a variable or wildcard; the pairs are in its
// table, and added in one step.
void visit_pairs_of_one(benchmark::State& state, const char* text, bool cached) {
    const std::uint32_t count = size_of(state);
    scenario run(state, count);
    counted_world data;
    kith::entity relation = data.world.entity("R");
    kith::entity target = data.world.entity("T");
    kith::entity source = data.world.entity();
    const entity_ids others = make_entities(data, count);
    data.world.defer([&] {
        for (kith::entity_t one : others) {
            source.add(relation, one);
            source.add(one, target);
        }
    });
    std::size_t results = 0;
    auto visit = [&](auto& query) {
        query.each([&](kith::entity) { ++results; });
        for (auto _ : state) {
            run.kith(data.memory, [&] { query.each([&](kith::entity) { ++results; }); });
        }
    };
    if (cached) {
        auto query = data.world.query(text);
        visit(query);
    } else {
        auto filter = data.world.filter(text);
        visit(filter);
    }
    use(results);
}
#define KITH_PAIRS_OF_ONE(name, text, cached) \
    KITH_BENCHMARK_WITH(visit_pairs_of_one, name, text, cached)->Arg(100)->Arg(1000)->Arg(4000)
KITH_PAIRS_OF_ONE(any_target_filter, "(R, *)", false);
KITH_PAIRS_OF_ONE(any_target_cached, "(R, *)", true);
KITH_PAIRS_OF_ONE(any_relation_filter, "(*, T)", false);
KITH_PAIRS_OF_ONE(relation_variable_filter, "($r, T)", false);
KITH_PAIRS_OF_ONE(relation_variable_cached, "($r, T)", true);

// A new table of one group, and a run of that group; there are so many groups.
void new_table_in_group(benchmark::State& state) {
    constexpr std::size_t times = 10;
    scenario run(state, times);
    counted_world data;
    kith::entity relation = data.world.entity();
    const entity_ids targets = make_entities(data, size_of(state));
    for (kith::entity_t target : targets) {
        data.world.entity(Position{}).add(relation, target);
    }
    auto query = data.world.query_builder<Position>().group_by(relation).build();
    query.each([](Position& position) { position.x += 1; });
    for (auto _ : state) {
        const entity_ids tags = make_entities(data, times);
        run.kith(data.memory, [&] {
            for (kith::entity_t tag : tags) {
                data.world.entity(Position{}).add(relation, targets[0]).add(tag);
                query.iter().set_group(targets[0]).each([](Position& p) { p.x += 1; });
            }
        });
    }
}
KITH_BENCHMARK(new_table_in_group)->Apply(grow);

// One entity of a chain of so many, all of which lead to its top by a transitive relationship.
void chain_with_tag(benchmark::State& state, storage_kind storage) {
    const std::uint32_t count = size_of(state);
    scenario run(state, count);
    counted_world data;
    kith::entity relation = data.world.relation("R", {.transitive = true, .storage = storage});
    kith::entity tag = data.world.entity("Tag");
    kith::entity above = data.world.entity("Top");
    for (std::uint32_t i = 0; i < count; ++i) {
        above = data.world.entity().add(relation, above).add(tag);
    }
    auto query = data.world.query("Tag, (R, Top)");
    std::size_t results = 0;
    for (auto _ : state) {
        run.kith(data.memory, [&] { query.each([&](kith::entity) { ++results; }); });
    }
    use(results);
}
KITH_BENCHMARK_WITH(chain_with_tag, dense, kith::storage::dense)->Apply(grow);
KITH_BENCHMARK_WITH(chain_with_tag, sparse, kith::storage::sparse)->Apply(grow);

// One of so many children of a parent, whose value an instanced query hands out for all of them.
void instanced_children(benchmark::State& state) {
    const std::uint32_t count = size_of(state);
    scenario run(state, count);
    counted_world data;
    kith::entity parent = data.world.entity(Velocity{});
    for (std::uint32_t i = 0; i < count; ++i) {
        data.world.entity(Position{}).child_of(parent);
    }
    auto query =
        data.world.query_builder().with<Position>().with<Velocity>().parent().instanced().build();
    std::size_t calls = 0;
    for (auto _ : state) {
        calls = 0;
        run.kith(data.memory, [&] { query.iter([&](kith::iter&) { ++calls; }); });
    }
    run.show("calls", static_cast<double>(calls));
}
KITH_BENCHMARK(instanced_children)->Apply(grow);

// A run over one table with rows, and so many that have had some.
enum class run_kind { cached, filter, wildcard };
void pass_empty_tables(benchmark::State& state, run_kind kind) {
    constexpr std::size_t times = 100;
    scenario run(state, times);
    counted_world data;
    kith::entity relation = data.world.entity("R");
    auto cached = data.world.query<Position>();
    auto filter = data.world.filter<Position>();
    auto pairs = data.world.filter("(R, *)");
    for (std::uint32_t i = 0; i < size_of(state); ++i) {
        data.world.entity(Position{}).add(relation, data.world.entity()).destruct();
    }
    data.world.entity(Position{}).add(relation, data.world.entity());
    for (auto _ : state) {
        run.kith(data.memory, [&] {
            for (std::size_t i = 0; i < times; ++i) {
                if (kind == run_kind::cached) {
                    cached.each([](Position& position) { position.x += 1; });
                } else if (kind == run_kind::filter) {
                    filter.each([](Position& position) { position.x += 1; });
                } else {
                    pairs.each([](kith::entity one) { use(one.id()); });
                }
            }
        });
    }
}
KITH_BENCHMARK_WITH(pass_empty_tables, cached, run_kind::cached)->Apply(grow);
KITH_BENCHMARK_WITH(pass_empty_tables, filter, run_kind::filter)->Apply(grow);
KITH_BENCHMARK_WITH(pass_empty_tables, wildcard, run_kind::wildcard)->Apply(grow);

// One row of a sorted query, each in a table of its own; raw: the values, sorted, and the tables
// one after the other.
void sort_small_tables(benchmark::State& state) {
    const std::uint32_t count = size_of(state);
    scenario run(state, count);
    counted_world data;
    std::vector<float> values;
    for (const std::uint32_t value : shuffled(count)) {
        values.push_back(static_cast<float>(value));
        data.world.entity(Position{values.back(), 0, 0}).add(data.world.entity());
    }
    auto sorted = data.world.query_builder<const Position>().order_by(&Position::x).build();
    auto plain = data.world.query<const Position>();
    float sum = 0;
    auto visit = [&](const Position& position) { sum += position.x; };
    sorted.each(visit);
    for (auto _ : state) {
        run.kith(data.memory, [&] { sorted.each(visit); });
        run.raw([&] {
            std::vector<float> all = values;
            std::sort(all.begin(), all.end());
            use(all.data());
            plain.each(visit);
        });
    }
    use(sum);
}
KITH_BENCHMARK(sort_small_tables)->Apply(grow);

// A new table for so many cached queries about the same id. Per query.
void queries_of_one_id(benchmark::State& state, const char* text) {
    const auto count = static_cast<std::size_t>(state.range(0));
    scenario run(state, count);
    counted_world data;
    kith::entity relation = data.world.entity("R");
    data.world.entity("T");
    std::vector<kith::query<>> queries;
    for (std::size_t i = 0; i < count; ++i) {
        queries.push_back(data.world.query(text));
        queries.back().each([](kith::entity one) { use(one.id()); });
    }
    for (auto _ : state) {
        kith::entity target = data.world.entity();
        kith::entity tag = data.world.lookup("T");
        run.kith(data.memory, [&] { data.world.entity().add(tag).add(relation, target); });
    }
}
#define KITH_QUERIES_OF_ONE_ID(name, text)             \
    KITH_BENCHMARK_WITH(queries_of_one_id, name, text) \
        ->Arg(100)                                     \
        ->Arg(1000)                                    \
        ->Arg(10000)                                   \
        ->Iterations(20)
KITH_QUERIES_OF_ONE_ID(tag, "T");
KITH_QUERIES_OF_ONE_ID(any_target, "(R, *)");

// One of so many targets that an entity gets one by one, in its table; `left`: bytes for each that
// the world has more when the entity is deleted.
void targets_one_by_one(benchmark::State& state) {
    const std::uint32_t count = size_of(state);
    scenario run(state, count);
    counted_world data;
    kith::entity relation = data.world.entity();
    const entity_ids targets = make_entities(data, count);
    kith::set_log([](const char*, void*) {});
    double left = 0;
    for (auto _ : state) {
        const std::size_t before = data.memory.bytes();
        kith::entity source = data.world.entity();
        run.kith(data.memory, [&] {
            for (kith::entity_t target : targets) {
                source.add(relation, target);
            }
        });
        source.destruct();
        left = static_cast<double>(data.memory.bytes()) - static_cast<double>(before);
    }
    kith::set_log(nullptr);
    run.show("left", left / count);
}
KITH_BENCHMARK(targets_one_by_one)->Arg(100)->Arg(1000)->Arg(2000)->Iterations(2);

// One of so many children of a parent, found by a filter; their tables take turns.
void children_by_filter(benchmark::State& state, std::uint32_t tables) {
    const std::uint32_t count = size_of(state);
    scenario run(state, count);
    counted_world data;
    kith::entity parent = data.world.entity();
    const entity_ids tags = make_entities(data, tables);
    for (std::uint32_t i = 0; i < count; ++i) {
        data.world.entity(Position{}).child_of(parent).add(tags[i % tables]);
    }
    auto filter = data.world.filter_builder<Position>().with(kith::ChildOf, parent).build();
    filter.each([](Position& position) { position.x += 1; });
    for (auto _ : state) {
        run.kith(data.memory, [&] { filter.each([](Position& position) { position.x += 1; }); });
    }
}
KITH_BENCHMARK_WITH(children_by_filter, one_table, 1u)->Apply(grow);
KITH_BENCHMARK_WITH(children_by_filter, two_tables, 2u)->Apply(grow);

// One of so many tables with one row, in one of four shares of all of them.
void share_of_tables(benchmark::State& state, bool cached) {
    const std::uint32_t count = size_of(state);
    scenario run(state, count);
    counted_world data;
    for (kith::entity_t tag : make_entities(data, count)) {
        data.world.entity(Position{}).add(tag);
    }
    auto visit = [&](const auto& query) {
        query.count();
        for (auto _ : state) {
            run.kith(data.memory,
                     [&] { query.worker(1, 4).each([](Position& position) { position.x += 1; }); });
        }
    };
    if (cached) {
        visit(data.world.query<Position>());
    } else {
        visit(data.world.filter<Position>());
    }
}
KITH_BENCHMARK_WITH(share_of_tables, cached, true)->Apply(grow);
KITH_BENCHMARK_WITH(share_of_tables, filter, false)->Apply(grow);

// One of so many sources whose pairs meet in a variable, in one of four shares of all of them.
void share_of_sources(benchmark::State& state, storage_kind storage) {
    const std::uint32_t count = size_of(state);
    scenario run(state, count);
    counted_world data;
    kith::entity likes = data.world.relation("Likes", {.storage = storage});
    kith::entity knows = data.world.relation("Knows", {.storage = storage});
    const entity_ids targets = make_entities(data, 20);
    for (std::uint32_t i = 0; i < count; ++i) {
        data.world.entity()
            .add(likes, targets[i % 20])
            .add(likes, targets[(i + 1) % 20])
            .add(knows, targets[i % 20])
            .add(knows, targets[(i + 2) % 20]);
    }
    auto filter = data.world.filter("(Likes, $x), (Knows, $x)");
    std::size_t results = 0;
    filter.each([&](kith::entity) { ++results; });
    for (auto _ : state) {
        run.kith(data.memory, [&] { filter.worker(1, 4).each([&](kith::entity) { ++results; }); });
    }
    use(results);
}
KITH_BENCHMARK_WITH(share_of_sources, dense, kith::storage::dense)->Apply(grow);
KITH_BENCHMARK_WITH(share_of_sources, sparse, kith::storage::sparse)->Apply(grow);

}  // namespace
}  // namespace bench
