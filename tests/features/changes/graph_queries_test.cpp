// Callbacks of graph queries that change the graph: refused as locked, or done; never a broken run.
#include <kith/kith.hpp>

#include "support/bindings.hpp"
#include "support/errors.hpp"
#include "support/queries.hpp"
#include "support/types.hpp"

using namespace kith_test;
using kith::errc;
using kith::Wildcard;

namespace {

struct fixture {
    fixture() {
        register_all(world);
        for (int i = 0; i < 40; ++i) {
            all.push_back(world.entity());
        }
        for (int i = 0; i < 40; ++i) {
            all[i].add(likes, all[(i + 1) % 40]).add(likes, all[(i + 7) % 40]);
            if (i > 0) {
                all[i].add(in, all[i / 2]);
            }
        }
        hub.add(in, all[39]);
    }

    kith::filter_builder<> build() const { return world.filter_builder(); }
    // Runs the terms, cached and not, with `change` as the callback; it may be refused because of a
    // lock and for no other reason. Afterwards old and new queries agree.
    template <class Change>
    void try_run(const clause& terms, Change&& change) {
        auto builder = build();
        terms(builder);
        for (bool keep : {false, true}) {
            auto query = keep ? builder.cached().build() : builder.uncached().build();
            int calls = 0;
            const auto code = error_of([&] {
                query.each([&](kith::iter& it, std::size_t row) {
                    // A run that sees what its own callback makes has to end, too.
                    if (++calls > 5000) {
                        return false;
                    }
                    change(it, row);
                    return true;
                });
            });
            CHECK(code.value_or(errc::locked) == errc::locked);
            CHECK_NOTHROW(world.check());
            CHECK(query.count() == builder.uncached().build().count());
            CHECK(query.count() == builder.cached().build().count());
        }
    }
    void try_all(const std::function<void(kith::iter&, std::size_t)>& change) {
        try_run([&](auto& q) { q.with(likes, "$x"); }, change);
        try_run([&](auto& q) { q.with(likes, "$x").with(likes, "$y").src("$x"); }, change);
        try_run([&](auto& q) { q.with(likes, "$this").src("$x"); }, change);
        try_run([&](auto& q) { q.with(in, "$x"); }, change);
        try_run([&](auto& q) { q.with(in, all[1]); }, change);
        try_run([&](auto& q) { q.with(in, "$this").src(hub); }, change);
        try_run(
            [&](auto& q) {
                q.with(likes, "$x")
                    .scope_open()
                    .not_()
                    .with(in, "$z")
                    .src("$x")
                    .with(tag)
                    .src("$z");
                q.scope_close();
            },
            change);
        try_run([&](auto& q) { q.with(likes, "$x").or_().with(in, "$x"); }, change);
        try_run([&](auto& q) { q.with(likes, "$x").with(in, "$z").src("$x").optional(); }, change);
    }

    bool sparse = for_both_storages();
    kith::world world;
    kith::entity likes = make_relation(world, sparse, "Likes");
    kith::entity in = make_relation(world, sparse, "In").add(kith::Transitive);
    kith::entity tag = world.entity("Tag");
    kith::entity hub = world.entity("hub");
    entity_list all;
};

}  // namespace

