// Makes a program on which kith and the oracle differ as small as it gets. KITH_SHRINK=n changes
// how many seconds are spent on it.
#pragma once

#include "support/query_model/comparison.hpp"
#include "support/random_programs.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace query_model {

template <class Session>
std::string find_difference(const program& one) {
    try {
        Session both;
        for (const program_query& query : one.queries) {
            both.add(query);
        }
        for (const step& each : one.steps) {
            both.run(each);
        }
        return {};
    } catch (const difference& found) {
        return found.what();
    }
}
// What programs are run on; tests with a session of their own set theirs.
inline std::string (*differ)(const program&) = find_difference<session>;

std::string report(std::uint64_t seed, const std::string& what, const program& one);

// The program that is running, for the report of a crash.
inline std::uint64_t running_seed = 0;
inline program running;

std::string report_running();

// A random program, which becomes `running`: a world, and three rounds of queries and changes.
struct program_size {
    int queries;          // of a round
    int changes;          // behind them
    bool checks_between;  // and not only when all were made
};
template <class Generator, class MakeQuery, class Change>
void run_random(Generator& random, statistics& counts, const program_size& size,
                MakeQuery make_query, Change change) {
    session both(&counts);
    auto run = [&](const step& one) {
        running.steps.push_back(one);
        both.run(one);
    };
    for (const step& one : random.make_world()) {
        run(one);
    }
    for (int round = 0; round < 3; ++round) {
        for (int i = 0; i < size.queries; ++i) {
            running.queries.push_back({round, make_query(both.on), random.choice()});
            both.add(running.queries.back());
        }
        run({step_kind::make_queries, nothing, {}, round});
        run({});
        for (int i = 0; i < size.changes; ++i) {
            run(change());
            if (size.checks_between && i % 3 == 1) {
                run({});
            }
        }
    }
    run({});
}

// Runs seeds one after the other until there have been enough differences. `run_seed` makes
// `running` and throws what differs.
template <class RunSeed>
std::string find_differences(const char* suite, const std::vector<std::uint64_t>& seeds,
                             RunSeed run_seed) {
    random_programs::crash_watch watch(suite, report_running);
    std::string found;
    std::size_t patience = random_programs::number_from_environment("KITH_FAILURES", 1);
    for (std::size_t i = 0; i < seeds.size() && patience > 0; ++i) {
        running_seed = seeds[i];
        running = {};
        // Ten times what the slowest takes under sanitizers, on a machine that is busy otherwise.
        random_programs::limit_time(60);
        try {
            run_seed(seeds[i]);
        } catch (const difference& one) {
            random_programs::limit_time(0);
            program differing = running;
            found +=
                report(seeds[i],
                       one.what() + ("\nof query " + text_of(differing.queries[one.query()].terms)),
                       differing) +
                "\n";
            --patience;
        }
    }
    return found;
}

// The histogram, with what occurs less often than it should.
std::string histogram(const statistics& counts, std::size_t at_least, std::string& too_rare);

}  // namespace query_model
