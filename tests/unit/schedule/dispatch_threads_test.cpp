// The dispatcher: parts of nodes on several threads give the same world as on one. The random
// programs have dependencies, levels, nodes of the calling thread, new entities with and beyond the
// ids that are set aside, exceptions, and delays. Mistakes that were planted in the dispatcher,
// each of which these tests find: changes linked in the order of completion; ids beyond the deck
// taken without waiting for the turn; levels ignored; dependencies ignored; the failure of the last
// part kept instead of that of the first.
#include <kith/kith.hpp>

#include "dispatch/dispatch.hpp"
#include "pool/pool.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

using kith::scheduling::dispatch_node;
using kith::scheduling::dispatcher;
using kith::scheduling::part_call;
using kith::scheduling::thread_pool;

namespace {

struct Value {
    std::uint64_t number = 0;
};
struct Made {
    std::uint32_t node = 0;
    std::uint32_t part = 0;
};

std::uint64_t mixed(std::uint64_t value) {
    value ^= value >> 33;
    value *= 0xFF51AFD7ED558CCDull;
    return value ^ (value >> 29);
}

// A random program over one world. Node n writes the values of its own entities; a node that waits
// for another one reads that one's values.
class program {
public:
    program(kith::world& world, std::uint64_t seed, bool delays)
        : world_(world), seed_(seed), delays_(delays), threads_(world) {
        world.component<Value>();
        world.component<Made>();
        const std::uint32_t count = 2 + static_cast<std::uint32_t>(seed % 6);
        for (std::uint32_t n = 0; n < count; ++n) {
            nodes_.push_back(make_node(n));
        }
        for (std::uint32_t n = 0; n < count; ++n) {
            contexts_.push_back({this, n});
            entities_.emplace_back();
            for (std::uint32_t part = 0; part < nodes_[n].parts; ++part) {
                entities_[n].push_back(world.entity().set(Value{mixed(seed + n * 100 + part)}));
            }
        }
        world.observer<Made>().event(kith::OnSet).each([this](kith::entity e, Made& made) {
            log += std::to_string(e.id()) + ":" + std::to_string(made.node) + "." +
                   std::to_string(made.part) + " ";
        });
    }

    void frame(std::uint32_t number, const kith::executor* executor, std::uint32_t helpers) {
        frame_ = number;
        std::vector<dispatch_node> nodes = nodes_;
        for (std::size_t n = 0; n < nodes.size(); ++n) {
            nodes[n].context = &contexts_[n];
        }
        world_.defer_begin();
        threads_.run(nodes, executor, helpers);
        world_.defer_end();
        threads_.recycle();
        for (std::size_t n = 0; n < nodes.size(); ++n) {
            nodes_[n].quota = nodes[n].next_quota;
            log += "q" + std::to_string(nodes[n].next_quota) + " ";
            if (!nodes[n].errors.empty()) {
                try {
                    std::rethrow_exception(nodes[n].errors.front());
                } catch (const std::exception& failed) {
                    log += failed.what() + std::to_string(nodes[n].failures) + " ";
                }
            }
        }
    }

    std::string log;

private:
    struct context {
        program* owner;
        std::uint32_t node;
    };

    std::uint64_t random(std::uint32_t a, std::uint32_t b) const {
        return mixed(mixed(seed_ * 31 + a) + b);
    }

    dispatch_node make_node(std::uint32_t n) const {
        dispatch_node node;
        node.parts = static_cast<std::uint32_t>(random(n, 1) % 7);
        node.main_thread = random(n, 2) % 4 == 0;
        node.quota = static_cast<std::uint32_t>(random(n, 3) % 3);
        if (node.parts > 2 && random(n, 4) % 2) {
            node.levels = {node.parts / 2};
        }
        for (std::uint32_t before = 0; before < n; ++before) {
            if (random(n, 10 + before) % 3 == 0) {
                node.waits_for.push_back(before);
            }
        }
        node.run = [](void* used, const part_call& call) {
            const auto& own = *static_cast<context*>(used);
            own.owner->run(own.node, call.part);
        };
        return node;
    }

