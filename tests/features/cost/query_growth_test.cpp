// How the cost of reading relationships and of running queries grows: what is not part of an answer
// must not be paid for. Work is counted, never timed; the counts are there in builds with internal
// checks only.
#include <kith/kith.hpp>

#include "base/counters.hpp"

#include <vector>

#include <doctest/doctest.h>

#if defined(KITH_ASSERTS) && KITH_ASSERTS

namespace {

using kith::base::work;

struct Position {
    float x = 0, y = 0;
};

template <class Action>
std::uint64_t work_of(Action&& action) {
    const std::uint64_t before = work.steps + work.lookups + work.visits;
    action();
    return work.steps + work.lookups + work.visits - before;
}
// The same for the second time: plans, caches and indexes are there.
template <class Action>
std::uint64_t warm_work_of(Action&& action) {
    action();
    return work_of(action);
}

struct fixture {
    std::vector<kith::entity> make(int count) {
        std::vector<kith::entity> made;
        for (int i = 0; i < count; ++i) {
            made.push_back(world.entity());
        }
        return made;
    }
    // In one step, so that there are no tables on the way.
    void add_pairs(kith::entity source, kith::entity relation,
                   const std::vector<kith::entity>& targets) {
        world.defer([&] {
            for (kith::entity target : targets) {
                source.add(relation, target);
            }
        });
    }
    std::uint64_t work_of_run(const kith::query<>& query) {
        return warm_work_of([&] { query.iter([&](kith::iter& it) { results += it.count(); }); });
    }
    std::uint64_t work_of_run(const kith::filter<>& filter) {
        return warm_work_of([&] { filter.iter([&](kith::iter& it) { results += it.count(); }); });
    }

    kith::world world;
    std::size_t results = 0;
};

// -- target(R, i)

struct target_case {
    bool sparse;
    bool inherited;
};

std::uint64_t work_of_last_target(int count, const target_case& how) {
    fixture f;
    kith::entity relation = f.world.entity();
    if (how.sparse) {
        relation.add(kith::Sparse);
    }
    kith::entity source = f.world.entity();
    const std::vector<kith::entity> targets = f.make(count);
    f.add_pairs(source, relation, targets);
    if (how.inherited) {
        source = f.world.entity().is_a(source).add(relation, targets[1]);
    }
    kith::entity last;
    const std::uint64_t done = work_of([&] { last = source.target(relation, count - 1); });
    CHECK(last != kith::entity());
    CHECK(!source.target(relation, count));
    return done;
}

// -- pairs of one table

// A table with ten pairs whose target is T, and so many others; as texts name them.
std::uint64_t work_of_target_query(int others, const char* text, bool cached) {
    fixture f;
    kith::entity target = f.world.entity("T");
    kith::entity source = f.world.entity();
    const std::vector<kith::entity> relations = f.make(10);
    const std::vector<kith::entity> unrelated = f.make(others);
    f.world.defer([&] {
        for (kith::entity other : unrelated) {
            source.add(other, other);
        }
        for (kith::entity relation : relations) {
            source.add(relation, target);
        }
    });
    f.make(10);  // tables of their own, so that no run looks at all tables there are
    for (int i = 0; i < 100; ++i) {
        f.world.entity().add(f.world.entity());
    }
    const std::uint64_t done =
        cached ? f.work_of_run(f.world.query(text)) : f.work_of_run(f.world.filter(text));
    CHECK(f.results == 20);
    return done;
}

// A table with so many pairs whose target is T, behind as many others.
std::uint64_t work_per_pair(int pairs, const char* text, bool cached) {
    fixture f;
    kith::entity target = f.world.entity("T");
    kith::entity relation = f.world.entity("R");
    kith::entity source = f.world.entity();
    const std::vector<kith::entity> all = f.make(pairs);
    f.world.defer([&] {
        for (kith::entity one : all) {
            source.add(relation, one);
            source.add(one, target);
        }
    });
    for (int i = 0; i < 2 * pairs; ++i) {
        f.world.entity().add(f.world.entity());
    }
    const std::uint64_t done =
        cached ? f.work_of_run(f.world.query(text)) : f.work_of_run(f.world.filter(text));
    CHECK(f.results == 2 * static_cast<std::size_t>(pairs));
    return done / static_cast<std::uint64_t>(pairs);
}

// -- groups

std::uint64_t work_of_table_in_group(int groups, bool new_group) {
    fixture f;
    kith::entity relation = f.world.entity();
    const std::vector<kith::entity> targets = f.make(groups);
    for (kith::entity target : targets) {
        f.world.entity(Position{}).add(relation, target);
    }
    auto query = f.world.query_builder<Position>().group_by(relation).build();
    int rows = 0;
    query.each([&](Position&) { ++rows; });
    CHECK(rows == groups);
    // The first one may make the index larger.
    std::uint64_t done = 0;
    for (int i = 0; i < 2; ++i) {
        kith::entity target = new_group ? f.world.entity() : targets[0];
        f.world.entity(Position{}).add(relation, target).add(f.world.entity());
        rows = 0;
        done = work_of([&] { query.iter().set_group(target).each([&](Position&) { ++rows; }); });
        CHECK(rows == (new_group ? 1 : 2 + i));
    }
    return done;
}

// -- transitive relationships

std::uint64_t work_of_chain(int length, const char* text, bool cached, bool sparse) {
    fixture f;
    kith::entity relation = f.world.entity("R").add(kith::Transitive);
    if (sparse) {
        relation.add(kith::Sparse);
    }
    kith::entity tag = f.world.entity("Tag");
    kith::entity below = f.world.entity("Top");
    for (int i = 0; i < length; ++i) {
        below = f.world.entity().add(relation, below).add(tag);
    }
    const std::uint64_t done =
        cached ? f.work_of_run(f.world.query(text)) : f.work_of_run(f.world.filter(text));
    return done / static_cast<std::uint64_t>(length);
}

}  // namespace

