// Symmetric: what X is to Y, Y is to X, whatever makes or ends it. For both storages.
#include <kith/kith.hpp>

#include "support/errors.hpp"
#include "support/relations.hpp"
#include "support/types.hpp"

using namespace kith_test;
using kith::errc;

namespace {

const void* const no_columns[] = {nullptr};

struct fixture {
    fixture() {
        register_all(world);
        trades = make_relation<Eats>(world, sparse).add(kith::Symmetric);
    }
    ~fixture() {
        CHECK(is_mutual(world, allied));
        CHECK(is_mutual(world, married));
        CHECK(is_mutual(world, trades));
        CHECK_NOTHROW(world.check());
    }

    std::string log;  // outlives the hooks that write to it
    kith::world world;
    bool sparse = for_both_storages();
    kith::entity allied = make_relation(world, sparse, "allied").add(kith::Symmetric);
    kith::entity married =
        make_relation(world, sparse, "married").add(kith::Symmetric).add(kith::Exclusive);
    kith::entity trades;
    kith::entity a = world.entity("a");
    kith::entity b = world.entity("b");
    kith::entity c = world.entity("c");
    kith::entity d = world.entity("d");
};

}  // namespace

TEST_SUITE("features.relationships.symmetric") {
    // spec 115
    TEST_CASE_FIXTURE(fixture, "a pair is added and removed in both directions") {
        a.add(allied, b);
        CHECK(b.has(allied, a));
        CHECK(b.owns(allied, a));
        CHECK(sources_of(a, allied) == entity_list{b});
        c.add(allied, a);
        CHECK(targets_of(a, allied) == entity_list{b, c});
        b.remove(allied, a);
        CHECK_FALSE(a.has(allied, b));
        CHECK_FALSE(b.has(allied, kith::Wildcard));
        CHECK(targets_of(a, allied) == entity_list{c});
    }

    // spec 115
    TEST_CASE_FIXTURE(fixture, "the value is mirrored") {
        a.set<Eats>(b, Eats{5});
        REQUIRE(b.get<Eats>(a));
        CHECK(b.get<Eats>(a)->amount == 5);
        b.set<Eats>(a, Eats{6});
        CHECK(a.get<Eats>(b)->amount == 6);
        a.set<Eats>(c, Eats{7});
        CHECK(b.get<Eats>(a)->amount == 6);
        CHECK(c.get<Eats>(a)->amount == 7);
        kith::entity x = world.entity().emplace_first<Eats>(d, 8);
        CHECK(d.get<Eats>(x)->amount == 8);
        a.add<Eats>(d);
        CHECK(d.get<Eats>(a)->amount == 0);
    }

    // spec 115
    TEST_CASE_FIXTURE(fixture, "a value changed in place is mirrored when that is told") {
        a.set<Eats>(b, Eats{1});
        a.get_mut<Eats>(b)->amount = 9;
        a.modified(trades, b);
        CHECK(b.get<Eats>(a)->amount == 9);
    }

    TEST_CASE_FIXTURE(fixture, "values that are no plain bytes are mirrored and balance") {
        balance_check<counted<0>> balance;
        kith::world own;
        make_relation<counted<0>>(own, sparse).add(kith::Symmetric);
        kith::entity x = own.entity();
        kith::entity y = own.entity();
        kith::entity z = own.entity();
        x.set<counted<0>>(y, counted<0>(3));
        CHECK(y.get<counted<0>>(x)->number() == 3);
        x.set<counted<0>>(x, counted<0>(4));
        CHECK(counted<0>::counts.alive() == 3);
        own.defer([&] {
            y.set<counted<0>>(x, counted<0>(5));
            z.set<counted<0>>(x, counted<0>(6));
        });
        CHECK(x.get<counted<0>>(y)->number() == 5);
        CHECK(x.get<counted<0>>(z)->number() == 6);
        own.check();
        y.destruct();
        CHECK(counted<0>::counts.alive() == 3);
        x.remove<counted<0>>(kith::Wildcard);
        CHECK(counted<0>::counts.alive() == 0);
        own.check();
    }

    TEST_CASE_FIXTURE(fixture, "a value that cannot be copied to the other side is refused") {
        kith::entity owners = make_relation<Owner>(world, sparse).add(kith::Symmetric);
        CHECK(refusal(world, all_values(), [&] {
                  a.set<Owner>(b, Owner{std::make_unique<int>(1)});
              }) == errc::not_copyable);
        CHECK_FALSE(a.has(owners, b));
    }

    TEST_CASE_FIXTURE(fixture, "an entity may be its own ally") {
        a.add(allied, a).set<Eats>(a, Eats{2});
        CHECK(targets_of(a, allied) == entity_list{a});
        a.remove(allied, a);
        CHECK_FALSE(a.has(allied, kith::Wildcard));
        a.add(allied, a);
        a.destruct();
        CHECK_FALSE(b.has(kith::Wildcard, a));
    }

    TEST_CASE_FIXTURE(fixture, "hooks run for both sides") {
        auto note = [this](const char* what) {
            return [this, what](kith::iter& it, Eats* value) {
                log += text_of(what, it.entity(0).name().c_str(),
                               it.event_id().second().name().c_str(), value->amount) +
                       " ";
            };
        };
        world.component<Eats>().on_add(note("+")).on_remove(note("-"));
        a.add<Eats>(b);
        CHECK(contains(log, "+,a,b,0 "));
        CHECK(contains(log, "+,b,a,0 "));
        log.clear();
        b.set<Eats>(a, Eats{4});
        CHECK(log == "");
        b.remove<Eats>(a);
        CHECK(contains(log, "-,a,b,4 "));
        CHECK(contains(log, "-,b,a,4 "));
        CHECK(log.size() == 16);
    }

    TEST_CASE_FIXTURE(fixture, "the set hook of both sides hears of a value") {
        world.component<Eats>().on_set([&](kith::entity e, Eats& value) {
            log += text_of(e.name().c_str(), value.amount) + " ";
        });
        a.set<Eats>(b, Eats{3});
        CHECK(contains(log, "a,3 "));
        CHECK(contains(log, "b,3 "));
    }

    TEST_CASE_FIXTURE(fixture, "whatever removes one side removes the other") {
        auto meet = [&] {
            a.add(allied, b).add(allied, c).set<Eats>(b, Eats{1});
            CHECK(b.has(allied, a));
        };
        auto nothing_left = [&] {
            for (kith::entity e : {b, c}) {
                CHECK_FALSE(e.has(allied, kith::Wildcard));
            }
            return !b.has<Eats>(kith::Wildcard);
        };
        meet();
        a.remove(allied, kith::Wildcard).remove<Eats>(kith::Wildcard);
        CHECK(nothing_left());
        meet();
        a.remove(kith::Wildcard, b).remove(kith::Wildcard, c);
        CHECK(nothing_left());
        meet();
        a.clear();
        CHECK(nothing_left());
        meet();
        world.remove_all(allied, kith::Wildcard);
        world.remove_all(trades, kith::Wildcard);
        CHECK(nothing_left());
        meet();
        world.remove_all(allied, a);
        world.remove_all(kith::Wildcard, a);
        CHECK(nothing_left());
        CHECK_FALSE(a.has(allied, kith::Wildcard));
        meet();
        world.defer([&] {
            b.remove(allied, a).remove<Eats>(a);
            c.clear();
        });
        CHECK(nothing_left());
        meet();
        a.destruct();
        CHECK(nothing_left());
    }

    // spec 115
    TEST_CASE_FIXTURE(fixture, "with Exclusive, former partners are unlinked on both sides") {
        a.add(married, b);
        c.add(married, d);
        a.add(married, c);
        CHECK(a.target(married) == c);
        CHECK(c.target(married) == a);
        CHECK_FALSE(b.target(married));
        CHECK_FALSE(d.target(married));
        CHECK(world.count(married, kith::Wildcard) == 2);
        a.add(married, c);
        c.add(married, a);
        CHECK(world.count(married, kith::Wildcard) == 2);
        c.add(married, c);
        CHECK_FALSE(a.target(married));
        CHECK(targets_of(c, married) == entity_list{c});
        c.add(married, a);
        CHECK(targets_of(c, married) == entity_list{a});
        CHECK(targets_of(a, married) == entity_list{c});
    }

    TEST_CASE_FIXTURE(fixture, "with Exclusive, values end on both sides") {
        balance_check<counted<1>> balance;
        kith::world own;
        make_relation<counted<1>>(own, sparse).add(kith::Exclusive).add(kith::Symmetric);
        entity_list all;
        for (int i = 0; i < 6; ++i) {
            all.push_back(own.entity());
        }
        for (int i = 0; i < 200; ++i) {
            const auto at = static_cast<std::size_t>(i);
            all[at * 7 % 6].set<counted<1>>(all[at * 5 % 11 % 6], counted<1>(i));
            own.check();
            CHECK(is_mutual(own, own.component<counted<1>>()));
        }
        CHECK(counted<1>::counts.alive() == own.count(own.component<counted<1>>(), kith::Wildcard));
    }

    TEST_CASE_FIXTURE(fixture, "deferred marriages end as those done one by one") {
        world.defer([&] {
            a.add(married, b);
            c.add(married, d);
            b.add(married, c);
            a.add<Eats>(b);
            a.set<Eats>(b, Eats{3});
            b.set<Eats>(a, Eats{4});
            d.add(allied, a);
            a.remove(allied, d);
        });
        CHECK_FALSE(a.target(married));
        CHECK_FALSE(d.target(married));
        CHECK(b.target(married) == c);
        CHECK(c.target(married) == b);
        CHECK(a.get<Eats>(b)->amount == 4);
        CHECK(b.get<Eats>(a)->amount == 4);
        CHECK_FALSE(d.has(allied, kith::Wildcard));
    }

    TEST_CASE_FIXTURE(fixture, "a partner that dies in the batch leaves nothing") {
        kith::entity made;
        world.defer([&] {
            made = world.entity();
            a.add(married, made).add(allied, made).set<Eats>(made, Eats{1});
            made.destruct();
            b.add(married, a);
        });
        CHECK(a.target(married) == b);
        CHECK_FALSE(a.has(allied, kith::Wildcard));
        CHECK_FALSE(a.has<Eats>(kith::Wildcard));
    }

    TEST_CASE_FIXTURE(fixture, "a deleted entity leaves its friends, or takes them along") {
        a.add(allied, b);
        b.destruct();
        CHECK(a.is_alive());
        CHECK_FALSE(a.has(allied, kith::Wildcard));
        kith::entity fate = make_relation(world, sparse)
                                .add(kith::Symmetric)
                                .add(kith::OnDeleteTarget, kith::Delete);
        a.add(fate, c);
        c.add(fate, d);
        a.destruct();
        CHECK_FALSE(c.is_alive());
        CHECK_FALSE(d.is_alive());
    }

    TEST_CASE_FIXTURE(fixture, "a relationship can be deleted whose sides have different types") {
        a.add(allied, a);
        b.add<Hot>().add(allied, a);
        allied.destruct();
        world.check();
        CHECK(a.type().count() == 1);
        CHECK(b.type().count() == 2);
    }

    TEST_CASE_FIXTURE(fixture, "clones and bulk entities are befriended by those they befriend") {
        a.add(allied, b).set<Eats>(b, Eats{5});
        kith::entity copy = a.clone();
        CHECK(b.has(allied, copy));
        CHECK(b.get<Eats>(copy)->amount == 5);
        const kith::id_t ids[] = {world.pair(allied, c)};
        world.bulk(4, ids, 1, no_columns);
        CHECK(targets_of(c, allied).size() == 4);
        a.add(married, b);
        kith::entity rival = a.clone();
        CHECK(world.count(married, kith::Wildcard) == 2);
        rival.destruct();
    }

    TEST_CASE_FIXTURE(fixture, "entities made inside of with are mirrored") {
        kith::entity made;
        world.with(allied, a, [&] { made = world.entity(); });
        CHECK(a.has(allied, made));
        b.with(allied, [&] { made = world.entity("named"); });
        CHECK(b.has(allied, made));
    }

    TEST_CASE_FIXTURE(fixture, "the mirror comes with what it comes with") {
        kith::entity knows = make_relation(world, sparse, "knows");
        allied.add(kith::With, knows);
        a.add(allied, b);
        CHECK(a.has(knows, b));
        CHECK(b.has(knows, a));
        CHECK(refusal(world, all_values(), [&] { b.remove(knows, a); }) == errc::constraint);
    }

    TEST_CASE_FIXTURE(fixture, "what the other side may not have is refused on both") {
        allied.add(kith::OneOf);
        a.child_of(allied);
        CHECK(refusal(world, all_values(), [&] { b.add(allied, a); }) == errc::constraint);
        CHECK(refusal(world, all_values(), [&] { a.add(allied, b); }) == errc::constraint);
        b.child_of(allied);
        b.add(allied, a);
        CHECK(a.has(allied, b));
        // What comes along is had by both.
        kith::entity tower = make_relation(world, sparse, "tower").add(kith::Acyclic);
        married.add(kith::With, tower);
        CHECK(refusal(world, all_values(), [&] { c.add(married, d); }) == errc::cycle);
        married.remove(kith::With, tower);
        make_relation<Needy>(world, sparse);
        married.add(kith::With, world.component<Needy>());
        CHECK(refusal(world, all_values(), [&] { c.add(married, d); }) == errc::not_constructible);
        // It would replace what another pair needs.
        allied.remove(kith::OneOf);
        kith::entity single = make_relation(world, sparse, "single").add(kith::Exclusive);
        a.remove(allied, b);
        allied.add(kith::With, single);
        c.add(allied, d);
        CHECK(refusal(world, all_values(), [&] { a.add(allied, d); }) == errc::constraint);
    }

    TEST_CASE_FIXTURE(fixture, "what an instance inherits is mirrored for the base only") {
        a.add(allied, b);
        c.is_a(a);
        CHECK(c.has(allied, b));
        CHECK_FALSE(b.has(allied, c));
        c.add(allied, b);
        CHECK(b.has(allied, c));
        c.remove(allied, b);
        CHECK_FALSE(b.has(allied, c));
        CHECK(b.has(allied, a));
    }

    TEST_CASE_FIXTURE(fixture, "Symmetric given late is refused while a direction is missing") {
        kith::entity late = make_relation(world, sparse, "late");
        a.add(late, b);
        c.add(late, d);
        d.add(late, c);
        CHECK(refusal(world, all_values(), [&] { late.add(kith::Symmetric); }) == errc::constraint);
        CHECK(contains(message_of([&] { late.add(kith::Symmetric); }), "a"));
        b.add(late, a);
        late.add(kith::Symmetric);
        a.remove(late, b);
        CHECK_FALSE(b.has(late, a));
        late.remove(kith::Symmetric);
        a.add(late, b);
        CHECK_FALSE(b.has(late, a));
    }

    TEST_CASE_FIXTURE(fixture, "Symmetric contradicts what must have no cycles") {
        for (kith::entity_t property : {kith::Acyclic, kith::Traversable, kith::Transitive}) {
            kith::entity one = make_relation(world, sparse).add(kith::Symmetric);
            CHECK(refusal(world, all_values(), [&] { one.add(property); }) == errc::constraint);
            kith::entity two = make_relation(world, sparse).add(property);
            CHECK(refusal(world, all_values(), [&] { two.add(kith::Symmetric); }) ==
                  errc::constraint);
        }
    }

    TEST_CASE_FIXTURE(fixture, "a dead partner is refused and changes nothing") {
        d.destruct();
        CHECK(refusal(world, all_values(), [&] { a.add(allied, d); }) == errc::invalid_id);
        CHECK(refusal(world, all_values(), [&] { a.add(married, kith::Wildcard); }) ==
              errc::invalid_id);
        CHECK(refusal(world, all_values(), [&] { d.add(allied, a); }) == errc::invalid_entity);
    }
}
