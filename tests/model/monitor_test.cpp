// Random queries with monitors over random worlds: a mirror of the results that is kept by what
// monitors tell alone equals the query after every change, and every result is told once. Where it
// does not, world and queries are shrunk and printed with their seed; random_programs.hpp and
// query_model/shrinking.hpp say what can be changed from outside.
#include "support/query_model/graph_generator.hpp"
#include "support/query_model/monitor_session.hpp"
#include "support/query_model/shrinking.hpp"
#include "support/sanitized.hpp"

#include <doctest/doctest.h>

namespace {

using namespace query_model;

struct shape {
    int rounds;
    int queries;
    int changes;
};

// Some changes are made at once, others queued and run as one batch.
template <class Generator, class MakeQuery, class Change>
std::size_t run_monitored(Generator& random, const shape& size, MakeQuery make_query,
                          Change change) {
    monitor_session inverse;
    auto run = [&](const step& one) {
        running.steps.push_back(one);
        inverse.run(one);
    };
    for (const step& one : random.make_world()) {
        run(one);
    }
    for (int round = 0; round < size.rounds; ++round) {
        run({});
        for (int i = 0; i < size.queries; ++i) {
            running.queries.push_back({round, make_query(inverse.on), random.choice()});
            inverse.add(running.queries.back());
        }
        run({step_kind::make_queries, nothing, {}, round});
        for (int i = 0; i < size.changes; ++i) {
            const bool batch = i % 5 == 3;
            if (batch) {
                run({step_kind::defer, nothing, {}, 0});
            }
            for (int more = batch ? 4 : 1; more > 0; --more) {
                run(change());
            }
            if (batch) {
                run({step_kind::flush, nothing, {}, 0});
            }
        }
    }
    return inverse.events();
}

std::size_t run_graph_seed(std::uint64_t seed) {
    graph_generator random(seed);
    return run_monitored(
        random, {.rounds = 2, .queries = 6, .changes = 24},
        [&](const stage& on) { return random.make_graph_query(on); },
        [&] { return random.graph_change(); });
}
std::size_t run_table_seed(std::uint64_t seed) {
    generator random(seed);
    return run_monitored(
        random, {.rounds = 2, .queries = 6, .changes = 24},
        [&](const stage& on) { return random.make_query(on); }, [&] { return random.change(); });
}

void check_seeds(std::size_t usual, std::size_t (*run_seed)(std::uint64_t)) {
    differ = find_difference<monitor_session>;
    std::vector<std::uint64_t> seeds = random_programs::chosen_seeds(
        random_programs::number_from_environment("KITH_QUERY_SEEDS", usual));
    std::size_t events = 0;
    std::string found = find_differences("model.monitor", seeds,
                                         [&](std::uint64_t seed) { events += run_seed(seed); });
    differ = find_difference<session>;
    CHECK_MESSAGE(found.empty(), found);
    if (found.empty() && seeds.size() >= usual) {
        CHECK_MESSAGE(events > 50 * seeds.size(), events, " events");
    }
}

constexpr std::size_t usual_seeds = kith_test::is_sanitized ? 20 : 150;

}  // namespace

TEST_SUITE("model.monitor") {
    TEST_CASE("monitors of queries over graphs mirror their results") {
        check_seeds(usual_seeds, run_graph_seed);
    }
    TEST_CASE("monitors of queries over tables mirror their results") {
        check_seeds(usual_seeds, run_table_seed);
    }
}
