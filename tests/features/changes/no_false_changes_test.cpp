// Changes are found where they are, and end when the query has seen them.
#include <kith/kith.hpp>

#include "support/types.hpp"

#include <vector>

#include <doctest/doctest.h>

using namespace kith_test;

namespace {

// Runs the query to the end; true if some result has changed.
bool look(const kith::query<>& query) {
    bool changed = false;
    query.iter([&](kith::iter& it) { changed |= it.changed(); });
    return changed;
}
// The same by rows.
int changed_rows(const kith::query<>& query) {
    int count = 0;
    query.iter([&](kith::iter& it) {
        for (auto row : it) {
            count += it.changed(row);
        }
    });
    return count;
}

}  // namespace

TEST_SUITE("features.changes.no_false_changes") {
    // A table in which nothing is tracked by an id of its own still has rows.
    TEST_CASE("marks for overrides do not count as changed for ever") {
        for (const bool pair : {false, true}) {
            kith::world world;
            register_all(world);
            kith::entity target = world.entity();
            kith::entity one = world.entity();
            pair ? one.override<Eats>(target) : one.override<Velocity>();
            kith::query<> query = world.query_builder().without<Position>().build();
            query.changed();
            look(query);
            CHECK_FALSE(query.changed());
            pair ? one.override<Eats>(one) : one.override<Eats>();
            CHECK(query.changed());
            CHECK(look(query));
            CHECK_FALSE(query.changed());
        }
    }

    TEST_CASE("a deleted table counts until the query has run") {
        kith::world world;
        kith::query<> queries[] = {
            world.query_builder().without<Eats>(kith::Wildcard).build(),
            world.query_builder().without<Position>().build(),
            world.query_builder().without<Eats>("$what").uncached().build(),
        };
        for (const kith::query<>& query : queries) {
            query.changed();
            look(query);
            kith::entity tag = world.entity();
            world.entity().add(tag).remove(tag);
            world.shrink();
            CHECK(query.changed());
            look(query);
            CHECK_FALSE(query.changed());
        }
    }

    // What a term means is found out again when its relationship gets kinds.
    TEST_CASE("a relationship that becomes a kind of the one asked for counts once") {
        for (const char* text : {"(knows, $whom)", "knows($this, *)"}) {
            kith::world world;
            kith::entity knows = world.entity("knows"), loves = world.entity("loves");
            kith::entity romeo = world.entity().add(loves, world.entity());
            // Somebody else has asked for the derived one before.
            kith::query<> other = world.query_builder().with(loves, kith::Wildcard).build();
            other.changed();
            look(other);
            kith::query<> query = world.query(text);
            query.changed();
            look(query);
            CHECK_FALSE(query.changed());
            loves.is_a(knows);
            CHECK(query.changed());
            CHECK(look(query));
            CHECK_FALSE(query.changed());
            CHECK_FALSE(look(query));
            romeo.add(loves, romeo);
            CHECK(query.changed());
            look(query);
            loves.remove(kith::IsA, knows);
            CHECK(query.changed());
            look(query);
            CHECK_FALSE(query.changed());
        }
    }

    // Marks of what lies outside of tables are kept by table: a source takes none along.
    TEST_CASE("a sparse value seen in another entity counts also after that has moved") {
        kith::world world;
        world.component<Velocity>().add(kith::Sparse);
        world.entity().set(Position{}).add<Hot>().destruct();  // the table is there before
        kith::entity parent = world.entity().set(Velocity{4, 0}).set(Position{});
        world.entity().set(Position{}).add<Cold>().child_of(parent);
        kith::query<> queries[] = {
            world.query_builder().with<Position>().term<Velocity>().in().parent().build(),
            world.query_builder().term<Velocity>().in().src(parent).build(),
            world.query_builder()
                .with<Position>()
                .with(kith::ChildOf, "$p")
                .term<Velocity>()
                .in()
                .src("$p")
                .build(),
            world.query_builder()
                .with<Position>()
                .term<Velocity>()
                .in()
                .parent()
                .track_rows()
                .build(),
        };
        for (const kith::query<>& query : queries) {
            query.changed();
            look(query);
        }
        parent.set(Velocity{2, 0});
        parent.add<Hot>();
        for (const kith::query<>& query : queries) {
            CHECK(query.changed());
            CHECK(look(query));
            CHECK_FALSE(query.changed());
        }
    }

    TEST_CASE("rows are told apart where no term is in a table") {
        for (const char* text :
             {"$this ~= \"e\"", "!$this ~= \"x\"", "!tag", "!tag, !(ChildOf, *)"}) {
            for (const bool cached : {false, true}) {
                CAPTURE(text);
                kith::world world;
                world.entity("tag");
                kith::entity one = world.entity("e1"), other = world.entity("e2");
                auto made = world.query_builder();
                made.expr(text).track_rows();
                kith::query<> query = cached ? made.build() : made.uncached().build();
                query.changed();
                const int all = changed_rows(query);
                CHECK(all >= 1);
                CHECK(changed_rows(query) == 0);
                one.add(other);
                CHECK(changed_rows(query) >= 1);
                CHECK(changed_rows(query) == 0);
            }
        }
    }
}
