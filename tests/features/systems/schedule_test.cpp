// The schedule as text and values: order, reasons, sync points, ambiguities, missing sync points.
#include <kith/schedule.hpp>

#include "support/errors.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace kith_test;

namespace {

struct Health {
    float value = 1;
};
struct Armor {};

struct fixture {
    kith::world world;

    std::string explain() { return world.schedule().explain().c_str(); }
};

}  // namespace

TEST_SUITE("features.systems.schedule") {
    // spec 342
    TEST_CASE_FIXTURE(fixture, "explain prints order, reasons and sync points, without a frame") {
        world.component<Armor>("Armor");
        world.system("Add").write<Armor>().each([] {});
        world.system("First").before("Add").each([] {});
        world.system("Read").read<Armor>().each([] {});
        world.system("None").kind(0).each([] {});
        CHECK(explain() ==
              "pipeline kith::BuiltinPipeline: 3 systems, 2 stretches\n"
              "1. First: phase kith::OnUpdate, by first, alone\n"
              "2. Add: phase kith::OnUpdate, by edge, alone\n"
              "   -- sync point: it reads Armor, which Add may have queued\n"
              "3. Read: phase kith::OnUpdate, by declaration, alone\n"
              "None is not in this pipeline: it has no phase\n");
        CHECK(world.schedule().count() == 3);
        CHECK(world.schedule().stretch_count() == 2);
    }

    // spec 342, 345
    TEST_CASE_FIXTURE(fixture, "explain prints timers, and by what a system is disabled") {
        world.entity("Module");
        world.system("A").interval(0.5f).each([] {});
        world.system("B").rate(world.lookup("A"), 3).each([] {});
        world.system("C").run_if("A").each([] {});
        world.system("Module::D").each([] {});
        world.lookup("C").disable();
        world.lookup("Module").disable();
        CHECK(explain() ==
              "pipeline kith::BuiltinPipeline: 4 systems, 1 stretches\n"
              "1. A: phase kith::OnUpdate, by first, alone, interval 0.500000 s\n"
              "2. B: phase kith::OnUpdate, by declaration, alone, rate 3 of A\n"
              "3. C: phase kith::OnUpdate, by declaration, alone, 1 condition, disabled\n"
              "4. Module::D: phase kith::OnUpdate, by declaration, alone, disabled by Module\n");
    }

    // spec 342, 394
    TEST_CASE_FIXTURE(fixture, "each gives the schedule as values") {
        kith::entity add = world.system("Add").kind(kith::OnLoad).write<Armor>().each([] {});
        kith::entity read = world.system("Read").read<Armor>().parallel().each([] {});
        std::vector<kith::schedule_item> items;
        world.schedule().each([&](const kith::schedule_item& item) { items.push_back(item); });
        REQUIRE(items.size() == 2);
        CHECK(items[0].system == add);
        CHECK(items[0].phase == kith::OnLoad);
        CHECK(items[1].system == read);
        CHECK(items[1].reason == kith::order_reason::phase);
        CHECK(items[1].way == kith::run_way::parallel);
        CHECK(items[1].sync_before);
        CHECK(items[1].sync_id == world.id<Armor>());
        CHECK(items[1].sync_system == add);
        kith::entity plain = world.entity();
        CHECK(error_of([&] { world.schedule(plain); }) == kith::errc::missing_component);
    }

    // spec 342, 394
    TEST_CASE_FIXTURE(fixture, "explain of two systems names the reason of their order") {
        kith::entity a = world.system("A").each([] {});
        kith::entity b = world.system("B").each([] {});
        kith::entity c = world.system("C").after("B").each([] {});
        kith::entity off = world.system("Off").kind(0).each([] {});
        auto text = [&](kith::entity one, kith::entity other) {
            return std::string(world.schedule().explain(one, other).c_str());
        };
        CHECK(text(b, a) == "A comes before B: declaration; they do not overlap: A runs alone");
        CHECK(text(b, c) == "B comes before C: edge; they do not overlap: B runs alone");
        CHECK(text(a, off) == "Off is not in this pipeline: it has no phase");
    }

    // spec 358
    TEST_CASE_FIXTURE(fixture, "edges through other systems order two systems") {
        kith::entity a = world.system<Health>("A").parallel().each([](Health&) {});
        world.system("B").after("A").in("Set").each([] {});
        kith::entity c = world.system<const Health>("C").after("Set").each([](const Health&) {});
        CHECK(std::string(world.schedule().explain(a, c).c_str()) ==
              "A comes before C: edge; they do not overlap: C runs alone");
        world.schedule().ambiguities([](kith::entity, kith::entity, kith::id) { CHECK(false); });
    }

    TEST_CASE_FIXTURE(fixture, "an edge keeps parallel systems from overlapping") {
        kith::entity a = world.system("A").parallel().each([] {});
        kith::entity b = world.system("B").parallel().after("A").each([] {});
        kith::entity c = world.system("C").parallel().each([] {});
        auto text = [&](kith::entity one, kith::entity other) {
            return std::string(world.schedule().explain(one, other).c_str());
        };
        CHECK(text(a, b) ==
              "A comes before B: edge; they do not overlap: an edge lies between them");
        CHECK(text(a, c) == "A comes before C: declaration; they may overlap");
    }

    TEST_CASE_FIXTURE(fixture, "sets that contain each other do not keep explain from an end") {
        kith::entity one = world.entity("One");
        kith::entity other = world.entity("Other");
        kith::entity a = world.system("A").in("One").each([] {});
        kith::entity b = world.system("B").each([] {});
        one.add(kith::InSet, other);
        other.add(kith::InSet, one);
        std::string text;
        const auto code = error_of([&] { text = world.schedule().explain(a, b).c_str(); });
        CHECK((code == kith::errc::cycle || text != ""));
    }

    // spec 358
    TEST_CASE_FIXTURE(fixture,
                      "systems in conflict that only their declaration orders are listed") {
        kith::entity a = world.system<Health>("A").each([](Health&) {});
        kith::entity b = world.system<const Health>("B").each([](const Health&) {});
        world.system<const Health>("C").ambiguous_with("A").each([](const Health&) {});
        world.system<const Health>("D").after("A").each([](const Health&) {});
        world.system<const Health>("E").kind(kith::OnStore).each([](const Health&) {});
        int found = 0;
        world.schedule().ambiguities([&](kith::entity one, kith::entity other, kith::id id) {
            ++found;
            CHECK(one == a);
            CHECK(other == b);
            CHECK(id == world.id<Health>());
        });
        CHECK(found == 1);
    }

    // spec 355
    TEST_CASE_FIXTURE(fixture, "a missing sync point is reported once") {
        world.component<Armor>("Armor");
        world.watch_schedule(true);
        kith::entity subject = world.entity("Subject");
        kith::entity writer = world.system("Writer").each([&] { subject.add<Armor>(); });
        kith::entity reader =
            world.system("Reader").with<Armor>().src(subject).iter([](kith::iter&) {});
        world.progress(1);
        subject.remove<Armor>();
        world.progress(1);
        int found = 0;
        world.schedule().missing([&](kith::entity one, kith::entity other, kith::id id) {
            ++found;
            CHECK(one == writer);
            CHECK(other == reader);
            CHECK(id == world.id<Armor>());
        });
        CHECK(found == 1);
    }

    // spec 336
    TEST_CASE_FIXTURE(fixture, "emit is refused in parallel systems, whatever the threads") {
        kith::entity hit = world.entity("Hit");
        kith::entity subject = world.entity().add<Armor>();
        int notified = 0;
        world.observer<Armor>().event(hit).each([&](kith::entity) { ++notified; });
        auto emit = [&] { world.event(hit).id<Armor>().entity(subject).emit(); };
        kith::system alone = world.system("Alone").each(emit);
        alone.run();
        CHECK(notified == 1);
        kith::system parallel = world.system("Parallel").parallel().each(emit);
        CHECK(error_of([&] { parallel.run(); }) == kith::errc::invalid_operation);
        CHECK(message_of([&] { parallel.run(); }).find("enqueue") != std::string::npos);
        CHECK(notified == 1);
    }

    // spec 335
    TEST_CASE_FIXTURE(fixture, "systems are not made inside of parallel systems") {
        kith::system maker =
            world.system("Maker").parallel().each([&] { world.system("Made").each([] {}); });
        CHECK(error_of([&] { maker.run(); }) == kith::errc::invalid_operation);
        CHECK(!world.lookup("Made"));
    }
}
