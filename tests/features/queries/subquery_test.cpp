// Queries that match a part of what another query matches.
#include <kith/kith.hpp>

#include "support/errors.hpp"
#include "support/event_log.hpp"

using namespace kith_test;

namespace {

struct fixture : event_log {
    std::string names(const auto& query) {
        std::string all;
        query.each([&](kith::entity one) { all += name_of(one) + " "; });
        return all;
    }
    kith::entity cold = world.entity("cold").set(Position{1, 0}).add<Cold>();
    kith::entity both = world.entity("both").set(Position{2, 0}).add<Hot>().add<Cold>();
    kith::entity hot = world.entity("hot").set(Position{3, 0}).add<Hot>();
};

}  // namespace

TEST_SUITE("features.queries.subquery") {
    TEST_CASE_FIXTURE(fixture, "a subquery matches what both queries match") {
        auto parent = world.query_builder().with<Hot>().build();
        auto part = world.query_builder().with<Cold>().observable(parent).build();
        CHECK(names(part) == "both ");
        hot.add<Cold>();
        CHECK(names(part) == "both hot ");
    }

    TEST_CASE_FIXTURE(fixture, "variables of both queries are their own") {
        kith::entity likes = world.entity("likes");
        hot.add(likes, cold);
        both.add(likes, both);
        auto parent = world.query_builder().with(likes).second("$x").with<Cold>().src("$x").build();
        auto part = world.query_builder().with<Hot>().with(likes).second("$x").observable(parent);
        CHECK(names(part.build()) == "hot both ");
        CHECK(part.build().find_var("x") > 0);
    }

    TEST_CASE_FIXTURE(fixture, "an alternative at the end is not joined with the other query") {
        auto parent = world.query_builder().with<Hot>().build();
        auto part = world.query_builder().with<Cold>().or_().observable(parent).build();
        CHECK(names(part) == "both ");
    }

    TEST_CASE_FIXTURE(fixture, "a subquery is orphaned when the other query is gone") {
        auto parent = world.query_builder().with<Hot>().build();
        auto part = world.query_builder().with<Cold>().observable(parent).build();
        CHECK(!part.orphaned());
        CHECK(!parent.orphaned());
        auto other = parent;
        parent.destruct();
        CHECK(!part.orphaned());
        other.destruct();
        CHECK(part.orphaned());
        CHECK(names(part) == "both ");
    }

    TEST_CASE_FIXTURE(fixture, "a builder keeps the other query until it is done") {
        auto parent = world.query_builder().with<Hot>().build();
        auto part = world.query_builder().with<Cold>();
        part.observable(parent);
        parent.destruct();
        auto made = part.build();
        CHECK(names(made) == "both ");
    }

    TEST_CASE_FIXTURE(fixture, "a query of another world is refused") {
        kith::world elsewhere;
        auto parent = elsewhere.query_builder().with(kith::Prefab).build();
        CHECK_THROWS_AS(world.query_builder().with<Hot>().observable(parent).build(), kith::error);
    }

    TEST_CASE_FIXTURE(fixture, "a query can be used as a filter") {
        auto query = world.query<Position>();
        kith::filter<> same = query.filter();
        CHECK(same.count() == 3);
        CHECK(same.field_count() == 1);
    }

    TEST_CASE_FIXTURE(fixture, "flags let a query match what is left out") {
        world.prefab("plan").add<Hot>();
        world.entity("off").add<Hot>().disable();
        CHECK(world.filter_builder().with<Hot>().build().count() == 2);
        auto count = [&](std::uint32_t flags) {
            return world.filter_builder().with<Hot>().filter_flags(flags).build().count();
        };
        CHECK(count(kith::FilterMatchPrefab) == 3);
        CHECK(count(kith::FilterMatchDisabled) == 3);
        CHECK(count(kith::FilterMatchPrefab | kith::FilterMatchDisabled) == 4);
        CHECK_THROWS_AS(count(1u << 30), kith::error);
    }

    TEST_CASE_FIXTURE(fixture, "a raw function runs around the callback of an observer") {
        world.observer<Position>()
            .event(kith::OnSet)
            .run([](kith::iter_t* it) {
                if (it->field<const Position>(1)[0].x != 5) {
                    it->call();
                    it->call();
                }
            })
            .each([&](kith::entity one, Position&) { log += name_of(one) + " "; });
        hot.set(Position{4, 0});
        cold.set(Position{5, 0});
        CHECK(taken() == "hot hot ");
    }

    TEST_CASE_FIXTURE(fixture, "an iterator is its own raw handle") {
        world.query<Position>().iter([&](kith::iter& it, Position*) {
            const kith::iter_t* raw = it.c_ptr();
            CHECK(raw->count() == it.count());
        });
    }

    TEST_CASE_FIXTURE(fixture, "the payload of an event can be had whatever its type") {
        int found = 0;
        world.observer<Position>().event<Eats>().each([&](kith::iter& it, std::size_t, Position&) {
            found = it.param<void>() != nullptr ? 1 : 2;
        });
        world.event<Eats>().id<Position>().entity(hot).ctx(Eats{}).emit();
        CHECK(found == 1);
        world.event(world.id<Eats>()).id<Position>().entity(hot).emit();
        CHECK(found == 2);
    }
}
