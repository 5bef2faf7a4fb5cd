// What counts as a change of a tracked table, seen from below the queries.
#include "events/track.hpp"

#include "mutate/context/stage.hpp"
#include "support/types.hpp"

#include <doctest/doctest.h>

using namespace kith_test;

namespace {

struct tracked_world {
    kith::world world;
    kith::storage::store& data = kith::mutate::stage_of(world.c_ptr()).data;

    explicit tracked_world(kith::id_t pattern = 0) {
        if (pattern != 0) {
            kith::events::track(data, pattern);
        }
    }
    std::uint32_t table(kith::entity e) { return data.entities.find(e)->table; }
    std::uint64_t rows(std::uint32_t number) { return data.ticks.rows_tick(number); }
    std::uint64_t rows(kith::entity e) { return rows(table(e)); }
    template <class T>
    std::uint64_t value(kith::entity e, std::uint32_t reader = 0) {
        const kith::storage::table& type = data.tables.at(table(e));
        auto position = kith::storage::find_id(type, world.id<T>());
        return data.ticks.value_tick(type, static_cast<std::uint32_t>(position), reader);
    }
    template <class T>
    void track() {
        kith::events::track(data, world.id<T>());
    }
    // The rows of the table count as changed by the operation.
    template <class Operation>
    bool changes_rows(std::uint32_t number, Operation&& operation) {
        const std::uint64_t before = data.ticks.now();
        operation();
        return rows(number) > before;
    }
    template <class T, class Operation>
    bool changes_value(kith::entity e, Operation&& operation) {
        const std::uint64_t before = data.ticks.now();
        operation();
        return value<T>(e) > before;
    }
};

}  // namespace

