// Relationships whose targets do not split tables, in queries: as any other.
#include <kith/kith.hpp>

#include "support/queries.hpp"
#include "support/types.hpp"

using namespace kith_test;
using kith::Any;
using kith::Wildcard;

namespace {

struct fixture {
    kith::world world;
    kith::entity likes = world.entity("Likes").add(kith::Sparse);
    kith::entity tag = world.entity("Tag");
    kith::entity x = world.entity("x");
    kith::entity y = world.entity("y");
    kith::entity e1 = world.entity("e1").add(tag).add(likes, x);
    kith::entity e2 = world.entity("e2").add(tag).add(likes, x).add(likes, y);
    kith::entity e3 = world.entity("e3").add(tag);
};

}  // namespace

TEST_SUITE("features.queries.sparse") {
    // spec 110
    TEST_CASE_FIXTURE(fixture, "every kind of query matches pairs of unions") {
        kith::entity state = world.entity("State").add(kith::Union);
        e1.add(state, x);
        e2.add(state, y);
        auto check = [&](const auto& query) {
            CHECK(results_of(query) == "e2: (State,y)\n");
            CHECK(query.first() == e2);
            e2.add(state, x);
            CHECK(query.count() == 0);
            e2.add(state, y);
        };
        check(world.filter_builder().with(state, y).build());
        check(world.query_builder().with(state, y).build());
        check(world.rule_builder().with(state, y).build());
    }

    // spec 112
    TEST_CASE_FIXTURE(fixture, "Not, Or and Optional take sparse pairs") {
        CHECK(results_of(world.filter_builder().with(tag).without(likes, y)) ==
              "e1: Tag, -\ne3: Tag, -\n");
        CHECK(results_of(world.filter_builder().with(tag).without(likes, Wildcard)) ==
              "e3: Tag, -\n");
        CHECK(results_of(world.filter_builder().with(tag).with(likes, Wildcard).optional()) ==
              "e1: Tag, (Likes,x)\ne2: Tag, (Likes,x)\ne2: Tag, (Likes,y)\ne3: Tag, -\n");
        CHECK(results_of(world.filter_builder().with(likes, y).or_().with(likes, x)) ==
              "e1: (Likes,x)\ne2: (Likes,y)\n");
        CHECK(results_of(world.filter_builder().with(likes, y).or_().with(tag)) ==
              "e1: Tag\ne2: (Likes,y)\ne3: Tag\n");
    }

    TEST_CASE_FIXTURE(fixture, "lists may contain sparse pairs") {
        kith::entity list = world.prefab().add(likes, x).add(likes, y);
        CHECK(found_by(world.filter_builder().with(tag).with(list).and_from()) == entity_list{e2});
        CHECK(found_by(world.filter_builder().with(tag).with(list).or_from()) ==
              entity_list{e1, e2});
        CHECK(found_by(world.filter_builder().with(tag).with(list).not_from()) == entity_list{e3});
    }

    // spec 113
    TEST_CASE_FIXTURE(fixture, "(R, *) reports each entity's targets") {
        CHECK(results_of(world.filter_builder().with(likes, Wildcard)) ==
              "e1: (Likes,x)\ne2: (Likes,x)\ne2: (Likes,y)\n");
        CHECK(results_of(world.filter_builder().with(Wildcard, y)) == "e2: (Likes,y)\n");
        CHECK(found_by(world.filter_builder().with(tag).with(likes, Any)) == entity_list{e1, e2});
        CHECK(found_by(world.filter_builder().with(tag).with(Any, y)) == entity_list{e2});
    }

    TEST_CASE_FIXTURE(fixture, "(*, *) sees dense and sparse pairs") {
        kith::entity knows = world.entity("Knows");
        kith::entity e = world.entity().add(tag).add(likes, x).add(knows, y);
        int pairs = 0;
        world.filter_builder()
            .with(tag)
            .with(Wildcard, Wildcard)
            .build()
            .each([&](kith::iter& it, std::size_t row) { pairs += it.entity(row) == e; });
        CHECK(pairs == 2);
    }

    TEST_CASE_FIXTURE(fixture, "wildcards of sparse and dense relationships combine") {
        kith::entity knows = world.entity("Knows");
        e2.add(knows, x).add(knows, y);
        CHECK(results_of(world.filter_builder().with(likes, Wildcard).with(knows, Wildcard)) ==
              "e2: (Likes,x), (Knows,x)\ne2: (Likes,x), (Knows,y)\n"
              "e2: (Likes,y), (Knows,x)\ne2: (Likes,y), (Knows,y)\n");
    }

    // spec 114
    TEST_CASE_FIXTURE(fixture, "a sparse relationship can be followed") {
        kith::entity part_of = world.entity("PartOf").add(kith::Sparse).add(kith::Traversable);
        kith::entity top = world.entity("top").add(tag);
        kith::entity middle = world.entity("middle").add(part_of, top);
        world.entity("leaf").add(part_of, middle);
        CHECK(results_of(world.filter_builder().with(tag).up(part_of)) ==
              "leaf: Tag@top\nmiddle: Tag@top\n");
        auto query = world.query_builder().with(tag).up(part_of).build();
        CHECK(query.count() == 2);
        middle.remove(part_of, top);
        CHECK(query.count() == 0);
        std::string order;
        middle.add(part_of, top);
        world.query_builder().with(tag).cascade(part_of).build().each(
            [&](kith::entity e) { order += e.name().c_str() + std::string(" "); });
        CHECK(order == "middle leaf ");
    }

    // spec 160
    TEST_CASE_FIXTURE(fixture, "one target of a relationship is a term, dense or sparse") {
        CHECK(found_by(world.filter_builder().with(likes, x)) == entity_list{e1, e2});
        CHECK(found_by(world.filter_builder().with(likes, y)) == entity_list{e2});
        kith::entity dense = world.entity("Dense");
        e3.add(dense, y);
        CHECK(found_by(world.filter_builder().with(dense, y)) == entity_list{e3});
        CHECK(found_by(world.filter_builder().with(dense, x)).empty());
    }

    // spec 180
    TEST_CASE_FIXTURE(fixture, "values of dense and sparse pairs are read by row alike") {
        const bool sparse = for_both_storages();
        kith::world own;
        make_relation<Eats>(own, sparse);
        kith::entity food = own.entity();
        std::vector<kith::entity> eaters;
        for (int i = 0; i < 5; ++i) {
            eaters.push_back(own.entity().set<Eats>(food, {i}));
        }
        auto check = [&](const auto& query) {
            int rows = 0;
            query.iter([&](kith::iter& it) {
                auto eats = it.template field<const Eats>(1);
                for (auto row : it) {
                    CHECK(&eats[row] == it.entity(row).template get<Eats>(food));
                    ++rows;
                }
            });
            CHECK(rows == 5);
        };
        check(own.filter_builder().with<Eats>(food).build());
        check(own.query_builder().with<Eats>(food).build());
        check(own.query_builder().with<Eats>(food).instanced().build());
        check(own.query_builder().with<Eats>(Wildcard).build());
    }

    TEST_CASE_FIXTURE(fixture, "values of sparse components are found") {
        kith::world own;
        own.component<Position>().add(kith::Sparse);
        kith::entity e = own.entity().set(Position{1, 2}).set(Velocity{3, 4});
        own.entity().set(Velocity{5, 6});
        int calls = 0;
        auto check = [&](const auto& query) {
            query.each([&](kith::entity at, Position& p, Velocity& v) {
                CHECK(at == e);
                CHECK(p.x == 1);
                CHECK(v.x == 3);
                ++calls;
            });
        };
        check(own.filter<Position, Velocity>());
        check(own.query<Position, Velocity>());
        CHECK(calls == 2);
    }

    TEST_CASE_FIXTURE(fixture, "a sparse source's pairs match") {
        CHECK(results_of(world.filter_builder().with(likes, Wildcard).src(e2)) ==
              "() (Likes,x)@e2\n() (Likes,y)@e2\n");
        CHECK(world.filter_builder().with(likes, y).src(e2).build().is_true());
        CHECK_FALSE(world.filter_builder().with(likes, y).src(e1).build().is_true());
    }

    TEST_CASE_FIXTURE(fixture, "cached queries follow sparse changes that move nobody") {
        auto query = world.query_builder().with(tag).with(likes, y).build();
        CHECK(rows_of(query) == entity_list{e2});
        e3.add(likes, y);
        CHECK(sorted(rows_of(query)) == entity_list{e2, e3});
        y.destruct();
        CHECK(query.count() == 0);
    }

    TEST_CASE_FIXTURE(fixture, "a relationship that becomes sparse keeps its matches") {
        kith::entity owns = world.entity("Owns");
        e1.add(owns, x);
        auto query = world.query_builder().with(owns, Wildcard).build();
        auto filter = world.filter_builder().with(owns, Wildcard).build();
        CHECK(results_of(query) == "e1: (Owns,x)\n");
        owns.add(kith::Sparse);
        CHECK(results_of(query) == "e1: (Owns,x)\n");
        CHECK(results_of(filter) == "e1: (Owns,x)\n");
        e2.add(owns, y);
        CHECK(results_of(query) == "e1: (Owns,x)\ne2: (Owns,y)\n");
        owns.remove(kith::Sparse);
        CHECK(results_of(query) == "e1: (Owns,x)\ne2: (Owns,y)\n");
    }
}
