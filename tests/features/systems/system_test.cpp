// Systems: making them, their callbacks, and frames that run them.
#include <kith/kith.hpp>

#include "support/errors.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace kith_test;

namespace {

struct Position {
    float x, y;
};
struct Velocity {
    float x, y;
};
struct Mass {
    float value;
};
struct Mark {};

struct fixture {
    kith::world world;
    std::vector<std::string> log;

    void task(const char* name, kith::entity_t phase = kith::OnUpdate) {
        world.system(name).kind(phase).each([this, name] { log.push_back(name); });
    }
    std::vector<std::string> frame(float delta_time = 1) {
        log.clear();
        world.progress(delta_time);
        return log;
    }
};
using names = std::vector<std::string>;

}  // namespace

TEST_SUITE("features.systems.system") {
    // spec 327
    TEST_CASE_FIXTURE(fixture, "a frame runs the callback for each row") {
        kith::entity e = world.entity().set<Position>({1, 2}).set<Velocity>({3, 4});
        kith::system move =
            world.system<Position, const Velocity>("Move").each([](Position& p, const Velocity& v) {
                p.x += v.x;
                p.y += v.y;
            });
        CHECK(move.has(kith::System));
        CHECK(move.name() == "Move");
        world.progress(1);
        CHECK(e.get<Position>()->x == 4);
        world.progress(1);
        CHECK(e.get<Position>()->x == 7);
        move.destruct();
        world.progress(1);
        CHECK(e.get<Position>()->x == 7);
    }

    // spec 337
    TEST_CASE_FIXTURE(fixture, "the term System finds systems") {
        task("A");
        task("B");
        int found = 0;
        world.each(kith::System, [&](kith::entity) { ++found; });
        CHECK(found == 2);
    }

    // spec 330
    TEST_CASE_FIXTURE(fixture, "a task is called once per frame, without rows") {
        int calls = 0;
        world.system("Task").iter([&](kith::iter& it) {
            CHECK(it.count() == 0);
            ++calls;
        });
        bool is_null = false;
        world.system().each([&](kith::entity e) { is_null = !e; });
        world.progress(1);
        CHECK(calls == 1);
        CHECK(is_null);
    }

    // spec 330
    TEST_CASE_FIXTURE(fixture, "a system with fixed sources runs once if they match") {
        int calls = 0;
        world.system().term<Mass>().singleton().iter([&](kith::iter&) { ++calls; });
        world.progress(1);
        CHECK(calls == 0);
        world.set<Mass>({1});
        world.progress(1);
        CHECK(calls == 1);
    }

    // spec 329
    TEST_CASE_FIXTURE(fixture, "iter gets the arrays of a table") {
        for (int i = 0; i < 3; ++i) {
            world.entity().set<Position>({0, 0});
        }
        std::size_t rows = 0;
        world.system<Position>().iter([&](kith::iter& it, Position* p) {
            rows += it.count();
            for (auto row : it) {
                p[row].x = it.delta_time();
            }
        });
        world.progress(2);
        CHECK(rows == 3);
        world.each([](kith::entity, Position& p) { CHECK(p.x == 2); });
    }

    // spec 329
    TEST_CASE_FIXTURE(fixture, "run is called once and steps through the results") {
        world.entity().set<Position>({0, 0});
        world.entity().set<Position>({0, 0}).add<Mark>();
        int calls = 0;
        std::size_t rows = 0;
        world.system<Position>().run([&](kith::iter& it) {
            ++calls;
            while (it.next()) {
                rows += it.field<Position>(1).size();
            }
        });
        world.progress(1);
        CHECK(calls == 1);
        CHECK(rows == 2);
    }

    // spec 329
    TEST_CASE_FIXTURE(fixture, "run of the raw iterator runs around the callback") {
        world.entity().set<Position>({0, 0});
        world.entity().set<Position>({0, 0}).add<Mark>();
        static int results;
        results = 0;
        int rows = 0;
        world.system<Position>()
            .run([](kith::iter_t* it) {
                while (it->next()) {
                    ++results;
                    it->call();
                }
            })
            .each([&](Position&) { ++rows; });
        world.progress(1);
        CHECK(results == 2);
        CHECK(rows == 2);
    }

    // spec 329
    TEST_CASE_FIXTURE(fixture, "next outside of run is an error") {
        world.entity().set<Position>({0, 0});
        kith::system wrong = world.system<Position>().iter([](kith::iter& it) { it.next(); });
        CHECK(error_of([&] { wrong.run(); }) == kith::errc::invalid_operation);
    }

    // spec 329
    TEST_CASE_FIXTURE(fixture, "a callback that returns false ends the run") {
        for (int i = 0; i < 5; ++i) {
            world.entity().set<Position>({0, 0});
        }
        int calls = 0;
        world.system<Position>().each([&](Position&) { return ++calls < 3; });
        world.progress(1);
        CHECK(calls == 3);
    }

    // spec 135, 328
    TEST_CASE_FIXTURE(fixture, "a system takes terms as text and template arguments first") {
        world.component<Mark>("Mark");
        world.component<Position>("Position");
        world.entity().set<Position>({1, 1}).add<Mark>();
        world.entity().set<Position>({1, 1});
        int calls = 0;
        world.system<Position>().expr("Mark").each([&](Position&) { ++calls; });
        world.progress(1);
        CHECK(calls == 1);
    }

    // spec 338, 339
    TEST_CASE_FIXTURE(fixture, "phases are run in their order, whatever the order of making") {
        const kith::entity_t phases[] = {
            kith::PostFrame, kith::OnStore,   kith::PreStore, kith::PostUpdate, kith::OnValidate,
            kith::OnUpdate,  kith::PreUpdate, kith::PostLoad, kith::OnLoad,     kith::PreFrame};
        std::vector<std::string> expected;
        for (kith::entity_t phase : phases) {
            const std::string name = world.entity(phase).name().c_str();
            expected.insert(expected.begin(), name);
            world.system().kind(phase).each([this, name] { log.push_back(name); });
        }
        world.progress(1);
        CHECK(log == expected);
    }

    // spec 343
    TEST_CASE_FIXTURE(fixture, "systems of a phase run in the order of their declaration") {
        task("C");
        task("A");
        task("B");
        CHECK(frame() == names{"C", "A", "B"});
        world.lookup("B").set<kith::Order>({-1});
        CHECK(frame() == names{"B", "C", "A"});
    }

    // spec 348, 350
    TEST_CASE_FIXTURE(fixture, "changes wait for the next sync point") {
        kith::entity e = world.entity().set<Position>({0, 0});
        std::vector<bool> seen;
        world.system<Position>("Add").write<Mark>().each(
            [&](kith::entity row, Position&) { row.add<Mark>(); });
        world.system<Position>("Look").each(
            [&](kith::entity row, Position&) { seen.push_back(row.has<Mark>()); });
        world.system<Position>("Read").read<Mark>().each(
            [&](kith::entity row, Position&) { seen.push_back(row.has<Mark>()); });
        world.progress(1);
        CHECK(seen == std::vector<bool>{false, true});
        CHECK(e.has<Mark>());
    }

    // spec 334
    TEST_CASE_FIXTURE(fixture, "a second system of the same name replaces the first") {
        task("A");
        task("B");
        const kith::entity first = world.lookup("A");
        world.system("A").each([this] { log.push_back("new"); });
        CHECK(world.lookup("A") == first);
        CHECK(frame() == names{"new", "B"});
    }

    // spec 327
    TEST_CASE_FIXTURE(fixture, "a builder without a callback leaves no system") {
        { auto dropped = world.system("Dropped"); }
        CHECK(!world.lookup("Dropped"));
        const kith::entity kept = world.entity("Kept");
        { auto dropped = world.system("Kept"); }
        CHECK(kept.is_alive());
        CHECK(!kept.has(kith::System));
    }

    TEST_CASE_FIXTURE(fixture, "a handle of what is no system is an error when it is used") {
        kith::entity e = world.entity("Plain");
        CHECK(error_of([&] { world.system(e).run(); }) == kith::errc::missing_component);
        task("A");
        CHECK(error_of([&] { world.system(e).run(); }) == kith::errc::missing_component);
    }

    TEST_CASE_FIXTURE(fixture, "systems that matched nothing run from their first match on") {
        struct First {
            int v = 0;
        };
        struct Second {
            int v = 0;
        };
        std::vector<int> runs(20, 0);
        for (std::size_t i = 0; i < runs.size(); ++i) {
            auto count = [&runs, i](auto&) { ++runs[i]; };
            i % 2 == 0 ? world.system<First>().each([=](First& v) { count(v); })
                       : world.system<Second>().each([=](Second& v) { count(v); });
        }
        world.progress(1);
        world.progress(1);
        CHECK(runs == std::vector<int>(20, 0));
        kith::entity e = world.entity().set(Second{});
        world.progress(1);
        CHECK(runs[0] == 0);
        CHECK(runs[1] == 1);
        CHECK(runs[19] == 1);
        // A system makes the first match of the systems behind it.
        world.system("Makes").kind(kith::PreUpdate).write<First>().each([e]() mutable {
            e.set(First{});
        });
        world.progress(1);
        CHECK(runs[0] == 1);
        CHECK(runs[18] == 1);
        CHECK(runs[19] == 2);
    }

    TEST_CASE_FIXTURE(fixture, "many disabled systems run again when they are enabled") {
        std::vector<kith::system> systems;
        int runs = 0;
        for (int i = 0; i < 20; ++i) {
            systems.push_back(world.system().each([&] { ++runs; }));
            systems.back().disable();
        }
        world.progress(1);
        world.progress(1);
        CHECK(runs == 0);
        systems[7].enable();
        world.progress(1);
        CHECK(runs == 1);
        systems[7].disable();
        systems[19].enable();
        world.progress(1);
        CHECK(runs == 2);
    }

    TEST_CASE_FIXTURE(fixture, "a null function pointer is an error") {
        void (*none)() = nullptr;
        CHECK(error_of([&] { world.system("A").each(none); }) == kith::errc::invalid_operation);
        CHECK(!world.lookup("A"));
    }
}