TEST_SUITE("unit.events.track") {
    TEST_CASE("nothing is counted before somebody asks") {
        tracked_world test;
        test.world.entity().set<Position>({1, 2});
        CHECK_FALSE(test.data.ticks.is_active());
        CHECK_FALSE(kith::events::is_tracked(test.data, test.world.id<Position>()));
        test.track<Position>();
        CHECK(test.data.ticks.is_active());
        CHECK(kith::events::is_tracked(test.data, test.world.id<Position>()));
    }

    TEST_CASE("every way into and out of a table counts") {  // spec 266
        tracked_world test;
        kith::entity e = test.world.entity().set<Position>({1, 2});
        test.track<Position>();
        const std::uint32_t plain = test.table(e);
        kith::entity other = test.world.entity();
        auto in = [&](auto&& operation) { return test.changes_rows(plain, operation); };
        CHECK(in([&] { other.set<Position>({}); }));
        CHECK(in([&] { other.add<Hot>(); }));
        CHECK(in([&] { other.remove<Hot>(); }));
        CHECK(in([&] { other.remove<Position>(); }));
        CHECK(in([&] { other.add<Position>(); }));
        CHECK(in([&] { other.destruct(); }));
        const Position values[2] = {};
        CHECK(in([&] { test.world.bulk(2, values); }));
        CHECK(in([&] { test.world.entity(Position{}); }));
        CHECK(in([&] { e.clone(true); }));
        CHECK(in([&] { test.world.defer([&] { test.world.entity().set<Position>({}); }); }));
        CHECK(in([&] { test.world.entity().emplace<Position>(1, 2); }));
        kith::entity tag = test.world.entity();
        kith::entity tagged = test.world.entity().add<Position>().add(tag);
        CHECK(in([&] { tag.destruct(); }));
        CHECK(test.table(tagged) == plain);
        CHECK(in([&] { test.world.delete_with<Position>(); }));
        CHECK_FALSE(in([&] { test.world.entity().set<Velocity>({}); }));
    }

    TEST_CASE("values with destructors are counted as others are") {
        tracked_world test;
        kith::entity e = test.world.entity().set<Label>({"a"});
        test.track<Label>();
        const std::uint32_t table = test.table(e);
        CHECK(test.changes_rows(table, [&] { test.world.entity().set<Label>({"b"}); }));
        CHECK(test.changes_rows(table, [&] { e.destruct(); }));
    }

    TEST_CASE("tables that come later are tracked too") {
        tracked_world test;
        test.track<Position>();
        kith::entity e = test.world.entity().set<Position>({}).add<Hot>();
        CHECK(test.rows(e) != 0);
        CHECK(test.changes_rows(test.table(e), [&] { e.add<Cold>(); }));
    }

    TEST_CASE("every way to write a value counts, for its column alone") {
        tracked_world test;
        kith::entity e = test.world.entity().set<Position>({}).set<Velocity>({});
        test.track<Position>();
        auto writes = [&](auto&& operation) { return test.changes_value<Position>(e, operation); };
        CHECK(writes([&] { e.set<Position>({3, 4}); }));
        CHECK(writes([&] { e.modified<Position>(); }));
        CHECK(writes([&] { e.set([](Position& p) { p.x = 1; }); }));
        CHECK(writes([&] { test.world.defer([&] { e.set<Position>({5, 6}); }); }));
        CHECK(writes([&] { test.world.defer([&] { e.modified<Position>(); }); }));
        CHECK_FALSE(writes([&] { e.set<Velocity>({1, 1}); }));
        CHECK_FALSE(writes([&] { e.get_mut<Position>()->x = 9; }));
        CHECK_FALSE(test.changes_rows(test.table(e), [&] { e.set<Position>({7, 8}); }));
    }

    TEST_CASE("a pattern tracks all that it stands for") {
        tracked_world test;
        kith::entity food = test.world.entity();
        kith::entity e = test.world.entity().set<Eats>(food, {1});
        kith::events::track(test.data, kith::make_pair(test.world.id<Eats>(), kith::Wildcard));
        CHECK(test.changes_rows(test.table(e), [&] { e.clone(); }));
        kith::entity later = test.world.entity().set<Eats>(test.world.entity(), {2});
        CHECK(test.rows(later) != 0);
    }

    TEST_CASE("what lies beside tables counts by table and id") {
        tracked_world test;
        test.world.component<Position>().add(kith::Sparse);
        kith::entity e = test.world.entity().add<Hot>().set<Position>({});
        kith::entity cold = test.world.entity().add<Cold>();
        test.track<Position>();
        const auto* marks = test.data.ticks.find_sparse(test.world.id<Position>());
        REQUIRE(marks);
        auto tick = [&](kith::entity of) {
            return kith::storage::change_ticks::sparse_tick(*marks, test.table(of), 0);
        };
        auto touches = [&](auto&& operation) {
            const std::uint64_t before = test.data.ticks.now();
            operation();
            return std::pair(tick(e) > before, tick(cold) > before);
        };
        using both = std::pair<bool, bool>;
        CHECK(touches([&] { e.set<Position>({1, 1}); }) == both{true, false});
        CHECK(touches([&] { e.modified<Position>(); }) == both{true, false});
        CHECK(touches([&] { e.remove<Position>(); }) == both{true, false});
        CHECK(touches([&] { cold.add<Position>(); }) == both{false, true});
        CHECK(touches([&] { e.set<Velocity>({}).remove<Velocity>(); }) == both{false, false});
    }

    TEST_CASE("links count by the table of their source") {
        tracked_world test;
        kith::entity parent = test.world.entity();
        kith::entity e = test.world.entity().add<Hot>();
        const kith::id_t any = kith::make_pair(kith::ChildOf, kith::Wildcard);
        kith::events::track(test.data, any);
        const auto* marks = test.data.ticks.find_sparse(any);
        REQUIRE(marks);
        const std::uint64_t before = test.data.ticks.now();
        e.child_of(parent);
        CHECK(kith::storage::change_ticks::sparse_tick(*marks, test.table(e), 0) > before);
    }

    TEST_CASE("ids that move out of the tables and back go on being counted") {
        tracked_world test;
        kith::entity e = test.world.entity().add<Hot>().set<Position>({});
        test.track<Position>();
        auto writes = [&](auto&& operation) {
            const std::uint64_t before = test.data.ticks.now();
            operation();
            const auto* marks = test.data.ticks.find_sparse(test.world.id<Position>());
            return (marks && marks->any.tick_for(0) > before) ||
                   test.data.ticks.any_rows_tick() > before;
        };
        test.track<Hot>();
        CHECK(writes([&] { test.world.component<Position>().add(kith::Sparse); }));
        CHECK(writes([&] { e.set<Position>({1, 2}); }));
        CHECK(writes([&] { e.remove<Position>(); }));
        CHECK(writes([&] { e.set<Position>({}); }));
        CHECK(writes([&] { test.world.component<Position>().remove(kith::Sparse); }));
        CHECK(test.changes_value<Position>(e, [&] { e.set<Position>({1, 2}); }));
    }

    TEST_CASE("the end of a table counts") {
        tracked_world test;
        kith::entity tag = test.world.entity();
        kith::entity e = test.world.entity().add(tag).set<Position>({});
        test.track<Position>();
        const std::uint32_t number = test.table(e);
        const std::uint64_t before = test.data.ticks.now();
        tag.destruct();
        CHECK(test.data.tables.find_number(number) == nullptr);
        CHECK(test.data.ticks.tables_gone_tick() > before);
    }

    TEST_CASE("everything may be tracked, entities without ids too") {
        tracked_world test;
        kith::events::track(test.data, 0);
        kith::mutate::stage_of(test.world.c_ptr()).mode |= kith::detail::mode_tracks_empty;
        CHECK(kith::events::is_tracked(test.data, 0));
        auto in_root = [&](auto&& operation) {
            return test.changes_rows(kith::storage::root_table, operation);
        };
        CHECK(in_root([&] { test.world.entity(); }));
        test.world.set_scope(test.world.entity());
        test.world.set_scope(0);
        CHECK(in_root([&] { test.world.entity(); }));
    }

    TEST_CASE("a change is not told to the one who made it") {
        kith::storage::change_mark mark;
        mark.set(1, 0);
        CHECK(mark.tick_for(7) == 1);
        mark.set(2, 7);
        mark.set(3, 7);
        CHECK(mark.tick_for(7) == 1);
        CHECK(mark.tick_for(8) == 3);
        CHECK(mark.tick_for(0) == 3);
        mark.set(4, 8);
        CHECK(mark.tick_for(7) == 4);
        CHECK(mark.tick_for(8) == 3);
    }
}
