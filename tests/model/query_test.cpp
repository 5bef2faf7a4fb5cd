// Random queries over random worlds, made now and before the world was changed, cached and not:
// all give what the oracle says. Where one does not, world and query are shrunk and printed with
// their seed. KITH_SEED=n takes a seed of your own, KITH_SEEDS=n as many that follow it,
// KITH_FAILURES=n goes on after differences, and KITH_SHRINK=n changes how many seconds are spent
// on shrinking.
#include <kith/log.hpp>

#include "support/query_comparison.hpp"
#include "support/query_generator.hpp"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <thread>

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using namespace query_model;

constexpr int crash_signals[] = {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGALRM};

std::size_t number_from_environment(const char* name, std::size_t otherwise) {
    const char* text = std::getenv(name);
    return text && *text ? std::strtoull(text, nullptr, 10) : otherwise;
}

std::string find_difference(const program& one) {
    try {
        session both;
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

// The same in a process of its own, so that a crash is a difference, too.
std::string find_difference_apart(const program& one) {
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
        sigset_t none;
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, nullptr);
        alarm(1);
        std::fclose(stderr);
        // In a thread that has nothing under way: this one may have crashed while iterating.
        std::string found;
        std::thread([&] { found = find_difference(one).substr(0, 4000); }).join();
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
    return found.empty() && status != 0 ? "crash: " + std::to_string(status) : found;
}

// Leaves out ever smaller parts, then simplifies terms, as long as what remains still differs in
// the same way.
class shrinker {
public:
    explicit shrinker(program start)
        : best_(std::move(start)),
          kind_(kind_of(find_difference_apart(best_))),
          end_(std::chrono::steady_clock::now() +
               std::chrono::seconds(number_from_environment("KITH_SHRINK", 20))) {}

    program run() {
        for (bool any = !kind_.empty(); any;) {
            any = drop_queries();
            any = drop_steps() || any;
            any = simplify_terms() || any;
        }
        return best_;
    }

private:
    static std::string kind_of(const std::string& text) { return text.substr(0, text.find(':')); }

    bool accept(const program& smaller) {
        if (std::chrono::steady_clock::now() > end_ ||
            kind_of(find_difference_apart(smaller)) != kind_) {
            return false;
        }
        best_ = smaller;
        return true;
    }
    bool drop_queries() {
        bool any = false;
        for (std::size_t i = 0; i < best_.queries.size() && best_.queries.size() > 1;) {
            program smaller = best_;
            smaller.queries = {best_.queries[i]};
            if (accept(smaller)) {
                return true;
            }
            smaller = best_;
            smaller.queries.erase(smaller.queries.begin() + static_cast<std::ptrdiff_t>(i));
            if (accept(smaller)) {
                any = true;
            } else {
                ++i;
            }
        }
        return any;
    }
    bool drop_steps() {
        bool any = false;
        for (std::size_t size = best_.steps.size() / 2; size > 0; size /= 2) {
            for (std::size_t at = 0; at < best_.steps.size();) {
                program smaller = best_;
                auto from = smaller.steps.begin() + static_cast<std::ptrdiff_t>(at);
                smaller.steps.erase(from, from + static_cast<std::ptrdiff_t>(
                                                     std::min(size, smaller.steps.size() - at)));
                if (accept(smaller)) {
                    any = true;
                } else {
                    at += size;
                }
            }
        }
        return any;
    }
    bool simplify_terms() {
        bool any = false;
        for (std::size_t q = 0; q < best_.queries.size(); ++q) {
            for (std::size_t i = 0; i < best_.queries[q].terms.size(); ++i) {
                any = try_on_term(q, i) || any;
            }
        }
        return any;
    }
    bool try_on_term(std::size_t q, std::size_t i) {
        bool any = false;
        if (best_.queries[q].terms.size() > 1) {
            program smaller = best_;
            query_terms& terms = smaller.queries[q].terms;
            terms.erase(terms.begin() + static_cast<std::ptrdiff_t>(i));
            if (!terms.empty() && terms.back().oper == kith::Or) {
                terms.back().oper = kith::And;
            }
            if (accept(smaller)) {
                return true;
            }
        }
        auto attempt = [&](auto&& change) {
            program smaller = best_;
            if (change(smaller.queries[q].terms[i])) {
                any = accept(smaller) || any;
            }
        };
        attempt([](query_term& one) { return std::exchange(one.source, nothing) != nothing; });
        attempt([](query_term& one) { return std::exchange(one.min_depth, 0) != 0; });
        attempt([](query_term& one) { return std::exchange(one.max_depth, 0) != 0; });
        attempt([](query_term& one) {
            bool plain = one.oper == kith::And || one.oper == kith::Or;
            one.oper = kith::And;
            return !plain;
        });
        attempt([](query_term& one) {
            bool any_flags = one.flags != 0 || one.relation != nothing;
            one.flags = 0;
            one.relation = nothing;
            return any_flags;
        });
        for (std::uint32_t flag : {kith::TraverseAll, kith::Self, kith::Desc, kith::Cascade}) {
            attempt([&](query_term& one) {
                bool set = (one.flags & flag) != 0 && one.flags != flag;
                one.flags &= ~flag;
                return set;
            });
        }
        return any;
    }

    program best_;
    std::string kind_;
    std::chrono::steady_clock::time_point end_;
};

std::string report(std::uint64_t seed, const std::string& what, const program& one) {
    program minimal = shrinker(one).run();
    return "seed " + std::to_string(seed) + ": " + what + "\nminimal program:\n" +
           text_of(minimal) + "    // " + find_difference_apart(minimal);
}

// The program that is running, for the report of a crash.
std::uint64_t running_seed = 0;
program running;

void report_crash(int signal) {
    for (int one : crash_signals) {
        std::signal(one, SIG_DFL);
    }
    alarm(120);
    std::fputs(("\nmodel.query: signal " + std::to_string(signal) + ", " +
                report(running_seed, "crashed", running) + "\n")
                   .c_str(),
               stderr);
    raise(signal);
}

// Returns the report of a difference, empty if there is none.
std::string run_seed(std::uint64_t seed, statistics& counts) {
    alarm(10);
    running_seed = seed;
    running = {};
    generator random(seed);
    session both(&counts);
    auto run = [&](const step& one) {
        running.steps.push_back(one);
        both.run(one);
    };
    try {
        for (const step& one : random.make_world()) {
            run(one);
        }
        for (int round = 0; round < 3; ++round) {
            for (int i = 0; i < 4; ++i) {
                running.queries.push_back({round, random.make_query(both.on)});
                both.add(running.queries.back());
            }
            run({step_kind::make_queries, nothing, {}, round});
            run({});
            for (std::size_t i = 0; i < 8; ++i) {
                run(random.change());
                if (i == 3) {
                    run({});
                }
            }
        }
        run({});
        return {};
    } catch (const difference& found) {
        alarm(0);
        program one = running;
        return report(
            seed, found.what() + ("\nof query " + text_of(one.queries[found.query()].terms)), one);
    }
}

// What the oracle says, as text: `entity: field field, ...`, sorted by entity.
std::string said(const stage& on, const query_terms& terms) {
    std::vector<oracle::term> resolved;
    REQUIRE(resolve(on, terms, resolved));
    oracle::reader world(on.world);
    auto text = [&](entity_t e) { return text_of(on.word_of(e)); };
    std::string all;
    for (const oracle::result& one :
         oracle::evaluate(world, oracle::understood(world, resolved)).results) {
        all += (all.empty() ? "" : ", ") + (one.entity ? text(one.entity) : "-") + ":";
        for (const oracle::field& what : one.fields) {
            phrase id;
            bool known = on.phrase_of(what.id, id);
            all += !what.set ? " none" : known ? " " + text_of(id) : " any";
            all += what.source ? "@" + text(what.source) : "";
        }
    }
    return all;
}

}  // namespace

