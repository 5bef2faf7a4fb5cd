// A relationship that was declared, and is named without a target, stands for its pairs.
#include <kith/kith.hpp>

#include "support/queries.hpp"

using namespace kith_test;

namespace {

struct Follows {
    int distance = 0;
};
struct Parked {};

struct fixture {
    // What include, text and template arguments find, cached and not.
    entity_list holders_of(kith::entity relation) const {
        const entity_list found = found_by(world.filter_builder().include(relation));
        const std::string text = relation.name().c_str();
        CHECK(sorted(rows_of(world.query(text.c_str()))) == found);
        CHECK(sorted(rows_of(world.filter(text.c_str()))) == found);
        CHECK(std::string(world.query(text.c_str()).str().c_str()) == "(" + text + ",*)");
        return found;
    }

    kith::world world;
    kith::entity x = world.entity("x");
    kith::entity y = world.entity("y");
    kith::entity e = world.entity("e");
};

}  // namespace

TEST_SUITE("features.queries.declared_relationships") {
    TEST_CASE_FIXTURE(fixture, "any declared relationship stands for its pairs") {
        const kith::relation_desc descriptions[] = {
            {},
            {.storage = kith::storage::sparse, .on_delete_target = kith::Delete},
            {.tag = true},
            {.transient = true},
            {.exclusive = true},
            {.traversable = true, .storage = kith::storage::sparse}};
        int number = 0;
        for (const kith::relation_desc& desc : descriptions) {
            kith::entity relation =
                world.relation(("Likes" + std::to_string(number++)).c_str(), desc);
            CHECK(relation.has(kith::Relationship));
            CHECK(holders_of(relation).empty());
            e.add(relation, x);
            CHECK(holders_of(relation) == entity_list{e});
            CHECK(found_by(world.filter_builder().include(relation).exclude(relation)).empty());
        }
    }

    TEST_CASE_FIXTURE(fixture, "pairs with values are included by their type") {
        world.relation<Follows>();
        e.set<Follows>(x, {7});
        CHECK(found_by(world.filter_builder().include<Follows>()) == entity_list{e});
        int sum = 0;
        world.query<Follows>().each([&](Follows& value) { sum += value.distance; });
        CHECK(sum == 7);
        CHECK(found_by(world.filter_builder().with<Follows>().with(kith::PredEq, e)) ==
              entity_list{e});
        CHECK(found_by(world.filter_builder().exclude<Follows>().with(kith::PredEq, e)).empty());
    }

    TEST_CASE_FIXTURE(fixture, "the meaning does not depend on who has the plain id") {
        kith::entity moves = world.relation("Moves", {.exclusive = true});
        e.add(moves, x);
        CHECK(holders_of(moves) == entity_list{e});
        kith::entity plain = world.entity("plain").add(moves);
        CHECK(holders_of(moves) == entity_list{e});
        plain.destruct();
        CHECK(holders_of(moves) == entity_list{e});
    }

    TEST_CASE_FIXTURE(fixture, "the target of an included relationship is an open argument") {
        world.relation<Parked>();
        e.add<Parked>(x);
        y.add<Parked>(y);
        auto query = world.query_builder().include<Parked>().build();
        entity_list found;
        query.each(x, [&](kith::entity one) { found.push_back(one); });
        CHECK(found == entity_list{e});
        found.clear();
        query.each(kith::Wildcard, [&](kith::entity one) { found.push_back(one); });
        CHECK(sorted(found) == sorted({e, y}));
    }

    TEST_CASE_FIXTURE(fixture, "observers and monitors of the plain name are about pairs") {
        kith::entity likes = world.relation("Likes");
        int added = 0;
        int entered = 0;
        auto observer =
            world.observer().with(likes).event(kith::OnAdd).each([&](kith::entity) { ++added; });
        auto monitor =
            world.query_builder().include(likes).build().on_enter([&](kith::iter&) { ++entered; });
        e.add(likes, x);
        CHECK(added == 1);
        CHECK(entered == 1);
        y.add(likes);
        CHECK(added == 1);
        CHECK(entered == 1);
        observer.destruct();
    }

    TEST_CASE_FIXTURE(fixture, "a deferred declaration is one, too") {
        kith::entity later = world.entity("Later");
        e.add(later, x);
        CHECK(found_by(world.filter_builder().include(later)).empty());
        world.defer([&] { world.relation(later, {}); });
        CHECK(holders_of(later) == entity_list{e});
    }
}
