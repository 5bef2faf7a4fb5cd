// Sync points: the places in a frame where queued changes are made.
#include <kith/schedule.hpp>

#include "support/errors.hpp"

#include <optional>
#include <vector>

#include <doctest/doctest.h>

using namespace kith_test;

namespace {

struct Health {
    float value = 1;
};
struct Armor {};
struct Likes {};
struct Apple {};

struct fixture {
    kith::world world;
    kith::entity subject = world.entity("Subject").set<Health>({1});
    std::vector<bool> seen;

    void writes_armor() {
        world.system("Writer").write<Armor>().each([this] { subject.add<Armor>(); });
    }
    bool runs(auto&& builder) {
        seen.clear();
        builder.iter([this](kith::iter& it) {
            static_cast<void>(it);
            seen.push_back(subject.has<Armor>());
        });
        world.progress(1);
        return !seen.empty() && seen[0];
    }
};

}  // namespace

TEST_SUITE("features.systems.sync_points") {
    // spec 189, 350
    TEST_CASE_FIXTURE(fixture, "a filter on the row sees what an earlier system queued") {
        writes_armor();
        CHECK(runs(world.system<Health>().with<Armor>()));
    }
    // spec 350
    TEST_CASE_FIXTURE(fixture, "a fixed source sees what an earlier system queued") {
        writes_armor();
        CHECK(runs(world.system().with<Armor>().src(subject)));
    }
    // spec 350
    TEST_CASE_FIXTURE(fixture, "a search up sees what an earlier system queued") {
        writes_armor();
        world.entity().child_of(subject);
        CHECK(runs(world.system().with<Armor>().up(kith::ChildOf)));
    }
    // spec 350
    TEST_CASE_FIXTURE(fixture, "a system that asks for something else sees the state of before") {
        writes_armor();
        CHECK(!runs(world.system<Health>()));
        CHECK(subject.has<Armor>());
    }

    // spec 351
    TEST_CASE_FIXTURE(fixture, "read, read_write and Not with out are declarations") {
        writes_armor();
        CHECK(runs(world.system("R").read<Armor>()));
        world.lookup("R").destruct();
        subject.remove<Armor>();
        CHECK(runs(world.system("RW").read_write<Armor>()));
    }
    // spec 351
    TEST_CASE_FIXTURE(fixture, "a Not term with write queues") {
        world.system<Health>("Writer").without<Armor>().write().each(
            [](kith::entity e, Health&) { e.add<Armor>(); });
        CHECK(runs(world.system().read<Armor>()));
    }
    // spec 351
    TEST_CASE_FIXTURE(fixture, "write of everything is seen by every reader") {
        world.system("Writer").write(kith::Wildcard).each([this] { subject.add<Armor>(); });
        CHECK(runs(world.system<Health>()));
    }
    // spec 351
    TEST_CASE_FIXTURE(fixture, "a pattern of pairs covers its pairs") {
        world.system("Writer").write<Likes>(kith::Wildcard).each([this] { subject.add<Armor>(); });
        CHECK(runs(world.system("A").read<Likes, Apple>()));
        world.lookup("A").destruct();
        subject.remove<Armor>();
        CHECK(!runs(world.system("B").read<Apple>()));
    }
    // spec 351
    TEST_CASE_FIXTURE(fixture, "modify reads and writes in place") {
        writes_armor();
        CHECK(runs(world.system().modify<Armor>()));
    }

    // spec 352
    TEST_CASE_FIXTURE(fixture, "implied ids count") {
        world.component<Likes>().add(kith::With, world.component<Armor>());
        world.system("Writer").write<Likes>().each([this] { subject.add<Likes>(); });
        CHECK(runs(world.system("A").with<Armor>().src(subject)));
    }
    // spec 352
    TEST_CASE_FIXTURE(fixture,
                      "adding a pair of an exclusive relationship affects the other pairs") {
        world.component<Likes>().add(kith::Exclusive);
        world.component<Apple>();
        world.system("Writer").write<Likes, Apple>().each([this] { subject.add<Armor>(); });
        CHECK(runs(world.system().read<Likes, Health>()));
    }

    // spec 349
    TEST_CASE_FIXTURE(fixture, "a system finds the values that were queued in its stretch") {
        kith::entity fresh = world.entity("Fresh");
        float first = 0, second = 0;
        world.system("A").each([&] {
            fresh.get_mut<Health>()->value = 5;
            first = fresh.get_mut<Health>()->value;
        });
        world.system("B").each([&] { second = fresh.get_mut<Health>()->value; });
        world.progress(1);
        CHECK(first == 5);
        CHECK(second == 5);
        CHECK(fresh.get<Health>()->value == 5);
    }

    // spec 353
    TEST_CASE_FIXTURE(fixture, "barrier puts a sync point in front of a system") {
        world.system("Writer").each([this] { subject.add<Armor>(); });
        CHECK(runs(world.system().barrier()));
    }
    // spec 353
    TEST_CASE_FIXTURE(fixture, "pipelines ask for sync points between phases or systems") {
        world.system("Writer").kind(kith::OnLoad).each([this] { subject.add<Armor>(); });
        bool same = true, next = false;
        world.system("Same").kind(kith::OnLoad).each([&] { same = subject.has<Armor>(); });
        world.system("Next").kind(kith::OnStore).each([&] { next = subject.has<Armor>(); });
        auto pipeline = [&](kith::sync points) {
            return world.pipeline()
                .with(kith::System)
                .with(kith::Phase)
                .cascade(kith::DependsOn)
                .sync(points)
                .build();
        };
        world.set_pipeline(pipeline(kith::sync::phases));
        world.progress(1);
        CHECK(!same);
        CHECK(next);
        subject.remove<Armor>();
        world.set_pipeline(pipeline(kith::sync::systems));
        world.progress(1);
        CHECK(same);
    }

    // spec 354
    TEST_CASE_FIXTURE(fixture, "a sync point where nothing waits notifies nobody") {
        int notified = 0;
        world.observer<Armor>().event(kith::OnAdd).each([&](kith::entity) { ++notified; });
        world.system("Writer").write<Armor>().each([] {});
        CHECK(!runs(world.system().read<Armor>()));
        CHECK(notified == 0);
    }

    // spec 357
    TEST_CASE_FIXTURE(fixture, "contradictory declarations are refused") {
        using kith::errc;
        CHECK(error_of([&] { world.system("S").immediate().parallel().each([] {}); }) ==
              errc::constraint);
        CHECK(error_of([&] { world.system("S").immediate().multi_threaded().each([] {}); }) ==
              errc::constraint);
        CHECK(error_of([&] { world.system("S").multi_threaded().main_thread().each([] {}); }) ==
              errc::constraint);
        CHECK(error_of([&] {
                  world.system<Health>("S").multi_threaded().read<Health>().each([](Health&) {});
              }) == errc::constraint);
        CHECK(error_of([&] {
                  world.system<Health>("S").multi_threaded().modify<Armor>().each([](Health&) {});
              }) == errc::constraint);
        CHECK(error_of([&] { world.system("S").part_rows(0).each([] {}); }) ==
              errc::invalid_operation);
        CHECK(!world.lookup("S"));
    }

    // spec 357
    TEST_CASE_FIXTURE(fixture, "handles refuse contradictory declarations as builders do") {
        using kith::errc;
        kith::system now = world.system("Now").immediate().each([] {});
        CHECK(error_of([&] { now.parallel(); }) == errc::constraint);
        CHECK(error_of([&] { now.multi_threaded(); }) == errc::constraint);
        kith::system here = world.system<Health>("Here").main_thread().each([](Health&) {});
        CHECK(error_of([&] { here.multi_threaded(); }) == errc::constraint);
        kith::system reads = world.system<Health>("Reads").read<Health>().each([](Health&) {});
        CHECK(error_of([&] { reads.multi_threaded(); }) == errc::constraint);
        kith::system shared = world.system("Shared").modify<Armor>().each([] {});
        CHECK(error_of([&] { shared.multi_threaded(); }) == errc::constraint);
        reads.parallel();
        world.schedule().each([&](const kith::schedule_item& item) {
            CHECK(item.way == (item.system == now     ? kith::run_way::immediate
                               : item.system == reads ? kith::run_way::parallel
                                                      : kith::run_way::alone));
        });
    }

    // spec 359
    TEST_CASE_FIXTURE(fixture, "an immediate system may suspend deferring, others may not") {
        std::optional<kith::errc> refused;
        world.system("Alone").each([&] { refused = error_of([&] { world.defer_suspend(); }); });
        bool before = true, behind = false;
        world.system("Now").immediate().each([&] {
            CHECK(world.is_deferred());
            subject.add<Armor>();
            before = subject.has<Armor>();
            world.defer_suspend();
            subject.add<Apple>();
            behind = subject.has<Apple>();
            world.defer_resume();
        });
        CHECK(runs(world.system("Behind")));
        CHECK(refused == kith::errc::invalid_operation);
        CHECK(!before);
        CHECK(behind);
    }

    // spec 344
    TEST_CASE_FIXTURE(fixture, "pipelines that run each other more than 8 deep are refused") {
        int depth = 0;
        std::optional<kith::errc> refused;
        kith::entity pipeline =
            world.pipeline().with(kith::System).with(world.entity("Tag")).build();
        world.system("Inner").kind(world.lookup("Tag")).immediate().each([&] {
            ++depth;
            if (const auto code = error_of([&] { world.run_pipeline(pipeline, 1); })) {
                refused = code;
            }
        });
        world.run_pipeline(pipeline, 1);
        CHECK(depth == 8);
        CHECK(refused == kith::errc::limit);
        depth = 0;
        world.run_pipeline(pipeline, 1);
        CHECK(depth == 8);
    }

    // spec 344, 359
    TEST_CASE_FIXTURE(fixture, "an immediate system runs another pipeline") {
        int inner = 0;
        world.system("Inner").kind(world.entity("Tag")).each([&] { ++inner; });
        kith::entity pipeline =
            world.pipeline().with(kith::System).with(world.lookup("Tag")).build();
        world.system("Outer").immediate().each([&] { world.run_pipeline(pipeline, 1); });
        world.progress(1);
        CHECK(inner == 1);
        std::optional<kith::errc> refused;
        world.system("Alone").each(
            [&] { refused = error_of([&] { world.run_pipeline(pipeline, 1); }); });
        world.progress(1);
        CHECK(refused == kith::errc::invalid_operation);
    }
}
