// Random programs on kith and on a model that is too simple to be wrong. A program on which they
// differ is shrunk to a minimal one and printed with its seed; KITH_SEED=n adds a seed of your own,
// KITH_SEEDS=n as many that follow it, and KITH_STEPS=n changes the length of the programs.
#include "support/model_runner.hpp"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <random>

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using namespace model;

class generator {
public:
    explicit generator(std::uint64_t seed) : random_(seed) {}

    // An operation that makes sense in this state, mostly.
    op next(const runner& state) {
        op made{choose_kind(state)};
        made.slot = is_creating(made.kind) ? free_slot(state) : live_slot(state);
        bool stays = chance(3) && state.is_slot_alive(last_.slot);
        if (!is_creating(made.kind) && stays) {
            made.slot = last_.slot;
        }
        made.number = static_cast<std::int32_t>(below(1000)) + 1;
        switch (made.kind) {
            case op_kind::create_named:
                made.first = chance(2) ? no_element : live_slot(state);
                break;
            case op_kind::create_child:
            case op_kind::clone:
            case op_kind::clone_types:
            case op_kind::clone_into:
            case op_kind::bulk:
            case op_kind::child_of:
                made.first = live_slot(state);
                if (made.kind == op_kind::clone_into && chance(2)) {
                    made.slot = bare_slot(state);
                }
                break;
            case op_kind::make_alive:
                made.slot = static_cast<std::uint8_t>(below(slot_count));
                break;
            case op_kind::create_with:
                choose_id(state, made, chance(2));
                break;
            case op_kind::add:
                choose_id(state, made, false);
                break;
            case op_kind::add_pair:
                choose_id(state, made, true);
                break;
            case op_kind::remove:
            case op_kind::remove_pair:
                choose_held(state, made, made.kind == op_kind::remove_pair);
                break;
            case op_kind::enable:
                made.slot = find_slot([&](std::uint8_t at) {
                    return state.is_slot_alive(at) &&
                           !state.state().alive.at(state.slot(at)).disabled.empty();
                });
                choose_held(state, made, chance(2), true);
                break;
            case op_kind::disable:
                choose_held(state, made, chance(2));
                break;
            case op_kind::enable_entity:
                made.slot = find_slot([&](std::uint8_t at) {
                    return state.is_slot_alive(at) &&
                           state.state().alive.at(state.slot(at)).has(kith::Disabled);
                });
                break;
            case op_kind::adopt:
                made.slot = free_slot(state);
                break;
            case op_kind::remove_matching:
                choose_pattern(state, made);
                break;
            case op_kind::delete_with:
            case op_kind::remove_all:
                if (chance(3)) {
                    choose_pattern(state, made);
                } else {
                    choose_held(state, made, chance(2));
                }
                break;
            case op_kind::set:
                choose_valued(state, made, false);
                break;
            case op_kind::set_pair:
                choose_valued(state, made, true);
                break;
            case op_kind::emplace:
            case op_kind::ensure:
                choose_valued(state, made, chance(3));
                break;
            case op_kind::modified:
                choose_held(state, made, chance(2));
                break;
            case op_kind::take_ref:
            case op_kind::delete_component:
                made.first = first_component + static_cast<std::uint8_t>(below(component_count));
                break;
            default:
                break;
        }
        // Things happen when several operations meet at one id.
        if (has_id(made.kind)) {
            if (stays && has_id(last_.kind)) {
                made.first = last_.first;
                made.second = last_.second;
            }
            last_ = made;
        }
        return made;
    }

private:
    std::size_t below(std::size_t limit) { return random_() % limit; }
    bool chance(std::size_t one_in) { return below(one_in) == 0; }

    static bool is_creating(op_kind kind) {
        switch (kind) {
            case op_kind::create:
            case op_kind::create_named:
            case op_kind::create_child:
            case op_kind::create_with:
            case op_kind::create_values:
            case op_kind::bulk:
            case op_kind::clone:
            case op_kind::clone_types:
                return true;
            default:
                return false;
        }
    }

    static bool has_id(op_kind kind) {
        switch (kind) {
            case op_kind::add:
            case op_kind::add_pair:
            case op_kind::remove:
            case op_kind::remove_pair:
            case op_kind::set:
            case op_kind::set_pair:
            case op_kind::emplace:
            case op_kind::ensure:
            case op_kind::modified:
            case op_kind::enable:
            case op_kind::disable:
                return true;
            default:
                return false;
        }
    }

