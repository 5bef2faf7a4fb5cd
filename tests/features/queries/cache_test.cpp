// Cached queries follow the world.
#include <kith/kith.hpp>

#include "support/counting_resource.hpp"
#include "support/world_fixture.hpp"

#include <sstream>

using namespace kith_test;

namespace {

struct fixture : world_fixture {
    static int count(const kith::query<>& query) { return query.count(); }

    kith::query<> query = world.query_builder().with<Position>().without<Hot>().build();
};

}  // namespace

TEST_SUITE("features.queries.cache") {
    // spec 124
    TEST_CASE_FIXTURE(fixture, "tables that appear later are found") {
        CHECK(count(query) == 0);
        kith::entity e = world.entity().set(Position{1, 2});
        CHECK(count(query) == 1);
        e.set(Velocity{1, 1});
        CHECK(count(query) == 1);
        e.add<Hot>();
        CHECK(count(query) == 0);
    }

    TEST_CASE_FIXTURE(fixture, "tables that are deleted are forgotten, also when numbers recur") {
        kith::entity e = world.entity().set(Position{1, 2}).set(Velocity{});
        CHECK(count(query) == 1);
        e.destruct();
        world.shrink();
        CHECK(count(query) == 0);
        // The numbers of the deleted tables go to tables of other types.
        world.entity().add<Hot>();
        world.entity().add<Hot>().set(Velocity{});
        CHECK(count(query) == 0);
        world.entity().set(Position{1, 2});
        CHECK(count(query) == 1);
    }

    TEST_CASE_FIXTURE(fixture, "many tables come and go") {
        std::vector<kith::entity> tags;
        for (int i = 0; i < 6; ++i) {
            tags.push_back(world.entity());
        }
        for (int round = 0; round < 3; ++round) {
            std::vector<kith::entity> made;
            for (unsigned mask = 0; mask < 64; ++mask) {
                kith::entity e = world.entity().set(Position{});
                for (unsigned i = 0; i < 6; ++i) {
                    if (mask >> i & 1) {
                        e.add(tags[i]);
                    }
                }
                made.push_back(e);
            }
            CHECK(count(query) == 64);
            for (kith::entity e : made) {
                e.destruct();
            }
            CHECK(count(query) == 0);
            world.shrink();
            CHECK(count(query) == 0);
        }
    }

    TEST_CASE_FIXTURE(fixture,
                      "a base that gains or loses an id changes what its instances match") {
        kith::entity base = world.prefab();
        kith::entity instance = world.entity().is_a(base);
        CHECK(count(query) == 0);
        base.set(Position{3, 4});
        CHECK(count(query) == 1);
        CHECK(query.first() == instance);
        base.add<Hot>();
        CHECK(count(query) == 0);
        base.remove<Hot>();
        CHECK(count(query) == 1);
        base.remove<Position>();
        CHECK(count(query) == 0);
    }

    TEST_CASE_FIXTURE(fixture, "a base of a base counts too") {
        kith::entity far = world.prefab();
        kith::entity near = world.prefab().is_a(far);
        world.entity().is_a(near);
        CHECK(count(query) == 0);
        far.set(Position{1, 1});
        CHECK(count(query) == 1);
        near.remove(kith::IsA, far);
        CHECK(count(query) == 0);
    }

    TEST_CASE_FIXTURE(fixture, "properties that are set later take effect") {
        world.entity().set(Position{1, 1});
        kith::entity base = world.prefab().set(Position{2, 2});
        world.entity().is_a(base);
        CHECK(count(query) == 2);
        world.component<Position>().add(kith::DontInherit);
        CHECK(count(query) == 1);
    }

    TEST_CASE_FIXTURE(fixture,
                      "a term about an entity that died matches nothing, nor its successor") {
        kith::entity likes = world.entity();
        kith::entity target = world.entity();
        world.entity().add(likes, target);
        auto cached = world.query_builder().with(likes, target).build();
        auto plain = world.filter_builder().with(likes, target).build();
        CHECK(cached.count() == 1);
        target.destruct();
        CHECK(cached.count() == 0);
        kith::entity successor = world.entity();
        REQUIRE(kith::index_of(successor) == kith::index_of(target));
        world.entity().add(likes, successor);
        CHECK(cached.count() == 0);
        CHECK(plain.count() == 0);
        auto fresh = world.query_builder().with(likes, successor).build();
        CHECK(fresh.count() == 1);
    }

    TEST_CASE_FIXTURE(fixture,
                      "an entity that a query names can be deleted after the query is gone") {
        kith::entity likes = world.entity();
        kith::entity target = world.entity();
        { auto cached = world.query_builder().with(likes, target).build(); }
        target.destruct();
        likes.destruct();
        world.check();
    }

    TEST_CASE_FIXTURE(fixture,
                      "a base that loses an id while its instances are visited is left out") {
        std::vector<kith::entity> bases;
        for (int i = 0; i < 4; ++i) {
            // Each in a table of its own: that of the value in hand is locked.
            bases.push_back(world.prefab().set(Position{i, 0}).add(world.entity()));
            world.entity().is_a(bases.back());
        }
        auto values = world.query<const Position>();
        int calls = 0;
        values.each([&](const Position& p) {
            ++calls;
            for (kith::entity base : bases) {
                if (base.get<Position>() != &p) {
                    base.remove<Position>();
                }
            }
        });
        CHECK(calls == 1);
    }

    TEST_CASE_FIXTURE(fixture, "a fixed source that dies between two of its matches ends them") {
        kith::entity likes = world.entity();
        kith::entity source = world.entity();
        for (int i = 0; i < 3; ++i) {
            source.add(likes, world.entity());
        }
        for (bool cached : {false, true}) {
            kith::entity one = source.clone();
            auto builder = world.query_builder().with(likes, kith::Wildcard).src(one);
            auto matches = cached ? builder.build() : builder.uncached().build();
            int calls = 0;
            matches.each([&] {
                ++calls;
                one.destruct();
            });
            CHECK(calls == 1);
        }
    }

    TEST_CASE_FIXTURE(fixture, "a query may change places with its world") {
        kith::query<> left;
        {
            kith::world other;
            other.entity().set(Position{});
            left = other.query_builder().with<Position>().build();
            CHECK(left.count() == 1);
        }
        CHECK_THROWS_AS(static_cast<void>(left.count()), kith::error);
    }

    TEST_CASE_FIXTURE(fixture, "each pair of a wildcard is handed out with its id and its value") {
        kith::entity a = world.entity("a");
        kith::entity b = world.entity("b");
        world.entity("e").set<Eats>(a, {1}).set<Eats>(b, {2});
        world.entity("f").set<Eats>(b, {3}).add<Hot>();
        world.entity("g").add<Hot>();
        auto pairs = world.query<kith::rel<Eats>>();
        std::ostringstream by_each;
        std::ostringstream by_table;
        pairs.each([&](kith::entity e, kith::rel<Eats> food) {
            by_each << e.name() << food.target().name() << food->amount << ' ';
        });
        pairs.iter([&](kith::iter& it) {
            const auto amounts = it.field<const Eats>(1);
            for (std::size_t row : it) {
                by_table << it.entity(row).name() << it.pair(1).second().name()
                         << amounts[row].amount << ' ';
            }
        });
        CHECK(by_each.str() == "ea1 eb2 fb3 ");
        CHECK(by_table.str() == by_each.str());
    }

    TEST_CASE_FIXTURE(fixture, "optional wildcards and alternatives say what was found") {
        kith::entity a = world.entity("a");
        world.entity("e").set<Eats>(a, {1}).set(Position{});
        world.entity("f").set(Velocity{});
        auto either = world.query_builder().with<Position>().or_().with<Velocity>();
        auto optional = either.with<Eats>(kith::Wildcard).optional().build();
        std::ostringstream found;
        optional.iter([&](kith::iter& it) {
            found << it.entity(0).name() << ' ' << it.id(1).str() << ' ' << it.is_set(2)
                  << it.id(2).str() << ' ';
        });
        CHECK(found.str() ==
              "e kith_test.Position 1(kith_test.Eats,a) "
              "f kith_test.Velocity 0(kith_test.Eats,*) ");
    }

    TEST_CASE("constants of enumerations are told by each()") {
        kith::world world;
        world.entity("e").add(Color::Green).add<Hot>();
        world.entity("f").add(Color::Red);
        std::ostringstream found;
        world.query<Color>().each([&](kith::entity e, Color color) {
            found << e.name() << static_cast<int>(color) << ' ';
        });
        CHECK(found.str() == "e1 f0 ");
    }

#if defined(__cpp_exceptions)
    // The list is one way to find $this, and no matter of scopes that have nothing to do with it.
    TEST_CASE("a cached query with a given value finds what one without a cache does") {
        kith::world world;
        auto likes = world.entity("likes");
        auto fond = world.entity().add<Hot>();
        auto liked = world.entity();
        fond.add(likes, liked);
        for (bool some_cold : {false, true}) {
            for (bool some_position : {false, true}) {
                auto cold = world.entity();
                auto other = world.entity();
                if (some_cold) {
                    cold.add<Cold>();
                }
                if (some_position) {
                    other.set(Position{});
                }
                auto builder = world.query_builder<const Position>();
                builder.scope_open().not_().with<Cold>().src("$b").scope_close();
                builder.with(kith::Wildcard, liked).src("$a");
                auto cached = builder.cached().build();
                auto uncached = builder.uncached().build();
                CHECK(cached.iter().set_var("a", fond).count() ==
                      (some_position && !some_cold ? 1 : 0));
                CHECK(uncached.iter().set_var("a", fond).count() ==
                      cached.iter().set_var("a", fond).count());
                cold.destruct();
                other.destruct();
            }
        }
    }

    TEST_CASE("a table that the cache had no memory for is found by the next run") {
        bool failed = true;
        for (std::size_t nth = 1; failed; ++nth) {
            kith_test::counting_resource memory;
            kith::world world(kith::use_memory(memory, false));
            kith::entity tag = world.entity();
            kith::entity likes = world.entity();
            auto plain = world.query_builder().with(tag).build();
            auto joined = world.query_builder().with(likes, "$x").with(tag).build();
            kith::entity made = world.entity().add(likes, tag);
            memory.fail_in(nth);
            const std::size_t before = memory.allocations();
            try {
                made.add(tag);
            } catch (const std::bad_alloc&) {}
            failed = memory.allocations() - before >= nth;
            memory.work_again();
            CHECK(plain.count() == (made.has(tag) ? 1 : 0));
            CHECK(joined.count() == (made.has(tag) ? 1 : 0));
        }
    }
#endif
}
