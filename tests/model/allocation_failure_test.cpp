// A fixed script runs once for each of its allocations, with exactly that one failing. Whatever
// step it hits: nothing is damaged, nothing leaks, and a single operation changed nothing, so that
// it can be tried again and the script ends as if nothing had happened.
#include "support/counting_resource.hpp"
#include "support/model_types.hpp"
#include "support/world_dump.hpp"

#include <functional>
#include <new>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace {

using namespace model;

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

const std::vector<script_step>& script() {
    static const std::vector<script_step> steps = {
        {"register a component", promise::again,
         [](script_state& s) { s.world.component<Trivial>(); }},
        {"register a component with a name", promise::again,
         [](script_state& s) { s.world.component<Text>("Text"); }},
        {"register an enum", promise::again, [](script_state& s) { s.world.component<Color>(); }},
        {"make a component sparse", promise::again,
         [](script_state& s) { s.world.component<SparseText>().add(kith::Sparse); }},
        {"make a relationship exclusive", promise::again,
         [](script_state& s) { s.world.component<ExclusiveTag>().add(kith::Exclusive); }},
        {"register the others", promise::again,
         [](script_state& s) {
             s.world.component<MoveOnly>();
             s.world.component<NoDefault>();
             s.world.component<Aligned>();
             s.world.component<PlainTag>();
             s.world.component<DataRelation>();
             s.world.component<TagRelation>();
         }},
        {"create", promise::undone, [](script_state& s) { s[0] = s.world.entity(); }},
        {"create another", promise::undone, [](script_state& s) { s[1] = s.world.entity(); }},
        {"create with a name", promise::undone,
         [](script_state& s) { s[2] = s.world.entity("first"); }},
        {"create with a path", promise::undone,
         [](script_state& s) { s[3] = s.world.entity("first::second::third"); }},
        {"create with values", promise::undone,
         [](script_state& s) { s[4] = s.world.entity(Trivial(4), Aligned(4)); }},
        {"create with values that are not plain", promise::undone,
         [](script_state& s) { s[5] = s.world.entity(Text(5), MoveOnly(5)); }},
        {"create in a scope", promise::undone,
         [](script_state& s) { s.world.scope(s[0], [&] { s[6] = s.world.entity(); }); }},
        {"create with an id", promise::undone,
         [](script_state& s) { s.world.with<PlainTag>([&] { s[7] = s.world.entity(); }); }},
        {"add a tag", promise::undone, [](script_state& s) { s[0].add<PlainTag>(); }},
        {"add a component", promise::undone, [](script_state& s) { s[0].add<Trivial>(); }},
        {"add a string", promise::undone, [](script_state& s) { s[0].add<Text>(); }},
        {"set a new value", promise::undone, [](script_state& s) { s[1].set(Trivial(1)); }},
        {"set a new string", promise::undone, [](script_state& s) { s[1].set(Text(1)); }},
        {"set it again", promise::undone, [](script_state& s) { s[1].set(Text(2)); }},
        {"emplace", promise::undone,
         [](script_state& s) { s[1].emplace<NoDefault>(std::int64_t{3}); }},
        {"get_mut", promise::undone, [](script_state& s) { s[1].get_mut<Aligned>()->number = 4; }},
        {"set a sparse value", promise::undone, [](script_state& s) { s[1].set(SparseText(5)); }},
        {"add a sparse component", promise::undone,
         [](script_state& s) { s[2].add<SparseText>(); }},
        {"add a pair", promise::undone, [](script_state& s) { s[0].add<TagRelation>(s[1]); }},
        {"add a pair of entities", promise::undone, [](script_state& s) { s[0].add(s[2], s[4]); }},
        {"set a pair", promise::undone,
         [](script_state& s) { s[0].set<DataRelation>(s[1], DataRelation(7)); }},
        {"set a pair by its target", promise::undone,
         [](script_state& s) { s[0].set_second<Text>(s[1], Text(8)); }},
        {"add an exclusive pair", promise::undone,
         [](script_state& s) { s[0].add<ExclusiveTag>(s[1]); }},
        {"replace an exclusive pair", promise::undone,
         [](script_state& s) { s[0].add<ExclusiveTag>(s[4]); }},
        {"add a constant", promise::undone, [](script_state& s) { s[0].add(Color::Green); }},
        {"replace a constant", promise::undone, [](script_state& s) { s[0].add(Color::Blue); }},
        {"become a child", promise::undone, [](script_state& s) { s[4].child_of(s[0]); }},
        {"change the parent", promise::undone, [](script_state& s) { s[4].child_of(s[1]); }},
        {"set a name", promise::undone,
         [](script_state& s) { s[0].set_name("a rather long name of it"); }},
        {"rename", promise::undone,
         [](script_state& s) { s[0].set_name("another name, as long as that"); }},
        {"move a named entity", promise::undone, [](script_state& s) { s[2].child_of(s[7]); }},
        {"remove a name", promise::undone, [](script_state& s) { s[0].set_name(nullptr); }},
        {"set an alias", promise::undone, [](script_state& s) { s[0].set_alias("alias"); }},
        {"disable a component", promise::undone, [](script_state& s) { s[1].disable<Trivial>(); }},
        {"disable an entity", promise::undone, [](script_state& s) { s[1].disable(); }},
        {"clone", promise::undone, [](script_state& s) { s[8] = s[0].clone(); }},
        {"clone types", promise::undone, [](script_state& s) { s[9] = s[0].clone(false); }},
        {"clone what is disabled", promise::undone, [](script_state& s) { s[10] = s[1].clone(); }},
        {"bulk", promise::undone,
         [](script_state& s) {
             const Trivial values[] = {Trivial(1), Trivial(2), Trivial(3)};
             s[11] = s.world.entity(s.world.bulk(3, values)[0]);
         }},
        {"bulk of strings", promise::undone,
         [](script_state& s) {
             const Text values[] = {Text(1), Text(2), Text(3)};
             s[12] = s.world.entity(s.world.bulk(3, values)[0]);
         }},
        {"bulk of many", promise::undone,
         [](script_state& s) {
             const std::vector<Trivial> values(3000);
             s[13] = s.world.entity(s.world.bulk(values.size(), values.data())[0]);
         }},
        {"bulk of sparse values", promise::undone,
         [](script_state& s) {
             const SparseText values[] = {SparseText(1), SparseText(2)};
             s[14] = s.world.entity(s.world.bulk(2, values)[0]);
         }},
        {"remove a component", promise::undone, [](script_state& s) { s[0].remove<Trivial>(); }},
        {"remove a pair", promise::undone, [](script_state& s) { s[0].remove<TagRelation>(s[1]); }},
        {"remove all targets", promise::undone,
         [](script_state& s) { s[8].remove(kith::Wildcard, kith::Wildcard); }},
        {"remove a sparse component", promise::undone,
         [](script_state& s) { s[2].remove<SparseText>(); }},
        {"a component of run time", promise::usable,
         [](script_state& s) {
             kith::type_info info;
             info.size = 8;
             info.alignment = 8;
             info.zero_construct = info.trivial_copy = info.trivial_move = true;
             info.trivial_destroy = true;
             s[15] = s.world.component("runtime").define(info);
             s[12].add(s[15].id());
         }},
        {"an added property", promise::undone, [](script_state& s) { s[7].add(kith::Exclusive); }},
        {"hooks", promise::usable,
         [](script_state& s) {
             s.world.component<Trivial>().on_add([](Trivial&) {}).on_remove([](Trivial&) {});
             s.world.component<Text>().on_set([](Text&) {});
             s[16] = s.world.entity(Trivial(1), Text(1));
             s[16].remove<Trivial>();
         }},
        {"deferred changes", promise::usable,
         [](script_state& s) {
             s.world.defer([&] {
                 s[17] = s.world.entity("deferred");
                 s[17].set(Text(1)).add<PlainTag>().child_of(s[0]);
                 s[18] = s.world.entity(Trivial(3), SparseText(3));
                 s[0].set(Text(9)).remove<PlainTag>().emplace<NoDefault>(std::int64_t{9});
                 s[5].set(MoveOnly(9)).add<TagRelation>(s[17]).set_name("fifth");
                 s[9].clear();
                 s[11].destruct();
                 s[19] = s[18].clone();
                 s[1].get_mut<DataRelation>()->number = 5;
             });
         }},
        {"a value that is too large for a chunk of commands", promise::usable,
         [](script_state& s) {
             s.world.defer([&] {
                 for (std::int64_t i = 0; i < 2000; ++i) {
                     s.world.entity(s[13]).set(Aligned(i));
                 }
             });
         }},
        {"clear", promise::undone, [](script_state& s) { s[10].clear(); }},
        {"remove_all", promise::usable,
         [](script_state& s) { s.world.remove_all(kith::type_id<PlainTag>()); }},
        {"delete with", promise::usable,
         [](script_state& s) { s.world.delete_with(kith::type_id<Aligned>()); }},
        {"delete a parent that is a target and a tag", promise::usable,
         [](script_state& s) {
             s[20] = s.world.entity().add(s[0].id()).add<TagRelation>(s[0]);
             s[21] = s.world.entity().child_of(s[0]);
             s[0].destruct();
         }},
        {"make an id alive", promise::undone, [](script_state& s) { s.world.make_alive(100000); }},
        {"shrink", promise::undone, [](script_state& s) { s.world.shrink(); }},
        {"create after all", promise::undone,
         [](script_state& s) { s[22] = s.world.entity(Text(22)); }},
    };
    return steps;
}

