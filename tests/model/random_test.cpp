// Random programs on kith and on a model that is too simple to be wrong. A program on which they
// differ is shrunk to a minimal one and printed with its seed; KITH_SEED=n takes a seed of your
// own, KITH_SEEDS=n as many that follow it, KITH_STEPS=n changes the length of the programs, and
// KITH_SHRINK=n how many seconds are spent on shrinking.
#include "support/model/generator.hpp"
#include "support/model/operations.hpp"
#include "support/model/shrinking.hpp"
#include "support/random_programs.hpp"
#include "support/sanitized.hpp"

#include <doctest/doctest.h>

namespace {

using namespace model;

using random_programs::number_from_environment;

// What goes wrong in a program, or nothing.
std::string find_difference(const std::vector<op>& program) {
    try {
        runner both;
        for (const op& one : program) {
            both.step(one);
        }
        both.finish();
        both.end_world();
        return {};
    } catch (const difference& found) {
        return found.what();
    } catch (const out_of_scope&) {
        return {};
    } catch (const std::exception& broken) {
        return std::string("the model fails: ") + broken.what();
    }
}

std::string report(std::uint64_t seed, const std::string& what, const std::vector<op>& program) {
    return report_shrunk(seed, what, program, find_difference);
}

// The program that is running, for the report of a crash.
std::uint64_t running_seed = 0;
std::vector<op> running;

std::string report_running() {
    return report(running_seed, "crashed", running);
}

// Returns the report of a difference, empty if there is none.
std::string run_seed(std::uint64_t seed, std::size_t steps, statistics& counts) {
    running_seed = seed;
    running.clear();
    generator random(seed);
    try {
        runner both(&counts);
        for (std::size_t i = 0; i < steps; ++i) {
            running.push_back(random.next(both));
            both.step(running.back());
        }
        both.finish();
        both.end_world();
        return {};
    } catch (const difference& found) {
        return report(seed, found.what(), running);
    } catch (const out_of_scope&) {
        ++counts.abandoned;
        return {};
    } catch (const std::exception& broken) {
        return report(seed, std::string("the model fails: ") + broken.what(), running);
    }
}

}  // namespace

TEST_SUITE("model.random") {
    TEST_CASE("kith and the model agree on random programs") {
        // Where they are sanitized: fewer of them, and no demands on how often each thing occurs.
        constexpr std::size_t usual = kith_test::is_sanitized ? 25 : 122;
        std::vector<std::uint64_t> seeds = random_programs::chosen_seeds(usual);
        std::size_t steps = number_from_environment("KITH_STEPS", 4000);
        statistics counts;
        std::string found;
        number_types(seeds.front());
        {
            random_programs::crash_watch watch("model.random", report_running);
            for (std::size_t i = 0; i < seeds.size() && found.empty(); ++i) {
                found = run_seed(seeds[i], steps, counts);
            }
        }
        CHECK_MESSAGE(found.empty(), found);
        if (!found.empty()) {
            return;
        }
        bool enough = seeds.size() > 100 && steps >= 4000;
        std::string table =
            "seeds " + std::to_string(seeds.front()) + " to " + std::to_string(seeds.back()) + "\n";
        auto print = [&](const std::string& what, const char* first_label, std::uint64_t first,
                         const char* second_label, std::uint64_t second, std::uint64_t needed) {
            char line[120];
            std::snprintf(line, sizeof line, "%-28s %-6s %6llu  %-14s %6llu\n", what.c_str(),
                          first_label, static_cast<unsigned long long>(first), second_label,
                          static_cast<unsigned long long>(second));
            table += line;
            // Everything happens, and often. What needs several things to come together is planned:
            // see support/model/planner.hpp.
            constexpr std::uint64_t at_least = 100;
            CHECK_MESSAGE((!enough || needed >= at_least), line);
        };
        for (std::size_t i = 0; i < op_kinds; ++i) {
            auto kind = static_cast<op_kind>(i);
            print(name_of(kind), "ran", counts.ran[i], "had an effect", counts.had_effect[i],
                  counts.had_effect[i]);
        }
        for (std::size_t i = 0; i < property_count; ++i) {
            const property& what = property_of(static_cast<std::int32_t>(i));
            print(what.has_target ? std::string(what.name) + ", x" : what.name, "added",
                  counts.added[i], "removed", counts.removed[i],
                  std::min(counts.added[i], counts.removed[i]));
        }
        for (std::size_t i = 0; i < effect_count; ++i) {
            print(name_of(static_cast<effect>(i)), "times", counts.effects[i], "deferred",
                  counts.deferred_effects[i], counts.effects[i]);
        }
        MESSAGE(table, counts.deferred, " operations were deferred, ", counts.errors,
                " raised an error, ", counts.abandoned, " programs went out of scope");
    }
}