    op_kind choose_kind(const runner& state) {
        struct weighted {
            op_kind kind;
            std::size_t weight;
        };
        static constexpr weighted weights[] = {
            {op_kind::create, 20},        {op_kind::create_named, 16},
            {op_kind::create_child, 12},  {op_kind::create_with, 12},
            {op_kind::create_values, 14}, {op_kind::bulk, 12},
            {op_kind::make_alive, 24},    {op_kind::clone, 16},
            {op_kind::clone_types, 16},   {op_kind::clone_into, 24},
            {op_kind::destruct, 16},      {op_kind::clear, 10},
            {op_kind::add, 50},           {op_kind::add_pair, 60},
            {op_kind::child_of, 40},      {op_kind::add_color, 14},
            {op_kind::add_exclusive, 10}, {op_kind::remove, 30},
            {op_kind::remove_pair, 30},   {op_kind::remove_matching, 14},
            {op_kind::set, 50},           {op_kind::set_pair, 30},
            {op_kind::emplace, 24},       {op_kind::ensure, 24},
            {op_kind::modified, 16},      {op_kind::set_name, 30},
            {op_kind::unname, 30},        {op_kind::enable, 30},
            {op_kind::disable, 20},       {op_kind::enable_entity, 16},
            {op_kind::disable_entity, 8}, {op_kind::delete_with, 12},
            {op_kind::remove_all, 12},    {op_kind::delete_component, 20},
            {op_kind::take_ref, 8},       {op_kind::shrink, 4},
        };
        static const std::size_t total = [] {
            std::size_t sum = 0;
            for (const weighted& one : weights) {
                sum += one.weight;
            }
            return sum;
        }();
        if (state.is_suspended()) {
            if (chance(5)) {
                return op_kind::defer_resume;
            }
        } else if (state.depth() != 0 && chance(12)) {
            return chance(5) ? op_kind::defer_suspend : op_kind::defer_end;
        } else if (chance(state.depth() != 0 ? 40 : 12)) {
            return op_kind::defer_begin;
        }
        if (state.state().alive.size() > 30 && chance(3)) {
            return chance(3) ? op_kind::adopt : op_kind::destruct;
        }
        // Half of the deferred blocks hold nothing but changes that can be folded.
        plain_block_ = state.depth() == 0 ? chance(2) : plain_block_;
        for (;;) {
            std::size_t at = below(total);
            const weighted* chosen = weights;
            for (; at >= chosen->weight; ++chosen) {
                at -= chosen->weight;
            }
            if (!(plain_block_ && state.is_deferred()) || has_id(chosen->kind) ||
                chosen->kind == op_kind::create) {
                return chosen->kind;
            }
        }
    }