kith_test::value_printers printers() {
    kith_test::value_printers values;
    auto number = [](const auto& value) { return std::to_string(value.get()); };
    values.add<Trivial>(number).add<Text>(number).add<MoveOnly>(number).add<NoDefault>(number);
    values.add<Aligned>(number).add<SparseText>(number).add<DataRelation>(number);
    return values;
}

// Where the allocations of each step begin, and how the world looks in the end.
struct reference_run {
    std::vector<std::size_t> first;  // by step; before: those of the world itself; last: the end
    std::string dump;
};

reference_run run_undisturbed() {
    reference_run run;
    kith_test::counting_resource memory;
    kith::world world(kith::use_memory(memory, false));
    script_state state{world};
    for (const script_step& step : script()) {
        run.first.push_back(memory.allocations());
        step.run(state);
    }
    run.first.push_back(memory.allocations());
    world.check();
    run.dump = kith_test::dump_world(world, printers());
    return run;
}

// The world ends without asking for memory.
void end_world(std::optional<kith::world>& world, kith_test::counting_resource& memory) {
    std::size_t before = memory.allocations();
    memory.fail_always();
    world.reset();
    memory.work_again();
    CHECK(memory.allocations() == before);
    CHECK(memory.bytes() == 0);
}

// What is wrong with a world, empty if nothing.
std::string find_fault(const kith::world& world) {
    try {
        world.check();
        return {};
    } catch (const kith::error& fault) {
        return fault.what();
    }
}

