// What callbacks may do in parts, and what happens to their exceptions.
#include <kith/kith.hpp>
#include <kith/statistics.hpp>

#include "support/errors.hpp"

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

using namespace kith_test;

namespace {

struct Value {
    int number = 0;
};
struct Result {
    int number = 0;
};
struct Hit {
    int number = 0;
};

// A world with `rows` rows of Value, whose systems run on `threads` threads.
struct fixture {
    kith::world world;
    std::vector<kith::entity> all;

    void fill(int threads, int rows) {
        world.set_threads(threads);
        for (int i = 0; i < rows; ++i) {
            all.push_back(world.entity().set(Value{i}));
        }
    }
    // The message of the frame; "" if nothing is thrown.
    std::string progress() {
        try {
            world.progress(1);
        } catch (const std::exception& failed) {
            return failed.what();
        }
        return {};
    }
};

}  // namespace

TEST_SUITE("features.systems.part_rules_threads") {
    // spec 336
    TEST_CASE("emit() in a part is an error that names enqueue(), for any number of threads") {
        for (const int threads : {1, 3}) {
            fixture used;
            used.fill(threads, 10);
            used.world.component<Hit>();
            used.world.system<Value>().multi_threaded().part_rows(2).each(
                [](kith::entity e, Value&) { e.emit<Hit>({1}); });
            const std::string message = used.progress();
            CAPTURE(message);
            CHECK(message.find("enqueue") != std::string::npos);
        }
    }
    // spec 336
    TEST_CASE("enqueue() in a part is dispatched at the sync point, in order") {
        fixture used;
        used.fill(3, 30);
        std::vector<int> seen;
        for (kith::entity e : used.all) {
            e.observe([&](Hit& hit) { seen.push_back(hit.number); });
        }
        used.world.system<Value>().multi_threaded().part_rows(4).each(
            [](kith::entity e, Value& v) { e.enqueue(Hit{v.number}); });
        CHECK(used.progress() == "");
        REQUIRE(seen.size() == 30);
        CHECK(seen.front() == 0);
        CHECK(seen.back() == 29);
    }
    // spec 335
    TEST_CASE("systems cannot be made, changed or deleted in a part") {
        fixture used;
        used.fill(2, 4);
        kith::system other = used.world.system<Result>("Other").each([](Result&) {});
        std::atomic<int> refused{0};
        used.world.system<Value>().multi_threaded().part_rows(1).each(
            [&](kith::entity e, Value& v) {
                kith::world world = e.world();
                const auto tries = [&](auto&& action) {
                    refused += error_of(action) == kith::errc::invalid_operation;
                };
                switch (v.number) {
                    case 0:
                        tries([&] { world.system<Value>("New").each([](Value&) {}); });
                        break;
                    case 1:
                        tries([&] { other.multi_threaded(); });
                        break;
                    case 2:
                        tries([&] { world.pipeline("System"); });
                        break;
                    default:
                        tries([&] { other.mut(e).destruct(); });
                        tries([&] { other.mut(e).remove(kith::System); });
                }
            });
        CHECK(used.progress() == "");
        CHECK(refused == 5);
        CHECK(other.is_alive());
        CHECK_FALSE(used.world.lookup("New"));
    }
    // spec 378
    TEST_CASE("captured handles of the world queue into the part that uses them") {
        fixture used;
        used.fill(3, 60);
        const kith::entity target = used.world.entity();
        used.world.system<Value>().multi_threaded().part_rows(5).each([&](Value& v) {
            used.all[static_cast<std::size_t>(v.number)].set(Result{v.number});
            used.world.entity().set(Hit{v.number});
            used.all[static_cast<std::size_t>(59 - v.number)].add<Hit>();
            kith::entity(target).set(Result{v.number});
        });
        CHECK(used.progress() == "");
        int wrong = 0;
        used.world.each([&](Value& v, Result& r) { wrong += v.number != r.number; });
        CHECK(wrong == 0);
        CHECK(used.world.count<Hit>() == 120);
        CHECK(target.get<Result>()->number == 59);
    }
    // spec 378
    TEST_CASE("a system that a part runs is a part of it") {
        fixture used;
        used.fill(2, 20);
        std::atomic<int> calls{0};
        kith::system inner =
            used.world.system<const Value>("Inner").kind(0).each([&](kith::entity e, const Value&) {
                ++calls;
                e.add<Hit>();
            });
        used.world.system("Outer").read<Value>().parallel().iter([&](kith::iter&) { inner.run(); });
        used.world.system("Another").read<Value>().parallel().iter(
            [&](kith::iter&) { inner.run(); });
        CHECK(used.progress() == "");
        CHECK(calls == 40);
        CHECK(used.world.count<Hit>() == 20);
        CHECK(inner.stats().runs == 2);
    }
    // spec 349
    TEST_CASE("get_mut() of a missing value finds what the same part has queued") {
        fixture used;
        used.fill(2, 40);
        const kith::entity shared = used.world.entity();
        used.world.system<const Value>().multi_threaded().part_rows(10).each(
            [&](kith::entity e, const Value&) { ++shared.mut(e).get_mut<Result>()->number; });
        CHECK(used.progress() == "");
        CHECK(shared.get<Result>()->number == 10);
    }
    // spec 373
    TEST_CASE("the first exception in the order of parts is thrown, whatever the threads do") {
        for (const int threads : {1, 2, 4}) {
            fixture used;
            used.fill(threads, 100);
            bool later = false;
            used.world.system<Value>("Fails").multi_threaded().part_rows(10).each([](kith::entity e,
                                                                                     Value& v) {
                if (v.number == 35 || v.number == 72) {
                    std::this_thread::sleep_for(std::chrono::milliseconds(v.number == 35 ? 5 : 0));
                    throw std::runtime_error("row " + std::to_string(v.number));
                }
                e.set(Result{v.number});
            });
            used.world.system<Value>("Later").barrier().each([&](Value&) { later = true; });
            CHECK(used.progress() == "row 35");
            // All parts ran to their end or to their exception, and their changes were made.
            CHECK(used.world.count<Result>() == 100 - 5 - 8);
            CHECK_FALSE(later);
            const auto failure = used.world.last_failure();
            CHECK(failure.count == 2);
            CHECK(std::string(failure.message.c_str()) == "row 35");
            CHECK(failure.system.name() == "Fails");
        }
    }
    // spec 373
    TEST_CASE("policies of parallel systems: the frame goes on, or the system is disabled") {
        for (const auto policy : {kith::on_error::proceed, kith::on_error::disable}) {
            fixture used;
            used.fill(2, 20);
            int later = 0;
            kith::system fails =
                used.world.system<Value>().multi_threaded().part_rows(5).on_error(policy).each(
                    [](Value& v) {
                        if (v.number == 7) {
                            throw std::runtime_error("seven");
                        }
                    });
            used.world.system("Later").each([&] { ++later; });
            CHECK(used.progress() == "");
            CHECK(used.progress() == "");
            CHECK(later == 2);
            CHECK(fails.has(kith::Disabled) == (policy == kith::on_error::disable));
            CHECK(used.world.last_failure().count == (policy == kith::on_error::disable ? 1 : 2));
        }
    }
    // spec 373
    TEST_CASE("an exception leaves no scope, deferred part or thread behind") {
        fixture used;
        used.fill(3, 30);
        bool fails = true;
        used.world.system<Value>().multi_threaded().part_rows(3).each(
            [&](kith::entity e, Value& v) {
                const kith::world stage = e.world();
                if (fails && v.number % 5 == 0) {
                    stage.set_scope(e);
                    stage.defer_begin();
                    throw std::runtime_error("open");
                }
                stage.entity().set(Result{v.number});
            });
        CHECK(used.progress() == "open");
        fails = false;
        CHECK(used.progress() == "");
        int below = 0;
        used.world.each([&](kith::entity e, Result&) { below += e.parent() != kith::entity(); });
        CHECK(below == 0);
        CHECK_FALSE(used.world.is_deferred());
        used.world.check();
    }
    // spec 373
    TEST_CASE("a name that two parts give belongs to the first, and the other is an error") {
        for (const int threads : {1, 3}) {
            fixture used;
            used.fill(threads, 4);
            used.world.system<Value>().multi_threaded().part_rows(1).each(
                [](kith::entity e, Value& v) {
                    std::this_thread::sleep_for(std::chrono::milliseconds(v.number == 1 ? 5 : 0));
                    if (v.number == 1 || v.number == 3) {
                        e.set_name("Taken");
                    }
                });
            CHECK(used.progress().find("Taken") != std::string::npos);
            CHECK(used.world.lookup("Taken") == used.all[1]);
        }
    }
    // spec 359
    TEST_CASE("defer_suspend() and progress() in a part are errors") {
        fixture used;
        used.fill(2, 2);
        std::atomic<int> refused{0};
        used.world.system<Value>().multi_threaded().part_rows(1).each([&](kith::entity e, Value&) {
            refused +=
                error_of([&] { e.world().defer_suspend(); }) == kith::errc::invalid_operation;
            refused += error_of([&] { used.world.progress(1); }) == kith::errc::invalid_operation;
            refused +=
                error_of([&] { used.world.set_threads(1); }) == kith::errc::invalid_operation;
        });
        CHECK(used.progress() == "");
        CHECK(refused == 6);
    }
}
