// Changes of single rows.
#include <kith/kith.hpp>

#include "support/errors.hpp"
#include "support/types.hpp"

#include <set>

#include <doctest/doctest.h>

using namespace kith_test;

namespace {

using entities = std::set<kith::entity_t>;

// The entities whose rows changed; the query has seen them then.
template <class Run>
entities changed_rows(const Run& run) {
    entities found;
    run.iter([&](kith::iter& it) {
        for (auto row : it) {
            if (it.changed(row)) {
                found.insert(it.entity(row));
            }
        }
    });
    return found;
}

}  // namespace

TEST_SUITE("features.changes.rows") {
    TEST_CASE("only the rows that were written or came have changed") {  // spec 274
        kith::world world;
        kith::entity a = world.entity().set<Position>({});
        kith::entity b = world.entity().set<Position>({});
        kith::entity c = world.entity().set<Position>({});
        auto query = world.query_builder<const Position>().track_rows().build();
        query.changed();
        CHECK(changed_rows(query) == entities{a, b, c});
        CHECK(changed_rows(query).empty());
        b.set<Position>({1, 1});
        CHECK(changed_rows(query) == entities{b});
        c.modified<Position>();
        kith::entity d = world.entity().set<Position>({});
        CHECK(changed_rows(query) == entities{c, d});
        a.destruct();  // another one takes its row
        CHECK(query.changed());
        CHECK(changed_rows(query).empty());
        b.set<Velocity>({});
        CHECK(changed_rows(query) == entities{b});
        b.set<Velocity>({1, 1});
        CHECK(changed_rows(query).empty());
    }

    TEST_CASE("rows are known from the first question on, also in the middle of a run") {
        kith::world world;
        kith::entity a = world.entity().set<Position>({});
        kith::entity b = world.entity().set<Position>({});
        auto query = world.query_builder<const Position>().track_rows().build();
        CHECK(changed_rows(query) == entities{a, b});
        b.set<Position>({1, 1});
        CHECK(changed_rows(query) == entities{b});
    }

    TEST_CASE("without being asked for, rows change with their table") {
        kith::world world;
        kith::entity a = world.entity().set<Position>({});
        kith::entity b = world.entity().set<Position>({});
        auto query = world.query<const Position>();
        query.changed();
        changed_rows(query);
        a.set<Position>({1, 1});
        CHECK(changed_rows(query) == entities{a, b});
    }

    TEST_CASE("a run that writes marks the rows that it handed out") {
        kith::world world;
        kith::entity a = world.entity().set<Position>({});
        kith::entity b = world.entity().set<Position>({});
        auto query = world.query_builder<const Position>().track_rows().build();
        auto writer = world.query<Position>();
        auto own = world.query_builder<Position>().track_rows().build();
        query.changed();
        own.changed();
        changed_rows(own);
        changed_rows(query);
        writer.iter().set_var(0, b).each([](Position&) {});
        CHECK(changed_rows(query) == entities{b});
        CHECK(changed_rows(own) == entities{b});
        CHECK(changed_rows(own).empty());
        CHECK(changed_rows(query) == entities{a, b});  // own wrote them
    }

    TEST_CASE("rows of many new entities, and those that were moved at once, have changed") {
        kith::world world;
        kith::entity tag = world.entity();
        kith::entity a = world.entity().set<Position>({}).add(tag);
        kith::entity b = world.entity().set<Position>({});
        auto query = world.query_builder<const Position>().track_rows().build();
        query.changed();
        changed_rows(query);
        const Position values[2] = {};
        auto made = world.bulk(2, values);
        const entities fresh{made[0], made[1]};
        CHECK(changed_rows(query) == fresh);
        tag.destruct();
        CHECK(changed_rows(query) == entities{a});
        static_cast<void>(b);
    }

    TEST_CASE("more entities than there was room for have changed") {
        kith::world world;
        kith::entity first = world.entity().set<Position>({});
        auto query = world.query_builder<const Position>().track_rows().build();
        query.changed();
        changed_rows(query);
        entities fresh;
        for (int i = 0; i < 5000; ++i) {
            fresh.insert(world.entity().set<Position>({}));
        }
        CHECK(changed_rows(query) == fresh);
        CHECK(changed_rows(query).empty());
        first.set<Position>({1, 1});
        CHECK(changed_rows(query) == entities{first});
    }

    TEST_CASE("sparse values and links are told by row") {
        kith::world world;
        world.component<Velocity>().add(kith::Sparse);
        kith::entity parent = world.entity();
        kith::entity a = world.entity().set<Position>({}).set<Velocity>({}).child_of(parent);
        kith::entity b = world.entity().set<Position>({}).set<Velocity>({}).child_of(parent);
        auto query = world.query_builder<const Position, const Velocity>()
                         .term(kith::ChildOf, kith::Wildcard)
                         .track_rows()
                         .build();
        query.changed();
        changed_rows(query);
        b.set<Velocity>({1, 1});
        CHECK(changed_rows(query) == entities{b});
        a.remove<Velocity>().set<Velocity>({2, 2});
        CHECK(changed_rows(query) == entities{a});
        b.child_of(world.entity());
        CHECK(changed_rows(query) == entities{b});
    }

    TEST_CASE("a row that loses a sparse value and inherits one has changed") {
        kith::world world;
        world.component<Velocity>().add(kith::Sparse);
        kith::entity base = world.prefab().set<Velocity>({1, 1});
        kith::entity e = world.entity().is_a(base).set<Position>({}).set<Velocity>({2, 2});
        auto query = world.query_builder<const Position, const Velocity>().track_rows().build();
        auto changed = [&] {
            bool any = false;
            query.iter([&](kith::iter& it) { any |= it.changed(0); });
            return any;
        };
        changed();
        CHECK_FALSE(changed());
        e.remove<Velocity>();
        CHECK(changed());
        CHECK_FALSE(changed());
    }

    TEST_CASE("rows that share a value of another entity change with it") {
        kith::world world;
        kith::entity left = world.entity().set<Position>({});
        kith::entity right = world.entity().set<Position>({});
        kith::entity a = world.entity().set<Velocity>({}).child_of(left);
        kith::entity b = world.entity().set<Velocity>({}).child_of(right);
        auto query = world.query_builder<const Velocity>()
                         .term<Position>()
                         .up(kith::ChildOf)
                         .track_rows()
                         .build();
        query.changed();
        changed_rows(query);
        right.set<Position>({1, 1});
        CHECK(changed_rows(query) == entities{b});
        a.set<Velocity>({1, 1});
        CHECK(changed_rows(query) == entities{a});
    }

    TEST_CASE("there must be such a row") {
        kith::world world;
        world.entity().set<Position>({});
        auto query = world.query_builder<const Position>().track_rows().build();
        query.iter([](kith::iter& it) {
            CHECK(error_of([&] { it.changed(1); }) == kith::errc::invalid_query);
        });
    }

    TEST_CASE("rows may be tracked by a description") {
        kith::world world;
        kith::entity a = world.entity().set<Position>({});
        world.entity().set<Position>({});
        kith::term_desc term;
        term.id = world.id<Position>();
        term.inout = kith::In;
        kith::query_desc desc;
        desc.terms = &term;
        desc.count = 1;
        desc.track_rows = true;
        auto query = world.query(desc);
        query.changed();
        changed_rows(query);
        a.modified<Position>();
        CHECK(changed_rows(query) == entities{a});
    }
}
