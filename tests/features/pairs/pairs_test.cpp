#include <kith/kith.hpp>

#include "support/world_fixture.hpp"

using namespace kith_test;
using kith::errc;

namespace {

struct fixture : world_fixture {
    kith::entity alice = world.entity("Alice");
    kith::entity bob = world.entity("Bob");
    kith::entity e = world.entity("e");
};

}  // namespace

TEST_SUITE("features.pairs.pairs") {
    // spec 11
    TEST_CASE_FIXTURE(fixture, "an id is taken apart into its elements") {
        kith::id pair = world.pair<Likes>(alice);
        CHECK(pair.is_pair());
        CHECK(pair.first() == world.component<Likes>());
        CHECK(pair.second() == alice);
        kith::id plain = world.id(alice);
        CHECK_FALSE(plain.is_pair());
        CHECK_FALSE(plain.first());
        CHECK_FALSE(plain.second());
        CHECK(plain.is_entity());
        CHECK(plain.entity() == alice);
        CHECK(pair.pair() == pair);
        CHECK(error_of([&] { plain.pair(); }).has_value());
        e.add<Likes>(alice);
        e.each([&](kith::id id) {
            if (id.is_pair() && id.first() == world.component<Likes>()) {
                CHECK(id.second() == alice);
            }
        });
    }

    // spec 11
    TEST_CASE_FIXTURE(fixture, "the elements of a pair have their current generation") {
        kith::entity old = world.entity();
        old.destruct();
        kith::entity young = world.entity();
        REQUIRE(kith::generation_of(young) == 1);
        CHECK(world.pair(young, young).first() == young);
        CHECK(world.pair(young, young).second() == young);
    }

    TEST_CASE_FIXTURE(fixture, "wildcard ids say so") {
        CHECK(world.id(kith::Wildcard).is_wildcard());
        CHECK(world.id(kith::make_pair(alice, kith::Wildcard)).is_wildcard());
        CHECK(world.id(kith::make_pair(kith::Any, alice)).is_wildcard());
        CHECK_FALSE(world.pair(alice, bob).is_wildcard());
    }

    TEST_CASE_FIXTURE(fixture, "flags are added to ids and taken away") {
        kith::id flagged = world.id(alice).add_flags(kith::Override);
        CHECK(flagged.has_flags(kith::Override));
        CHECK(flagged.has_flags());
        CHECK_FALSE(flagged.is_entity());
        CHECK(flagged.remove_flags() == alice);
        CHECK(flagged.remove_flags(kith::Override) == alice);
    }

    TEST_CASE_FIXTURE(fixture, "an entity has several targets of a relationship, in order") {
        e.add<Likes>(alice).add<Likes>(bob);
        CHECK(e.has<Likes>(alice));
        CHECK(e.has<Likes>(bob));
        CHECK(e.target<Likes>() == alice);
        CHECK(e.target<Likes>(1) == bob);
        CHECK_FALSE(e.target<Likes>(2));
        CHECK_FALSE(e.target<Likes>(-1));
        CHECK_FALSE(e.target<Eats>());
    }

    TEST_CASE_FIXTURE(fixture, "has answers wildcards") {
        e.add<Likes>(alice);
        CHECK(e.has<Likes>(kith::Wildcard));
        CHECK(e.has(kith::Wildcard, alice));
        CHECK(e.has(kith::Wildcard, kith::Wildcard));
        CHECK_FALSE(e.has<Eats>(kith::Wildcard));
        CHECK_FALSE(e.has(kith::Wildcard, bob));
        kith::entity empty = world.entity();
        CHECK_FALSE(empty.has(kith::Wildcard));
        CHECK_FALSE(empty.has(kith::Wildcard, kith::Wildcard));
        empty.add<Likes>(alice);
        CHECK_FALSE(empty.has(kith::Wildcard));
        empty.add<Hot>();
        CHECK(empty.has(kith::Wildcard));
    }

    TEST_CASE_FIXTURE(fixture,
                      "the value of a pair has the type of the relation if that has data") {
        e.set<Eats>(alice, Eats{3});
        CHECK(e.get<Eats>(alice)->amount == 3);
        e.set<Eats, Position>(Eats{5});
        CHECK(e.get<Eats, Position>()->amount == 5);
        CHECK(world.pair<Eats, Position>().type_id() == world.component<Eats>());
    }

    TEST_CASE_FIXTURE(fixture,
                      "the value of a pair has the type of the target if the relation is empty") {
        e.set<Likes, Position>(Position{1, 2});
        CHECK(e.get<Likes, Position>()->y == 2);
        CHECK(world.pair<Likes, Position>().type_id() == world.component<Position>());
        kith::entity relation = world.entity();
        e.set_second<Position>(relation, Position{7, 8});
        CHECK(e.get_second<Position>(relation)->x == 7);
        CHECK(e.has_second<Position>(relation));
        CHECK(e.get_mut_second<Position>(relation)->y == 8);
        e.remove_second<Position>(relation);
        CHECK_FALSE(e.has_second<Position>(relation));
    }

    TEST_CASE_FIXTURE(fixture, "a pair of two tags has no type") {
        CHECK_FALSE(world.pair<Likes>(alice).type_id());
        CHECK_FALSE(world.pair<Likes, Hot>().type_id());
    }

    // spec 4
    TEST_CASE_FIXTURE(fixture, "a pair of two tags is had or not, and holds no data") {
        kith::entity relation = world.entity();
        e.add(relation, alice).add<Likes>(alice);
        CHECK(e.has(relation, alice));
        CHECK(e.table().get(relation, alice) == nullptr);
        CHECK(e.table().get(world.pair<Likes>(alice)) == nullptr);
        CHECK(error_of([&] { e.get(world.pair<Likes>(alice)); }) == errc::wrong_type);
        e.remove(relation, alice);
        CHECK_FALSE(e.has(relation, alice));
        CHECK(e.has<Likes>(alice));
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "a relation with the property Tag has no data") {
        world.component<Eats>().add(kith::Tag);
        e.add<Eats>(alice);
        CHECK_FALSE(world.pair<Eats>(alice).type_id());
        CHECK(refusal(world, all_values(), [&] { e.set<Eats>(alice, Eats{1}); }) ==
              errc::wrong_type);
    }

    TEST_CASE_FIXTURE(fixture, "values of several targets are kept apart") {
        e.set<Eats>(alice, Eats{1}).set<Eats>(bob, Eats{2});
        CHECK(e.get<Eats>(alice)->amount == 1);
        CHECK(e.get<Eats>(bob)->amount == 2);
        e.remove<Eats>(alice);
        CHECK(e.get<Eats>(alice) == nullptr);
        CHECK(e.get<Eats>(bob)->amount == 2);
    }

    TEST_CASE_FIXTURE(fixture, "bare remove of a relation takes the plain id only") {
        e.add<Eats>().add<Eats>(alice);
        e.remove<Eats>();
        CHECK_FALSE(e.has<Eats>());
        CHECK(e.has<Eats>(alice));
    }

    TEST_CASE_FIXTURE(fixture, "remove with a wildcard takes all targets, or all relations") {
        e.set<Eats>(alice, Eats{1}).add<Likes>(alice).add<Likes>(bob).add<Hot>();
        e.remove<Likes>(kith::Wildcard);
        CHECK_FALSE(e.has<Likes>(kith::Wildcard));
        CHECK(e.has<Eats>(alice));
        e.remove(kith::Wildcard, alice);
        CHECK_FALSE(e.has(kith::Wildcard, alice));
        CHECK(e.has<Hot>());
        e.add<Likes>(alice);
        e.remove(kith::Wildcard);
        CHECK_FALSE(e.has<Hot>());
        CHECK(e.has<Likes>(alice));
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "an exclusive relationship has one target at most") {
        kith::entity rel = world.entity().add(kith::Exclusive);
        e.add(rel, alice).add(rel, bob);
        CHECK(e.target(rel) == bob);
        CHECK_FALSE(e.has(rel, alice));
        CHECK(e.type().count() == 2);
        e.remove(rel, alice);
        CHECK(e.target(rel) == bob);
    }

    TEST_CASE_FIXTURE(fixture, "exclusive replacement ends the old value and keeps others") {
        balance_check<counted<0>> balance;
        kith::world own;
        own.component<counted<0>>().add(kith::Exclusive);
        kith::entity a = own.entity();
        kith::entity b = own.entity();
        kith::entity x = own.entity().set(Label{"stays"});
        x.set<counted<0>>(a, counted<0>(1));
        x.set<counted<0>>(b, counted<0>(2));
        CHECK(x.get<counted<0>>(a) == nullptr);
        CHECK(x.get<counted<0>>(b)->number() == 2);
        CHECK(x.get<Label>()->text == "stays");
        CHECK(counted<0>::counts.alive() == 1);
        own.check();
    }

    // spec 36
    TEST_CASE_FIXTURE(fixture, "a deleted target is removed from those that had it") {
        e.add<Likes>(alice).set<Eats>(alice, Eats{1}).add<Likes>(bob);
        alice.destruct();
        CHECK(e.is_alive());
        CHECK_FALSE(e.has<Eats>(kith::Wildcard));
        CHECK(e.target<Likes>() == bob);
        CHECK_FALSE(e.target<Likes>(1));
        kith::entity next = world.entity();
        REQUIRE(kith::index_of(next) == kith::index_of(alice));
        CHECK_FALSE(e.has<Likes>(next));
        world.check();
    }

    // spec 36
    TEST_CASE_FIXTURE(fixture, "a deleted relation is removed from those that had it") {
        kith::entity rel = world.entity();
        e.add(rel, alice).add(rel, bob).add(rel).add<Hot>();
        rel.destruct();
        CHECK(e.is_alive());
        CHECK(e.has<Hot>());
        CHECK_FALSE(e.has(kith::Wildcard, alice));
        CHECK(e.type().count() == 2);
        world.check();
    }

    // spec 36
    TEST_CASE_FIXTURE(fixture, "a deleted tag is removed from those that had it") {
        kith::entity tag = world.entity();
        e.add(tag);
        tag.destruct();
        CHECK(e.is_alive());
        CHECK(e.type().count() == 1);
        kith::entity next = world.entity();
        CHECK_FALSE(e.has(next));
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "an entity that is its own target can be deleted") {
        e.add<Likes>(e).add(e, e).add(e);
        e.destruct();
        CHECK_FALSE(e.is_alive());
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "targets in a cycle can be deleted") {
        alice.add<Likes>(bob);
        bob.add<Likes>(e);
        e.add<Likes>(alice);
        alice.destruct();
        CHECK(bob.has<Likes>(e));
        CHECK_FALSE(e.has<Likes>(kith::Wildcard));
        world.check();
    }

    // spec 36
    TEST_CASE_FIXTURE(fixture, "cleanup policies: delete with the target, or refuse") {
        kith::entity cascade = world.entity().add(kith::OnDeleteTarget, kith::Delete);
        kith::entity panic = world.entity().add(kith::OnDeleteTarget, kith::Panic);
        e.add(cascade, alice);
        alice.destruct();
        CHECK_FALSE(e.is_alive());
        kith::entity x = world.entity().add(panic, bob);
        CHECK(refusal(world, all_values(), [&] { bob.destruct(); }) == errc::in_use);
        CHECK(bob.is_alive());
        x.destruct();
        CHECK_NOTHROW(bob.destruct());
        world.check();
    }

    // spec 36
    TEST_CASE_FIXTURE(fixture, "cleanup policies of the id itself: remove, delete, or refuse") {
        kith::entity removing = world.entity().add(kith::OnDelete, kith::Remove);
        kith::entity deleting = world.entity().add(kith::OnDelete, kith::Delete);
        kith::entity panicking = world.entity().add(kith::OnDelete, kith::Panic);
        kith::entity a = world.entity().add(removing);
        kith::entity b = world.entity().add(deleting);
        kith::entity c = world.entity().add(panicking);
        removing.destruct();
        CHECK(a.is_alive());
        deleting.destruct();
        CHECK_FALSE(b.is_alive());
        CHECK(refusal(world, all_values(), [&] { panicking.destruct(); }) == errc::in_use);
        c.destruct();
        CHECK_NOTHROW(panicking.destruct());
        world.check();
    }

    // spec 309
    TEST_CASE_FIXTURE(fixture, "deleting an id deletes the tables that had it") {
        const std::size_t before = world.stats().tables;
        for (int i = 0; i < 1000; ++i) {
            kith::entity target = world.entity();
            kith::entity source = world.entity().add<Likes>(target).set(Position{i, i});
            source.destruct();
            target.destruct();
        }
        CHECK(world.stats().tables < before + 20);
        CHECK(world.stats().ids < 400);
        world.check();
    }

    // spec 307
    TEST_CASE_FIXTURE(fixture, "a hundred thousand tables are no burden") {
        std::vector<kith::entity> targets;
        for (int i = 0; i < 100000; ++i) {
            kith::entity target = world.entity();
            targets.push_back(target);
            world.entity().add<Likes>(target).set(Position{i, 0});
        }
        CHECK(world.stats().tables > 100000);
        CHECK(world.count<Position>() == 100000);
        CHECK(world.count<Likes>(targets[500]) == 1);
        CHECK(world.count(world.component<Likes>(), kith::Wildcard) == 100000);
        for (std::size_t i = 0; i < targets.size(); i += 2) {
            targets[i].destruct();
        }
        CHECK(world.count(world.component<Likes>(), kith::Wildcard) == 50000);
        CHECK(world.count<Position>() == 100000);
        world.check();
    }

    // spec 308
    TEST_CASE_FIXTURE(fixture, "any entity may become relation or target at any time") {
        kith::entity rel = world.entity().set(Position{1, 2});
        kith::entity target = world.entity().set(Position{3, 4});
        const std::size_t tables = world.stats().tables;
        e.add(rel, target);
        CHECK(world.stats().tables > tables);
        CHECK(e.has(rel, target));
        CHECK(rel.get<Position>()->x == 1);
        target.destruct();
        CHECK_FALSE(e.has(rel, kith::Wildcard));
        world.check();
    }

    // spec 310
    TEST_CASE_FIXTURE(fixture, "what has an id is found without a walk through the others") {
        for (int i = 0; i < 20000; ++i) {
            world.entity().add<Likes>(world.entity());
        }
        e.add<Hot>().add<Eats>(alice);
        for (int i = 0; i < 20000; ++i) {
            int found = 0;
            world.each<Hot>([&](kith::entity x) { found += x == e; });
            world.each(kith::make_pair(kith::Wildcard, alice),
                       [&](kith::entity x) { found += x == e; });
            REQUIRE(found == 2);
        }
    }

    // spec 15
    TEST_CASE_FIXTURE(fixture,
                      "a type's component is among the low ids that tables index by array") {
        CHECK(kith::first_entity > kith::low_id_limit);
        CHECK(world.component<kith::Component>().id() < kith::low_id_limit);
        CHECK(world.component<kith::Identifier>().id() < kith::low_id_limit);
        CHECK(kith::index_of(world.entity()) >= kith::first_entity);
        CHECK(world.component<Position>().id() < kith::first_entity);
    }

    // spec 33
    TEST_CASE_FIXTURE(fixture, "entities are created with an id, a pair or values in one step") {
        kith::entity made = world.entity(Position{1, 2}, Velocity{3, 4}, Label{"x"});
        CHECK(made.get<Position>()->x == 1);
        CHECK(made.get<Velocity>()->y == 4);
        CHECK(made.get<Label>()->text == "x");
        kith::entity tagged;
        kith::entity paired;
        world.with<Hot>([&] { tagged = world.entity(); });
        world.with<Likes>(alice, [&] { paired = world.entity(Position{5, 6}); });
        CHECK(tagged.has<Hot>());
        CHECK(paired.has<Likes>(alice));
        CHECK(paired.get<Position>()->x == 5);
        CHECK_FALSE(world.entity().has<Hot>());
        world.check();
    }

    TEST_CASE_FIXTURE(fixture,
                      "with nests, takes pairs with this entity, and ends with exceptions") {
        kith::entity made;
        alice.with([&] {
            bob.with<Likes>(
                [&] { e.with(world.component<Eats>(), [&] { made = world.entity("made"); }); });
        });
        CHECK(made.has(alice));
        CHECK(made.has<Likes>(bob));
        CHECK(made.has<Eats>(e));
        CHECK_THROWS_AS(alice.with([] { throw 1; }), int);
        CHECK(world.entity().type().count() == 0);
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "types registered inside with and scope get neither") {
        world.with<Hot>([&] { world.scope(alice, [&] { world.entity().set(Wide{}); }); });
        CHECK_FALSE(world.component<Wide>().has<Hot>());
        CHECK(world.component<Wide>().parent() != alice);
    }

    TEST_CASE_FIXTURE(fixture, "the value of a pair of types is made in place") {
        e.emplace<Likes, Position>(3, 4);
        REQUIRE(e.get<Likes, Position>());
        CHECK(e.get<Likes, Position>()->x == 3);
        CHECK(error_of([&] { e.emplace<Likes, Position>(5, 6); }) == kith::errc::already_exists);
        CHECK(e.get<Likes, Position>()->x == 3);
    }
}