TEST_SUITE("features.cost.query_growth") {
    // spec 25
    TEST_CASE("a target is found by its number at the same cost, however many there are") {
        for (const target_case& how :
             {target_case{false, false}, {true, false}, {false, true}, {true, true}}) {
            CAPTURE(how.sparse);
            CAPTURE(how.inherited);
            CHECK(work_of_last_target(1'000, how) <= work_of_last_target(10, how) + 2);
        }
    }

    TEST_CASE("pairs with one target are found at a cost that other pairs do not change") {
        for (bool cached : {false, true}) {
            for (const char* text : {"(*, T)", "($r, T)"}) {
                CAPTURE(cached);
                CAPTURE(text);
                const std::uint64_t few = work_of_target_query(100, text, cached);
                CHECK(work_of_target_query(2'000, text, cached) <= few + few / 4 + 16);
            }
        }
    }

    TEST_CASE("each match of a wildcard or variable costs the same, however many a table has") {
        for (bool cached : {false, true}) {
            for (const char* text : {"(*, T)", "($r, T)", "(R, *)", "(R, $t)"}) {
                CAPTURE(cached);
                CAPTURE(text);
                const std::uint64_t few = work_per_pair(100, text, cached);
                CHECK(work_per_pair(1'000, text, cached) <= few + few / 4 + 4);
            }
        }
    }

    TEST_CASE("a new table of one group costs the same, however many groups there are") {
        for (bool new_group : {false, true}) {
            CAPTURE(new_group);
            const std::uint64_t few = work_of_table_in_group(10, new_group);
            CHECK(work_of_table_in_group(1'000, new_group) <= few + few / 4 + 16);
        }
    }

    TEST_CASE("a transitive term costs the same for each source, joined or alone, however deep") {
        for (bool sparse : {false, true}) {
            for (bool cached : {false, true}) {
                for (const char* text : {"(R, Top)", "Tag, (R, Top)", "(R, Top), Tag",
                                         "Tag, !(R, Top)", "Tag, ?(R, Top)"}) {
                    CAPTURE(sparse);
                    CAPTURE(cached);
                    CAPTURE(text);
                    const std::uint64_t few = work_of_chain(100, text, cached, sparse);
                    CHECK(work_of_chain(1'000, text, cached, sparse) <= few + few / 4 + 16);
                }
            }
        }
    }
}

#endif