TEST_SUITE("features.changes.graph_queries") {
    TEST_CASE_FIXTURE(fixture, "new entities with the same pairs") {
        int made = 0;
        try_all([&](kith::iter&, std::size_t) {
            if (++made % 4 == 0) {
                world.entity().add(likes, all[made % 40]).add(in, all[made % 40]);
            }
        });
    }

    TEST_CASE_FIXTURE(fixture, "new entities that are targets of new entities") {
        int made = 0;
        try_all([&](kith::iter&, std::size_t) {
            if (++made % 4 == 0) {
                kith::entity e = world.entity();
                world.entity().add(likes, e);
                e.add(in, all[made % 40]);
            }
        });
    }

    TEST_CASE_FIXTURE(fixture, "rows that get, and lose, other ids") {
        try_all([&](kith::iter& it, std::size_t row) { it.entity(row).add(tag); });
        try_all([&](kith::iter& it, std::size_t row) { it.entity(row).remove(tag); });
    }

    TEST_CASE_FIXTURE(fixture, "values of variables that get, and lose, other ids") {
        try_all([&](kith::iter& it, std::size_t row) {
            kith::entity x = it.query() ? kith::entity(it.entity(row).target(likes)) : hub;
            if (x) {
                x.add(tag);
                x.remove(tag);
            }
        });
    }

    TEST_CASE_FIXTURE(fixture, "edges that vanish while they are followed") {
        int calls = 0;
        try_all([&](kith::iter&, std::size_t) {
            kith::entity e = all[(++calls * 13) % 40];
            if (kith::entity target = e.target(likes)) {
                e.remove(likes, target);
            }
            if (kith::entity target = e.target(in)) {
                e.remove(in, target);
            }
        });
    }

    TEST_CASE_FIXTURE(fixture, "entities that die while they are visited") {
        int calls = 0;
        try_all([&](kith::iter&, std::size_t) {
            kith::entity e = all[(++calls * 11) % 40];
            // One is named by a query that is made again.
            if (e.is_alive() && e != all[1] && calls % 3 == 0) {
                e.destruct();
            }
        });
    }

    TEST_CASE_FIXTURE(fixture, "a relationship that dies while it is followed") {
        auto query = build().with(likes, "$x").with(in, "$y").src("$x").build();
        auto cached = world.query_builder().with(likes, "$x").with(in, "$y").src("$x").build();
        const auto code = error_of([&] {
            query.each([&](kith::entity) {
                if (in.is_alive()) {
                    in.destruct();
                }
            });
        });
        CHECK(code.value_or(errc::locked) == errc::locked);
        CHECK_NOTHROW(world.check());
        if (!in.is_alive()) {
            CHECK(query.count() == 0);
        }
        CHECK(query.count() == cached.count());
    }

    TEST_CASE_FIXTURE(fixture, "the query that runs is dropped by its callback") {
        auto query = build().with(likes, "$x").with(in, "$y").src("$x").build();
        int calls = 0;
        query.each([&](kith::entity) {
            query = kith::filter<>();
            ++calls;
        });
        CHECK(calls > 0);
        CHECK_NOTHROW(world.check());
    }

    TEST_CASE_FIXTURE(fixture, "new queries are made, and others run, while one runs") {
        int outer = 0;
        auto query = build().with(in, "$x").build();
        const int expected = query.count();
        query.each([&](kith::iter& it, std::size_t) {
            auto inner = build().with(in, it.get_var("x")).cached().build();
            CHECK(inner.count() > 0);
            CHECK(query.iter().set_var("x", it.get_var("x")).count() == inner.count());
            ++outer;
        });
        CHECK(outer == expected);
    }

    TEST_CASE_FIXTURE(fixture, "deferred changes are done after the run, all of them") {
        auto query = build().with(likes, "$x").with(likes, "$this").src("$x").build();
        for (int i = 0; i < 40; ++i) {
            all[(i + 1) % 40].add(likes, all[i]);
        }
        const int pairs = query.count();
        CHECK(pairs == 80);
        world.defer([&] {
            query.each([&](kith::iter& it, std::size_t row) {
                it.entity(row).remove(likes, it.get_var("x"));
            });
        });
        CHECK(query.count() == 0);
        CHECK_NOTHROW(world.check());
    }

    TEST_CASE_FIXTURE(fixture, "a callback that throws ends the run and leaves no locks") {
        auto query = build().with(likes, "$x").with(in, "$y").src("$x").build();
        CHECK_THROWS_AS(query.each([](kith::entity) { throw 1; }), int);
        CHECK_NOTHROW(all[0].add(tag));
        CHECK(query.count() > 0);
        CHECK_NOTHROW(world.check());
    }
}
