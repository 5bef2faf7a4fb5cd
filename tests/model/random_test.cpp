// Random programs on kith and on a model that is too simple to be wrong. A program on which they
// differ is shrunk to a minimal one and printed with its seed; KITH_SEED=n adds a seed of your own,
// KITH_SEEDS=n as many that follow it, KITH_STEPS=n changes the length of the programs, and
// KITH_SHRINK=n how many seconds are spent on shrinking.
#include <kith/log.hpp>

#include "support/model_generator.hpp"

#include <cctype>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <numeric>

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using namespace model;

constexpr int crash_signals[] = {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL};

std::size_t number_from_environment(const char* name, std::size_t otherwise) {
    const char* text = std::getenv(name);
    return text && *text ? std::strtoull(text, nullptr, 10) : otherwise;
}

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

// The same in a process of its own, so that a crash is a difference, too.
std::string find_difference_apart(const std::vector<op>& program) {
    std::fflush(nullptr);
    int channel[2];
    if (pipe(channel) != 0) {
        return {};
    }
    pid_t child = fork();
    if (child == 0) {
        for (int signal : crash_signals) {
            std::signal(signal, SIG_DFL);
        }
        alarm(20);
        std::fclose(stderr);
        std::string found = find_difference(program).substr(0, 4000);
        bool told = write(channel[1], found.data(), found.size()) >= 0;
        _exit(found.empty() && told ? 0 : 1);
    }
    close(channel[1]);
    std::string found;
    char buffer[512];
    for (ssize_t size = 0; (size = read(channel[0], buffer, sizeof buffer)) > 0;) {
        found.append(buffer, static_cast<std::size_t>(size));
    }
    close(channel[0]);
    int status = 0;
    waitpid(child, &status, 0);
    return found.empty() && status != 0 ? "crash" : found;
}

// What kind of difference it is: the first words of its text, without names and numbers.
std::string kind_of(const std::string& text) {
    std::string kind;
    std::string word;
    int words = 0;
    for (std::size_t i = 0; i < text.size() && words < 4; ++i) {
        if (std::isalpha(static_cast<unsigned char>(text[i]))) {
            word += text[i];
        } else if (word.size() > 2) {
            kind += word + " ";
            word.clear();
            ++words;
        } else {
            word.clear();
        }
    }
    return kind + (words == 0 ? word : "");
}

// Delta debugging: leaves out ever smaller parts as long as what remains still differs in the same
// way.
std::vector<op> shrink(std::vector<op> program) {
    const std::string kind = kind_of(find_difference_apart(program));
    const auto end_of_patience = std::chrono::steady_clock::now() +
                                 std::chrono::seconds(number_from_environment("KITH_SHRINK", 30));
    for (std::size_t size = program.size() / 2; size > 0;) {
        bool any = false;
        for (std::size_t at = 0; at < program.size();) {
            if (std::chrono::steady_clock::now() > end_of_patience) {
                return program;
            }
            std::size_t end = std::min(at + size, program.size());
            std::vector<op> rest(program.begin(),
                                 program.begin() + static_cast<std::ptrdiff_t>(at));
            rest.insert(rest.end(), program.begin() + static_cast<std::ptrdiff_t>(end),
                        program.end());
            if (kind_of(find_difference_apart(rest)) == kind && !kind.empty()) {
                program = std::move(rest);
                any = true;
            } else {
                at = end;
            }
        }
        size = any && size == 1 ? 1 : size / 2;
    }
    return program;
}

std::string report(std::uint64_t seed, const std::string& what, const std::vector<op>& program) {
    std::vector<op> minimal = shrink(program);
    return "seed " + std::to_string(seed) + ", after " + std::to_string(program.size()) +
           " steps: " + what + "\nminimal program:\n" + to_text(minimal) + "    // " +
           find_difference_apart(minimal);
}

// The program that is running, for the report of a crash.
std::uint64_t running_seed = 0;
std::vector<op> running;

void report_crash(int signal) {
    for (int one : crash_signals) {
        std::signal(one, SIG_DFL);
    }
    alarm(120);
    std::fputs(("\nmodel.random: signal " + std::to_string(signal) + ", " +
                report(running_seed, "crashed", running))
                   .c_str(),
               stderr);
    raise(signal);
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
        // Instrumented, the same programs take ten times as long: fewer of them, and no demands on
        // how often each thing occurs.
#if defined(__SANITIZE_ADDRESS__)
        std::vector<std::uint64_t> seeds(40);
#else
        std::vector<std::uint64_t> seeds(122);
#endif
        std::iota(seeds.begin(), seeds.end(), 1);
        if (std::getenv("KITH_SEED")) {
            seeds.push_back(number_from_environment("KITH_SEED", 0));
        }
        for (std::size_t more = number_from_environment("KITH_SEEDS", 0); more > 0; --more) {
            seeds.push_back(seeds.back() + 1);
        }
        std::size_t steps = number_from_environment("KITH_STEPS", 4000);
        statistics counts;
        for (int signal : crash_signals) {
            std::signal(signal, report_crash);
        }
        kith::set_log([](const char*, void*) {});  // warnings are not what is tested here
        std::string found;
        for (std::size_t i = 0; i < seeds.size() && found.empty(); ++i) {
            found = run_seed(seeds[i], steps, counts);
        }
        for (int signal : crash_signals) {
            std::signal(signal, SIG_DFL);
        }
        kith::set_log(nullptr);
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
            // see model_plans.hpp.
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