TEST_SUITE("model.query") {
    TEST_CASE("the oracle knows simple cases") {
        stage on;
        word base = slot(0);
        word instance = slot(1);
        word parent = slot(2);
        word child = slot(3);
        for (word e : {base, instance, parent, child}) {
            on.run({step_kind::create, e, {}, 0});
        }
        auto add = [&](word e, phrase id) { REQUIRE(on.run({step_kind::add, e, id, 0})); };
        add(base, {hot});
        add(base, {in_room, parent, true});
        add(base, {likes, parent, true});
        add(base, {likes, child, true});
        add(instance, {is_a, base, true});
        add(instance, {in_room, child, true});
        add(child, {child_of, parent, true});
        add(parent, {is_a, base, true});
        add(parent, {cold});

        CHECK(said(on, {{{hot}}}) == "e0: Hot, e1: Hot@e0, e2: Hot@e0");
        CHECK(said(on, {{{hot}, nothing, kith::And, kith::Self}}) == "e0: Hot");
        CHECK(said(on, {{{hot}, nothing, kith::And, kith::Up}}) == "e1: Hot@e0, e2: Hot@e0");
        CHECK(said(on, {{{hot}, nothing, kith::And, kith::Parent}}) == "e3: Hot@e0");
        CHECK(said(on, {{{cold}, nothing, kith::And, kith::Down, child_of}}) == "");
        CHECK(said(on, {{{in_room, star, true}, nothing, kith::And, kith::Down, child_of}}) == "");
        CHECK(said(on,
                   {{{child_of, any_one, true}, nothing, kith::And, kith::Self}, {{cold}, parent}})
                  .ends_with("e3: any Cold@e2"));
        CHECK(said(on, {{{in_room, star, true}}}) ==
              "e0: InRoom, e2, e1: InRoom, e3, e2: InRoom, e2@e0");
        CHECK(said(on, {{{likes, star, true}}, {{cold}}}) ==
              "e2: Likes, e2@e0 Cold, e2: Likes, e3@e0 Cold");
        CHECK(said(on, {{{hot}}, {{cold}, nothing, kith::Not}}) == "e0: Hot none, e1: Hot@e0 none");
        CHECK(said(on, {{{hot}}, {{cold}, nothing, kith::Optional}}) ==
              "e0: Hot none, e1: Hot@e0 none, e2: Hot@e0 Cold");
        CHECK(said(on, {{{cold}, nothing, kith::Or}, {{hot}}}) == "e0: Hot, e1: Hot@e0, e2: Cold");
        CHECK(said(on, {{{base}, nothing, kith::AndFrom}}) == "e0: none, e2: none");
        CHECK(said(on, {{{parent}, nothing, kith::OrFrom}, {{likes, star, true}, child}}) == "");
        CHECK(said(on, {{{hot}, instance}}) == "-: Hot@e0");

        REQUIRE(on.run({step_kind::switch_off, base, {hot}, 0}));
        CHECK(said(on, {{{hot}}}) == "");
        add(child, {prefab});
        CHECK(said(on, {{{hot}, nothing, kith::And, kith::Parent}}) == "");
        CHECK(said(on, {{{prefab}}}) == "e3: Prefab");
    }

    TEST_CASE("queries of every kind give what the oracle says") {
#if defined(__SANITIZE_ADDRESS__)
        constexpr std::size_t usual = 90;  // instrumented, they take ten times as long
#else
        constexpr std::size_t usual = 250;
#endif
        std::vector<std::uint64_t> seeds(number_from_environment("KITH_QUERY_SEEDS", usual));
        std::iota(seeds.begin(), seeds.end(), 1);
        if (std::getenv("KITH_SEED")) {
            seeds = {number_from_environment("KITH_SEED", 0)};
        }
        for (std::size_t more = number_from_environment("KITH_SEEDS", 0); more > 0; --more) {
            seeds.push_back(seeds.back() + 1);
        }
        statistics counts;
        for (int signal : crash_signals) {
            std::signal(signal, report_crash);
        }
        kith::set_log([](const char*, void*) {});  // warnings are not what is tested here
        std::string found;
        std::size_t patience = number_from_environment("KITH_FAILURES", 1);
        for (std::size_t i = 0; i < seeds.size() && patience > 0; ++i) {
            if (std::string one = run_seed(seeds[i], counts); !one.empty()) {
                found += one + "\n";
                --patience;
            }
        }
        alarm(0);
        for (int signal : crash_signals) {
            std::signal(signal, SIG_DFL);
        }
        kith::set_log(nullptr);
        CHECK_MESSAGE(found.empty(), found);
        if (!found.empty()) {
            return;
        }
        bool enough = seeds.size() >= 100;
        std::string table;
        for (const auto& [what, times] : counts.terms) {
            char line[80];
            std::snprintf(line, sizeof line, "%-24s %7zu\n", what.c_str(), times);
            table += line;
            CHECK_MESSAGE((!enough || times >= 100), line);
        }
        for (const auto& [what, times] : counts.refusals) {
            table += std::to_string(times) + "x refused: " + what + "\n";
        }
        std::size_t telling = counts.cases - counts.empty - counts.everything;
        CHECK_MESSAGE((!enough || telling * 10 >= counts.cases * 4), telling, " of ", counts.cases,
                      " results say something");
        CHECK_MESSAGE((!enough || counts.refused * 20 < counts.cases), counts.refused,
                      " queries could not be made");
        MESSAGE(table, counts.cases, " queries, ", counts.empty, " without result, ",
                counts.everything, " with everything, ", counts.refused, " refused");
    }
}
