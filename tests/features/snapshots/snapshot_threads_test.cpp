// Snapshots that other threads read and open while their world goes on.
#include <kith/diff.hpp>
#include <kith/kith.hpp>

#include "support/sanitized.hpp"
#include "support/threads.hpp"
#include "support/types.hpp"

#include <atomic>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

using namespace kith_test;

namespace {

// A world with values of all kinds of storage.
struct busy_world {
    busy_world() {
        register_all(world);
        world.component<Eats>();
        likes = world.entity("likes").add(kith::Sparse);
        base = world.prefab("base").set(Velocity{1, 1});
        for (int i = 0; i < 200; ++i) {
            kith::entity e = world.entity(("entity " + std::to_string(i)).c_str())
                                 .set(Position{i, 0})
                                 .set(Label{"label " + std::to_string(i)});
            if (i != 0) {
                e.add(likes, made.back()).child_of(made[made.size() / 2]);
                e.set<Eats>(made.front(), Eats{i});
            }
            if (i % 5 == 0) {
                e.is_a(base);
            }
            made.push_back(e);
        }
    }
    // Writes, moves, creates and deletes.
    void run_frame(int frame) {
        world.each([&](Position& p, Label& label) {
            ++p.x;
            label.text += "!";
        });
        const std::size_t at = static_cast<std::size_t>(frame) % made.size();
        made[at].has<Hot>() ? made[at].remove<Hot>() : made[at].add<Hot>();
        made[at].set_name(("frame " + std::to_string(frame)).c_str());
        world.entity().set(Position{frame, frame});
    }

    kith::world world;
    kith::entity likes;
    kith::entity base;
    std::vector<kith::entity> made;
};

int sum_of(const kith::world& world) {
    int sum = 0;
    world.each([&](const Position& p) { sum += p.x; });
    return sum;
}

}  // namespace

TEST_SUITE("features.snapshots.snapshot_threads") {
    // spec 572
    TEST_CASE("a snapshot keeps the values that parts of frames write in other entities") {
        busy_world scene;
        kith::world& world = scene.world;
        world.set_threads(2);
        world.system<const Velocity>().modify<Position>().parallel().each(
            [&](kith::iter& it, std::size_t, const Velocity&) {
                kith::entity(it.world(), scene.made[3]).get_mut<Position>()->x = 1'000;
            });
        world.progress(1);
        scene.made[3].set(Position{3, 0});
        const kith::snapshot taken = world.snapshot().take();
        world.progress(1);
        CHECK(scene.made[3].get<Position>()->x == 1'000);
        taken.restore();
        CHECK(scene.made[3].get<Position>()->x == 3);
        world.check();
    }

    // spec 572
    TEST_CASE("a snapshot keeps the values that threads write in their own entities") {
        busy_world scene;
        const kith::snapshot taken = scene.world.snapshot().take();
        std::vector<std::thread> threads;
        for (std::size_t number = 0; number < 3; ++number) {
            threads.emplace_back([&scene, number] {
                for (std::size_t i = number; i < 60; i += 3) {
                    scene.made[i].get([](Position& p) { p.x = -1; });
                    scene.made[i + 60].get_ref<Position>()->x = -1;
                }
            });
        }
        for (std::thread& thread : threads) {
            thread.join();
        }
        CHECK(scene.made[7].get<Position>()->x == -1);
        taken.restore();
        for (int i = 0; i < 120; ++i) {
            CHECK(scene.made[static_cast<std::size_t>(i)].get<Position>()->x == i);
        }
    }

    // spec 572
    TEST_CASE("threads open one snapshot while its world goes on") {
        busy_world scene;
        const kith::snapshot taken = scene.world.snapshot().take();
        const std::string expected = dump_world(scene.world, all_values());
        std::atomic<int> opened = 0;
        const kith::entity_t seventh = scene.made[7];
        std::vector<std::thread> readers;
        constexpr int rounds = is_sanitized ? 2 : 6;
        for (int i = 0; i < 4; ++i) {
            readers.emplace_back([&] {
                const kith::snapshot own(taken);
                for (int round = 0; round < rounds; ++round) {
                    kith::world other = own.open();
                    other.entity("of the other").set(Position{1, 1});
                    other.check();
                    opened += other.entity(seventh).get<Label>()->text == "label 7";
                    static_cast<void>(own.bytes());
                    static_cast<void>(own.bytes_own());
                }
            });
        }
        std::vector<kith::snapshot> frames;
        for (int frame = 0; frame < 100 || opened < 4; ++frame) {
            scene.run_frame(frame);
            if (frame % 10 == 0) {
                frames.push_back(scene.world.snapshot().take());
                frames.front().restore();
            }
        }
        for (std::thread& reader : readers) {
            reader.join();
        }
        CHECK(opened == 4 * rounds);
        taken.restore();
        CHECK(dump_world(scene.world, all_values()) == expected);
    }

    // spec 572
    TEST_CASE("threads compare and print snapshots while their world goes on") {
        busy_world scene;
        const kith::snapshot first = scene.world.snapshot().take();
        scene.run_frame(0);
        scene.made.back().destruct();
        scene.made.pop_back();
        const kith::snapshot second = scene.world.snapshot().take();
        const std::size_t expected = kith::diff(first, second).size();
        std::atomic<int> done = 0;
        std::vector<std::thread> readers;
        for (int i = 0; i < 4; ++i) {
            readers.emplace_back([&] {
                const kith::diff change(first, second);
                const kith::diff back = change.invert();
                done +=
                    change.size() == expected && back.size() == expected && !change.str().empty();
            });
        }
        for (int frame = 0; frame < 50; ++frame) {
            scene.run_frame(frame);
        }
        for (std::thread& reader : readers) {
            reader.join();
        }
        CHECK(done == 4);
    }

    // spec 572
    TEST_CASE("the last handle may end on another thread, after the world") {
        std::optional<busy_world> scene(std::in_place);
        std::optional<kith::snapshot> taken(scene->world.snapshot().take());
        const int sum = sum_of(scene->world);
        std::atomic<bool> ended = false;
        std::thread reader([&, own = *taken]() mutable {
            while (!ended) {
                std::this_thread::yield();
            }
            const kith::snapshot last(static_cast<kith::snapshot&&>(own));
            CHECK(sum_of(last.open()) == sum);
        });
        taken.reset();
        scene.reset();
        ended = true;
        reader.join();
    }

    // spec 572
    TEST_CASE("rings of several worlds run on threads of their own") {
        std::atomic<int> equal = 0;
        on_threads(4, [&](int number) {
            busy_world scene;
            kith::rollback ring(scene.world, 4);
            for (int frame = 0; frame < 12; ++frame) {
                ring.save(static_cast<std::uint64_t>(frame));
                scene.run_frame(frame + number);
            }
            const std::uint64_t hash = scene.world.hash();
            ring.load(9);
            for (int frame = 9; frame < 12; ++frame) {
                scene.run_frame(frame + number);
            }
            equal += scene.world.hash() == hash;
        });
        CHECK(equal == 4);
    }
}
