// spec 125: what the manual's page about threads calls a read is one: several threads do all of it
// at the same time, while nobody writes. A thread sanitizer sees what they touch.
#include <kith/kith.hpp>
#include <kith/world_text.hpp>

#include <atomic>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

namespace {

struct Position {
    float x = 0, y = 0;
};
struct Weight {
    int kilos = 0;
};
struct Unused {
    int value = 0;
};
enum class Mood { Calm, Angry };

struct fixture {
    fixture() {
        world.component<Weight>().add(kith::Sparse);
        world.component<Unused>();
        base.set(Position{1, 2}).add(kith::Prefab);
        for (int i = 0; i < 200; ++i) {
            kith::entity one = world.entity(("e" + std::to_string(i)).c_str());
            one.add(tag).is_a(base).add(likes, all.empty() ? root : all[0]);
            one.child_of(all.empty() ? root : all[i / 2]);
            one.set(Weight{i}).add(i % 2 ? Mood::Calm : Mood::Angry);
            if (i % 3 == 0) {
                one.set(Position{3, 4}).add(dense, root);
            }
            if (i % 15 == 0) {
                one.disable<Position>();
            }
            all.push_back(one);
        }
        world.set(Unused{7});
    }

    // Runs a read on several threads at about the same time.
    void on_threads(const std::function<std::size_t()>& read) {
        constexpr int count = 4;
        std::atomic<int> waiting{count};
        std::vector<std::size_t> results(count);
        std::vector<std::thread> threads;
        for (int i = 0; i < count; ++i) {
            threads.emplace_back([&, i] {
                --waiting;
                while (waiting > 0) {
                    std::this_thread::yield();
                }
                results[i] = read();
            });
        }
        for (std::thread& thread : threads) {
            thread.join();
        }
        CHECK(results == std::vector<std::size_t>(count, results[0]));
        CHECK(results[0] != 0);
    }

    kith::world world;
    kith::entity tag = world.entity("Tag1");
    kith::entity likes = world.entity("Likes").add(kith::Sparse);
    kith::entity dense = world.entity("By");
    kith::entity base = world.entity("base");
    kith::entity root = world.entity("root");
    std::vector<kith::entity> all;
};

}  // namespace

