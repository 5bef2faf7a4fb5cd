// Worlds as text: facts per second, read and written.
#include <kith/world_text.hpp>

#include "scenario.hpp"

#include <string>

namespace bench {
namespace {

constexpr std::size_t facts_per_entity = 2;

// Half a million entities, each with a tag and a pair.
std::string make_text() {
    std::string text = "Orbits: Sparse\nSun {}\n";
    for (std::size_t i = 0; i < million / facts_per_entity; ++i) {
        text +=
            "body_" + std::to_string(i) + ": kind_" + std::to_string(i % 50) + ", (Orbits, Sun)\n";
    }
    return text;
}

void load_text(benchmark::State& state) {
    const std::string text = make_text();
    scenario run(state, million);
    for (auto _ : state) {
        counted_world counted;
        run.kith(counted.memory, [&] { use(kith::load_text(counted.world, text).facts); });
    }
}
KITH_BENCHMARK(load_text);

void save_text(benchmark::State& state) {
    counted_world counted;
    kith::load_text(counted.world, make_text());
    scenario run(state, million);
    for (auto _ : state) {
        run.kith(counted.memory, [&] { use(kith::save_text(counted.world).size()); });
    }
}
KITH_BENCHMARK(save_text);

void check_text(benchmark::State& state) {
    const std::string text = make_text();
    counting_memory none;
    scenario run(state, million);
    for (auto _ : state) {
        run.kith(none, [&] { use(kith::check_text(text).size()); });
    }
}
KITH_BENCHMARK(check_text);

}  // namespace
}  // namespace bench
