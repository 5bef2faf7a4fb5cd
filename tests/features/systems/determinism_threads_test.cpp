// Equal worlds for any number of threads: ids, rows, values, names, notifications and errors.
#include <kith/executor.hpp>
#include <kith/kith.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

namespace {

struct Value {
    std::uint64_t number = 0;
};
struct Other {
    std::uint64_t number = 0;
};
struct Made {
    std::uint64_t by = 0;
};
struct Mark {};
struct Likes {};

std::uint64_t mixed(std::uint64_t value) {
    value ^= value >> 33;
    value *= 0xFF51AFD7ED558CCDull;
    return value ^ (value >> 29);
}

// Delays at random make other orders of parts likely.
void delay(std::uint64_t seed) {
    static std::atomic<std::uint64_t> calls{0};
    if (mixed(seed + ++calls) % 16 == 0) {
        std::this_thread::sleep_for(std::chrono::microseconds(mixed(calls) % 60));
    }
}

struct outcome {
    std::vector<std::uint64_t> hashes;
    std::string log;
};

// A program whose systems create and delete entities, give names, change pairs and parents, and
// queue commands of all kinds.
class program {
public:
    program(std::uint64_t seed, const std::function<void(kith::world&)>& set_up) : seed_(seed) {
        set_up(world_);
        for (const char* name : {"Apple", "Pear", "Plum"}) {
            fruits_.push_back(world_.entity(name));
        }
        for (std::uint64_t i = 0; i < 300; ++i) {
            kith::entity e = world_.entity().set(Value{mixed(seed + i)});
            if (i % 3 == 0) {
                e.set(Other{i});
            }
            if (i % 5 == 0) {
                e.add<Likes>(fruits_[i % 3]);
            }
        }
        add_observers();
        add_systems();
    }

    outcome run(int frames) {
        outcome result;
        for (int i = 0; i < frames; ++i) {
            ++frame_;
            try {
                world_.progress(1);
            } catch (const std::exception& failed) {
                log_ += std::string("!") + failed.what() + " ";
            }
            world_.check();
            result.hashes.push_back(world_.hash());
            log_ += std::to_string(world_.entity().id()) + ";";
        }
        log_ += std::to_string(world_.last_failure().count);
        result.log = log_;
        return result;
    }

private:
    void add_observers() {
        world_.observer<Made>()
            .event(kith::OnSet)
            .event(kith::OnRemove)
            .each([this](kith::iter& it, std::size_t row, Made& made) {
                log_ += (it.event() == kith::OnSet ? "+" : "-") +
                        std::to_string(it.entity(row).id()) + ":" + std::to_string(made.by) + " ";
            });
        world_.observer().with<Mark>().event(kith::OnAdd).each([this](kith::entity e) {
            log_ += "m" + std::to_string(e.id()) + " ";
        });
    }
    std::uint64_t random(kith::entity e, std::uint64_t salt) const {
        return mixed(mixed(seed_ + salt * 77 + frame_) + e.id());
    }
    void add_systems() {
        world_.system<Value>("Change").multi_threaded().part_rows(7).each(
            [this](kith::entity e, Value& v) {
                delay(seed_);
                v.number = mixed(v.number + frame_);
                if (random(e, 1) % 4 == 0) {
                    e.world().entity().set(Made{v.number});
                }
                if (random(e, 2) % 9 == 0) {
                    random(e, 3) % 2 ? e.add<Mark>() : e.remove<Mark>();
                }
            });
        world_.system<Other>("Beside").parallel().each([this](kith::entity e, Other& o) {
            delay(seed_);
            o.number += 3;
            if (random(e, 4) % 6 == 0) {
                world_.entity().set(Made{o.number}).child_of(e);  // a captured handle
            }
        });
        world_.system<const Value>("Relate")
            .without<Other>()
            .multi_threaded()
            .part_rows(11)
            .each([this](kith::entity e, const Value& v) {
                delay(seed_);
                const kith::entity fruit = fruits_[v.number % 3];
                if (random(e, 5) % 5 == 0) {
                    e.add<Likes>(fruit);
                } else if (random(e, 6) % 7 == 0) {
                    e.remove<Likes>(fruit);
                } else if (random(e, 7) % 50 == 0) {
                    e.set_name(("n" + std::to_string(v.number % 8)).c_str());
                }
                if (random(e, 8) % 400 == 0) {
                    throw std::runtime_error("row " + std::to_string(e.id()));
                }
            })
            .on_error(seed_ % 2 ? kith::on_error::proceed : kith::on_error::stop);
        world_.system<const Made>("Forget").multi_threaded().part_rows(5).each(
            [this](kith::entity e, const Made&) {
                delay(seed_);
                if (random(e, 9) % 3 == 0) {
                    e.destruct();
                }
            });
    }

    std::uint64_t seed_;
    std::uint64_t frame_ = 0;
    std::string log_;
    kith::world world_;
    std::vector<kith::entity> fruits_;
};

outcome run_with(std::uint64_t seed, const std::function<void(kith::world&)>& set_up) {
    return program(seed, set_up).run(6);
}

}  // namespace

