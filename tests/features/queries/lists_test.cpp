// AndFrom, OrFrom, NotFrom: the ids of another entity as terms.
#include <kith/kith.hpp>

#include "support/errors.hpp"
#include "support/queries.hpp"
#include "support/types.hpp"

using namespace kith_test;
using kith::errc;

namespace {

struct fixture {
    kith::world world;
    kith::entity list = world.prefab("list");
    kith::entity a = world.entity("A");
    kith::entity b = world.entity("B");
    kith::entity c = world.entity("C");
    kith::entity seen = world.entity("Seen");
    kith::entity none = world.entity("none").add(seen);
    kith::entity only_a = world.entity("only_a").add(seen).add(a);
    kith::entity ab = world.entity("ab").add(seen).add(a).add(b);
    kith::entity abc = world.entity("abc").add(seen).add(a).add(b).add(c);
};

}  // namespace

TEST_SUITE("features.queries.lists") {
    // spec 206
    TEST_CASE_FIXTURE(fixture, "all, some or none of a list's ids have to be there") {
        list.add(a).add(b);
        CHECK(found_by(world.filter_builder().with(seen).with(list).and_from()) ==
              entity_list{ab, abc});
        CHECK(found_by(world.filter_builder().with(seen).with(list).or_from()) ==
              entity_list{only_a, ab, abc});
        CHECK(found_by(world.filter_builder().with(seen).with(list).not_from()) ==
              entity_list{none});
    }

    TEST_CASE_FIXTURE(fixture, "the field of a list is never set") {
        list.set(Position{1, 2});
        kith::entity e = world.entity("e").set(Position{3, 4});
        int calls = 0;
        world.filter_builder().term(list).and_from().build().iter([&](kith::iter& it) {
            CHECK(it.entity(0) == e);
            CHECK_FALSE(it.is_set(1));
            CHECK(it.field(1) == nullptr);
            ++calls;
        });
        CHECK(calls == 1);
    }

    TEST_CASE_FIXTURE(fixture, "ids that are not inherited are not part of a list") {
        kith::entity parent = world.entity("parent");
        list.add(a).child_of(parent);
        b.add(kith::DontInherit);
        list.add(b);
        CHECK(found_by(world.filter_builder().with(seen).with(list).and_from()) ==
              entity_list{only_a, ab, abc});
    }

    TEST_CASE_FIXTURE(fixture, "pairs and values count by their ids") {
        kith::entity likes = world.entity("Likes");
        list.add(likes, a).set(Position{1, 2});
        kith::entity e = world.entity().add(likes, a).set(Position{9, 9});
        world.entity().add(likes, b).set(Position{1, 2});
        CHECK(found_by(world.filter_builder().with(list).and_from()) == entity_list{e});
    }

    TEST_CASE_FIXTURE(fixture, "an empty list asks for nothing") {
        CHECK(found_by(world.filter_builder().with(seen).with(list).and_from()).size() == 4);
        CHECK(found_by(world.filter_builder().with(seen).with(list).or_from()).empty());
        CHECK(found_by(world.filter_builder().with(seen).with(list).not_from()).size() == 4);
    }

    // spec 207
    TEST_CASE_FIXTURE(fixture, "a list that is edited changes the queries that use it") {
        auto check = [&](auto builder) {
            auto all = builder.term(list).and_from().build();
            CHECK(all.count() == 4);
            list.add(a);
            CHECK(all.count() == 3);
            list.add(c);
            CHECK(all.count() == 1);
            list.remove(c);
            CHECK(all.count() == 3);
            list.remove(a);
            CHECK(all.count() == 4);
        };
        SUBCASE("uncached") {
            check(world.filter_builder().with(seen));
        }
        SUBCASE("cached") {
            check(world.query_builder().with(seen));
        }
    }

    TEST_CASE_FIXTURE(fixture, "some and none follow edits too") {
        auto some = world.query_builder().with(seen).with(list).or_from().build();
        auto nothing = world.query_builder().with(seen).with(list).not_from().build();
        list.add(c);
        CHECK(sorted(rows_of(some)) == entity_list{abc});
        CHECK(sorted(rows_of(nothing)) == entity_list{none, only_a, ab});
        list.add(b);
        CHECK(sorted(rows_of(some)) == entity_list{ab, abc});
        CHECK(sorted(rows_of(nothing)) == entity_list{none, only_a});
        c.destruct();
        CHECK(sorted(rows_of(some)) == entity_list{ab, abc});
    }

    // spec 208
    TEST_CASE_FIXTURE(fixture, "a list with an access is refused") {
        list.add(a);
        for (kith::inout_kind_t access : {kith::In, kith::Out, kith::InOut}) {
            for (kith::oper_kind_t oper : {kith::AndFrom, kith::OrFrom, kith::NotFrom}) {
                CHECK(error_of([&] {
                          world.filter_builder().term(list).oper(oper).inout(access).build();
                      }) == errc::invalid_query);
            }
        }
        CHECK_NOTHROW(world.filter_builder().term(list).and_from().inout_none().build());
        // The name of a list is not searched for.
        CHECK(refusal(world, [&] {
                  world.filter_builder().term().first(list).up(kith::IsA).and_from().build();
              }) == kith::errc::invalid_query);
        CHECK_NOTHROW(
            world.filter_builder().term(list).and_from().inout(kith::InOutDefault).build());
    }

    TEST_CASE_FIXTURE(fixture, "a list tests its source, and finds none") {
        for (kith::oper_kind_t oper : {kith::AndFrom, kith::OrFrom, kith::NotFrom}) {
            CHECK(refusal(world, [&] {
                      world.filter_builder().with(seen).with(list).src("$x").oper(oper).build();
                  }) == kith::errc::invalid_query);
        }
    }

    // spec 209
    TEST_CASE_FIXTURE(fixture, "lists contain lists") {
        kith::entity inner = world.prefab("inner").add(b).add(c);
        list.add(a).add(kith::OR | inner);
        CHECK(found_by(world.filter_builder().with(seen).with(list).and_from()) ==
              entity_list{ab, abc});
        list.remove(kith::OR | inner).add(kith::AND | inner);
        CHECK(found_by(world.filter_builder().with(seen).with(list).and_from()) ==
              entity_list{abc});
    }

    TEST_CASE_FIXTURE(fixture, "an edit of an inner list is seen") {
        kith::entity inner = world.prefab("inner").add(b);
        list.add(a).add(kith::AND | inner);
        auto query = world.query_builder().with(seen).with(list).and_from().build();
        auto filter = world.filter_builder().with(seen).with(list).and_from().build();
        CHECK(query.count() == 2);
        CHECK(filter.count() == 2);
        inner.add(c);
        CHECK(query.count() == 1);
        CHECK(filter.count() == 1);
        inner.remove(b).remove(c);
        CHECK(query.count() == 3);
        CHECK(filter.count() == 3);
    }

    // spec 210
    TEST_CASE_FIXTURE(fixture, "world.type() makes an entity that holds a list") {
        kith::entity ingredients = world.type("Ingredients").add(a).add(b);
        CHECK(ingredients.name() == "Ingredients");
        CHECK(ingredients.has(kith::Prefab));
        CHECK(found_by(world.filter_builder().with(seen).with(ingredients).and_from()) ==
              entity_list{ab, abc});
        CHECK(found_by(world.filter_builder().with(a)) == entity_list{only_a, ab, abc});
    }

    TEST_CASE_FIXTURE(fixture, "ids of a list are found on bases") {
        list.add(a);
        kith::entity base = world.entity().add(a).add(seen);
        kith::entity inst = world.entity().is_a(base);
        auto found = found_by(world.filter_builder().with(seen).with(list).and_from());
        CHECK(std::find(found.begin(), found.end(), inst) != found.end());
    }
}