    void run(std::uint32_t n, std::uint32_t part) {
        if (delays_) {
            std::this_thread::sleep_for(
                std::chrono::microseconds(mixed(frame_ * 77 + n * 5 + part + seed_) % 120));
        }
        std::uint64_t sum = part;
        for (std::uint32_t before : nodes_[n].waits_for) {
            for (kith::entity other : entities_[before]) {
                sum += other.get<Value>()->number;
            }
        }
        if (!nodes_[n].levels.empty() && part >= nodes_[n].levels[0]) {
            for (std::uint32_t earlier = 0; earlier < nodes_[n].levels[0]; ++earlier) {
                sum += entities_[n][earlier].get<Value>()->number;
            }
        }
        kith::entity own = entities_[n][part];
        own.get_mut<Value>()->number = mixed(own.get<Value>()->number + sum);
        const std::uint32_t made = static_cast<std::uint32_t>(random(frame_ * 50 + n, part) % 5);
        for (std::uint32_t i = 0; i < made; ++i) {
            world_.entity().set(Made{n, part});
        }
        if (random(frame_ * 31 + n, part) % 11 == 0) {
            throw std::runtime_error("f" + std::to_string(n) + "." + std::to_string(part) + "#");
        }
        if (random(frame_ * 13 + n, part) % 3 == 0) {
            world_.delete_with<Made>();
        }
    }

    kith::world& world_;
    std::uint64_t seed_;
    bool delays_;
    dispatcher threads_;
    std::uint32_t frame_ = 0;
    std::vector<dispatch_node> nodes_;
    std::vector<context> contexts_;
    std::vector<std::vector<kith::entity>> entities_;
};

struct outcome {
    std::vector<std::uint64_t> hashes;
    std::string log;
};

outcome run_program(std::uint64_t seed, const kith::executor* executor, std::uint32_t helpers) {
    outcome result;
    kith::world world;
    program used(world, seed, helpers != 0);
    for (std::uint32_t frame = 0; frame < 6; ++frame) {
        used.frame(frame, executor, helpers);
        world.check();
        result.hashes.push_back(world.hash());
    }
    if (executor) {
        executor->finish(executor->context);  // before the dispatcher ends
    }
    result.log = used.log;
    used.log.clear();
    world.reset();
    return result;
}

}  // namespace

TEST_SUITE_BEGIN("unit.schedule.dispatch_threads");

TEST_CASE("a program gives the same world for 1, 2, 3, 4 and 8 threads") {
    for (std::uint64_t seed = 1; seed <= 25; ++seed) {
        const outcome expected = run_program(seed, nullptr, 0);
        for (std::uint32_t helpers : {1u, 2u, 3u, 7u}) {
            thread_pool pool(helpers);
            const kith::executor executor = pool.as_executor();
            const outcome found = run_program(seed, &executor, helpers);
            pool.finish();
            CAPTURE(seed);
            CAPTURE(helpers);
            REQUIRE(found.hashes == expected.hashes);
            REQUIRE(found.log == expected.log);
        }
    }
}

TEST_CASE("an executor that never calls changes nothing") {
    const kith::executor never{[](void*) { return 4u; },
                               [](void*, std::uint32_t, void (*)(void*), void*) {}, [](void*) {},
                               nullptr};
    for (std::uint64_t seed = 30; seed <= 34; ++seed) {
        const outcome expected = run_program(seed, nullptr, 0);
        const outcome found = run_program(seed, &never, 3);
        REQUIRE(found.hashes == expected.hashes);
    }
}

TEST_CASE("parts that all need ids beyond theirs take turns, and the index may grow meanwhile") {
    std::vector<std::uint64_t> hashes;
    for (std::uint32_t helpers : {0u, 1u, 3u}) {
        kith::world world;
        world.component<Made>();
        thread_pool pool(helpers);
        const kith::executor executor = pool.as_executor();
        dispatcher threads(world);
        std::vector<dispatch_node> nodes(3);
        for (std::uint32_t n = 0; n < 3; ++n) {
            nodes[n].parts = 8;
            nodes[n].main_thread = n == 1;
            nodes[n].context = &world;
            nodes[n].run = [](void* used, const part_call& call) {
                auto& owner = *static_cast<kith::world*>(used);
                for (int i = 0; i < 900; ++i) {
                    kith::entity e = owner.entity();
                    if (i % 100 == 0) {
                        e.set(Made{0, call.part});
                    }
                }
            };
        }
        world.defer_begin();
        threads.run(nodes, &executor, helpers);
        world.defer_end();
        threads.recycle();
        CHECK(nodes[0].next_quota == 1024);
        hashes.push_back(world.hash());
        pool.finish();
        world.check();
    }
    CHECK(hashes[0] == hashes[1]);
    CHECK(hashes[0] == hashes[2]);
}

