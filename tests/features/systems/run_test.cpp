// Runs of systems: one-off runs, contexts, own settings, conditions, failures.
#include <kith/kith.hpp>

#include "support/errors.hpp"

#include <stdexcept>
#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace kith_test;

namespace {

struct Position {
    float x, y;
};
struct Mass {
    float value = 3;
};
struct Mark {};

using names = std::vector<std::string>;

struct fixture {
    kith::world world;
    names log;

    void rows(int count) {
        for (int i = 0; i < count; ++i) {
            world.entity().set<Position>({static_cast<float>(i), 0});
        }
    }
    void task(const char* name) {
        world.system(name).each([this, name] { log.push_back(name); });
    }
};

}  // namespace

TEST_SUITE("features.systems.run") {
    // spec 332
    TEST_CASE_FIXTURE(fixture, "a one-off run ignores phase and Disabled, and merges at its end") {
        rows(2);
        kith::system s =
            world.system<Position>().kind(0).each([](kith::entity e, Position&) { e.add<Mark>(); });
        s.disable();
        s.run();
        CHECK(world.count<Mark>() == 2);
        world.defer_begin();
        world.remove_all<Mark>();
        s.run();
        world.defer_end();
        CHECK(world.count<Mark>() == 2);
    }

    // spec 332
    TEST_CASE_FIXTURE(fixture, "offset, limit and run_worker take some rows") {
        rows(10);
        int calls = 0;
        kith::system s = world.system<Position>().each([&](Position&) { ++calls; });
        s.run().offset(2).limit(3);
        CHECK(calls == 3);
        calls = 0;
        for (int i = 0; i < 3; ++i) {
            s.run_worker(i, 3);
        }
        CHECK(calls == 10);
        CHECK(error_of([&] { s.run().offset(-1); }) == kith::errc::invalid_operation);
        CHECK(error_of([&] { s.run().limit(-1); }) == kith::errc::invalid_operation);
        CHECK(error_of([&] { s.run_worker(3, 3); }).has_value());
        CHECK(error_of([&] { s.run_worker(-1, 3); }).has_value());
    }

    // spec 331
    TEST_CASE_FIXTURE(fixture, "context and parameter reach the callback") {
        int context = 1;
        int other = 2;
        int param = 3;
        void* seen_context = nullptr;
        void* seen_param = nullptr;
        kith::system s = world.system().ctx(&context).iter([&](kith::iter& it) {
            seen_context = it.ctx<int>();
            seen_param = it.param<int>();
        });
        CHECK(s.ctx() == &context);
        s.run();
        CHECK(seen_context == &context);
        CHECK(seen_param == &context);
        s.run(0, &param);
        CHECK(seen_param == &param);
        s.ctx(&other);
        s.run();
        CHECK(seen_context == &other);
    }

    // spec 331
    TEST_CASE_FIXTURE(fixture, "a context is freed with the system, or when it is replaced") {
        static int freed;
        freed = 0;
        int value = 0;
        auto free_it = [](void*) { ++freed; };
        kith::system s = world.system().ctx(&value, free_it).each([] {});
        s.ctx(nullptr);
        CHECK(freed == 1);
        s = world.system().ctx(&value, free_it).each([] {});
        s.destruct();
        world.progress(1);
        CHECK(freed == 2);
    }

    // spec 331
    TEST_CASE_FIXTURE(fixture, "a context belongs to its builder and to all systems made by it") {
        static int freed;
        freed = 0;
        int value = 0;
        {
            auto builder = world.system("S");
            builder.ctx(&value, [](void*) { ++freed; });
            builder.immediate().parallel();
            CHECK(error_of([&] { builder.each([] {}); }) == kith::errc::constraint);
            CHECK(freed == 0);
            builder.parallel(false);
            builder.each([] {});
            kith::system s = builder.each([] {});
            CHECK(freed == 0);
            CHECK(s.ctx() == &value);
        }
        CHECK(freed == 0);
        world.lookup("S").destruct();
        world.progress(1);
        CHECK(freed == 1);
        error_of([&] {
            world.system().ctx(&value, [](void*) { ++freed; }).immediate().parallel().each([] {});
        });
        CHECK(freed == 2);
    }

    // spec 332
    TEST_CASE_FIXTURE(fixture, "a one-off run in a stage of another world is refused") {
        kith::world other;
        int runs = 0;
        kith::system s = world.system().each([&] { ++runs; });
        CHECK(error_of([&] { s.run().stage(other); }) == kith::errc::invalid_operation);
        CHECK(runs == 0);
        world.set_stage_count(2);
        s.run().stage(world.get_stage(1));
        CHECK(runs == 1);
    }

    // spec 333
    TEST_CASE_FIXTURE(fixture, "a term about the system itself gives it the component") {
        float seen = 0;
        kith::system s =
            world.system<Mass>("S").arg(1).src().name("S").each([&](Mass& m) { seen = m.value; });
        CHECK(s.has<Mass>());
        world.progress(1);
        CHECK(seen == 3);
        s.set<Mass>({5});
        world.progress(1);
        CHECK(seen == 5);
    }

    // spec 332
    TEST_CASE_FIXTURE(fixture, "a system that runs itself without end is an error") {
        kith::system s;
        s = world.system("Loop").each([&] { s.run(); });
        CHECK(error_of([&] { s.run(); }) == kith::errc::limit);
        CHECK(error_of([&] { s.run(); }) == kith::errc::limit);
    }

    // spec 332
    TEST_CASE_FIXTURE(fixture, "a one-off run inside of a system is part of that system") {
        rows(1);
        kith::system inner = world.system<Position>("Inner").kind(0).each(
            [](kith::entity e, Position&) { e.add<Mark>(); });
        bool seen = true;
        world.system("Outer").each([&] {
            inner.run();
            seen = world.count<Mark>() != 0;
        });
        world.progress(1);
        CHECK(!seen);
        CHECK(world.count<Mark>() == 1);
    }

    // spec 327
    TEST_CASE_FIXTURE(fixture, "the query of a system outlives it") {
        rows(2);
        kith::system s = world.system<Position>().each([](Position&) {});
        kith::query<> query = s.query();
        s.destruct();
        CHECK(query.count() == 2);
        kith::system task = world.system().each([] {});
        CHECK(error_of([&] { task.query(); }) == kith::errc::invalid_operation);
    }

    // spec 347
    TEST_CASE_FIXTURE(fixture, "conditions skip a system unless all hold") {
        bool on = true;
        auto marked = world.query<Mark>();
        world.system().run_if([&] { return on; }).run_if(marked).each([this] {
            log.push_back("run");
        });
        world.progress(1);
        CHECK(log.empty());
        world.entity().add<Mark>();
        world.progress(1);
        CHECK(log.size() == 1);
        on = false;
        world.progress(1);
        CHECK(log.size() == 1);
    }

    // spec 347
    TEST_CASE_FIXTURE(fixture, "a condition is evaluated at the place of the system") {
        world.component<Mark>("Mark");
        world.system("Add").write<Mark>().each([this] { world.entity().add<Mark>(); });
        world.system("If").run_if("Mark").each([this] { log.push_back("If"); });
        world.progress(1);
        CHECK(log == names{"If"});
        CHECK(error_of([&] { world.system("X").run_if("Mark,,").each([] {}); }) ==
              kith::errc::invalid_query);
        CHECK(!world.lookup("X"));
        kith::world other;
        auto foreign = other.query<Mark>();
        CHECK(error_of([&] { world.system().run_if(foreign).each([] {}); }) ==
              kith::errc::invalid_operation);
    }

    // spec 347
    TEST_CASE_FIXTURE(fixture, "run_if_changed skips a system whose results have not changed") {
        kith::entity e = world.entity().set<Position>({1, 1});
        int calls = 0;
        world.system<const Position>().run_if_changed().each([&](const Position&) { ++calls; });
        world.progress(1);
        CHECK(calls == 1);
        world.progress(1);
        CHECK(calls == 1);
        e.set<Position>({2, 2});
        world.progress(1);
        CHECK(calls == 2);
    }

    // spec 347
    TEST_CASE_FIXTURE(fixture, "delta_system_time goes on while a system is skipped") {
        bool on = false;
        float seen = 0;
        world.system().run_if([&] { return on; }).iter([&](kith::iter& it) {
            seen = it.delta_system_time();
        });
        world.progress(1);
        world.progress(2);
        on = true;
        world.progress(4);
        CHECK(seen == 7);
        world.progress(8);
        CHECK(seen == 8);
    }

    TEST_CASE_FIXTURE(fixture, "a failure ends its system, and the frame behind the stretch") {
        rows(1);
        world.system("Fails").each([this] {
            world.entity().add<Mark>();
            throw std::runtime_error("broken");
        });
        task("Same");
        world.system("Next").barrier().each([this] { log.push_back("Next"); });
        std::string text;
        try {
            world.progress(1);
        } catch (const std::runtime_error& failed) {
            text = failed.what();
        }
        CHECK(text == "broken");
        CHECK(log == names{"Same"});
        CHECK(world.count<Mark>() == 1);
        const kith::failure failure = world.last_failure();
        CHECK(failure.count == 1);
        CHECK(failure.frame == 1);
        CHECK(failure.system == world.lookup("Fails"));
        CHECK(std::string(failure.message.c_str()) == "broken");
        CHECK(!world.is_deferred());
    }

    TEST_CASE_FIXTURE(fixture, "policies let a frame go on") {
        kith::entity once = world.system("Once").on_error(kith::on_error::disable).each([] {
            throw std::runtime_error("once");
        });
        world.system("Often").barrier().on_error(kith::on_error::proceed).each([] {
            throw std::runtime_error("often");
        });
        world.system("Last").barrier().each([this] { log.push_back("Last"); });
        CHECK(!world.last_failure());
        world.progress(1);
        CHECK(log == names{"Last"});
        CHECK(once.has(kith::Disabled));
        world.progress(1);
        CHECK(world.last_failure().count == 3);
        CHECK(world.last_failure().system == once);
    }

    TEST_CASE_FIXTURE(fixture, "a command that fails belongs to the system that queued it") {
        kith::entity taken = world.entity("Taken");
        task("Before");
        world.system("Wrong").on_error(kith::on_error::disable).each([this] {
            world.entity().child_of(world.entity(kith::entity_t{0x1'0000'FFFF}));
        });
        task("Behind");
        try {
            world.progress(1);
        } catch (const kith::error&) {
            // The error of a call is that of the callback.
        }
        CHECK(world.last_failure().system == world.lookup("Wrong"));
        CHECK(taken.is_alive());
    }

    // The commands of both are legal alone; the second one fails when both run.
    TEST_CASE_FIXTURE(fixture, "a command that fails at the sync point belongs to its author") {
        kith::entity one = world.entity("One");
        kith::entity other = world.entity("Other");
        struct Unused {};
        auto add_idle = [this] {
            for (int i = 0; i < 10; ++i) {
                world.system<Unused>().each([](kith::entity, Unused) {});
            }
        };
        int frame = 0;
        add_idle();
        world.system("First").each([&] {
            if (frame == 3) {
                one.child_of(other);
            }
        });
        add_idle();
        world.system("Second").on_error(kith::on_error::proceed).each([&] {
            if (frame == 3) {
                other.child_of(one);
            }
        });
        add_idle();
        for (frame = 1; frame <= 3; ++frame) {
            world.progress(1);
        }
        CHECK(world.last_failure().count == 1);
        CHECK(world.last_failure().system == world.lookup("Second"));
        CHECK(world.last_failure().frame == 3);
        CHECK(one.parent() == other);
    }

    TEST_CASE_FIXTURE(fixture, "emit inside of a system notifies at once") {
        int notified = 0;
        kith::entity subject = world.entity().add<Mark>();
        world.observer<Mark>().event(world.entity("Hit")).each([&](kith::entity) { ++notified; });
        int seen = 0;
        world.system().each([&] {
            world.event(world.lookup("Hit")).id<Mark>().entity(subject).emit();
            seen = notified;
        });
        world.progress(1);
        CHECK(seen == 1);
    }

    TEST_CASE_FIXTURE(fixture,
                      "progress is refused inside of frames, deferred parts and iterations") {
        rows(1);
        std::optional<kith::errc> code;
        world.system().each([&] { code = error_of([&] { world.progress(1); }); });
        world.progress(1);
        CHECK(code == kith::errc::invalid_operation);
        world.defer(
            [&] { CHECK(error_of([&] { world.progress(1); }) == kith::errc::invalid_operation); });
        world.each([&](kith::entity, Position&) {
            CHECK(error_of([&] { world.progress(1); }) == kith::errc::invalid_operation);
        });
    }

    TEST_CASE_FIXTURE(fixture, "scopes and deferred parts that a system leaves open are closed") {
        kith::entity scope = world.entity("Scope");
        world.system().each([&] {
            world.set_scope(scope);
            world.defer_begin();
        });
        world.progress(1);
        CHECK(!world.is_deferred());
        CHECK(!world.get_scope());
    }
}