// The lines that one dump has and the other has not.
std::string find_changes(const std::string& before, const std::string& after) {
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
std::string run_with_failure(const reference_run& reference, std::size_t failing, std::size_t nth) {
    const script_step& step = script()[failing];
    std::int64_t values_before = live_values;
    kith_test::counting_resource memory;
    std::optional<kith::world> world(std::in_place, kith::use_memory(memory, false));
    script_state state{*world};
    for (std::size_t i = 0; i < failing; ++i) {
        script()[i].run(state);
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
    if (std::string fault = find_fault(*world); !fault.empty()) {
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
    for (std::size_t i = again ? failing : failing + 1; i < script().size(); ++i) {
        try {
            script()[i].run(state);
        } catch (const kith::error& error) {
            // Later steps may miss what this one should have made.
            if (again || !failed) {
                return std::string(script()[i].what) + ": " + error.what();
            }
        }
    }
    if (std::string fault = find_fault(*world); !fault.empty()) {
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

}  // namespace

TEST_SUITE("model.allocation_failure") {
    TEST_CASE("a world that cannot be made leaves nothing behind") {
        std::size_t needed = 0;
        {
            kith_test::counting_resource memory;
            kith::world world(kith::use_memory(memory, false));
            needed = memory.allocations();
        }
        for (std::size_t nth = 1; nth <= needed; ++nth) {
            CAPTURE(nth);
            kith_test::counting_resource memory;
            memory.fail_in(nth);
            CHECK_THROWS_AS(kith::world(kith::use_memory(memory, false)), std::bad_alloc);
            CHECK(memory.bytes() == 0);
        }
    }

    TEST_CASE("any allocation of a script may fail") {
        run_undisturbed();  // the process-wide parts of types exist from here on
        const reference_run reference = run_undisturbed();
        std::size_t runs = 0;
        for (std::size_t step = 0; step < script().size(); ++step) {
            std::size_t count = reference.first[step + 1] - reference.first[step];
            for (std::size_t nth = 1; nth <= count; ++nth) {
                INFO(std::string(script()[step].what), ", allocation ", nth);
                std::string problem = run_with_failure(reference, step, nth);
                CHECK_MESSAGE(problem.empty(), problem);
                ++runs;
            }
        }
        MESSAGE(script().size(), " steps with ", runs, " allocations");
        CHECK(runs > 300);
    }
}
