// Scripts that run once for each of their allocations, with exactly that one failing. Whatever step
// it hits: nothing is damaged, nothing leaks, and a single operation changed nothing, so that it
// can be tried again and the script ends as if nothing had happened.
#pragma once

#include "support/counting_resource.hpp"
#include "support/model/components.hpp"
#include "support/world_dump.hpp"

#include <functional>
#include <new>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace model {

struct script_state {
    kith::world& world;
    std::vector<kith::entity> entities = std::vector<kith::entity>(40, kith::entity::null(world));

    kith::entity& operator[](std::size_t number) { return entities[number]; }
};

enum class promise {
    undone,  // a single operation: as if it had not been tried
    again,   // made of several: some may have been done, and it can be tried again
    usable,  // the world is in order
};

struct script_step {
    const char* what;
    promise kept;
    std::function<void(script_state&)> run;
};

using script = std::vector<script_step>;

inline kith_test::value_printers printers() {
    kith_test::value_printers values;
    auto number = [](const auto& value) { return std::to_string(value.get()); };
    values.add<Trivial>(number).add<Text>(number).add<MoveOnly>(number).add<NoDefault>(number);
    values.add<Aligned>(number).add<SparseText>(number).add<DataRelation>(number);
    values.add<ExclusiveData>(number);
    return values;
}

// Where the allocations of each step begin, and how the world looks in the end.
struct reference_run {
    std::vector<std::size_t> first;  // by step; before: those of the world itself; last: the end
    std::string dump;
};

inline reference_run run_undisturbed(const script& steps) {
    reference_run run;
    kith_test::counting_resource memory;
    kith::world world(kith::use_memory(memory, false));
    script_state state{world};
    for (const script_step& step : steps) {
        run.first.push_back(memory.allocations());
        step.run(state);
    }
    run.first.push_back(memory.allocations());
    world.check();
    run.dump = kith_test::dump_world(world, printers());
    return run;
}

// The world ends without asking for memory.
inline void end_world(std::optional<kith::world>& world, kith_test::counting_resource& memory) {
    std::size_t before = memory.allocations();
    memory.fail_always();
    world.reset();
    memory.work_again();
    CHECK(memory.allocations() == before);
    CHECK(memory.bytes() == 0);
}

// What is wrong with a world, empty if nothing.
inline std::string check_invariants(const kith::world& world) {
    try {
        world.check();
        return {};
    } catch (const kith::error& fault) {
        return fault.what();
    }
}

// The lines that one dump has and the other has not.
inline std::string find_changes(const std::string& before, const std::string& after) {
    auto lines_of = [](const std::string& text) {
        std::set<std::string> lines;
        std::istringstream in(text);
        for (std::string line; std::getline(in, line);) {
            lines.insert(line);
        }
        return lines;
    };
    std::set<std::string> old_lines = lines_of(before);
    std::set<std::string> new_lines = lines_of(after);
    std::string changes;
    for (const std::string& line : old_lines) {
        changes += new_lines.count(line) ? "" : "- " + line + "\n";
    }
    for (const std::string& line : new_lines) {
        changes += old_lines.count(line) ? "" : "+ " + line + "\n";
    }
    return changes;
}

// Runs the script with the allocation failing that is the `nth` of the step. Returns the first
// thing that was not as it should be.
inline std::string run_with_failure(const script& steps, const reference_run& reference,
                                    std::size_t failing, std::size_t nth) {
    const script_step& step = steps[failing];
    std::int64_t values_before = live_values;
    kith_test::counting_resource memory;
    std::optional<kith::world> world(std::in_place, kith::use_memory(memory, false));
    script_state state{*world};
    for (std::size_t i = 0; i < failing; ++i) {
        steps[i].run(state);
    }
    const kith_test::value_printers values = printers();
    const std::string before = kith_test::dump_world(*world, values);
    bool failed = false;
    memory.fail_in(nth);
    try {
        step.run(state);
    } catch (const std::bad_alloc&) {
        failed = true;
    }
    memory.work_again();
    if (std::string fault = check_invariants(*world); !fault.empty()) {
        return fault;
    }
    // A flush that fails as a whole runs its commands one by one, and may succeed after all.
    bool again = failed && step.kept != promise::usable;
    if (failed && step.kept == promise::undone) {
        std::string changes = find_changes(before, kith_test::dump_world(*world, values));
        if (!changes.empty()) {
            return "it changed the world:\n" + changes;
        }
    }
    for (std::size_t i = again ? failing : failing + 1; i < steps.size(); ++i) {
        try {
            steps[i].run(state);
        } catch (const kith::error& error) {
            // Later steps may miss what this one should have made.
            if (again || !failed) {
                return std::string(steps[i].what) + ": " + error.what();
            }
        }
    }
    if (std::string fault = check_invariants(*world); !fault.empty()) {
        return "in the end: " + fault;
    }
    if (step.kept == promise::undone || !failed) {
        std::string changes = find_changes(reference.dump, kith_test::dump_world(*world, values));
        if (!changes.empty()) {
            return "the script ends in another state:\n" + changes;
        }
    }
    end_world(world, memory);
    return live_values == values_before ? "" : "values outlive their world";
}

// Fails each allocation of each step. Returns how many there were.
inline std::size_t fail_everywhere(const script& steps) {
    run_undisturbed(steps);  // the process-wide parts of types exist from here on
    const reference_run reference = run_undisturbed(steps);
    std::size_t runs = 0;
    for (std::size_t step = 0; step < steps.size(); ++step) {
        std::size_t count = reference.first[step + 1] - reference.first[step];
        for (std::size_t nth = 1; nth <= count; ++nth) {
            INFO(std::string(steps[step].what), ", allocation ", nth);
            std::string problem = run_with_failure(steps, reference, step, nth);
            CHECK_MESSAGE(problem.empty(), problem);
            ++runs;
        }
    }
    MESSAGE(steps.size(), " steps with ", runs, " allocations");
    return runs;
}

}  // namespace model