TEST_CASE("independent nodes run at the same time, a node of the calling thread stays there") {
    kith::world world;
    thread_pool pool(1);
    const kith::executor executor = pool.as_executor();
    dispatcher threads(world);
    struct state {
        std::atomic<int> inside{0};
        std::atomic<bool> met{false};
        std::thread::id main = std::this_thread::get_id();
        std::atomic<bool> stayed{true};
    } seen;
    std::vector<dispatch_node> nodes(2);
    for (std::uint32_t n = 0; n < 2; ++n) {
        nodes[n].context = &seen;
        nodes[n].main_thread = n == 0;
        // The node of the calling thread has two parts, the other one a single part.
        nodes[n].parts = n == 0 ? 2 : 1;
        nodes[n].run = [](void* used, const part_call&) {
            auto& counters = *static_cast<state*>(used);
            ++counters.inside;
            for (int i = 0; i < 2000 && !counters.met; ++i) {
                counters.met = counters.met || counters.inside == 2;
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
            }
        };
    }
    world.defer_begin();
    threads.run(nodes, &executor, 1);
    world.defer_end();
    pool.finish();
    CHECK(seen.met);
    for (std::uint32_t part = 0; part < 2; ++part) {
        CHECK(nodes[0].times[part].thread == 0);
    }
    CHECK(nodes[1].times[0].thread == 1);
}

TEST_CASE("a node without parts holds those behind it back until the ones before it have ended") {
    kith::world world;
    thread_pool pool(2);
    const kith::executor executor = pool.as_executor();
    dispatcher threads(world);
    struct state {
        std::atomic<bool> ended{false};
        std::atomic<bool> early{false};
    } seen;
    std::vector<dispatch_node> nodes(4);
    for (dispatch_node& node : nodes) {
        node.context = &seen;
    }
    nodes[0].run = [](void* used, const part_call&) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        static_cast<state*>(used)->ended = true;
    };
    nodes[1].parts = nodes[2].parts = 0;
    nodes[1].waits_for = {0};
    nodes[2].waits_for = {1};
    nodes[3].waits_for = {2};
    nodes[3].run = [](void* used, const part_call&) {
        auto& counters = *static_cast<state*>(used);
        counters.early = !counters.ended;
    };
    world.defer_begin();
    threads.run(nodes, &executor, 2);
    world.defer_end();
    pool.finish();
    CHECK(seen.ended);
    CHECK_FALSE(seen.early);
}

TEST_CASE("calls of an executor that come late or in too great a number find nothing to do") {
    struct late_executor {
        void (*work)(void*) = nullptr;
        void* argument = nullptr;
        std::vector<std::thread> threads;
    } late;
    const kith::executor executor{
        [](void*) { return 1u; },
        [](void* used, std::uint32_t, void (*work)(void*), void* argument) {
            auto& kept = *static_cast<late_executor*>(used);
            kept.work = work;
            kept.argument = argument;
            for (int i = 0; i < 6; ++i) {
                kept.threads.emplace_back(work, argument);
            }
        },
        [](void*) {}, &late};
    kith::world world;
    dispatcher threads(world);
    std::atomic<int> runs{0};
    for (int round = 0; round < 20; ++round) {
        std::vector<dispatch_node> nodes(1);
        nodes[0].parts = 8;
        nodes[0].context = &runs;
        nodes[0].run = [](void* used, const part_call&) {
            ++*static_cast<std::atomic<int>*>(used);
        };
        world.defer_begin();
        threads.run(nodes, &executor, 1);
        world.defer_end();
        threads.recycle();
        late.work(late.argument);
    }
    for (std::thread& thread : late.threads) {
        thread.join();
    }
    late.work(late.argument);
    CHECK(runs == 160);
}

TEST_CASE("an executor that throws makes no calls, and the parts run all the same") {
    const kith::executor failing{[](void*) { return 2u; },
                                 [](void*, std::uint32_t, void (*)(void*), void*) {
                                     throw std::runtime_error("no threads");
                                 },
                                 [](void*) {}, nullptr};
    const outcome expected = run_program(40, nullptr, 0);
    const outcome found = run_program(40, &failing, 2);
    CHECK(found.hashes == expected.hashes);
}

TEST_SUITE_END();