TEST_SUITE("features.queries.reads_threads") {
    TEST_CASE_FIXTURE(fixture, "what an entity has") {
        on_threads([&] {
            std::size_t sum = 0;
            for (const kith::entity& one : all) {
                sum += one.has(tag) + one.has<Position>() + one.owns<Position>() +
                       one.has(likes, kith::Wildcard) + one.has(Mood::Calm) + one.has<Unused>();
                sum += static_cast<std::size_t>(one.get<Position>()->x + one.get<Position>()->y);
                sum += static_cast<std::size_t>(one.get<Weight>()->kilos);
                sum += one.enabled<Position>() + one.is_alive() + one.is_valid();
                sum += one.get_ref<Weight>()->kilos != 0;
            }
            return sum;
        });
    }

    TEST_CASE_FIXTURE(fixture, "names, texts and lookups") {
        on_threads([&] {
            std::size_t sum = 0;
            for (const kith::entity& one : all) {
                sum += std::string_view{one.name()}.size();
                sum += std::string_view{one.path().c_str()}.size();
                sum += std::string_view{one.str().c_str()}.size();
                sum += std::string_view{one.type().str().c_str()}.size();
                sum += world.lookup(one.path().c_str()) == one;
            }
            sum += root.lookup("e0") == all[0];
            return sum;
        });
    }

    TEST_CASE_FIXTURE(fixture, "the graph around an entity") {
        on_threads([&] {
            std::size_t sum = 0;
            for (const kith::entity& one : all) {
                sum += one.parent().id() != 0;
                sum += one.target(likes).id() != 0;
                sum += static_cast<std::size_t>(one.depth(kith::ChildOf));
                sum += one.target_for<Position>(kith::IsA).id() != 0;
                one.children([&](kith::entity) { ++sum; });
                one.each([&](kith::id) { ++sum; });
                one.each(likes, [&](kith::entity) { ++sum; });
                one.match(kith::make_pair(kith::Wildcard, root), [&](kith::id) { ++sum; });
                one.walk_up(kith::ChildOf, [&](kith::entity) { ++sum; });
            }
            all[0].each_source(likes, [&](kith::entity) { ++sum; });
            for (const auto [depth, one] : root.traverse(kith::ChildOf)) {
                sum += static_cast<std::size_t>(depth) + (one.id() != 0);
            }
            return sum;
        });
    }

    TEST_CASE_FIXTURE(fixture, "the world") {
        on_threads([&] {
            std::size_t sum = world.count<Weight>() + world.count(tag);
            sum += world.get<Unused>()->value == 7;
            sum += world.has<Unused>();
            sum += world.is_alive(all[3].id()) + world.stats().entities;
            world.each<const Weight>(
                [&](const Weight& weight) { sum += static_cast<std::size_t>(weight.kilos); });
            world.each(tag, [&](kith::entity) { ++sum; });
            world.children([&](kith::entity) { ++sum; });
            return sum;
        });
    }

    TEST_CASE_FIXTURE(fixture, "queries that are there, in every way of running them") {
        const auto cached = world.query<const Position, const Weight>();
        const auto filter = world.filter<const Position>();
        const auto joined = world.query("(Likes, $x), Tag1($x)");
        const auto sorted =
            world.query_builder<const Weight>()
                .order_by<Weight>([](kith::entity_t, const Weight* a, kith::entity_t,
                                     const Weight* b) { return a->kilos - b->kilos; })
                .build();
        on_threads([&] {
            std::size_t sum = 0;
            cached.each([&](const Position&, const Weight& weight) {
                sum += static_cast<std::size_t>(weight.kilos);
            });
            filter.iter([&](kith::iter& it, const Position*) { sum += it.count(); });
            joined.each([&](kith::entity) { ++sum; });
            sorted.each([&](const Weight&) { ++sum; });
            sum += static_cast<std::size_t>(cached.count()) + cached.is_true();
            sum += filter.first().id() != 0;
            sum +=
                cached.find([](const Position&, const Weight& weight) { return weight.kilos == 7; })
                    .id() != 0;
            sum += std::string_view{joined.str().c_str()}.size();
            const auto copy = cached;
            sum += static_cast<std::size_t>(copy.count());
            return sum;
        });
    }

    TEST_CASE_FIXTURE(fixture, "filters of ids that a query named before are made and dropped") {
        world.filter("Tag1, (Likes, $x)");
        world.filter_builder().with(likes, all[0]).build();
        on_threads([&] {
            std::size_t sum = 0;
            for (int i = 0; i < 5; ++i) {
                world.filter<const Position>().each([&](const Position&) { ++sum; });
                world.filter("Tag1, (Likes, $x)").each([&](kith::entity) { ++sum; });
                sum += static_cast<std::size_t>(
                    world.filter_builder().with(likes, all[0]).without<Unused>().build().count());
                world.each([&](const Weight& weight, const Position&) {
                    sum += static_cast<std::size_t>(weight.kilos);
                });
            }
            return sum;
        });
    }

    TEST_CASE_FIXTURE(fixture, "texts are checked and laid out without a world") {
        on_threads(
            [] { return kith::check_text("A<\nB: *").size() + kith::format_text("A:B").size(); });
    }

    TEST_CASE("worlds of their own are changed by several threads, and types registered") {
        fixture unused;
        unused.on_threads([] {
            struct Local {
                int value;
            };
            kith::world world;
            world.entity("one").set(Local{3}).set(Position{1, 2});
            auto query = world.query<Local>();
            kith::load_text(world, "A: B, (C, D)");
            return static_cast<std::size_t>(query.count()) + kith::save_text(kith::world()).size();
        });
    }
}
