// Exclusive: one target at most; a new one takes the place of the old. For both storages.
#include <kith/kith.hpp>

#include "support/errors.hpp"
#include "support/relations.hpp"
#include "support/types.hpp"

using namespace kith_test;
using kith::errc;

namespace {

struct fixture {
    fixture() { register_all(world); }

    std::string log;  // outlives the hooks that write to it
    kith::world world;
    bool sparse = for_both_storages();
    kith::entity rel = make_relation(world, sparse, "rel").add(kith::Exclusive);
    kith::entity a = world.entity("a");
    kith::entity b = world.entity("b");
    kith::entity c = world.entity("c");
    kith::entity e = world.entity("e");
};

}  // namespace

TEST_SUITE("features.relationships.exclusive") {
    // spec 106, 325
    TEST_CASE_FIXTURE(fixture, "a new target replaces the old one") {
        e.add(rel, a).add(rel, b);
        CHECK(targets_of(e, rel) == entity_list{b});
        CHECK_FALSE(e.has(rel, a));
        CHECK(sources_of(a, rel).empty());
        CHECK(sources_of(b, rel) == entity_list{e});
        CHECK(world.count(rel, kith::Wildcard) == 1);
        CHECK(world.count(rel, a) == 0);
        e.remove(rel, a);
        CHECK(e.target(rel) == b);
        e.remove(rel, b);
        CHECK_FALSE(e.has(rel, kith::Wildcard));
        world.check();
    }

    // spec 325
    TEST_CASE_FIXTURE(fixture, "other relationships keep many targets") {
        kith::entity many = make_relation(world, sparse);
        e.add(rel, a).add(many, a).add(many, b).add(rel, b).add(many, c);
        CHECK(targets_of(e, many) == entity_list{a, b, c});
        CHECK(targets_of(e, rel) == entity_list{b});
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "values of the old target end, the new one starts afresh") {
        balance_check<counted<0>> balance;
        kith::world own;
        make_relation<counted<0>>(own, sparse).add(kith::Exclusive);
        kith::entity x = own.entity();
        kith::entity y = own.entity();
        kith::entity z = own.entity().set<counted<0>>(x, counted<0>(5));
        z.add<counted<0>>(y);
        CHECK(z.get<counted<0>>(x) == nullptr);
        CHECK(z.get<counted<0>>(y)->number() == 0);
        z.set<counted<0>>(x, counted<0>(6));
        CHECK(z.get<counted<0>>(x)->number() == 6);
        z.get_mut<counted<0>>(y)->set_number(7);
        CHECK(z.target<counted<0>>() == y);
        CHECK(z.get<counted<0>>(y)->number() == 7);
        z.set<counted<0>>(y, counted<0>(8));
        CHECK(counted<0>::counts.alive() == 1);
        own.check();
    }

    TEST_CASE_FIXTURE(fixture, "the old pair is removed before the new one is added") {
        make_relation<Eats>(world, sparse).add(kith::Exclusive);
        auto note = [this](const char* what) {
            return [this, what](kith::iter& it, Eats*) {
                log += std::string(what) + it.event_id().second().name().c_str() + " ";
            };
        };
        world.component<Eats>().on_add(note("+")).on_set(note("=")).on_remove(note("-"));
        e.add<Eats>(a);
        e.set<Eats>(b, Eats{1});
        e.add<Eats>(b);
        b.destruct();
        CHECK(log == "+a -a +b =b -b ");
        log.clear();
        e.add<Eats>(a);
        world.defer([&] { e.set<Eats>(c, Eats{2}); });
        CHECK(log == "+a -a +c =c ");
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "two targets in one bulk description are refused") {
        const kith::id_t ids[] = {world.pair(rel, a), world.pair(rel, b)};
        const void* none[] = {nullptr, nullptr};
        CHECK(refusal(world, all_values(), [&] { world.bulk(3, ids, 2, none); }) ==
              errc::constraint);
        const kith::id_t one[] = {world.pair(rel, a)};
        const kith::entity_t made = world.bulk(3, one, 1, none)[1];
        CHECK(world.entity(made).target(rel) == a);
        CHECK(sources_of(a, rel).size() == 3);
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "two with scopes that give a target each are refused") {
        CHECK(refusal(world, all_values(), [&] {
                  world.with(rel, a, [&] { world.with(rel, b, [&] { world.entity(); }); });
              }) == errc::constraint);
        kith::entity made;
        world.with(rel, a, [&] { made = world.entity().add(rel, b); });
        CHECK(targets_of(made, rel) == entity_list{b});
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "deferred targets replace each other in order") {
        world.defer([&] {
            e.add(rel, a).add(rel, b).add(rel, c);
            a.add(rel, b).remove(rel, b);
            b.add(rel, a).add(rel, c).remove(rel, a);
            c.add(rel, a).add(rel, b).remove(rel, b);
        });
        CHECK(targets_of(e, rel) == entity_list{c});
        CHECK_FALSE(a.target(rel));
        CHECK(b.target(rel) == c);
        CHECK_FALSE(c.target(rel));
        CHECK(sources_of(a, rel).empty());
        CHECK(sources_of(c, rel) == entity_list{e, b});
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "a deferred target that dies takes the pair, not the old one back") {
        e.add(rel, a);
        world.defer([&] {
            e.add(rel, b);
            b.destruct();
        });
        CHECK_FALSE(e.target(rel));
        kith::entity made;
        world.defer([&] {
            made = world.entity();
            e.add(rel, made);
            made.destruct();
            e.add(rel, c);
        });
        CHECK(targets_of(e, rel) == entity_list{c});
        CHECK_FALSE(made.is_alive());
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "add_if false takes whatever target is there") {
        e.add(rel, a);
        e.add_if(false, rel, b);
        CHECK_FALSE(e.target(rel));
        e.add_if(true, rel, b);
        CHECK(e.target(rel) == b);
        e.add_if(false, rel, 0);
        CHECK_FALSE(e.target(rel));
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "clones have the same target, and change it for themselves") {
        e.add(rel, a);
        kith::entity copy = e.clone();
        CHECK(copy.target(rel) == a);
        copy.add(rel, b);
        CHECK(e.target(rel) == a);
        CHECK(sources_of(a, rel) == entity_list{e});
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "a switched-off pair that is replaced leaves no trace") {
        e.add(rel, a).disable(rel, a);
        e.add(rel, b);
        CHECK(e.enabled(rel, b));
        e.add(rel, a);
        CHECK(e.enabled(rel, a));
        world.check();
    }

    // spec 94
    TEST_CASE_FIXTURE(fixture, "replacing a target does not run its cleanup policy") {
        rel.add(kith::OnDeleteTarget, kith::Delete);
        e.add(rel, a).add(rel, b);
        a.destruct();
        CHECK(e.is_alive());
        e.remove(rel, b);
        b.destruct();
        CHECK(e.is_alive());
        e.add(rel, c);
        c.destruct();
        CHECK_FALSE(e.is_alive());
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "an entity may be its own only target") {
        e.add(rel, a).add(rel, e);
        CHECK(targets_of(e, rel) == entity_list{e});
        CHECK(sources_of(e, rel) == entity_list{e});
        e.destruct();
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "Exclusive given late is refused if an entity has two targets") {
        kith::entity late = make_relation(world, sparse, "late");
        e.add(late, a).add(late, b);
        c.add(late, a);
        CHECK(refusal(world, all_values(), [&] { late.add(kith::Exclusive); }) == errc::constraint);
        CHECK(contains(message_of([&] { late.add(kith::Exclusive); }), "e"));
        e.remove(late, a);
        late.add(kith::Exclusive);
        e.add(late, c);
        CHECK(targets_of(e, late) == entity_list{c});
        c.add(late, b);
        CHECK(targets_of(c, late) == entity_list{b});
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "without Exclusive a relationship has many targets again") {
        e.add(rel, a);
        rel.remove(kith::Exclusive);
        e.add(rel, b);
        CHECK(targets_of(e, rel) == entity_list{a, b});
        CHECK(refusal(world, all_values(), [&] { rel.add(kith::Exclusive); }) == errc::constraint);
    }

    TEST_CASE_FIXTURE(fixture, "the plain relationship beside its pairs is not touched") {
        e.add(rel).add(rel, a).add(rel, b);
        CHECK(e.has(rel));
        e.remove(rel);
        CHECK(e.target(rel) == b);
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "a hundred thousand changes of target leave one") {
        const std::size_t tables = world.stats().tables;
        for (int i = 0; i < 100000; ++i) {
            e.add(rel, i % 2 ? a : b);
        }
        CHECK(targets_of(e, rel).size() == 1);
        CHECK(world.stats().tables <= tables + 3);
        world.check();
    }
}
