// Frames on several threads: which systems run at the same time, and where.
#include <kith/executor.hpp>
#include <kith/kith.hpp>
#include <kith/schedule.hpp>
#include <kith/statistics.hpp>

#include "support/errors.hpp"

#include <atomic>
#include <chrono>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

using namespace kith_test;

namespace {

struct A {
    int value = 0;
};
struct B {
    int value = 0;
};
struct Male {};
struct Female {};

// Two callbacks that wait for each other, as long as a test may take. Both have met if they ran at
// the same time.
class meeting {
public:
    void wait() {
        ++inside_;
        for (int i = 0; i < 400 && !met_; ++i) {
            if (inside_ >= 2) {
                met_ = true;
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        --inside_;
    }
    bool met() const { return met_; }

private:
    std::atomic<int> inside_{0};
    std::atomic<bool> met_{false};
};

// A callback that notes whether another one runs at the same time.
class overlap {
public:
    void pass() {
        if (++inside_ > 1) {
            found_ = true;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        --inside_;
    }
    bool found() const { return found_; }

private:
    std::atomic<int> inside_{0};
    std::atomic<bool> found_{false};
};

struct fixture {
    kith::world world;
    meeting both;
    overlap inside;

    fixture() {
        world.set_threads(3);
        world.entity().set(A{}).set(B{});
    }
};

}  // namespace

TEST_SUITE("features.systems.frame_threads") {
    // spec 360
    TEST_CASE("the number of threads is that of all, the caller included") {
        kith::world world;
        CHECK(world.get_threads() == 1);
        world.set_threads(0);
        CHECK(world.get_threads() == 1);
        world.set_threads(4);
        CHECK(world.get_threads() == 4);
        CHECK_FALSE(world.using_task_threads());
        world.set_task_threads(2);
        CHECK(world.get_threads() == 2);
        CHECK(world.using_task_threads());
        CHECK(world.get_info()->threads == 2);
        world.set_threads(1);
        CHECK_FALSE(world.using_task_threads());
    }
    // spec 360
    TEST_CASE("a negative number of threads and too many are errors, and the old ones stay") {
        kith::world world;
        world.set_threads(2);
        CHECK(error_of([&] { world.set_threads(-1); }) == kith::errc::invalid_operation);
        CHECK(error_of([&] { world.set_threads(1025); }) == kith::errc::limit);
        CHECK(error_of([&] { world.app().threads(-1).run(); }) == kith::errc::invalid_operation);
        CHECK(world.get_threads() == 2);
    }
    // spec 360
    TEST_CASE("a change inside of a frame counts from its end on") {
        kith::world world;
        std::vector<std::int32_t> seen;
        world.system().each([&] {
            world.set_threads(3);
            seen.push_back(world.get_threads());
        });
        world.progress(1);
        CHECK(seen == std::vector<std::int32_t>{1});
        CHECK(world.get_threads() == 3);
    }
    // spec 360
    TEST_CASE("threads come and go between frames, and end with the world") {
        for (int round = 0; round < 5; ++round) {
            kith::world world;
            world.entity().set(A{});
            std::atomic<int> runs{0};
            world.system<A>().parallel().each([&](A&) { ++runs; });
            world.system<B>().parallel().each([&](B&) { ++runs; });
            for (const int threads : {1, 4, 2, 0, 3}) {
                world.set_threads(threads);
                world.progress(1);
            }
            CHECK(runs == 5);
        }
    }
    // spec 360
    TEST_CASE("app().threads() sets the threads of the loop") {
        kith::world world;
        std::int32_t seen = 0;
        world.system().iter([&](kith::iter& it) { seen = it.world().get_threads(); });
        CHECK(world.app().threads(2).frames(1).run() == 0);
        CHECK(seen == 2);
    }
    // spec 362
    TEST_CASE_FIXTURE(fixture, "parallel systems whose access does not conflict run together") {
        world.system<A>().parallel().each([&](A&) { both.wait(); });
        world.system<B>().parallel().each([&](B&) { both.wait(); });
        world.progress(1);
        CHECK(both.met());
    }
    // spec 362
    TEST_CASE_FIXTURE(fixture, "systems that access the same values run one after the other") {
        std::vector<std::string> order;
        world.system<A>().parallel().each([&](A&) {
            inside.pass();
            order.push_back("first");
        });
        world.system<const A>().parallel().each([&](const A&) {
            inside.pass();
            order.push_back("second");
        });
        world.progress(1);
        CHECK_FALSE(inside.found());
        CHECK(order == std::vector<std::string>{"first", "second"});
    }
    // spec 362
    TEST_CASE_FIXTURE(fixture, "systems that only read the same values run together") {
        world.system<const A>().parallel().each([&](const A&) { both.wait(); });
        world.system<const A>().parallel().each([&](const A&) { both.wait(); });
        world.progress(1);
        CHECK(both.met());
    }
    // spec 362
    TEST_CASE_FIXTURE(fixture, "systems that match no table in common run together") {
        world.entity().set(A{}).add<Male>();
        world.entity().set(A{}).add<Female>();
        world.system<A>().with<Male>().parallel().each([&](A&) { both.wait(); });
        world.system<A>().with<Female>().parallel().each([&](A&) { both.wait(); });
        world.progress(1);
        CHECK(both.met());
    }
    // spec 362
    TEST_CASE_FIXTURE(fixture, "a table that two systems come to share keeps them apart") {
        world.system<A>().with<Male>().parallel().each([&](A&) { inside.pass(); });
        world.system<A>().with<Female>().parallel().each([&](A&) { inside.pass(); });
        world.progress(1);
        world.entity().set(A{}).add<Male>().add<Female>();
        world.progress(1);
        CHECK_FALSE(inside.found());
    }
    // spec 362
    TEST_CASE_FIXTURE(fixture, "values of other entities are no own rows") {
        const kith::entity one = world.entity().set(A{}).add<Male>();
        world.entity().add<Female>();
        world.system<A>().with<Male>().parallel().each([&](A&) { inside.pass(); });
        world.system<const A>().arg(1).src(one).with<Female>().parallel().each(
            [&](const A&) { inside.pass(); });
        world.progress(1);
        CHECK_FALSE(inside.found());
    }
    // spec 362
    TEST_CASE_FIXTURE(fixture, "set_parallel() makes systems with stateless callbacks parallel") {
        world.system<A>("Stateless").each([](A& a) { ++a.value; });
        world.system<A>("WithState").each([this](A& a) {
            a.value += static_cast<int>(both.met());
        });
        world.system<A>("WithEntity").each([](kith::entity, A& a) { ++a.value; });
        auto ways = [&] {
            std::string text;
            world.schedule().each(
                [&](const kith::schedule_item& item) { text += std::to_string(int(item.way)); });
            return text;
        };
        CHECK(ways() == "000");
        world.set_parallel();
        CHECK(ways() == "100");
        world.progress(1);
        world.set_parallel(false);
        CHECK(ways() == "000");
    }
    // spec 362, 365
    TEST_CASE("systems chosen by set_parallel() know no phases") {
        static meeting across;
        kith::world world;
        world.set_threads(2);
        world.set_parallel();
        world.entity().set(A{}).set(B{});
        world.system<A>().kind(kith::PreUpdate).each([](A&) { across.wait(); });
        world.system<B>().kind(kith::OnUpdate).each([](B&) { across.wait(); });
        world.progress(1);
        CHECK(across.met());
    }
    // spec 363
    TEST_CASE_FIXTURE(fixture, "nothing runs beside a system that does not ask for it") {
        const std::thread::id caller = std::this_thread::get_id();
        bool stayed = true;
        world.system<A>().parallel().each([&](A&) { inside.pass(); });
        world.system<B>().each([&](B&) {
            inside.pass();
            stayed = stayed && std::this_thread::get_id() == caller;
        });
        world.system<const A>().parallel().each([&](const A&) { inside.pass(); });
        for (int i = 0; i < 3; ++i) {
            world.progress(1);
        }
        CHECK_FALSE(inside.found());
        CHECK(stayed);
    }
    // spec 364
    TEST_CASE_FIXTURE(fixture, "a system of the main thread stays there, beside others") {
        const std::thread::id caller = std::this_thread::get_id();
        std::atomic<bool> stayed{true};
        world.system<A>().parallel().main_thread().each([&](A&) {
            stayed = stayed && std::this_thread::get_id() == caller;
            both.wait();
        });
        world.system<B>().parallel().each([&](B&) { both.wait(); });
        world.progress(1);
        CHECK(stayed);
        CHECK(both.met());
    }
    // spec 365
    TEST_CASE_FIXTURE(fixture, "an explicit edge holds for systems that do not conflict") {
        world.system<A>("First").parallel().each([&](A&) { inside.pass(); });
        world.system<B>("Second").after("First").parallel().each([&](B&) { inside.pass(); });
        world.progress(1);
        CHECK_FALSE(inside.found());
        CHECK(std::string(world.schedule().explain().c_str()).find("does not overlap Second") !=
              std::string::npos);
    }
    // spec 365
    TEST_CASE_FIXTURE(fixture, "an edge between sets holds for all of their members") {
        struct Early {};
        struct Late {};
        world.component<Early>().entity::add(kith::Before, world.component<Late>());
        std::atomic<int> early{0};
        std::atomic<bool> wrong{false};
        for (int i = 0; i < 3; ++i) {
            world.system<const A>().in<Early>().parallel().each([&](const A&) {
                std::this_thread::sleep_for(std::chrono::milliseconds(3));
                ++early;
            });
        }
        for (int i = 0; i < 3; ++i) {
            world.system<const B>().in<Late>().parallel().each(
                [&](const B&) { wrong = wrong || early != 3; });
        }
        world.progress(1);
        CHECK(early == 3);
        CHECK_FALSE(wrong);
    }
    // spec 365
    TEST_CASE_FIXTURE(fixture, "a system of a later phase does not begin earlier") {
        world.system<A>().kind(kith::PreUpdate).parallel().each([&](A&) { inside.pass(); });
        world.system<B>().kind(kith::OnUpdate).parallel().each([&](B&) { inside.pass(); });
        world.progress(1);
        CHECK_FALSE(inside.found());
    }
    // spec 365
    TEST_CASE_FIXTURE(fixture, "a system that is left out still keeps the order of the others") {
        std::vector<int> order;
        world.system<A>().parallel().each([&](A&) {
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
            order.push_back(1);
        });
        world.system<A, B>("Middle").parallel().each([&](A&, B&) { order.push_back(2); }).disable();
        world.system<A>().parallel().each([&](A&) { order.push_back(3); });
        world.progress(1);
        CHECK(order == std::vector<int>{1, 3});
    }
    // spec 375
    TEST_CASE("the caller runs the parts of an executor that never calls") {
        kith::world world;
        const kith::executor never{[](void*) { return 3u; },
                                   [](void*, std::uint32_t, void (*)(void*), void*) {},
                                   [](void*) {}, nullptr};
        world.set_executor(never);
        CHECK(world.get_threads() == 4);
        for (int i = 0; i < 1000; ++i) {
            world.entity().set(A{});
        }
        std::atomic<int> rows{0};
        world.system<A>().multi_threaded().part_rows(10).each([&](A&) { ++rows; });
        world.progress(1);
        CHECK(rows == 1000);
    }
    // spec 377
    TEST_CASE("an executor of the program runs parts, and is finished when it is replaced") {
        struct job_system {
            std::vector<std::thread> threads;
            int finished = 0;
            static std::uint32_t capacity(void*) { return 2; }
            static void start(void* used, std::uint32_t count, void (*work)(void*),
                              void* argument) {
                for (std::uint32_t i = 0; i < count; ++i) {
                    static_cast<job_system*>(used)->threads.emplace_back(work, argument);
                }
            }
            static void finish(void* used) {
                auto& jobs = *static_cast<job_system*>(used);
                for (std::thread& thread : jobs.threads) {
                    thread.join();
                }
                jobs.threads.clear();
                ++jobs.finished;
            }
        } jobs;
        {
            kith::world world;
            world.set_executor(
                {job_system::capacity, job_system::start, job_system::finish, &jobs});
            CHECK(world.get_threads() == 3);
            meeting both;
            world.entity().set(A{}).set(B{});
            world.system<A>().parallel().each([&](A&) { both.wait(); });
            world.system<B>().parallel().each([&](B&) { both.wait(); });
            world.progress(1);
            CHECK(both.met());
            world.set_executor(nullptr);
            CHECK(jobs.finished == 1);
            CHECK(world.get_threads() == 1);
            world.set_executor({job_system::capacity, job_system::start, job_system::finish, &jobs},
                               2);
            CHECK(world.get_threads() == 2);
        }
        CHECK(jobs.finished == 2);
    }
    // spec 377
    TEST_CASE("an executor without a function is an error") {
        kith::world world;
        CHECK(error_of([&] {
                  world.set_executor({nullptr, nullptr, nullptr, nullptr});
              }) == kith::errc::invalid_operation);
    }
    // spec 374
    TEST_CASE("a frame of tiny systems asks no other thread for help") {
        kith::world world;
        static std::atomic<int> starts;
        starts = 0;
        const kith::executor counting{
            [](void*) { return 3u; },
            [](void*, std::uint32_t, void (*)(void*), void*) { ++starts; }, [](void*) {}, nullptr};
        world.set_executor(counting);
        world.entity().set(A{}).set(B{});
        world.system<A>().parallel().each([](A& a) { ++a.value; });
        world.system<B>().parallel().each([](B& b) { ++b.value; });
        for (int i = 0; i < 50; ++i) {
            world.progress(1);
        }
        CHECK(starts < 25);
    }
    // spec 376
    TEST_CASE("thousands of parallel systems run in the order of their conflicts") {
        kith::world world;
        world.set_threads(2);
        world.entity().set(A{}).set(B{});
        static std::atomic<int> reads;
        reads = 0;
        for (int i = 0; i < 3000; ++i) {
            if (i % 100 == 0) {
                world.system<A>().parallel().each([](A& a) { ++a.value; });
            } else {
                world.system<const A, const B>().parallel().each(
                    [](const A&, const B&) { ++reads; });
            }
        }
        world.progress(1);
        world.progress(1);
        CHECK(reads == 2 * 2970);
        int value = 0;
        world.each([&](A& a) { value = a.value; });
        CHECK(value == 60);
    }
    TEST_CASE("counters show threads, stretches and parts of a frame") {
        kith::world world;
        world.set_threads(2);
        for (int i = 0; i < 100; ++i) {
            world.entity().set(A{});
        }
        kith::system split = world.system<A>().multi_threaded().part_rows(10).each([](A&) {});
        world.system<B>("Alone").barrier().each([](B&) {});
        world.progress(1);
        const kith::world_info_t* info = world.get_info();
        CHECK(info->threads == 2);
        CHECK(info->parts_frame == 10);
        CHECK(info->stretches_frame == 2);
        world.set_threads(1);
        world.progress(1);
        CHECK(world.get_info()->parts_frame == 10);
        CHECK(split.stats().parts == 20);
    }
    // spec 393
    TEST_CASE("a trace shows parts with their threads") {
        kith::world world;
        world.set_threads(2);
        for (int i = 0; i < 40; ++i) {
            world.entity().set(A{});
        }
        world.system<A>("Move").multi_threaded().part_rows(10).each(
            [](A&) { std::this_thread::sleep_for(std::chrono::microseconds(100)); });
        world.trace_start();
        world.progress(1);
        world.trace_stop();
        const std::string json = world.trace_json().c_str();
        std::size_t parts = 0;
        for (std::size_t at = json.find("\"part\":"); at != std::string::npos;
             at = json.find("\"part\":", at + 1)) {
            ++parts;
        }
        CHECK(parts == 4);
        CHECK(json.find("Move") != std::string::npos);
    }
}
