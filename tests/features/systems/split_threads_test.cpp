// Split systems: their rows in parts, which several threads run.
#include <kith/kith.hpp>

#include "support/errors.hpp"

#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

using namespace kith_test;

namespace {

struct Value {
    std::int64_t number = 0;
};
struct Visits {
    std::int64_t count = 0;
};
struct Tag {};
struct Position {
    float x = 0;
};
struct Global {
    float x = 0;
};

// The sizes of the parts that a system had in a frame, by number of the part.
class part_log {
public:
    void add(std::int32_t part, std::size_t rows) {
        const std::lock_guard guard(lock_);
        if (sizes_.size() <= static_cast<std::size_t>(part)) {
            sizes_.resize(static_cast<std::size_t>(part) + 1);
        }
        sizes_[static_cast<std::size_t>(part)] += rows;
    }
    std::vector<std::size_t> take() { return std::exchange(sizes_, {}); }

private:
    std::mutex lock_;
    std::vector<std::size_t> sizes_;
};

// The ids of many small tables.
std::vector<kith::entity> make_tags(const kith::world& world, int count) {
    std::vector<kith::entity> tags;
    for (int i = 0; i < count; ++i) {
        tags.push_back(world.entity());
    }
    return tags;
}

}  // namespace

TEST_SUITE("features.systems.split_threads") {
    // spec 361
    TEST_CASE("every row of a split system is visited exactly once, in large and in small tables") {
        for (const int threads : {1, 2, 4}) {
            kith::world world;
            world.set_threads(threads);
            for (int i = 0; i < 3000; ++i) {
                world.entity().set(Visits{});
            }
            for (const kith::entity tag : make_tags(world, 300)) {
                for (int i = 0; i < 4; ++i) {
                    world.entity().set(Visits{}).add(tag);
                }
            }
            world.system<Visits>("ByValue").multi_threaded().each([](Visits& v) { ++v.count; });
            world.system<Visits>("ByTable").multi_threaded().iter([](kith::iter& it, Visits* v) {
                for (const auto row : it) {
                    ++v[row].count;
                }
            });
            world.system<Visits>("ByRow").multi_threaded().each(
                [](kith::iter&, std::size_t, Visits& v) { ++v.count; });
            world.progress(1);
            world.progress(1);
            int wrong = 0;
            world.each([&](Visits& v) { wrong += v.count != 6; });
            CHECK(wrong == 0);
        }
    }
    // spec 361
    TEST_CASE("the parts of a system are the same for every number of threads") {
        std::vector<std::vector<std::size_t>> found;
        for (const int threads : {1, 2, 3, 8}) {
            kith::world world;
            world.set_threads(threads);
            for (int i = 0; i < 5000; ++i) {
                world.entity().set(Value{i});
            }
            for (const kith::entity tag : make_tags(world, 100)) {
                world.entity().set(Value{}).add(tag);
            }
            part_log log;
            world.system<Value>().multi_threaded().iter([&](kith::iter& it, Value*) {
                log.add(it.part(), it.count());
                CHECK(it.part() < it.part_count());
            });
            world.progress(1);
            found.push_back(log.take());
        }
        CHECK(found[0].size() > 10);
        CHECK(found[0][0] == 256);
        for (const auto& sizes : found) {
            CHECK(sizes == found[0]);
        }
    }
    // spec 361
    TEST_CASE("part_rows() chooses the number of rows of a part") {
        kith::world world;
        for (int i = 0; i < 250; ++i) {
            world.entity().set(Value{i});
        }
        part_log log;
        world.system<Value>().multi_threaded().part_rows(100).iter(
            [&](kith::iter& it, Value*) { log.add(it.part(), it.count()); });
        world.progress(1);
        CHECK(log.take() == std::vector<std::size_t>{100, 100, 50});
        CHECK(error_of([&] { world.system<Value>().part_rows(0); }) ==
              kith::errc::invalid_operation);
    }
    // spec 361
    TEST_CASE("a part has rows of several small tables") {
        kith::world world;
        for (const kith::entity tag : make_tags(world, 1000)) {
            world.entity().set(Value{}).add(tag);
        }
        part_log log;
        world.system<Value>().multi_threaded().iter(
            [&](kith::iter& it, Value*) { log.add(it.part(), it.count()); });
        world.progress(1);
        CHECK(log.take() == std::vector<std::size_t>{256, 256, 256, 232});
    }
    // spec 361
    TEST_CASE("64k tables of four rows are visited once each") {
        kith::world world;
        world.set_threads(2);
        const std::vector<kith::entity> tags = make_tags(world, 16);
        for (unsigned set = 0; set < 65536; ++set) {
            kith::entity e = world.entity();
            for (unsigned bit = 0; bit < 16; ++bit) {
                if (set & (1u << bit)) {
                    e.add(tags[bit]);
                }
            }
            e.set(Visits{});
        }
        world.system<Visits>().multi_threaded().each([](Visits& v) { ++v.count; });
        world.progress(1);
        std::int64_t rows = 0;
        std::int64_t visits = 0;
        world.each([&](Visits& v) {
            ++rows;
            visits += v.count == 1;
        });
        CHECK(rows == 65536);
        CHECK(visits == rows);
    }
    // spec 361
    TEST_CASE("a query that is not cached, one with sparse ids and one with wildcards are split") {
        kith::world world;
        world.set_threads(3);
        struct Hidden {
            std::int64_t count = 0;
        };
        struct Likes {};
        world.component<Hidden>().add(kith::Sparse);
        const kith::entity apple = world.entity();
        const kith::entity pear = world.entity();
        for (int i = 0; i < 2000; ++i) {
            kith::entity e = world.entity().set(Visits{});
            if (i % 2) {
                e.set(Hidden{});
            }
            if (i % 3 == 0) {
                e.add<Likes>(apple).add<Likes>(pear);
            }
        }
        world.system<Visits>("Uncached").uncached().multi_threaded().each([](Visits& v) {
            v.count += 1;
        });
        world.system<Visits, Hidden>("Sparse").multi_threaded().each([](Visits& v, Hidden& h) {
            v.count += 10;
            ++h.count;
        });
        world.system<Visits>("Wildcard")
            .with<Likes>(kith::Wildcard)
            .multi_threaded()
            .each([](Visits& v) { v.count += 100; });
        world.progress(1);
        int wrong = 0;
        world.each([&](kith::entity e, Visits& v) {
            const std::int64_t expected =
                1 + (e.has<Hidden>() ? 10 : 0) + (e.has<Likes>(kith::Wildcard) ? 200 : 0);
            wrong += v.count != expected;
        });
        CHECK(wrong == 0);
    }
    // spec 366
    TEST_CASE("the parts of a cascade run level by level") {
        for (const int threads : {1, 2, 4}) {
            kith::world world;
            world.set_threads(threads);
            std::vector<kith::entity> level{world.entity().set(Position{1})};
            for (int depth = 0; depth < 3; ++depth) {
                std::vector<kith::entity> next;
                for (const kith::entity parent : level) {
                    for (int i = 0; i < 6; ++i) {
                        next.push_back(world.entity().child_of(parent).set(Position{1}));
                    }
                }
                level = next;
            }
            world.defer([&] { world.each([](kith::entity e, Position&) { e.set(Global{}); }); });
            std::atomic<std::int32_t> parts{0};
            world.system<const Position, Global, const Global*>()
                .arg(3)
                .parent()
                .cascade()
                .optional()
                .multi_threaded()
                .part_rows(5)
                .each([&](kith::iter& it, std::size_t, const Position& own, Global& all,
                          const Global* above) {
                    parts = it.part_count();
                    std::this_thread::sleep_for(std::chrono::microseconds(20));
                    all.x = own.x + (above ? above->x : 0);
                });
            world.progress(1);
            int wrong = 0;
            world.each([&](kith::entity e, const Global& all) {
                wrong += all.x != static_cast<float>(e.depth(kith::ChildOf) + 1);
            });
            CHECK(wrong == 0);
            CHECK(parts > 4);
        }
    }
    // spec 380
    TEST_CASE("change detection sees the parts of a system as one run") {
        for (const int threads : {1, 4}) {
            kith::world world;
            world.set_threads(threads);
            std::vector<kith::entity> all;
            for (int i = 0; i < 1000; ++i) {
                all.push_back(world.entity().set(Value{i}));
            }
            std::atomic<int> changed{0};
            std::atomic<int> tables{0};
            kith::system reader = world.system<const Value>().multi_threaded().part_rows(100).iter(
                [&](kith::iter& it, const Value*) {
                    ++tables;
                    changed += it.changed();
                });
            auto frame = [&] {
                changed = 0;
                tables = 0;
                world.progress(1);
                return changed.load();
            };
            reader.query().changed();
            CHECK(frame() == 10);
            CHECK(tables == 10);
            CHECK(frame() == 0);
            CHECK_FALSE(reader.query().changed());
            all[500].set(Value{-1});
            CHECK(reader.query().changed());
            CHECK(frame() == 10);
            CHECK(frame() == 0);
        }
    }
    // spec 380
    TEST_CASE("a split system without rows has seen that they are gone") {
        kith::world world;
        const kith::entity only = world.entity().set(Value{1});
        kith::system reader =
            world.system<const Value>().multi_threaded().each([](const Value&) {});
        reader.query().changed();
        world.progress(1);
        CHECK_FALSE(reader.query().changed());
        kith::entity(only).destruct();
        CHECK(reader.query().changed());
        world.progress(1);
        CHECK_FALSE(reader.query().changed());
    }
    // spec 380
    TEST_CASE("the first question for changes cannot be asked in a part") {
        kith::world world;
        world.entity().set(Value{1});
        world.system<const Value>().multi_threaded().iter(
            [](kith::iter& it, const Value*) { static_cast<void>(it.changed()); });
        CHECK(error_of([&] { world.progress(1); }) == kith::errc::invalid_operation);
    }
    // spec 380
    TEST_CASE("the writes of a split system are changes for others, unless it skips them") {
        kith::world world;
        world.set_threads(4);
        for (int i = 0; i < 600; ++i) {
            world.entity().set(Value{i});
        }
        kith::query<const Value> reader = world.query<const Value>();
        reader.changed();
        reader.each([](const Value&) {});
        CHECK_FALSE(reader.changed());
        bool writes = true;
        world.system<Value>().multi_threaded().part_rows(50).iter([&](kith::iter& it, Value* v) {
            if (writes) {
                v[0].number += 1;
            } else {
                it.skip();
            }
        });
        world.progress(1);
        CHECK(reader.changed());
        reader.each([](const Value&) {});
        writes = false;
        world.progress(1);
        CHECK_FALSE(reader.changed());
    }
    // spec 379
    TEST_CASE("queries run inside of parts, the same one on several threads") {
        kith::world world;
        world.set_threads(4);
        for (int i = 0; i < 400; ++i) {
            world.entity().set(Value{1});
        }
        for (int i = 0; i < 50; ++i) {
            world.entity().set(Position{1}).add<Tag>();
        }
        kith::query<const Position> cached = world.query_builder<const Position>().cached().build();
        kith::query<const Position> plain = world.query<const Position>();
        world.system<Value>().read<Position>().read<Tag>().multi_threaded().part_rows(20).each(
            [&](kith::entity e, Value& v) {
                float sum = 0;
                cached.each([&](const Position& p) { sum += p.x; });
                plain.each(e, [&](const Position& p) { sum += p.x; });
                e.world().each([&](kith::entity, const Position& p) { sum += p.x; });
                v.number = static_cast<std::int64_t>(sum);
            });
        world.progress(1);
        int wrong = 0;
        world.each([&](Value& v) { wrong += v.number != 150; });
        CHECK(wrong == 0);
    }
    // spec 361
    TEST_CASE("a sorted system is split in the order of its results") {
        for (const int threads : {1, 3}) {
            kith::world world;
            world.set_threads(threads);
            for (int i = 0; i < 500; ++i) {
                kith::entity e = world.entity().set(Value{(i * 7919) % 500});
                if (i % 2) {
                    e.add<Tag>();
                }
            }
            std::mutex lock;
            std::vector<std::pair<std::int32_t, std::int64_t>> seen;
            world.system<const Value>()
                .order_by<Value>(
                    [](kith::entity_t, const Value* a, kith::entity_t, const Value* b) {
                        return (a->number > b->number) - (a->number < b->number);
                    })
                .multi_threaded()
                .part_rows(100)
                .each([&](kith::iter& it, std::size_t, const Value& v) {
                    const std::lock_guard guard(lock);
                    seen.emplace_back(it.part(), v.number);
                });
            world.progress(1);
            REQUIRE(seen.size() == 500);
            int wrong = 0;
            for (const auto& [part, number] : seen) {
                wrong += number / 100 != part;
            }
            CHECK(wrong == 0);
        }
    }
    // spec 361
    TEST_CASE("a system of one group is split, and so are grouped results") {
        kith::world world;
        world.set_threads(2);
        const std::vector<kith::entity> tags = make_tags(world, 3);
        struct Kind {};
        for (int i = 0; i < 300; ++i) {
            world.entity().set(Visits{}).add<Kind>(tags[static_cast<std::size_t>(i % 3)]);
        }
        kith::system some =
            world.system<Visits>("Some").group_by<Kind>().multi_threaded().part_rows(10).each(
                [](Visits& v) { v.count += 1; });
        world.system<Visits>("All").group_by<Kind>().multi_threaded().part_rows(10).each(
            [](Visits& v) { v.count += 10; });
        some.set_group(tags[1]);
        world.progress(1);
        int wrong = 0;
        world.each([&](kith::entity e, Visits& v) {
            wrong += v.count != (e.has<Kind>(tags[1]) ? 11 : 10);
        });
        CHECK(wrong == 0);
    }
    // spec 361
    TEST_CASE("a task and a system with fixed sources only are one part") {
        kith::world world;
        world.set_threads(2);
        world.set(Value{3});
        std::atomic<int> calls{0};
        std::atomic<int> parts{0};
        world.system("Task").multi_threaded().iter([&](kith::iter& it) {
            ++calls;
            parts += it.part_count();
        });
        world.system<const Value>("Fixed").arg(1).singleton().multi_threaded().iter(
            [&](kith::iter& it, const Value* v) {
                calls += static_cast<int>(v->number);
                parts += it.part_count();
            });
        world.progress(1);
        CHECK(calls == 4);
        CHECK(parts == 2);
    }
    // spec 361
    TEST_CASE("a callback that steps by itself is called once per part") {
        kith::world world;
        world.set_threads(2);
        for (int i = 0; i < 90; ++i) {
            world.entity().set(Visits{});
        }
        std::atomic<int> calls{0};
        world.system<Visits>().multi_threaded().part_rows(30).run([&](kith::iter& it) {
            ++calls;
            while (it.next()) {
                auto visits = it.field<Visits>(1);
                for (const auto row : it) {
                    ++visits[row].count;
                }
            }
        });
        world.progress(1);
        CHECK(calls == 3);
        int wrong = 0;
        world.each([&](Visits& v) { wrong += v.count != 1; });
        CHECK(wrong == 0);
    }
}
