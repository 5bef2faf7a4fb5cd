// Systems, phases and pipelines that change while a frame runs.
#include <kith/kith.hpp>

#include "support/errors.hpp"

#include <string>

#include <doctest/doctest.h>

using kith_test::error_of;

namespace {

struct fixture {
    kith::world world;
    std::string log;

    kith::system add(const char* name, kith::entity_t phase = kith::OnUpdate) {
        return world.system(name).kind(phase).each([this, name] { log += name; });
    }

    template <class Func>
    kith::system add_change(const char* name, kith::entity_t phase, Func func) {
        return world.system(name).kind(phase).each([this, name, func]() mutable {
            log += name;
            func();
        });
    }
};

}  // namespace

TEST_SUITE("features.systems.changes_in_frames") {
    // spec 389, 335
    TEST_CASE_FIXTURE(fixture, "a frame gives its time to a phase once, also if systems change") {
        kith::phase physics = world.phase("Physics").depends_on(kith::OnUpdate).fixed(1);
        add("p", physics);
        add_change("c", kith::OnStore, [this] {
            if (!world.lookup("late")) {
                add("late", kith::PostFrame);
            }
        });
        world.progress(2);
        CHECK(log == "ppclate");
        CHECK(physics.get<kith::FixedStep>()->steps == 2);
        CHECK(physics.get<kith::FixedStep>()->account == 0);
    }

    // spec 389, 335
    TEST_CASE_FIXTURE(fixture, "a phase whose steps are not due gets its time once") {
        kith::phase physics = world.phase("Physics").depends_on(kith::OnUpdate).fixed(1);
        add("p", physics);
        add_change("c", kith::OnStore, [this] { add("late", kith::PostFrame); });
        world.progress(0.6f);
        CHECK(log == "clate");
        CHECK(physics.alpha() == doctest::Approx(0.6));
    }

    // spec 389, 335
    TEST_CASE_FIXTURE(fixture, "a change inside of a step leaves the number of steps as it is") {
        kith::phase physics = world.phase("Physics").depends_on(kith::OnUpdate).fixed(1);
        add("m", kith::OnStore);
        add_change("a", physics, [this] {
            // The system loses its place behind the steps, and gets one before them.
            if (log == "a") {
                world.system("m").kind(kith::PreUpdate).each([this] { log += "m"; });
            }
        });
        world.system("b").kind(physics).barrier().each([this] { log += "b"; });
        world.progress(2);
        CHECK(log == "ambab");
        CHECK(physics.get<kith::FixedStep>()->steps == 2);
    }

    // spec 344, 335
    TEST_CASE_FIXTURE(fixture, "a pipeline that a system deletes ends at the next sync point") {
        kith::entity tag = world.entity("Tag");
        kith::entity pipeline = world.pipeline().with(kith::System).with(tag).build();
        add_change("a", tag, [pipeline]() mutable { pipeline.destruct(); });
        add("b", tag);
        world.system("c").kind(tag).barrier().each([this] { log += "c"; });
        world.set_pipeline(pipeline);
        world.progress(1);
        CHECK(log == "ab");
        world.progress(1);
        CHECK(log == "ab");
    }

    // spec 344, 335
    TEST_CASE_FIXTURE(fixture, "a pipeline that a system disables ends at the next sync point") {
        kith::entity tag = world.entity("Tag");
        kith::entity pipeline = world.pipeline().with(kith::System).with(tag).build();
        add_change("a", tag, [pipeline]() mutable { pipeline.disable(); });
        world.system("b").kind(tag).barrier().each([this] { log += "b"; });
        world.set_pipeline(pipeline);
        world.progress(1);
        CHECK(log == "a");
        pipeline.enable();
        world.progress(1);
        CHECK(log == "aa");
    }

    // spec 344, 335
    TEST_CASE_FIXTURE(fixture,
                      "a pipeline that is made anew in a frame runs the rest by its query") {
        struct Frame {};
        kith::entity tag = world.entity("Tag");
        kith::entity other = world.entity("Other");
        world.pipeline<Frame>().with(kith::System).with(tag).build();
        add_change("a", tag, [this, other] {
            world.pipeline<Frame>().with(kith::System).with(other).build();
        });
        world.system("b").kind(tag).barrier().each([this] { log += "b"; });
        add("c", other);
        world.set_pipeline<Frame>();
        world.progress(1);
        CHECK(log == "ac");
    }

    TEST_CASE_FIXTURE(fixture, "a pipeline may be deleted while its frame has stopped") {
        kith::entity tag = world.entity("Tag");
        kith::entity pipeline = world.pipeline().with(kith::System).with(tag).build();
        add("a", tag);
        add("b", tag).set_breakpoint();
        world.set_pipeline(pipeline);
        world.stepping(true);
        world.progress(1);
        CHECK(log == "a");
        pipeline.destruct();
        world.progress(1);
        CHECK(log == "a");
        CHECK(world.get_info()->frame_count_total == 1);
        CHECK_FALSE(world.stopped_at());
    }

    TEST_CASE_FIXTURE(fixture, "systems may change while the frame has stopped") {
        add("a");
        kith::system b = add("b");
        b.set_breakpoint();
        kith::system c = add("c");
        world.stepping(true);
        world.progress(1);
        CHECK(log == "a");
        c.disable();
        add("d");
        world.progress(1);
        CHECK(log == "abd");
        b.destruct();
        world.progress(1);
        CHECK(log == "abdad");
    }

    // spec 341, 344
    TEST_CASE_FIXTURE(fixture,
                      "a contradiction inside of a pipeline leaves the count of pipelines") {
        kith::entity tag = world.entity("Tag");
        kith::entity pipeline = world.pipeline().with(kith::System).with(tag).build();
        kith::system a = add("a", tag);
        kith::system b = add_change("b", tag, [this, a]() mutable {
            a.add(kith::Before, world.lookup("b"));
            world.lookup("b").add(kith::Before, a);
        });
        for (int i = 0; i < 10; ++i) {
            CHECK(error_of([&] { world.run_pipeline(pipeline, 1); }) == kith::errc::cycle);
            a.remove(kith::Before, kith::Wildcard);
            b.remove(kith::Before, kith::Wildcard);
        }
        CHECK(log == "abababababababababab");
    }

    // spec 345
    TEST_CASE_FIXTURE(fixture, "a setting of a system that was replaced in the frame is kept") {
        kith::system target = add("t", kith::OnStore);
        bool checked = false;
        world.system("Change").each([&] {
            if (checked) {
                return;
            }
            world.system("t").on_error(kith::on_error::proceed).each([this] {
                log += "n";
                throw 1;
            });
            target.on_error(kith::on_error::disable);
            checked = true;
        });
        world.progress(1);
        CHECK(log == "t");
        world.progress(1);
        CHECK(log == "tn");
        CHECK(target.has(kith::Disabled));
    }
}
