// Names: looking paths up, and giving names to many entities.
#include "scenario.hpp"

#include <string>
#include <unordered_map>

namespace bench {
namespace {

void lookup_depth_3(benchmark::State& state) {
    counted_world counted;
    std::vector<std::string> paths;
    std::unordered_map<std::string, kith::entity_t> raw;
    for (int a = 0; a < 10; ++a) {
        for (int b = 0; b < 10; ++b) {
            for (int c = 0; c < 10; ++c) {
                paths.push_back("galaxy_" + std::to_string(a) + "::star_" + std::to_string(b) +
                                "::planet_" + std::to_string(c));
                raw[paths.back()] = counted.world.entity(paths.back().c_str());
            }
        }
    }
    scenario run(state, paths.size());
    for (auto _ : state) {
        run.kith(counted.memory, [&] {
            for (const std::string& path : paths) {
                use(counted.world.lookup(path.c_str()).id());
            }
        });
        // One map of whole paths: less than what kith keeps, but the floor for a lookup by text.
        run.raw([&] {
            for (const std::string& path : paths) {
                use(raw.find(path)->second);
            }
        });
    }
}
KITH_BENCHMARK(lookup_depth_3);

// The argument is the number of names in one scope: the cost of one must not grow with it.
void name_entities(benchmark::State& state) {
    auto count = static_cast<std::size_t>(state.range(0));
    std::vector<std::string> names;
    for (std::size_t i = 0; i < count; ++i) {
        names.push_back("entity_" + std::to_string(i));
    }
    scenario run(state, count);
    for (auto _ : state) {
        counted_world counted;
        entity_ids ids(count);
        for (kith::entity_t& id : ids) {
            id = counted.world.entity();
        }
        std::size_t before = counted.memory.bytes();
        run.kith(counted.memory, [&] {
            for (std::size_t i = 0; i < count; ++i) {
                handle(counted.world, ids[i]).set_name(names[i].c_str());
            }
        });
        run.show("bytes",
                 static_cast<double>(counted.memory.bytes() - before) / static_cast<double>(count));
        std::unordered_map<std::string, kith::entity_t> raw;
        run.raw([&] {
            for (std::size_t i = 0; i < count; ++i) {
                raw.emplace(names[i], ids[i]);
            }
        });
    }
}
KITH_BENCHMARK(name_entities)->RangeMultiplier(10)->Range(1000, 1'000'000);

}  // namespace
}  // namespace bench