    // Any slot, but rather one for which `wanted` holds.
    template <class Wanted>
    std::uint8_t find_slot(Wanted&& wanted) {
        auto slot = static_cast<std::uint8_t>(below(slot_count));
        if (!chance(20)) {
            for (std::uint8_t i = 0; i < slot_count; ++i) {
                auto at = static_cast<std::uint8_t>((slot + i) % slot_count);
                if (wanted(at)) {
                    return at;
                }
            }
        }
        return slot;
    }
    std::uint8_t free_slot(const runner& state) {
        return find_slot([&](std::uint8_t at) { return !state.is_slot_alive(at); });
    }
    std::uint8_t live_slot(const runner& state) {
        return find_slot([&](std::uint8_t at) { return state.is_slot_alive(at); });
    }
    std::uint8_t bare_slot(const runner& state) {
        return find_slot([&](std::uint8_t at) {
            return state.is_slot_alive(at) && state.state().alive.at(state.slot(at)).ids.size() < 2;
        });
    }
    std::uint8_t any_component() {
        return first_component + static_cast<std::uint8_t>(below(color));
    }
    void choose_id(const runner& state, op& made, bool pair) {
        made.first = chance(4) ? live_slot(state) : any_component();
        if (pair) {
            made.second = chance(3) ? any_component() : live_slot(state);
            if (chance(60)) {
                made.second = element_wildcard;
            }
        }
    }
    void choose_valued(const runner& state, op& made, bool pair) {
        choose_held(state, made, pair);
        if (chance(3) && state.value_type(made)) {
            return;
        }
        for (int i = 0; i < 20; ++i) {
            made.second = no_element;
            choose_id(state, made, pair);
            if (made.second != element_wildcard && state.value_type(made)) {
                return;
            }
        }
    }
    // An id that the entity has, if it has one of this form.
    void choose_held(const runner& state, op& made, bool pair, bool disabled = false) {
        choose_id(state, made, pair);
        if (!state.is_slot_alive(made.slot) || chance(8)) {
            return;
        }
        const entity_state& holder = state.state().alive.at(state.slot(made.slot));
        const auto& ids = holder.ids;
        std::size_t start = ids.empty() ? 0 : below(ids.size());
        for (std::size_t i = 0; i < ids.size(); ++i) {
            auto at = std::next(ids.begin(), static_cast<std::ptrdiff_t>((start + i) % ids.size()));
            std::uint8_t first = no_element;
            std::uint8_t second = no_element;
            if (kith::is_pair(at->first)) {
                first = element_of(state, kith::pair_first(at->first));
                second = element_of(state, kith::pair_second(at->first));
            } else {
                first = element_of(state, kith::index_of(at->first));
            }
            bool form =
                disabled ? holder.disabled.count(at->first) != 0 : kith::is_pair(at->first) == pair;
            if (form && first != no_element &&
                (second != no_element || !kith::is_pair(at->first))) {
                made.first = first;
                made.second = second;
                return;
            }
        }
    }
    static std::uint8_t element_of(const runner& state, std::uint32_t index) {
        if (index == kith::ChildOf) {
            return element_child_of;
        }
        for (std::uint8_t i = 0; i < slot_count; ++i) {
            if (kith::index_of(state.slot(i)) == index && state.is_slot_alive(i)) {
                return i;
            }
        }
        for (std::uint8_t i = 0; i < color; ++i) {
            std::uint8_t element = first_component + i;
            if (state.make_id({op_kind::add, 0, element}) == index) {
                return element;
            }
        }
        return no_element;
    }
    void choose_pattern(const runner& state, op& made) {
        choose_held(state, made, true);
        switch (below(6)) {
            case 0:
                made.first = element_wildcard;
                made.second = no_element;
                break;
            case 1:
                made.first = made.second = element_wildcard;
                break;
            case 2:
            case 3:
                made.first = element_wildcard;
                break;
            default:
                made.second = element_wildcard;
                break;
        }
    }

    std::mt19937_64 random_;
    op last_{op_kind::create};
    bool plain_block_ = false;
};

// -- running and shrinking ----------------------------------------------------------------------

constexpr int crash_signals[] = {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL};

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

// Delta debugging: leaves out ever smaller parts as long as what remains still differs.
// The same kind of difference, that is: its text begins alike.
std::vector<op> shrink(std::vector<op> program) {
    const std::string kind = find_difference_apart(program).substr(0, 12);
    for (std::size_t size = program.size() / 2; size > 0;) {
        bool any = false;
        for (std::size_t at = 0; at < program.size();) {
            std::size_t end = std::min(at + size, program.size());
            std::vector<op> rest(program.begin(),
                                 program.begin() + static_cast<std::ptrdiff_t>(at));
            rest.insert(rest.end(), program.begin() + static_cast<std::ptrdiff_t>(end),
                        program.end());
            if (find_difference_apart(rest).substr(0, 12) == kind && !kind.empty()) {
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
    }
}

std::size_t number_from_environment(const char* name, std::size_t otherwise) {
    const char* text = std::getenv(name);
    return text && *text ? std::strtoull(text, nullptr, 10) : otherwise;
}

}  // namespace

TEST_SUITE("model.random") {
    TEST_CASE("kith and the model agree on random programs") {
        std::vector<std::uint64_t> seeds(20);
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
        std::string found;
        for (std::size_t i = 0; i < seeds.size() && found.empty(); ++i) {
            found = run_seed(seeds[i], steps, counts);
        }
        for (int signal : crash_signals) {
            std::signal(signal, SIG_DFL);
        }
        CHECK_MESSAGE(found.empty(), found);
        if (!found.empty()) {
            return;
        }
        std::string table;
        for (std::size_t i = 0; i < op_kinds; ++i) {
            char line[80];
            std::snprintf(line, sizeof line, "%-18s ran %6llu  had an effect %6llu\n",
                          name_of(static_cast<op_kind>(i)),
                          static_cast<unsigned long long>(counts.ran[i]),
                          static_cast<unsigned long long>(counts.had_effect[i]));
            table += line;
            if (seeds.size() > 1 && steps >= 4000) {
                CHECK_MESSAGE(counts.had_effect[i] >= 100, line);
            }
        }
        MESSAGE(table, counts.deferred, " operations were deferred, ", counts.errors,
                " raised an error");
    }
}
