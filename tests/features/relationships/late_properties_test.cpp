// Properties given to or taken from what is in use: what exists migrates, or the first offender is
// named and nothing changes. Never ignored.
#include <kith/kith.hpp>

#include "support/world_fixture.hpp"

using namespace kith_test;
using kith::errc;

namespace {

struct fixture : world_fixture {
    kith::entity rel = world.entity("rel");
    kith::entity a = world.entity("a");
    kith::entity b = world.entity("b");
    kith::entity e = world.entity("e");

    std::string state() {
        std::string text = dump_world(world, all_values());
        for (const char* word : {", Sparse", "Sparse, ", " Sparse"}) {
            for (std::size_t at; (at = text.find(word)) != std::string::npos;) {
                text.erase(at, std::string(word).size());
            }
        }
        return text;
    }
};

int pairs_in_table(kith::entity e, kith::entity_t rel) {
    const kith::type type = e.table().type();
    return static_cast<int>(std::count_if(type.begin(), type.end(), [&](kith::id_t id) {
        return kith::is_pair(id) && kith::pair_first(id) == kith::index_of(rel);
    }));
}

}  // namespace

TEST_SUITE("features.relationships.late_properties") {
    TEST_CASE_FIXTURE(fixture, "Sparse comes and goes at any time, data migrates") {
        kith::entity eats = world.component<Eats>();
        e.add(rel, a).add(rel, b).set<Eats>(a, Eats{1}).set<Eats>(b, Eats{2}).add(rel);
        a.add(rel, a).set(Position{1, 1});
        kith::entity c = world.entity().set<Eats>(a, Eats{3}).set(Label{"text"});
        const std::string before = state();
        for (int round = 0; round < 3; ++round) {
            rel.add(kith::Sparse);
            eats.add(kith::Sparse);
            world.check();
            CHECK(state() == before);
            CHECK(pairs_in_table(e, rel) == 0);
            CHECK(pairs_in_table(c, eats) == 0);
            CHECK(world.count(rel, a) == 2);
            CHECK(sorted(sources_of(a, eats)) == sorted({e, c}));
            rel.remove(kith::Sparse);
            eats.remove(kith::Sparse);
            world.check();
            CHECK(state() == before);
            CHECK(pairs_in_table(e, rel) == 2);
            CHECK(pairs_in_table(c, eats) == 1);
            CHECK(sorted(sources_of(a, rel)) == sorted({e, a}));
        }
    }

    TEST_CASE("migrated values are moved, and no hook runs") {
        balance_check<counted<0>> balance;
        std::string log;
        kith::world world;
        kith::entity component = world.component<counted<0>>();
        world.component<counted<0>>()
            .on_add([&](counted<0>&) { log += "add "; })
            .on_set([&](counted<0>&) { log += "set "; })
            .on_remove([&](counted<0>&) { log += "remove "; });
        entity_list all;
        for (int i = 0; i < 100; ++i) {
            kith::entity x = world.entity().set(counted<0>(1000 + i));
            all.push_back(x);
            x.set<counted<0>>(all[static_cast<std::size_t>(i / 3)], counted<0>(i));
            x.set<counted<0>>(all[static_cast<std::size_t>(i / 2)], counted<0>(2 * i));
        }
        log.clear();
        const int copied = counted<0>::counts.copied;
        component.add(kith::Sparse);
        component.remove(kith::Sparse);
        component.add(kith::Sparse);
        CHECK(log == "");
        CHECK(counted<0>::counts.copied == copied);
        for (int i = 0; i < 100; ++i) {
            kith::entity x = all[static_cast<std::size_t>(i)];
            CHECK(x.get<counted<0>>()->number() == 1000 + i);
            CHECK(x.get<counted<0>>(all[static_cast<std::size_t>(i / 2)])->number() == 2 * i);
        }
        world.check();
        all[0].destruct();
        component.remove(kith::Sparse);
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "switched-off pairs stay off through a migration") {
        e.set<Eats>(a, Eats{1}).set<Eats>(b, Eats{2}).disable<Eats>(a).add(rel, b).disable(rel, b);
        e.set(Position{1, 1}).disable<Position>();
        for (kith::entity what :
             entity_list{world.component<Eats>(), rel, world.component<Position>()}) {
            what.add(kith::Sparse);
            CHECK_FALSE(e.enabled<Eats>(a));
            CHECK(e.enabled<Eats>(b));
            CHECK_FALSE(e.enabled(rel, b));
            CHECK_FALSE(e.enabled<Position>());
            what.remove(kith::Sparse);
            CHECK_FALSE(e.enabled<Eats>(a));
            CHECK(e.enabled<Eats>(b));
            CHECK_FALSE(e.enabled(rel, b));
            CHECK_FALSE(e.enabled<Position>());
        }
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "references find their value again") {
        e.set<Eats>(a, Eats{1}).set(Position{2, 2});
        auto edge = e.get_ref<Eats>(a);
        auto place = e.get_ref<Position>();
        world.component<Eats>().add(kith::Sparse);
        world.component<Position>().add(kith::Sparse);
        CHECK(edge->amount == 1);
        CHECK(place->x == 2);
        world.component<Eats>().remove(kith::Sparse);
        world.component<Position>().remove(kith::Sparse);
        CHECK(edge->amount == 1);
        CHECK(place->x == 2);
    }

    TEST_CASE_FIXTURE(fixture, "the hierarchy changes its storage with all names and orders") {
        kith::entity parent = world.entity("parent");
        entity_list made;
        for (int i = 0; i < 20; ++i) {
            made.push_back(world.entity(("c" + std::to_string(19 - i)).c_str()).child_of(parent));
            if (i % 3 == 0) {
                made.back().set(Position{i, i});
            }
        }
        kith::entity deep = world.entity("deep").child_of(made[3]);
        const std::string before = state();
        for (bool sparse : {false, true, false, true}) {
            set_hierarchy(world, sparse);
            world.check();
            CHECK(world.entity(kith::ChildOf).has(kith::Sparse) == sparse);
            CHECK(deep.table().has(kith::ChildOf, made[3]) != sparse);
            CHECK(state() == before);
            CHECK(sorted(children_of(parent)) == sorted(made));
            CHECK(deep.parent() == made[3]);
            CHECK(world.lookup("parent::c16::deep") == deep);
            CHECK(deep.path() == "::parent::c16::deep");
            CHECK(error_of([&] { parent.child_of(deep); }) == errc::cycle);
            CHECK(error_of([&] { world.entity("x").child_of(parent).set_name("c3"); }) ==
                  errc::name_taken);
            world.lookup("parent::x").destruct();
        }
        set_hierarchy(world, true);
        parent.destruct();
        CHECK_FALSE(deep.is_alive());
        CHECK_FALSE(world.lookup("parent"));
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "a relationship that has pairs of its own changes its storage") {
        rel.add(rel, a).add(rel, rel);
        for (int round = 0; round < 3; ++round) {
            rel.add(kith::Sparse);
            CHECK(rel.has(kith::Sparse));
            CHECK(pairs_in_table(rel, rel) == 0);
            CHECK(targets_of(rel, rel) == sorted({rel, a}));
            world.check();
            rel.remove(kith::Sparse);
            CHECK_FALSE(rel.has(kith::Sparse));
            CHECK(pairs_in_table(rel, rel) == 2);
            CHECK(targets_of(rel, rel) == sorted({rel, a}));
            world.check();
        }
        kith::entity eats = world.component<Eats>();
        eats.set(Eats{1}).set<Eats>(eats, Eats{2});
        eats.add(kith::Sparse);
        CHECK(eats.has(kith::Sparse));
        CHECK(eats.get<Eats>()->amount == 1);
        CHECK(eats.get<Eats>(eats)->amount == 2);
        eats.remove(kith::Sparse);
        CHECK_FALSE(eats.has(kith::Sparse));
        CHECK(eats.get<Eats>(eats)->amount == 2);
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "properties are given and taken in a queue, in order") {
        world.defer([&] {
            e.add(rel, a).add(rel, b);
            rel.add(kith::Sparse);
            e.remove(rel, a);
            rel.add(kith::Exclusive);
            e.add(rel, a);
        });
        CHECK(targets_of(e, rel) == entity_list{a});
        CHECK(pairs_in_table(e, rel) == 0);
        CHECK(error_of([&] {
                  world.defer([&] {
                      rel.remove(kith::Exclusive);
                      e.add(rel, b);
                      rel.add(kith::Exclusive);
                      rel.remove(kith::Sparse);
                      a.add<Hot>();
                  });
              }) == errc::constraint);
        CHECK(targets_of(e, rel) == entity_list{a, b});
        CHECK_FALSE(rel.has(kith::Exclusive));
        CHECK(pairs_in_table(e, rel) == 2);
        CHECK(a.has<Hot>());
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "the storage cannot change under an iteration, unless deferred") {
        kith::entity eats = world.component<Eats>();
        e.set<Eats>(a, Eats{1}).set(Position{1, 1});
        world.each([&](Position&) {
            CHECK(error_of([&] { eats.add(kith::Sparse); }) == errc::locked);
            world.defer([&] {});
        });
        CHECK_FALSE(eats.has(kith::Sparse));
        CHECK(e.get<Eats>(a)->amount == 1);
        world.check();
    }

    // spec 97
    TEST_CASE_FIXTURE(fixture, "Tag is refused while pairs have values, or takes effect") {
        kith::entity eats = world.component<Eats>();
        for (bool sparse : {false, true}) {
            if (sparse) {
                eats.add(kith::Sparse);
            }
            e.set<Eats>(a, Eats{1});
            CHECK(refusal(world, all_values(), [&] { eats.add(kith::Tag); }) == errc::constraint);
            CHECK(contains(message_of([&] { eats.add(kith::Tag); }), "e"));
            CHECK(e.get<Eats>(a)->amount == 1);
            e.remove<Eats>(a);
        }
        eats.add(kith::Tag);
        e.add<Eats>(a);
        CHECK_FALSE(world.pair<Eats>(a).type_id());
        CHECK(refusal(world, all_values(), [&] { e.set<Eats>(a, Eats{1}); }) == errc::wrong_type);
    }

    // spec 97
    TEST_CASE_FIXTURE(fixture, "Tag on a plain relationship whose targets have types") {
        e.set_second<Position>(rel, Position{1, 1});
        CHECK(refusal(world, all_values(), [&] { rel.add(kith::Tag); }) == errc::constraint);
        e.remove_second<Position>(rel);
        e.add(rel, a);
        rel.add(kith::Tag);
        e.add_second<Position>(rel);
        CHECK_FALSE(world.pair(rel, world.component<Position>()).type_id());
        world.check();
    }

    TEST_CASE("Tag takes the values of all pairs whose tables are empty") {
        // Few tables, so that the empty ones are still listed among the active ones.
        kith::world world;
        kith::entity rel = world.entity();
        world.entity().set_second<Position>(rel, Position{1, 1});
        world.entity().set_second<Velocity>(rel, Velocity{2, 2});
        world.remove_all(rel, kith::Wildcard);
        rel.add(kith::Tag);
        for (kith::entity_t type : {world.id<Position>(), world.id<Velocity>()}) {
            kith::entity holder = world.entity().add(rel, type);
            CHECK(error_of([&] { holder.get(rel, type); }) == errc::wrong_type);
        }
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "an element that gets a type while its pairs are tags is refused") {
        kith::type_info info;
        info.size = info.alignment = 8;
        info.zero_construct = info.trivial_copy = info.trivial_move = info.trivial_destroy = true;
        for (bool sparse : {false, true}) {
            kith::entity relation = make_relation(world, sparse);
            kith::entity target = world.entity();
            e.add(relation, target);
            CHECK(refusal(world, all_values(), [&] {
                      world.component(target.id()).define(info);
                  }).has_value());
            CHECK(refusal(world, all_values(), [&] {
                      world.component(relation.id()).define(info);
                  }).has_value());
            e.remove(relation, target);
            CHECK_NOTHROW(world.component(target.id()).define(info));
            e.add(relation, target);
            CHECK(e.get(relation, target) != nullptr);
            world.check();
        }
    }

    TEST_CASE_FIXTURE(fixture, "cleanup policies given late apply, and replace each other") {
        e.add(rel, a);
        rel.add(kith::OnDeleteTarget, kith::Panic);
        CHECK(refusal(world, all_values(), [&] { a.destruct(); }) == errc::in_use);
        rel.add(kith::OnDeleteTarget, kith::Remove);
        a.destruct();
        CHECK(e.is_alive());
        e.add(rel, b);
        rel.add(kith::OnDeleteTarget, kith::Delete);
        CHECK_FALSE(rel.has(kith::OnDeleteTarget, kith::Remove));
        b.destruct();
        CHECK_FALSE(e.is_alive());
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "a policy that is removed leaves the default") {
        rel.add(kith::OnDeleteTarget, kith::Delete);
        e.add(rel, a);
        rel.remove(kith::OnDeleteTarget, kith::Delete);
        a.destruct();
        CHECK(e.is_alive());
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "Sparse is added while a batch changes what has it") {
        kith::entity x;
        world.defer([&] {
            x = world.entity().set<Eats>(a, Eats{1});
            world.component<Eats>().add(kith::Sparse);
            x.set<Eats>(b, Eats{2});
            a.destruct();
        });
        CHECK(x.get<Eats>(b)->amount == 2);
        CHECK(targets_of(x, world.component<Eats>()) == entity_list{b});
        CHECK(x.table().type().count() == 0);
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "a builtin relationship keeps the properties it needs") {
        // Whatever is allowed, the world stays sound and the hierarchy a hierarchy.
        kith::entity child = world.entity().child_of(a);
        error_of([&] { world.entity(kith::ChildOf).remove(kith::Exclusive); });
        error_of([&] { world.entity(kith::ChildOf).remove(kith::Tag); });
        child.child_of(b);
        CHECK(child.parent() == b);
        world.check();
    }

    TEST_CASE("a relationship that is cleared loses its partners, whatever its pairs become") {
        kith::world world;
        auto symmetric = world.entity().add(kith::Symmetric);
        auto relation = world.entity().add(kith::Sparse);
        auto partner = world.entity();
        partner.add(relation, relation).add(symmetric, relation);
        relation.clear();
        CHECK_FALSE(partner.owns(symmetric, relation));
        CHECK(partner.owns(relation, relation));
        world.check();
    }

    TEST_CASE("clear takes the name along in both storages") {
        for (bool sparse : {true, false}) {
            kith::world world;
            if (!sparse) {
                world.entity(kith::ChildOf).remove(kith::Sparse);
            }
            auto parent = world.entity("a");
            auto child = world.entity().child_of(parent).set_name("a");
            child.clear();
            CHECK(child.type().count() == 0);
            world.check();
        }
    }
}
