// The order of systems: phases, edges, sets, pipelines, and changes inside of a frame.
#include <kith/kith.hpp>

#include "support/errors.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace kith_test;

namespace {

struct Physics {};
struct Early {};
struct Custom {};
struct Value {
    int v = 0;
};

using names = std::vector<std::string>;

struct fixture {
    kith::world world;
    names log;

    kith::system_builder<> build(const char* name) { return world.system(name); }
    kith::system make(kith::system_builder<>& builder, const std::string& name) {
        return builder.each([this, name] { log.push_back(name); });
    }
    kith::system task(const char* name, kith::entity_t phase = kith::OnUpdate) {
        auto builder = build(name);
        return make(builder.kind(phase), name);
    }
    names frame() {
        log.clear();
        world.progress(1);
        return log;
    }
};

}  // namespace

TEST_SUITE("features.systems.order") {
    // spec 338
    TEST_CASE_FIXTURE(fixture, "kind adds the tag and the pair, and replaces the phase of before") {
        kith::system s = task("S", kith::PreUpdate);
        CHECK(s.has(kith::PreUpdate));
        CHECK(s.has(kith::DependsOn, kith::PreUpdate));
        s = task("S", kith::OnStore);
        CHECK(!s.has(kith::PreUpdate));
        CHECK(!s.has(kith::DependsOn, kith::PreUpdate));
        CHECK(s.has(kith::DependsOn, kith::OnStore));
        s = task("S", 0);
        CHECK(!s.has(kith::DependsOn, kith::Wildcard));
        CHECK(frame().empty());
    }

    // spec 78, 338, 339
    TEST_CASE_FIXTURE(fixture, "a phase of the program runs behind the phase that it depends on") {
        kith::entity late = world.entity("Late").add(kith::Phase).depends_on(kith::PostFrame);
        task("B", late);
        task("A", kith::PostFrame);
        CHECK(frame() == names{"A", "B"});
    }

    // spec 340
    TEST_CASE_FIXTURE(fixture, "before and after order systems against their declaration") {
        task("A");
        auto b = build("B");
        make(b.before("A"), "B");
        auto c = build("C");
        make(c.after("A").before("D"), "C");
        task("D");
        CHECK(frame() == names{"B", "A", "C", "D"});
        CHECK(world.lookup("B").has(kith::Before, world.lookup("A")));
    }

    // spec 340
    TEST_CASE_FIXTURE(fixture, "a name in advance becomes the system of that name") {
        auto first = build("First");
        make(first.after("Later"), "First");
        const kith::entity later = world.lookup("Later");
        CHECK(later);
        task("Later");
        CHECK(world.lookup("Later") == later);
        CHECK(frame() == names{"Later", "First"});
    }

    // spec 340
    TEST_CASE_FIXTURE(fixture, "edges hold for sets, nested sets, phases and modules") {
        world.component<Early>().add(kith::InSet, world.component<Physics>());
        auto a = build("A");
        make(a.after<Physics>(), "A");
        auto b = build("B");
        make(b.in<Physics>(), "B");
        auto c = build("C");
        make(c.in<Early>(), "C");
        CHECK(frame() == names{"B", "C", "A"});

        world.lookup("A").remove(kith::After, world.component<Physics>());
        CHECK(frame() == names{"A", "B", "C"});
        world.component<Physics>().add(kith::Before, world.lookup("A"));
        CHECK(frame() == names{"B", "C", "A"});
    }

    // spec 340
    TEST_CASE_FIXTURE(fixture, "an edge to a module is about the systems below it") {
        task("Last");
        task("module::One");
        task("module::Two");
        world.lookup("module").add(kith::Before, world.lookup("Last"));
        CHECK(frame() == names{"module::One", "module::Two", "Last"});
    }

    // spec 341
    TEST_CASE_FIXTURE(fixture, "a cycle of edges is refused with its whole way") {
        auto a = build("A");
        make(a.before("B"), "A");
        auto b = build("B");
        make(b.before("C"), "B");
        auto c = build("C");
        c.before("A");
        const std::string text = message_of([&] { make(c, "C"); });
        CHECK(text.find("A before B (edge)") != std::string::npos);
        CHECK(text.find("B before C (edge)") != std::string::npos);
        CHECK(text.find("C before A (edge)") != std::string::npos);
        CHECK(!world.lookup("C").has(kith::System));
        CHECK(frame() == names{"A", "B"});
    }

    // spec 341
    TEST_CASE_FIXTURE(fixture, "an edge against the phases is refused") {
        task("Move", kith::OnUpdate);
        auto render = build("Render");
        render.kind(kith::OnStore).before("Move");
        const std::string text = message_of([&] { make(render, "Render"); });
        CHECK(
            text.find("Render before Move (edge), Move before Render (phase kith::OnUpdate before "
                      "kith::OnStore)") != std::string::npos);
        CHECK(frame() == names{"Move"});
    }

    // spec 341
    // spec 341
    TEST_CASE_FIXTURE(fixture, "edges are checked against the order_by of a pipeline") {
        kith::entity pipeline =
            world.pipeline()
                .with(kith::System)
                .with<Value>()
                .order_by<Value>([](kith::entity_t, const Value* a, kith::entity_t,
                                    const Value* b) { return b->v - a->v; })
                .build();
        kith::system low = task("Low").set(Value{1});
        kith::system high = task("High").set(Value{2});
        low.add(kith::After, high);
        world.run_pipeline(pipeline, 1);
        CHECK(log == names{"High", "Low"});
        low.remove(kith::After, high);
        low.add(kith::Before, high);
        const auto run = [&] { world.run_pipeline(pipeline, 1); };
        CHECK(error_of(run) == kith::errc::cycle);
        CHECK(message_of(run).find("order_by of the pipeline") != std::string::npos);
        CHECK(log == names{"High", "Low"});
    }

    TEST_CASE_FIXTURE(fixture, "a system that is refused leaves its entity as it was") {
        struct Tag {};
        kith::entity plain = world.entity("B").add<Tag>();
        world.system("A").before("B").each([] {});
        const std::string ids = plain.type().str().c_str();
        CHECK(error_of([&] {
                  world.system<Value>("B")
                      .arg(1)
                      .src(plain)
                      .before("A")
                      .kind(kith::OnUpdate)
                      .each([](Value&) {});
              }) == kith::errc::cycle);
        CHECK(std::string(plain.type().str().c_str()) == ids);
        CHECK(error_of([&] { world.system(plain).run(); }) == kith::errc::missing_component);
        kith::system a = world.lookup("A");
        const std::string before = a.type().str().c_str();
        plain.add(kith::After, a);
        world.system("B").each([] {});
        CHECK(error_of([&] { world.system("A").kind(kith::OnStore).after("B").each([] {}); }) ==
              kith::errc::cycle);
        CHECK(std::string(a.type().str().c_str()) == before);
        world.progress(1);
    }

    TEST_CASE_FIXTURE(fixture, "a cycle that was made by hand is the error of the next frame") {
        kith::entity a = task("A");
        kith::entity b = task("B");
        a.add(kith::Before, b);
        b.add(kith::Before, a);
        log.clear();
        CHECK(error_of([&] { world.progress(1); }) == kith::errc::cycle);
        CHECK(log.empty());
        b.remove(kith::Before, a);
        CHECK(frame() == names{"A", "B"});
    }

    // spec 341
    TEST_CASE_FIXTURE(fixture, "a system before itself is refused") {
        CHECK(error_of([&] { world.system("A").before("A").each([] {}); }) == kith::errc::cycle);
        kith::entity dead = world.entity();
        dead.destruct();
        CHECK(error_of([&] { world.system("A").after(dead).each([] {}); }) ==
              kith::errc::invalid_entity);
        CHECK(error_of([&] { world.system("A").kind(dead).each([] {}); }) ==
              kith::errc::invalid_entity);
        CHECK(!world.lookup("A"));
    }

    // spec 342, 343
    TEST_CASE_FIXTURE(fixture, "recycled ids do not disturb the order of declaration") {
        kith::entity low = world.entity();
        task("A");
        low.destruct();
        task("B");
        CHECK(frame() == names{"A", "B"});
        CHECK(world.lookup("A").get<kith::Order>()->number <
              world.lookup("B").get<kith::Order>()->number);
    }

    // spec 344
    TEST_CASE_FIXTURE(fixture, "a pipeline is a query for systems") {
        task("A", world.component<Custom>());
        task("B");
        kith::entity custom = world.pipeline().with(kith::System).with<Custom>().build();
        CHECK(custom.has(kith::Pipeline));
        CHECK(frame() == names{"B"});
        log.clear();
        world.run_pipeline(custom, 1);
        CHECK(log == names{"A"});
        world.set_pipeline(custom);
        CHECK(world.get_pipeline() == custom);
        CHECK(frame() == names{"A"});
        custom.disable();
        CHECK(frame().empty());
    }

    // spec 344
    TEST_CASE_FIXTURE(fixture, "pipelines by type and by text") {
        task("A", world.component<Custom>());
        world.pipeline<Physics>().with(kith::System).with<Custom>().build();
        world.set_pipeline<Physics>();
        CHECK(frame() == names{"A"});
        kith::entity text = world.pipeline("System, Custom");
        world.set_pipeline(text);
        CHECK(frame() == names{"A"});
    }

    // spec 344
    TEST_CASE_FIXTURE(fixture, "what is no pipeline is refused") {
        kith::entity plain = world.entity();
        CHECK(error_of([&] { world.set_pipeline(plain); }) == kith::errc::missing_component);
        CHECK(error_of([&] { world.run_pipeline(plain); }) == kith::errc::missing_component);
        CHECK(error_of([&] { world.pipeline().with<Custom>().build(); }) ==
              kith::errc::invalid_query);
        CHECK(error_of([&] { world.pipeline("System,, x"); }) == kith::errc::invalid_query);
    }

    // spec 345
    TEST_CASE_FIXTURE(fixture, "disabling a system, its phase or its parent takes it out") {
        kith::entity phase = world.entity("P").add(kith::Phase).depends_on(kith::OnUpdate);
        kith::entity a = task("A", phase);
        task("m::B");
        task("C");
        const names all{"m::B", "C", "A"};
        CHECK(frame() == all);
        a.disable();
        CHECK(frame() == names{"m::B", "C"});
        a.enable();
        CHECK(frame() == all);
        phase.disable();
        CHECK(frame() == names{"m::B", "C"});
        phase.enable();
        world.lookup("m").disable();
        CHECK(frame() == names{"C", "A"});
        world.lookup("m").enable();
        world.entity(kith::OnUpdate).disable();
        CHECK(frame().empty());
        world.entity(kith::OnUpdate).enable();
        CHECK(frame() == all);
    }

    // spec 340
    TEST_CASE_FIXTURE(fixture,
                      "a system that is disabled when the order is found keeps its edges") {
        task("A");
        auto builder = build("B");
        kith::system b = make(builder.before("A"), "B");
        b.disable();
        CHECK(frame() == names{"A"});
        b.enable();
        CHECK(frame() == names{"B", "A"});
    }

    TEST_CASE_FIXTURE(fixture, "frames go on after a disabled system, phase or pipeline ends") {
        kith::entity phase = world.entity("P").add(kith::Phase).depends_on(kith::OnUpdate);
        kith::entity a = task("A");
        kith::entity b = task("B", phase);
        task("C");
        kith::entity pipeline = world.pipeline().with(kith::System).with(kith::OnUpdate).build();
        CHECK(frame() == names{"A", "C", "B"});
        a.disable();
        a.destruct();
        CHECK(frame() == names{"C", "B"});
        b.disable();
        frame();
        b.destruct();
        phase.disable();
        phase.destruct();
        pipeline.disable();
        pipeline.destruct();
        CHECK(frame() == names{"C"});
    }

    // spec 346
    TEST_CASE_FIXTURE(fixture, "systems of OnStart run once, in the first frame that they see") {
        float delta = -1;
        world.system("Start").kind(kith::OnStart).iter([&](kith::iter& it) {
            delta = it.delta_time();
            log.push_back("Start");
        });
        task("A");
        CHECK(frame() == names{"Start", "A"});
        CHECK(delta == 0);
        CHECK(frame() == names{"A"});
        task("Late", kith::OnStart);
        CHECK(frame() == names{"Late", "A"});
        CHECK(frame() == names{"A"});
    }

    // spec 335
    TEST_CASE_FIXTURE(fixture, "a system that a system makes joins at the next sync point") {
        world.system("Maker").write(kith::Wildcard).each([this] {
            log.push_back("Maker");
            if (!world.lookup("Ahead")) {
                auto behind = build("Behind");
                make(behind.kind(kith::OnLoad), "Behind");
                auto ahead = build("Ahead");
                make(ahead.kind(kith::OnStore), "Ahead");
            }
        });
        world.system<Physics>("Reads").each([](kith::entity, Physics) {});
        task("Last", kith::PostFrame);
        CHECK(frame() == names{"Maker", "Ahead", "Last"});
        CHECK(frame() == names{"Behind", "Maker", "Ahead", "Last"});
    }

    // spec 335
    TEST_CASE_FIXTURE(fixture,
                      "a system that is deleted inside of a frame stops at the sync point") {
        kith::entity victim = task("Victim", kith::OnStore);
        world.system("Killer").each([&] { victim.destruct(); });
        auto next = build("Next");
        make(next.kind(kith::PostUpdate).barrier(), "Next");
        CHECK(frame() == names{"Next"});
        CHECK(!victim.is_alive());
    }

    // spec 334, 335
    TEST_CASE_FIXTURE(fixture,
                      "a system that is replaced inside of a frame changes at the sync point") {
        world.system("A").each([this] {
            log.push_back("old");
            world.system("A").each([this] { log.push_back("new"); });
        });
        CHECK(frame() == names{"old"});
        CHECK(frame() == names{"new"});
    }
}
