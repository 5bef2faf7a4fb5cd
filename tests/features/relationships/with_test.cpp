// With: what comes together with something else, and stays as long as that is there.
#include <kith/kith.hpp>

#include "support/world_fixture.hpp"

using namespace kith_test;
using kith::errc;

namespace {

struct fixture : storage_fixture {
    kith::entity duty = make_relation(world, sparse, "duty");
    kith::entity power = make_relation(world, sparse, "power").add(kith::With, duty);
    kith::entity likes = make_relation(world, sparse, "likes");
    kith::entity loves = make_relation(world, sparse, "loves").add(kith::With, likes);
    kith::entity pears = world.entity("pears");
    kith::entity plums = world.entity("plums");
    kith::entity e = world.entity("e");
};

}  // namespace

TEST_SUITE("features.relationships.with") {
    // spec 116
    TEST_CASE_FIXTURE(fixture, "adding A also adds B") {
        e.add(power);
        CHECK(e.owns(duty));
        CHECK_FALSE(pears.add(duty).has(power));
        kith::entity made;
        world.with(power, [&] { made = world.entity(); });
        CHECK(made.has(duty));
        const kith::id_t ids[] = {power};
        const void* none[] = {nullptr};
        const kith::entity_t bulk = world.bulk(2, ids, 1, none)[1];
        CHECK(world.entity(bulk).has(duty));
        world.check();
    }

    // spec 116
    TEST_CASE_FIXTURE(fixture, "a component comes with others that have values") {
        make_relation<Label>(world, sparse);
        make_relation<Wide>(world, sparse);
        world.component<Position>().add(kith::With, world.component<Wide>());
        world.component<Position>().add(kith::With, world.component<Label>());
        e.set(Label{"kept"});
        e.set(Position{1, 2});
        CHECK(e.get<Label>()->text == "kept");
        CHECK(e.get<Wide>()->number == 7);
        kith::entity x = world.entity(Position{3, 4});
        CHECK(x.get<Wide>()->number == 7);
        CHECK(x.owns<Label>());
        kith::entity y = world.entity();
        y.get_mut<Position>();
        CHECK(y.has<Wide>());
        kith::entity z = world.entity().emplace<Position>(1, 1);
        CHECK(z.has<Wide>());
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "hooks run for what came along") {
        int added = 0;
        make_relation<Label>(world, sparse);
        power.add(kith::With, world.component<Label>());
        world.component<Label>().on_add([&](Label&) { ++added; });
        e.add(power);
        CHECK(added == 1);
        e.add(power);
        CHECK(added == 1);
    }

    // spec 117
    TEST_CASE_FIXTURE(fixture, "a relationship comes with another one to the same target") {
        e.add(loves, pears);
        CHECK(e.owns(likes, pears));
        CHECK(targets_of(e, likes) == entity_list{pears});
        CHECK_FALSE(e.has(likes));
        e.add(loves, plums);
        CHECK(targets_of(e, likes) == entity_list{pears, plums});
        CHECK(sources_of(plums, likes) == entity_list{e});
        world.check();
    }

    // spec 117
    TEST_CASE_FIXTURE(fixture, "values of the relationship that comes along are its own") {
        kith::entity eats = make_relation<Eats>(world, sparse);
        loves.add(kith::With, eats);
        e.add(loves, pears);
        CHECK(e.get<Eats>(pears)->amount == 0);
        e.set<Eats>(pears, Eats{5});
        e.add(loves, pears).add(loves, plums);
        CHECK(e.get<Eats>(pears)->amount == 5);
        CHECK(e.get<Eats>(plums)->amount == 0);
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "the plain id and the pairs each bring their own kind") {
        e.add(loves);
        CHECK(e.has(likes));
        CHECK_FALSE(e.has(likes, kith::Wildcard));
        world.check();
    }

    TEST_CASE_FIXTURE(fixture,
                      "exclusive relationships that come together change targets together") {
        loves.add(kith::Exclusive);
        likes.add(kith::Exclusive);
        kith::entity eats = make_relation<Eats>(world, sparse).add(kith::Exclusive);
        eats.add(kith::With, loves);
        e.add(loves, pears);
        e.add(loves, plums);
        CHECK(e.target(likes) == plums);
        CHECK(refusal(world, [&] { e.add(likes, pears); }) == errc::constraint);
        e.set<Eats>(pears, Eats{1});
        e.set<Eats>(plums, Eats{2});
        CHECK(e.target(loves) == plums);
        CHECK(e.target(likes) == plums);
        world.defer([&] { e.add<Hot>().set<Eats>(pears, Eats{3}); });
        CHECK(e.target(likes) == pears);
        kith::entity other = world.entity();
        e.clear();
        loves.add(kith::Symmetric);
        other.add(loves, plums);
        plums.add(loves, pears);
        CHECK(pears.target(loves) == plums);
        CHECK_FALSE(other.has(loves, kith::Wildcard));
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "what must come along is kept on both sides of a symmetric pair") {
        likes.add(kith::Symmetric);
        e.add(loves, pears);
        CHECK(pears.has(likes, e));
        CHECK(refusal(world, [&] { e.remove(likes, pears); }) == errc::constraint);
        CHECK(refusal(world, [&] { pears.remove(likes, e); }) == errc::constraint);
        CHECK(refusal(world, [&] { pears.clear(); }) == errc::constraint);
        plums.add(loves, plums);
        CHECK_NOTHROW(plums.remove(kith::Wildcard, plums));
        CHECK_FALSE(plums.has(likes, plums));
        plums.add(loves, pears);
        CHECK_NOTHROW(e.destruct());
        CHECK_FALSE(pears.has(likes, e));
        CHECK_NOTHROW(pears.destruct());
        CHECK_FALSE(plums.has(likes, kith::Wildcard));
        CHECK_FALSE(plums.has(loves, kith::Wildcard));
        world.check();
    }

    // spec 116, 117
    TEST_CASE_FIXTURE(fixture, "With in circles ends for given values, symmetry and batches") {
        kith::entity label = make_relation<Label>(world, sparse);
        kith::entity needy = make_relation<Needy>(world, sparse);
        kith::entity eats = make_relation<Eats>(world, sparse);
        label.add(kith::With, eats);
        eats.add(kith::With, label);
        CHECK(world.entity().set(Label{"x"}).get<Label>()->text == "x");
        CHECK(world.entity().emplace<Label>("y").owns<Eats>());
        kith::entity batched = world.entity();
        world.defer([&] { batched.add<Hot>().set(Label{"z"}).add<Cold>(); });
        CHECK(batched.get<Label>()->text == "z");
        CHECK(batched.owns<Eats>());
        kith::entity added = world.entity();
        world.defer([&] { added.add<Hot>().add<Eats>(); });
        CHECK(added.owns<Label>());
        eats.add(kith::Symmetric);
        e.set<Eats>(pears, Eats{3});
        CHECK(pears.get<Eats>(e)->amount == 3);
        CHECK(pears.owns<Label>(e));
        CHECK(e.owns<Label>(pears));
        // What has no default value is given.
        kith::entity wide = make_relation<Wide>(world, sparse);
        needy.add(kith::With, wide);
        wide.add(kith::With, needy);
        kith::entity given = world.entity().set(Needy(4));
        CHECK(given.get<Needy>()->number() == 4);
        CHECK(given.get<Wide>()->number == 7);
        CHECK(refusal(world, all_values(), [&] { e.add<Wide>(); }) == errc::not_constructible);
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "With goes on through what comes along, round in circles too") {
        kith::entity office = make_relation(world, sparse, "office");
        duty.add(kith::With, office);
        e.add(power);
        CHECK(e.has(office));
        kith::entity x = make_relation(world, sparse, "x");
        kith::entity y = make_relation(world, sparse, "y").add(kith::With, x);
        x.add(kith::With, y);
        pears.add(x);
        plums.add(y);
        CHECK(pears.has(y));
        CHECK(plums.has(x));
        pears.add(x, e);
        CHECK(pears.has(y, e));
        CHECK(refusal(world, [&] { pears.remove(x); }) == errc::constraint);
        CHECK(refusal(world, [&] { pears.remove(y, e); }) == errc::constraint);
        CHECK_NOTHROW(pears.clear());
        CHECK_FALSE(pears.has(x));
        CHECK_NOTHROW(plums.destruct());
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "removing A leaves B") {
        e.add(power).add(loves, pears);
        e.remove(power).remove(loves, pears);
        CHECK(e.has(duty));
        CHECK(e.has(likes, pears));
        e.remove(duty).remove(likes, pears);
        CHECK_FALSE(e.has(duty));
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "removing B while A is there is an error that names A") {
        e.add(power).add(loves, pears).add(likes, plums);
        CHECK(refusal(world, [&] { e.remove(duty); }) == errc::constraint);
        CHECK(contains(message_of([&] { e.remove(duty); }), "power"));
        CHECK(refusal(world, [&] { e.remove(likes, pears); }) == errc::constraint);
        CHECK(contains(message_of([&] { e.remove(likes, pears); }), "loves"));
        CHECK(refusal(world, [&] { e.remove(likes, kith::Wildcard); }) == errc::constraint);
        CHECK(refusal(world, [&] { world.remove_all(duty); }) == errc::constraint);
        CHECK(refusal(world, [&] { world.remove_all(likes, kith::Wildcard); }) == errc::constraint);
        CHECK_NOTHROW(e.remove(likes, plums));
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "A and B may go at once") {
        kith::entity other = make_relation(world, sparse);
        e.add(power).add(loves, pears).add(other, pears);
        e.remove(kith::Wildcard);
        CHECK_FALSE(e.has(power));
        CHECK_FALSE(e.has(duty));
        e.remove(kith::Wildcard, pears);
        CHECK_FALSE(e.has(kith::Wildcard, pears));
        e.add(loves, pears).add(other, pears);
        e.remove(kith::Wildcard, kith::Wildcard);
        CHECK_FALSE(e.has(kith::Wildcard, pears));
        e.add(loves, pears).add(other, pears);
        world.remove_all(kith::Wildcard, pears);
        CHECK_FALSE(e.has(kith::Wildcard, pears));
        e.add(power).add(loves, pears);
        e.clear();
        CHECK(e.type().count() == 0);
        e.add(power).add(loves, pears);
        e.destruct();
        CHECK_FALSE(e.is_alive());
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "deleting B, A or the target is no error") {
        e.add(power).add(loves, pears).add(loves, plums);
        pears.destruct();
        CHECK(targets_of(e, likes) == entity_list{plums});
        CHECK(targets_of(e, loves) == entity_list{plums});
        duty.destruct();
        CHECK(e.has(power));
        CHECK_FALSE(power.has(kith::With, kith::Wildcard));
        CHECK_NOTHROW(world.entity().add(power));
        loves.destruct();
        CHECK(e.has(likes, plums));
        CHECK_NOTHROW(e.remove(likes, plums));
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "what cannot come along makes the whole addition fail") {
        power.add(kith::With, world.component<Needy>());
        CHECK(refusal(world, all_values(), [&] { e.add(power); }) == errc::not_constructible);
        e.set(Needy(1));
        CHECK_NOTHROW(e.add(power));
        likes.add(kith::Acyclic);
        pears.add(likes, e);
        CHECK(refusal(world, all_values(), [&] { e.add(loves, pears); }) == errc::cycle);
        CHECK(refusal(world, all_values(), [&] { e.add(loves, e); }) == errc::cycle);
        kith::entity shelf = make_relation(world, sparse, "shelf").add(kith::OneOf);
        loves.add(kith::With, shelf);
        CHECK(refusal(world, all_values(), [&] { plums.add(loves, pears); }) == errc::constraint);
    }

    TEST_CASE_FIXTURE(fixture, "an exclusive B never loses the target that an A needs") {
        likes.add(kith::Exclusive);
        e.add(loves, pears);
        error_of([&] { e.add(loves, plums); });
        e.each(loves, [&](kith::entity target) { CHECK(e.has(likes, target)); });
        error_of([&] { e.add(likes, plums); });
        e.each(loves, [&](kith::entity target) { CHECK(e.has(likes, target)); });
        CHECK(targets_of(e, likes).size() == 1);
        loves.add(kith::Exclusive);
        error_of([&] { e.add(loves, plums); });
        e.each(loves, [&](kith::entity target) { CHECK(e.has(likes, target)); });
        CHECK(targets_of(e, loves).size() == 1);
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "an exclusive A that changes its target leaves the old B") {
        loves.add(kith::Exclusive);
        e.add(loves, pears).add(loves, plums);
        CHECK(targets_of(e, loves) == entity_list{plums});
        CHECK(targets_of(e, likes) == entity_list{pears, plums});
        CHECK_NOTHROW(e.remove(likes, pears));
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "With works in a queue, in order") {
        world.defer([&] {
            e.add(power).add(loves, pears);
            pears.add(power).remove(power).remove(duty);
            plums.add(loves, e).clear();
        });
        CHECK(e.has(duty));
        CHECK(e.has(likes, pears));
        CHECK_FALSE(pears.has(duty));
        CHECK(plums.type().count() == 0);
        CHECK(error_of([&] {
                  world.defer([&] {
                      e.remove(duty);
                      e.add<Hot>();
                  });
              }) == errc::constraint);
        CHECK(e.has(duty));
        CHECK(e.has<Hot>());
        kith::entity late;
        world.defer([&] {
            late = world.entity("late");
            kith::entity made = world.entity().add(kith::With, late);
            plums.add(made);
        });
        CHECK(plums.has(late));
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "With given late is refused while an entity lacks B") {
        kith::entity old = make_relation(world, sparse, "old");
        kith::entity young = make_relation(world, sparse, "young");
        e.add(old);
        pears.add(old, plums);
        CHECK(refusal(world, [&] { old.add(kith::With, young); }) == errc::constraint);
        CHECK(contains(message_of([&] { old.add(kith::With, young); }), "e"));
        e.add(young);
        CHECK(refusal(world, [&] { old.add(kith::With, young); }) == errc::constraint);
        pears.add(young, plums);
        old.add(kith::With, young);
        plums.add(old);
        CHECK(plums.has(young));
        old.remove(kith::With, young);
        CHECK_NOTHROW(e.remove(young));
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "clones and instances keep what comes together together") {
        e.add(power).add(loves, pears);
        kith::entity copy = e.clone();
        CHECK(copy.has(duty));
        CHECK(copy.has(likes, pears));
        kith::entity instance = world.entity().is_a(e);
        CHECK(instance.has(power));
        CHECK(instance.has(duty));
        instance.add(power);
        CHECK(instance.has(duty));
        CHECK_NOTHROW(instance.remove(power));
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "a switched-off B is still there") {
        e.add(power).disable(duty);
        CHECK_FALSE(e.enabled(duty));
        e.add(power);
        CHECK_FALSE(e.enabled(duty));
        CHECK(refusal(world, [&] { e.remove(duty); }) == errc::constraint);
    }

    // spec 106, 115, 117
    TEST_CASE("partners that come together change together, in any storage") {
        kith::world world;
        const bool sparse = for_both_storages();
        bool other = sparse;
        SUBCASE("the same storage") {}
        SUBCASE("one in each storage") {
            other = !sparse;
        }
        kith::entity likes = make_relation(world, sparse, "likes");
        kith::entity loves = make_relation<Eats>(world, other);
        likes.add(kith::Symmetric).add(kith::Exclusive);
        loves.add(kith::Symmetric).add(kith::Exclusive).add(kith::With, likes);
        bool both = false;
        SUBCASE("in one direction") {}
        SUBCASE("in both directions") {
            both = true;
        }
        if (both) {
            likes.add(kith::With, loves);
        }
        kith::entity a = world.entity("a");
        kith::entity b = world.entity("b");
        kith::entity c = world.entity("c");
        kith::entity d = world.entity("d");
        auto are_partners = [&](kith::entity one, kith::entity two) {
            return one.target(likes) == two && two.target(likes) == one &&
                   one.target(loves) == two && two.target(loves) == one;
        };
        auto is_single = [&](kith::entity one) {
            return !one.has(likes, kith::Wildcard) && !one.has(loves, kith::Wildcard);
        };
        a.add(loves, b);
        CHECK(are_partners(a, b));
        a.add(loves, c);
        CHECK(are_partners(a, c));
        CHECK(is_single(b));
        b.add(loves, d);
        a.add(loves, b);  // both have others
        CHECK(are_partners(a, b));
        CHECK(is_single(c));
        CHECK(is_single(d));
        c.add(loves, d);
        a.set<Eats>(d, Eats{3});
        CHECK(are_partners(a, d));
        CHECK(d.get<Eats>(a)->amount == 3);
        CHECK(is_single(b));
        CHECK(is_single(c));
        world.defer([&] { a.add<Hot>().add(loves, c).add<Cold>(); });
        CHECK(are_partners(a, c));
        CHECK(is_single(d));
        world.check();
        // One of the two alone cannot end.
        CHECK(refusal(world, [&] { a.remove(likes, c); }) == errc::constraint);
        if (!both) {
            CHECK(refusal(world, [&] { d.add(likes, c); }) == errc::constraint);
        }
        a.remove(kith::Wildcard, c);
        CHECK(is_single(a));
        CHECK(is_single(c));
        a.add(loves, c);
        c.clear();
        CHECK(is_single(a));
        a.add(loves, c);
        c.destruct();
        CHECK(is_single(a));
        world.check();
    }

    // spec 117
    TEST_CASE_FIXTURE(fixture, "the other side keeps what it needs when a partner comes") {
        likes.add(kith::Symmetric).add(kith::Exclusive);
        pears.add(loves, e);
        CHECK(refusal(world, [&] { plums.add(likes, pears); }) == errc::constraint);
        CHECK(pears.target(likes) == e);
    }

    TEST_CASE_FIXTURE(fixture, "deleting a symmetric B is no error") {
        likes.add(kith::Symmetric);
        loves.add(kith::Symmetric);
        e.add(loves, pears);
        CHECK_NOTHROW(likes.destruct());
        CHECK(pears.has(loves, e));
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "a symmetric relationship with pairs of itself can be deleted") {
        likes.add(kith::Symmetric).add(kith::With, loves);
        likes.add(likes, e);
        CHECK(e.has(loves, likes));
        CHECK_NOTHROW(likes.destruct());
        CHECK_FALSE(likes.is_alive());
        CHECK_FALSE(e.has(loves, kith::Wildcard));
        world.check();
    }

    // The other side of (likes, e) is what (loves, loves) implies, as long as loves has With.
    TEST_CASE_FIXTURE(fixture,
                      "a relationship loses With and the pairs that it implied in one step") {
        world.remove_all(kith::With, kith::Wildcard);
        likes.add(kith::Symmetric);
        loves.add(kith::With, likes);
        e.add(loves, loves);
        REQUIRE(loves.has(likes, e));
        CHECK_NOTHROW(loves.clear());
        CHECK(e.has(loves, loves));
        CHECK_FALSE(e.has(likes, loves));
        world.check();
    }
}
