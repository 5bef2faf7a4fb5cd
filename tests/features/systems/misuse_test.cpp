// Callbacks that do what they must not, and calls in the wrong place: each is an error that names
// it, and frames work afterwards.
#include <kith/schedule.hpp>

#include "support/errors.hpp"

#include <cmath>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

using kith::errc;
using kith_test::error_of;
using kith_test::message_of;

namespace {

struct Health {
    int value = 1;
};
struct Armor {};

struct fixture {
    kith::world world;

    // The error of a call inside of a system.
    std::optional<errc> inside(const std::function<void()>& call) {
        std::optional<errc> code;
        kith::system s = world.system("Inside").each([&] { code = error_of(call); });
        world.progress(1);
        s.destruct();
        return code;
    }
    // The frames of the world still run all systems.
    void check_frames() {
        int runs = 0;
        kith::system s = world.system("Behind").each([&] { ++runs; });
        world.progress(1);
        world.progress(1);
        CHECK(runs == 2);
        s.destruct();
        world.check();
    }
};

}  // namespace

TEST_SUITE("features.systems.misuse") {
    TEST_CASE_FIXTURE(fixture, "a callback that throws ends its system, and the next frame works") {
        kith::entity e = world.entity().set(Health{});
        world.entity().set(Health{});
        world.system<Health>("Throws").each([&](kith::entity row, Health& health) {
            health.value = 2;
            row.add<Armor>();
            if (row == e) {
                throw std::runtime_error("broken");
            }
        });
        CHECK_THROWS_WITH_AS(world.progress(1), "broken", std::runtime_error);
        CHECK(e.has<Armor>());
        CHECK(world.last_failure().count == 1);
        CHECK(world.last_failure().system == world.lookup("Throws"));
        world.lookup("Throws").destruct();
        check_frames();
    }

    // spec 335
    TEST_CASE_FIXTURE(fixture, "a callback may delete its own system, and runs to its end") {
        auto kept = std::make_shared<int>(5);
        int seen = 0;
        kith::system s = world.system("Ends").each([&, kept] {
            world.lookup("Ends").destruct();
            seen += *kept;
        });
        kept.reset();
        world.progress(1);
        world.progress(1);
        CHECK(seen == 5);
        CHECK_FALSE(s.is_alive());
        check_frames();
    }

    // spec 335, 359
    TEST_CASE_FIXTURE(fixture, "a callback that is deleted at once is kept until it returns") {
        auto kept = std::make_shared<int>(5);
        int seen = 0;
        world.system("Ends").immediate().each([&, kept] {
            world.defer_suspend();
            world.lookup("Ends").destruct();
            world.defer_resume();
            seen += *kept;
        });
        kept.reset();
        world.progress(1);
        CHECK(seen == 5);
        CHECK_FALSE(world.lookup("Ends"));
        check_frames();
    }

    // spec 335
    TEST_CASE_FIXTURE(fixture, "a callback may delete its pipeline, phase and module") {
        kith::entity module = world.entity("Module");
        kith::phase phase = world.phase("Phase").depends_on(kith::OnUpdate);
        int runs = 0;
        kith::system s = world.system("Module::System").kind(phase).each([&] {
            ++runs;
            phase.destruct();
            module.destruct();
        });
        world.progress(1);
        world.progress(1);
        CHECK(runs == 1);
        CHECK_FALSE(s.is_alive());
        check_frames();
    }

    TEST_CASE_FIXTURE(fixture, "frames inside of a frame are refused") {
        CHECK(inside([&] { world.progress(1); }) == errc::invalid_operation);
        CHECK(inside([&] { world.frame_begin(1); }) == errc::invalid_operation);
        CHECK(inside([&] { world.frame_end(); }) == errc::invalid_operation);
        CHECK(inside([&] { world.run_pipeline(0, 1); }) == errc::invalid_operation);
        check_frames();
    }

    TEST_CASE_FIXTURE(fixture, "frames inside of other code that is under way are refused") {
        CHECK(error_of([&] { world.defer([&] { world.progress(1); }); }) ==
              errc::invalid_operation);
        world.entity().set(Health{});
        CHECK(error_of([&] { world.each([&](Health&) { world.progress(1); }); }) ==
              errc::invalid_operation);
        world.readonly_begin();
        CHECK(error_of([&] { world.progress(1); }) == errc::invalid_operation);
        world.readonly_end();
        check_frames();
    }

    TEST_CASE_FIXTURE(fixture, "a world cannot be reset or ended inside of a frame") {
        CHECK(inside([&] { world.reset(); }) == errc::invalid_operation);
        CHECK(inside([&] { world.app().frames(1).run(); }) == errc::invalid_operation);
        check_frames();
    }

    TEST_CASE_FIXTURE(fixture, "an action behind the frame cannot reset the world") {
        static std::optional<errc> code;
        code.reset();
        world.system("Asks").each([&] {
            world.run_post_frame(
                [](kith::world_t*, void* held) {
                    code = error_of([&] { static_cast<kith::world*>(held)->reset(); });
                },
                &world);
        });
        world.progress(1);
        CHECK(code == errc::invalid_operation);
        check_frames();
    }

    TEST_CASE("the end of a world inside of its own frame ends the program") {
        const pid_t child = fork();
        if (child == 0) {
            kith::set_log([](const char*, void*) {});
            std::set_terminate([] { _exit(7); });
            auto world = std::make_unique<kith::world>();
            world->system("Ends").each([&] { world.reset(); });
            world->progress(1);
            _exit(0);
        }
        int status = 0;
        waitpid(child, &status, 0);
        CHECK(WIFEXITED(status));
        CHECK(WEXITSTATUS(status) == 7);
    }

    // Handles of the world inside of a frame.
    TEST_CASE_FIXTURE(fixture, "a handle of the world that a callback has captured is deferred") {
        kith::entity e = world.entity();
        bool seen = true;
        world.system("Captures").each([&] {
            e.add<Armor>();
            world.entity("Made");
            seen = e.has<Armor>();
        });
        world.progress(1);
        CHECK_FALSE(seen);
        CHECK(e.has<Armor>());
        CHECK(world.lookup("Made"));
    }

    TEST_CASE_FIXTURE(fixture, "settings that need an entity refuse those that are gone") {
        kith::entity gone = world.entity();
        gone.destruct();
        CHECK(error_of([&] { world.system("S").kind(gone); }) == errc::invalid_entity);
        CHECK(error_of([&] { world.system("S").before(gone); }) == errc::invalid_entity);
        CHECK(error_of([&] { world.system("S").after(gone); }) == errc::invalid_entity);
        CHECK(error_of([&] { world.system("S").in(gone); }) == errc::invalid_entity);
        CHECK(error_of([&] { world.system("S").tick_source(gone); }) == errc::invalid_entity);
        CHECK(error_of([&] { world.system("S").rate(gone, 2); }) == errc::invalid_entity);
        CHECK_FALSE(world.lookup("S"));
    }

    TEST_CASE_FIXTURE(fixture, "queries that cannot be made leave no system") {
        CHECK(error_of([&] { world.system("S").expr("Nothing(").each([] {}); }) ==
              errc::invalid_query);
        CHECK(error_of([&] { world.system("S").run_if("Nothing(").each([] {}); }) ==
              errc::invalid_query);
        kith::world other;
        auto query = other.query<Health>();
        CHECK(error_of([&] { world.system("S").run_if(query).each([] {}); }) ==
              errc::invalid_operation);
        CHECK_FALSE(world.lookup("S"));
        CHECK(error_of([&] { world.pipeline("System, Nothing("); }) == errc::invalid_query);
        CHECK(error_of([&] { world.pipeline().with<Armor>().build(); }) == errc::invalid_query);
    }

    TEST_CASE_FIXTURE(fixture, "numbers of one-off runs are checked") {
        int runs = 0;
        kith::system s = world.system<Health>("S").each([&](Health&) { ++runs; });
        world.entity().set(Health{});
        CHECK(error_of([&] { s.run().offset(-1); }) == errc::invalid_operation);
        CHECK(error_of([&] { s.run().limit(-1); }) == errc::invalid_operation);
        CHECK(error_of([&] { s.run(-1); }) == errc::invalid_operation);
        CHECK(error_of([&] { s.run(std::nanf("")); }) == errc::invalid_operation);
        CHECK(error_of([&] { s.run_worker(0, 2, -1); }) == errc::invalid_operation);
        CHECK(error_of([&] { s.run_worker(0, 0); }) == errc::invalid_operation);
        CHECK(error_of([&] { s.run_worker(2, 2); }) == errc::invalid_operation);
        CHECK(error_of([&] { s.run_worker(-1, 2); }) == errc::invalid_operation);
        CHECK(runs == 0);
    }

    TEST_CASE_FIXTURE(fixture, "what is no system or pipeline is refused by name") {
        kith::entity plain = world.entity("Plain");
        CHECK(error_of([&] { world.system(plain).run(); }) == errc::missing_component);
        CHECK(message_of([&] { world.system(plain).run(); }).find("Plain") != std::string::npos);
        CHECK(error_of([&] { world.system(plain).query(); }) == errc::missing_component);
        CHECK(error_of([&] { world.system(plain).parallel(); }) == errc::missing_component);
        CHECK(error_of([&] { world.system(plain).ctx(nullptr); }) == errc::missing_component);
        CHECK(error_of([&] { world.set_pipeline(plain); }) == errc::missing_component);
        CHECK(error_of([&] { world.run_pipeline(plain); }) == errc::missing_component);
        CHECK(error_of([&] { world.schedule(plain); }) == errc::missing_component);
    }

    // spec 347
    TEST_CASE_FIXTURE(fixture, "a condition that throws counts as its system") {
        int runs = 0, behind = 0;
        world.system("Asked")
            .run_if([]() -> bool { throw std::runtime_error("no answer"); })
            .on_error(kith::on_error::disable)
            .each([&] { ++runs; });
        world.system("Behind").each([&] { ++behind; });
        world.progress(1);
        world.progress(1);
        CHECK(runs == 0);
        CHECK(behind == 2);
        CHECK(world.lookup("Asked").has(kith::Disabled));
        CHECK(world.last_failure().system == world.lookup("Asked"));
    }

    TEST_CASE_FIXTURE(fixture, "a phase that no pipeline asks for is legal, and explained") {
        kith::entity tag = world.entity("Tag");
        int runs = 0;
        world.system("S").kind(tag).each([&] { ++runs; });
        world.progress(1);
        CHECK(runs == 0);
        const std::string text = world.schedule().explain().c_str();
        CHECK(text.find("S is not in this pipeline") != std::string::npos);
    }
}