TEST_SUITE("features.systems.determinism_threads") {
    // spec 367, 368, 369, 371, 372, 373
    TEST_CASE("a program leaves the same world for 1, 2, 3, 4 and 8 threads") {
        for (std::uint64_t seed = 1; seed <= 6; ++seed) {
            const outcome expected = run_with(seed, [](kith::world&) {});
            CHECK(expected.log.size() > 100);
            for (const int threads : {2, 3, 4, 8}) {
                const outcome found =
                    run_with(seed, [&](kith::world& world) { world.set_threads(threads); });
                CAPTURE(seed);
                CAPTURE(threads);
                REQUIRE(found.hashes == expected.hashes);
                REQUIRE(found.log == expected.log);
            }
        }
    }
    // spec 367, 377
    TEST_CASE("calls of an executor that come late or too often change nothing") {
        struct late_jobs {
            std::vector<std::thread> threads;
            static void start(void* used, std::uint32_t count, void (*work)(void*),
                              void* argument) {
                for (std::uint32_t i = 0; i < 2 * count; ++i) {
                    static_cast<late_jobs*>(used)->threads.emplace_back([=] {
                        std::this_thread::sleep_for(std::chrono::microseconds(i * 300));
                        work(argument);
                    });
                }
            }
            static void finish(void* used) {
                for (std::thread& thread : static_cast<late_jobs*>(used)->threads) {
                    thread.join();
                }
                static_cast<late_jobs*>(used)->threads.clear();
            }
        };
        const outcome expected = run_with(21, [](kith::world&) {});
        late_jobs jobs;
        const outcome found = run_with(21, [&](kith::world& world) {
            world.set_executor(
                {[](void*) { return 2u; }, late_jobs::start, late_jobs::finish, &jobs});
        });
        CHECK(found.hashes == expected.hashes);
        CHECK(found.log == expected.log);
    }
    // spec 368
    TEST_CASE("commands are merged by system, part and call") {
        for (const int threads : {1, 4}) {
            kith::world world;
            world.set_threads(threads);
            std::vector<kith::entity> all;
            for (std::uint64_t i = 0; i < 100; ++i) {
                all.push_back(world.entity().set(Value{i}));
            }
            const kith::entity target = world.entity();
            std::vector<std::uint64_t> order;
            world.observer<Made>().event(kith::OnSet).each([&](kith::entity, Made& made) {
                order.push_back(made.by);
            });
            world.system<const Value>().multi_threaded().part_rows(10).each(
                [&](kith::entity e, const Value& v) {
                    std::this_thread::sleep_for(
                        std::chrono::microseconds(v.number % 10 == 0 ? 100 - v.number : 0));
                    e.set(Made{v.number});
                });
            world.system<const Value>().parallel().each(
                [&](const Value& v) { target.mut(world).set(Other{v.number}); });
            world.progress(1);
            REQUIRE(order.size() == 100);
            CHECK(std::is_sorted(order.begin(), order.end()));
            CHECK(target.get<Other>()->number == 99);
        }
    }
    // spec 368
    TEST_CASE("changes of one entity are folded over the borders of parts") {
        kith::world world;
        world.set_threads(2);
        const kith::entity shared = world.entity();
        for (std::uint64_t i = 0; i < 20; ++i) {
            world.entity().set(Value{i});
        }
        int events = 0;
        world.observer()
            .with<Mark>()
            .event(kith::OnAdd)
            .event(kith::OnRemove)
            .each([&](kith::entity) { ++events; });
        world.system<const Value>().multi_threaded().part_rows(1).each(
            [&](kith::entity e, const Value& v) {
                kith::entity own = shared.mut(e);
                v.number % 2 ? own.remove<Mark>() : own.add<Mark>();
            });
        world.progress(1);
        CHECK(events == 0);
        CHECK_FALSE(shared.has<Mark>());
    }
    // spec 369
    TEST_CASE("new entities are alive at once, have the same ids, and unused ids go back") {
        std::vector<std::vector<kith::entity_t>> found;
        for (const int threads : {1, 2, 4}) {
            kith::world world;
            world.set_threads(threads);
            for (std::uint64_t i = 0; i < 60; ++i) {
                world.entity().set(Value{i});
            }
            std::atomic<int> dead{0};
            int most = 3;
            kith::system spawn = world.system<const Value>().multi_threaded().part_rows(6).each(
                [&](kith::entity e, const Value& v) {
                    for (int i = 0; i < static_cast<int>(v.number) % (most + 1); ++i) {
                        const kith::entity made = e.world().entity();
                        dead += !made.is_alive();
                        made.mut(e).set(Made{v.number});
                    }
                });
            std::vector<kith::entity_t> ids;
            auto collect = [&] {
                world.each([&](kith::entity e, Made&) { ids.push_back(e); });
                ids.push_back(world.entity());
            };
            world.progress(1);
            collect();
            CHECK(spawn.get<kith::PartIds>()->quota > 0);
            world.delete_with<Made>();
            world.progress(1);
            collect();
            most = 0;
            world.progress(1);
            collect();
            CHECK(spawn.get<kith::PartIds>()->quota == 0);
            CHECK(dead == 0);
            world.check();
            found.push_back(ids);
        }
        CHECK(found[0] == found[1]);
        CHECK(found[0] == found[2]);
    }
    // spec 370
    TEST_CASE("parts that need more ids than were set aside take turns, also on the main thread") {
        std::vector<std::uint64_t> hashes;
        for (const int threads : {1, 2, 4, 8}) {
            kith::world world;
            world.set_threads(threads);
            for (std::uint64_t i = 0; i < 40; ++i) {
                world.entity().set(Value{i}).set(Other{i});
            }
            auto spawn = [](kith::entity e) {
                for (int i = 0; i < 200; ++i) {
                    e.world().entity().set(Made{e.id()});
                }
            };
            world.system<const Value>().multi_threaded().part_rows(4).each(
                [&](kith::entity e, const Value&) { spawn(e); });
            world.system<const Other>().parallel().main_thread().each(
                [&](kith::entity e, const Other&) { spawn(e); });
            world.system<const Value>().multi_threaded().part_rows(3).each(
                [&](kith::entity e, const Value&) { spawn(e); });
            world.progress(1);
            world.progress(1);
            world.check();
            hashes.push_back(world.hash());
        }
        for (const std::uint64_t hash : hashes) {
            CHECK(hash == hashes[0]);
        }
    }
}
