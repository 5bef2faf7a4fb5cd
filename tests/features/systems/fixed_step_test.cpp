// Phases that run in fixed steps.
#include <kith/kith.hpp>

#include "support/errors.hpp"

#include <limits>
#include <string>

#include <doctest/doctest.h>

using kith_test::error_of;

namespace {

struct Fuel {
    int left;
};
struct Burnt {};

auto append(std::string& log, const char* word) {
    return [&log, word](kith::iter&) { log += word; };
}

}  // namespace

TEST_SUITE("features.systems.fixed_step") {
    // spec 389
    TEST_CASE("a phase runs as often as the time of frames holds its step") {
        kith::world world;
        std::string log;
        kith::phase physics = world.phase("Physics").depends_on(kith::OnUpdate).fixed(0.1);
        world.system("Move").kind(physics).iter([&](kith::iter& it) {
            log += "m";
            CHECK(it.delta_time() == 0.1f);
            CHECK(it.delta_system_time() == 0.1f);
        });
        world.system("Draw").kind(kith::OnStore).iter(append(log, "|"));
        world.progress(0.05f);
        CHECK(log == "|");
        CHECK(physics.alpha() == doctest::Approx(0.5));
        world.progress(0.3f);
        CHECK(log == "|mmm|");
        world.progress(0.05f);
        CHECK(log == "|mmm|m|");
        CHECK(physics.alpha() < 0.001f);
    }

    // spec 385
    TEST_CASE("a million frames of 16,666,667 ns are a million steps of 1/60 s") {
        kith::world world;
        kith::phase physics = world.phase("Physics").depends_on(kith::OnUpdate).fixed(1 / 60.);
        std::int64_t steps = 0;
        world.system("Count").kind(physics).iter([&](kith::iter&) { ++steps; });
        for (int i = 0; i < 1'000'000; ++i) {
            world.progress(kith::nanoseconds{16'666'667});
        }
        CHECK(steps == 1'000'000);
        CHECK(physics.get<kith::FixedStep>()->steps == 1'000'000);
        CHECK(physics.get<kith::FixedStep>()->dropped == 0);
        CHECK(world.get_info()->world_time_ns == 16'666'667'000'000);
    }

    TEST_CASE("phases that depend on it belong to the step, in their order; others do not") {
        kith::world world;
        std::string log;
        kith::phase physics = world.phase("Physics").depends_on(kith::OnUpdate).fixed(1);
        kith::phase contacts = world.phase("Contacts").depends_on(physics);
        world.system("Validate").kind(kith::OnValidate).iter(append(log, "v"));
        world.system("Contact").kind(contacts).iter(append(log, "c"));
        world.system("Move").kind(physics).iter(append(log, "m"));
        world.system("Post").kind(kith::PostUpdate).iter(append(log, "p"));
        world.system("Update").iter(append(log, "u"));
        world.progress(2);
        CHECK(log == "uvmcmcp");
    }

    TEST_CASE("each step ends with a sync point") {
        kith::world world;
        kith::phase physics = world.phase("Physics").depends_on(kith::OnUpdate).fixed(1);
        int seen = 0;
        world.system<Fuel>("Burn").kind(physics).each([&](kith::entity e, Fuel& fuel) {
            if (--fuel.left == 0) {
                e.add<Burnt>();
            }
            seen += e.has<Burnt>() ? 1 : 0;
        });
        world.entity().set(Fuel{2});
        world.progress(3);
        CHECK(seen == 1);
    }

    TEST_CASE("a sync point that a system asks for belongs to the steps of its phase") {
        kith::world world;
        std::string log;
        kith::phase physics = world.phase("Physics").depends_on(kith::OnUpdate).fixed(1);
        world.system("A").kind(physics).iter(append(log, "a"));
        world.system("B").kind(physics).barrier().iter(append(log, "b"));
        world.progress(2);
        CHECK(log == "abab");
    }

    TEST_CASE("time for more steps than the limit is dropped and counted") {
        kith::world world;
        kith::phase physics =
            world.phase("Physics").depends_on(kith::OnUpdate).fixed(1).max_steps(3);
        int steps = 0;
        world.system("Count").kind(physics).iter([&](kith::iter&) { ++steps; });
        world.progress(10.5f);
        CHECK(steps == 3);
        CHECK(physics.get<kith::FixedStep>()->dropped == 7'500'000'000);
        CHECK(physics.alpha() == 0.0f);
        world.progress(1);
        CHECK(steps == 4);
    }

    TEST_CASE("steps count scaled time, and a systems behind them see what is left over") {
        kith::world world;
        kith::phase physics = world.phase("Physics").depends_on(kith::OnUpdate).fixed(1);
        int steps = 0;
        float alpha = -1;
        world.system("Count").kind(physics).iter([&](kith::iter&) { ++steps; });
        world.system("Draw").kind(kith::OnStore).iter([&](kith::iter& it) { alpha = it.alpha(); });
        world.set_time_scale(0.5f);
        world.progress(3);
        CHECK(steps == 1);
        CHECK(alpha == 0.5f);
        world.set_time_scale(0);
        world.progress(3);
        CHECK(steps == 1);
    }

    TEST_CASE("a disabled phase takes no steps and no time") {
        kith::world world;
        kith::phase physics = world.phase("Physics").depends_on(kith::OnUpdate).fixed(1);
        int steps = 0;
        world.system("Count").kind(physics).iter([&](kith::iter&) { ++steps; });
        physics.disable();
        world.progress(5);
        physics.enable();
        world.progress(1);
        CHECK(steps == 1);
    }

    TEST_CASE("a step of 0 makes it a phase like others again") {
        kith::world world;
        kith::phase physics = world.phase("Physics").depends_on(kith::OnUpdate).fixed(1);
        int runs = 0;
        world.system("Count").kind(physics).iter([&](kith::iter&) { ++runs; });
        world.progress(3);
        CHECK(runs == 3);
        physics.fixed(0);
        world.progress(3);
        CHECK(runs == 4);
        CHECK(physics.alpha() == 0.0f);
    }

    TEST_CASE("a system that joins the phase during a step runs in the steps that follow") {
        kith::world world;
        kith::phase physics = world.phase("Physics").depends_on(kith::OnUpdate).fixed(1);
        std::string log;
        world.system("First").kind(physics).iter([&](kith::iter& it) {
            log += "a";
            if (!it.world().lookup("Second")) {
                it.world().system("Second").kind(physics).iter(append(log, "b"));
            }
        });
        world.progress(3);
        CHECK((log == "aabab" || log == "ababab"));
        log.clear();
        world.progress(1);
        CHECK(log == "ab");
    }

    TEST_CASE("a timer of a system in steps ticks for one of them") {
        kith::world world;
        kith::phase physics = world.phase("Physics").depends_on(kith::OnUpdate).fixed(1);
        int runs = 0;
        world.system("Rare").kind(physics).interval(2).iter([&](kith::iter&) { ++runs; });
        world.progress(4);
        CHECK(runs == 1);
    }

    TEST_CASE("nested steps and bad numbers are refused") {
        kith::world world;
        kith::phase outer = world.phase("Outer").depends_on(kith::OnUpdate).fixed(1);
        kith::phase inner = world.phase("Inner").depends_on(outer);
        CHECK(error_of([&] { inner.fixed(0.5); }) == kith::errc::constraint);
        outer.fixed(0);
        inner.fixed(0.5);
        CHECK(error_of([&] { outer.fixed(1); }) == kith::errc::constraint);
        const auto invalid = kith::errc::invalid_operation;
        for (double bad : {-1.0, std::numeric_limits<double>::quiet_NaN(),
                           std::numeric_limits<double>::infinity()}) {
            CHECK(error_of([&] { inner.fixed(bad); }) == invalid);
        }
        CHECK(error_of([&] { inner.max_steps(0); }) == invalid);
        CHECK(error_of([&] { outer.max_steps(3); }) == kith::errc::missing_component);
        CHECK(inner.get<kith::FixedStep>()->step == 0.5f);
    }
}
