#include <kith/kith.hpp>

#include "support/bindings.hpp"
#include "support/queries.hpp"
#include "support/types.hpp"

using namespace kith_test;
using kith::Any;
using kith::Wildcard;

namespace {

struct fixture {
    kith::world world;
    kith::entity likes = world.entity("Likes");
    kith::entity knows = world.entity("Knows");
    kith::entity tag = world.entity("Tag");
    kith::entity bob = world.entity("bob");
    kith::entity alice = world.entity("alice");
    kith::entity carol = world.entity("carol");
};

}  // namespace

TEST_SUITE("features.queries.wildcards") {
    // spec 51
    TEST_CASE_FIXTURE(fixture, "an entity has a result for each id that Wildcard matches") {
        bob.add(likes, alice).add(likes, carol);
        CHECK(results_of(world.filter_builder().with(likes, Wildcard)) ==
              "bob: (Likes,alice)\nbob: (Likes,carol)\n");
        CHECK(world.filter_builder().with(likes, Wildcard).build().count() == 2);
    }

    // spec 52
    TEST_CASE_FIXTURE(fixture, "Any gives an entity one result, the same one each time") {
        bob.add(likes, alice).add(likes, carol);
        auto filter = world.filter_builder().with(likes, Any).build();
        auto query = world.query_builder().with(likes, Any).build();
        CHECK(filter.count() == 1);
        CHECK(query.count() == 1);
        const std::string first = results_of(filter);
        CHECK((first == "bob: (Likes,alice)\n" || first == "bob: (Likes,carol)\n"));
        CHECK(results_of(filter) == first);
        CHECK(results_of(query) == results_of(query));
    }

    TEST_CASE_FIXTURE(fixture, "Any stands for a relationship, or for both elements, once") {
        bob.add(likes, alice).add(knows, alice).add(knows, carol);
        CHECK(found_by(world.filter_builder().with(tag).with(Any, alice)).empty());
        bob.add(tag);
        CHECK(found_by(world.filter_builder().with(tag).with(Any, alice)) == entity_list{bob});
        CHECK(found_by(world.filter_builder().with(tag).with(Any, Any)) == entity_list{bob});
        CHECK(found_by(world.filter_builder().with(tag).with(Any)) == entity_list{bob});
    }

    TEST_CASE_FIXTURE(fixture, "Any beside a variable gives one result for each of its values") {
        auto son = world.entity("son").is_a(bob);
        bob.add(knows, alice);
        son.add(knows, alice).add(likes, alice).add(likes, carol);
        // Also where each that is visited counts.
        auto terms = world.filter_builder();
        terms.with().first(Any).second("$x").src("bob").self().down(kith::IsA).all();
        CHECK(bindings_of(terms.build(), {"x"}) == "() x=Name; () x=alice; () x=bob; () x=carol");
    }

    // spec 53
    TEST_CASE_FIXTURE(fixture, "(R, *) matches every target of a relationship and nothing else") {
        bob.add(likes, alice).add(knows, carol);
        carol.add(likes, bob);
        alice.add(knows, bob);
        CHECK(results_of(world.filter_builder().with(likes, Wildcard)) ==
              "bob: (Likes,alice)\ncarol: (Likes,bob)\n");
    }

    // spec 54
    TEST_CASE_FIXTURE(fixture, "(*, T) matches every relationship to a target") {
        bob.add(likes, alice).add(likes, carol).add(knows, alice);
        carol.add(knows, alice);
        CHECK(results_of(world.filter_builder().with(Wildcard, alice)) ==
              "bob: (Knows,alice)\nbob: (Likes,alice)\ncarol: (Knows,alice)\n");
    }

    // spec 55
    TEST_CASE_FIXTURE(fixture, "(*, *) matches every pair and no plain id") {
        kith::entity plain = world.entity().add(tag);
        kith::entity one = world.entity().add(likes, alice).add(knows, bob).add(tag);
        std::vector<std::string> seen;
        world.filter_builder()
            .with(Wildcard, Wildcard)
            .build()
            .each([&](kith::iter& it, std::size_t row) {
                CHECK(it.id(1).is_pair());
                CHECK(it.entity(row) != plain);
                if (it.entity(row) == one) {
                    seen.push_back(it.id(1).str().c_str());
                }
            });
        std::sort(seen.begin(), seen.end());
        CHECK(seen == std::vector<std::string>{"(Knows,bob)", "(Likes,alice)"});
    }

    // spec 56
    TEST_CASE_FIXTURE(fixture, "Wildcard alone matches plain ids and no pair") {
        kith::entity only_pairs = world.entity().add(likes, alice);
        kith::entity both = world.entity().add(tag).set(Position{1, 2}).add(likes, alice);
        std::vector<kith::id_t> seen;
        world.filter_builder().with(Wildcard).build().each([&](kith::iter& it, std::size_t row) {
            CHECK(it.entity(row) != only_pairs);
            if (it.entity(row) == both) {
                seen.push_back(it.id(1));
            }
        });
        std::vector<kith::id_t> wanted{tag, world.id<Position>()};
        std::sort(wanted.begin(), wanted.end());
        std::sort(seen.begin(), seen.end());
        CHECK(seen == wanted);
    }

    // spec 57
    TEST_CASE_FIXTURE(fixture, "several wildcards give every combination, with the matched ids") {
        kith::entity red = world.entity("red");
        kith::entity blue = world.entity("blue");
        bob.add(likes, alice).add(likes, carol).add(knows, red).add(knows, blue);
        CHECK(results_of(world.filter_builder().with(likes, Wildcard).with(knows, Wildcard)) ==
              "bob: (Likes,alice), (Knows,blue)\n"
              "bob: (Likes,alice), (Knows,red)\n"
              "bob: (Likes,carol), (Knows,blue)\n"
              "bob: (Likes,carol), (Knows,red)\n");
    }

    TEST_CASE_FIXTURE(fixture, "the same wildcard twice is a cross product with itself") {
        bob.add(likes, alice).add(likes, carol);
        CHECK(results_of(world.filter_builder().with(likes, Wildcard).with(likes, Wildcard)) ==
              "bob: (Likes,alice), (Likes,alice)\n"
              "bob: (Likes,alice), (Likes,carol)\n"
              "bob: (Likes,carol), (Likes,alice)\n"
              "bob: (Likes,carol), (Likes,carol)\n");
    }

    // spec 58
    TEST_CASE_FIXTURE(fixture, "the iterator tells the id that matched") {
        bob.add(likes, alice).add(tag);
        int calls = 0;
        world.filter_builder()
            .with(tag)
            .with(likes, Wildcard)
            .build()
            .each([&](kith::iter& it, std::size_t) {
                CHECK(it.id(1) == tag);
                CHECK(it.id(2) == world.pair(likes, alice));
                CHECK(it.term_id(2) == it.id(2));
                CHECK(it.pair(2).first() == likes);
                CHECK(it.pair(2).second() == alice);
                ++calls;
            });
        CHECK(calls == 1);
    }

    // spec 60
    TEST_CASE_FIXTURE(fixture, "each target of (R, *) comes with its own value") {
        kith::entity eater = world.entity("eater");
        for (int i = 0; i < 40; ++i) {
            eater.set<Eats>(world.entity(), {i});
        }
        auto check = [&](const auto& query) {
            int sum = 0;
            int results = 0;
            query.each([&](kith::iter& it, std::size_t row) {
                kith::entity target = it.pair(1).second();
                CHECK(&it.field<const Eats>(1)[row] == eater.get<Eats>(target));
                sum += it.field<const Eats>(1)[row].amount;
                ++results;
            });
            CHECK(results == 40);
            CHECK(sum == 39 * 40 / 2);
        };
        check(world.filter_builder().with<Eats>(Wildcard).build());
        check(world.query_builder().with<Eats>(Wildcard).build());
    }

    // spec 62
    TEST_CASE_FIXTURE(fixture, "a relationship without a target stands for any target") {
        kith::entity owned_by = world.entity("OwnedBy").add(kith::Exclusive);
        bob.add(owned_by, alice);
        carol.add(owned_by, bob);
        CHECK(results_of(world.filter_builder().with(owned_by)) ==
              "bob: (OwnedBy,alice)\ncarol: (OwnedBy,bob)\n");
        CHECK(found_by(world.filter_builder().with(kith::ChildOf)).empty());
        bob.child_of(alice);
        CHECK(found_by(world.filter_builder().with(kith::ChildOf)) == entity_list{bob});
    }

    TEST_CASE_FIXTURE(fixture, "a plain id without relationship properties is itself") {
        bob.add(likes, alice);
        carol.add(likes);
        CHECK(found_by(world.filter_builder().with(likes)) == entity_list{carol});
    }

    // spec 63
    TEST_CASE_FIXTURE(fixture, "Not with a wildcard finds what lacks the relationship") {
        bob.add(tag).add(likes, alice);
        alice.add(tag);
        carol.add(tag).add(knows, alice);
        CHECK(found_by(world.filter_builder().with(tag).without(likes, Wildcard)) ==
              entity_list{alice, carol});
        CHECK(found_by(world.filter_builder().with(tag).without(Wildcard, alice)) ==
              entity_list{alice});
        CHECK(found_by(world.filter_builder().with(tag).without(likes, Any)) ==
              entity_list{alice, carol});
    }

    TEST_CASE_FIXTURE(fixture, "roots are what has no pair of ChildOf") {
        bob.add(tag);
        alice.add(tag).child_of(bob);
        CHECK(found_by(world.filter_builder().with(tag).without(kith::ChildOf)) ==
              entity_list{bob});
        CHECK(found_by(world.filter_builder().with(tag).without(kith::ChildOf, Wildcard)) ==
              entity_list{bob});
        CHECK(found_by(world.filter_builder().with(tag).with(kith::ChildOf, 0)) ==
              entity_list{bob});
    }

    TEST_CASE_FIXTURE(fixture, "an optional wildcard gives each match, or one result without") {
        bob.add(tag).add(likes, alice).add(likes, carol);
        alice.add(tag);
        CHECK(results_of(world.filter_builder().with(tag).with(likes, Wildcard).optional()) ==
              "alice: Tag, -\nbob: Tag, (Likes,alice)\nbob: Tag, (Likes,carol)\n");
    }

    TEST_CASE_FIXTURE(fixture, "the last target gone, the entity matches no longer") {
        auto query = world.query_builder().with(likes, Wildcard).build();
        bob.add(likes, alice).add(likes, carol);
        CHECK(query.count() == 2);
        bob.remove(likes, alice);
        CHECK(results_of(query) == "bob: (Likes,carol)\n");
        carol.destruct();
        CHECK(query.count() == 0);
    }

    TEST_CASE_FIXTURE(fixture, "what marks a component for instances is no match of a wildcard") {
        kith::entity base = world.entity("base").override<Position>();
        int plain = 0;
        world.filter_builder().with(Wildcard).build().each(
            [&](kith::entity e) { plain += e == base; });
        CHECK(plain == 0);
    }

    // spec 72
    TEST_CASE_FIXTURE(fixture, "prefabs and disabled entities match only if they are asked for") {
        kith::entity plain = world.entity().add(tag);
        kith::entity fab = world.prefab().add(tag);
        kith::entity off = world.entity().add(tag).disable();
        CHECK(found_by(world.filter_builder().with(tag)) == entity_list{plain});
        CHECK(found_by(world.filter_builder().with(tag).with(kith::Prefab)) == entity_list{fab});
        CHECK(found_by(world.filter_builder().with(tag).with(kith::Disabled)) == entity_list{off});
        CHECK(found_by(world.filter_builder().with(tag).with(kith::Prefab).optional()) ==
              sorted({plain, fab}));
        CHECK(found_by(world.filter_builder().with(tag).without(kith::Disabled)) ==
              entity_list{plain});
    }

    TEST_CASE_FIXTURE(fixture, "an instance of a prefab is no prefab") {
        kith::entity fab = world.prefab().set(Position{1, 2});
        kith::entity inst = world.entity().is_a(fab);
        CHECK(found_by(world.filter_builder<Position>()) == entity_list{inst});
    }

    TEST_CASE_FIXTURE(fixture, "builtin entities are no results unless a term names one") {
        auto rows = found_by(world.filter_builder().with(kith::Wildcard, kith::Wildcard));
        for (kith::entity e : rows) {
            CHECK(e.id() > 304);
        }
        bob.add(kith::Exclusive);
        CHECK(world.filter_builder().with(kith::Exclusive).build().is_true());
        entity_list exclusive = found_by(world.filter_builder().with(kith::Exclusive));
        CHECK(std::find(exclusive.begin(), exclusive.end(), bob) != exclusive.end());
        CHECK(std::find(exclusive.begin(), exclusive.end(), world.entity(kith::ChildOf)) !=
              exclusive.end());
    }
}
