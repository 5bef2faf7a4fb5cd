// Pairs in all their spellings, what data they carry, and what becomes of them when an element
// dies; for both storages.
#include <kith/kith.hpp>

#include "support/errors.hpp"
#include "support/relations.hpp"
#include "support/types.hpp"

using namespace kith_test;
using kith::errc;

namespace {

struct Begin {};
struct End {};
struct Follows {
    double delay = 0.5;
    double distance = 100;
};

struct fixture {
    fixture() { register_all(world); }

    std::string log;  // outlives the hooks that write to it
    kith::world world;
    bool sparse = for_both_storages();
    kith::entity alice = world.entity("Alice");
    kith::entity bob = world.entity("Bob");
    kith::entity e = world.entity("e");
};

}  // namespace

TEST_SUITE("features.pairs.storages") {
    // spec 9
    TEST_CASE_FIXTURE(fixture, "types, type and entity, and two entities spell the same pair") {
        kith::entity likes = make_relation<Likes>(world, sparse);
        kith::entity hot = world.component<Hot>();
        const kith::id_t id = kith::make_pair(likes, hot);
        CHECK(world.pair<Likes, Hot>() == id);
        CHECK(world.pair<Likes>(hot) == id);
        CHECK(world.pair(likes, hot) == id);
        CHECK(world.id<kith::pair<Likes, Hot>>() == id);
        e.add<Likes, Hot>();
        const std::string once = dump_entity(e);
        e.add<Likes>(hot);
        e.add(likes, hot);
        e.add(id);
        e.add_second<Hot>(likes);
        CHECK(dump_entity(e) == once);
        CHECK(e.has<Likes, Hot>());
        CHECK(e.has<Likes>(hot));
        CHECK(e.has(likes, hot));
        CHECK(e.has(id));
        CHECK(e.has_second<Hot>(likes));
        CHECK(e.has<kith::pair<Likes, Hot>>());
        e.remove(likes, hot);
        CHECK_FALSE(e.has<Likes, Hot>());
        e.add<Likes, Hot>().remove<Likes>(hot);
        CHECK_FALSE(e.has<Likes, Hot>());
        e.add(likes, hot).remove<Likes, Hot>();
        CHECK_FALSE(e.has(likes, hot));
        world.check();
    }

    // spec 9
    TEST_CASE_FIXTURE(fixture, "values are written and read by every spelling") {
        kith::entity eats = make_relation<Eats>(world, sparse);
        kith::entity hot = world.component<Hot>();
        e.set<Eats, Hot>(Eats{1});
        CHECK(e.get<Eats>(hot)->amount == 1);
        e.set<Eats>(hot, Eats{2});
        CHECK(e.get<Eats, Hot>()->amount == 2);
        e.get_mut<Eats>(hot)->amount = 3;
        CHECK(static_cast<const Eats*>(e.get(eats, hot))->amount == 3);
        static_cast<Eats*>(e.get_mut(eats, hot))->amount = 4;
        CHECK(e.get<kith::pair<Eats, Hot>>()->amount == 4);
        CHECK(e.get_ref<Eats>(hot)->amount == 4);
        CHECK(targets_of(e, eats) == entity_list{hot});
        world.check();
    }

    // spec 8
    TEST_CASE_FIXTURE(fixture, "a pair type is an alias that is used like a component type") {
        make_relation<Begin>(world, sparse);
        make_relation<End>(world, sparse);
        using Start = kith::pair<Begin, Position>;
        using Stop = kith::pair<End, Position>;
        e.set<Start>(Position{1, 2}).set<Stop>(Position{3, 4});
        CHECK(e.has<Start>());
        CHECK(e.get<Start>()->x == 1);
        CHECK(e.get<Stop>()->x == 3);
        e.get_mut<Start>()->x = 5;
        CHECK(e.get<Begin, Position>()->x == 5);
        CHECK(world.count<Start>() == 1);
        int visits = 0;
        world.each<Start>([&](kith::entity x) { visits += x == e; });
        CHECK(visits == 1);
        e.remove<Start>();
        CHECK_FALSE(e.has<Start>());
        CHECK(e.has<Stop>());
        CHECK(e.get<Stop>()->y == 4);
        world.check();
    }

    // spec 3
    TEST_CASE_FIXTURE(fixture, "only the source has the pair") {
        kith::entity likes = make_relation(world, sparse, "likes");
        e.add(likes, alice);
        CHECK(e.has(likes, alice));
        CHECK_FALSE(e.has(alice, likes));
        CHECK_FALSE(alice.has(likes, e));
        CHECK_FALSE(likes.has(kith::Wildcard, alice));
        CHECK(e.target(likes) == alice);
        CHECK(world.id(e.type().get(e.type().count() - 1)).first() == likes);
        CHECK(sources_of(alice, likes) == entity_list{e});
        CHECK(sources_of(e, likes).empty());
        world.check();
    }

    // spec 5
    TEST_CASE_FIXTURE(fixture, "any entity becomes relationship, target and source at once") {
        make_relation(world, sparse, "e");
        e.add(e, e);
        alice.add(e, bob).add(bob, e);
        bob.add(alice, alice);
        CHECK(e.has(e, e));
        CHECK(alice.has(e, bob));
        CHECK(alice.has(bob, e));
        CHECK_FALSE(alice.has(e, e));
        CHECK_FALSE(bob.has(e, kith::Wildcard));
        world.check();
        e.destruct();
        CHECK_FALSE(alice.has(kith::Wildcard, bob));
        CHECK_FALSE(alice.has(bob, kith::Wildcard));
        CHECK(bob.has(alice, alice));
        world.check();
    }

    // spec 6
    TEST_CASE_FIXTURE(fixture, "one relationship has many targets on one source") {
        kith::entity likes = make_relation(world, sparse);
        entity_list targets;
        for (int i = 0; i < 100; ++i) {
            targets.push_back(world.entity());
            e.add(likes, targets.back());
        }
        for (kith::entity target : targets) {
            CHECK(e.has(likes, target));
        }
        CHECK(targets_of(e, likes) == targets);
        for (std::size_t i = 0; i < targets.size(); i += 3) {
            e.remove(likes, targets[i]);
        }
        for (std::size_t i = 0; i < targets.size(); ++i) {
            CHECK(e.has(likes, targets[i]) == (i % 3 != 0));
        }
        world.check();
    }

    // spec 7
    TEST_CASE_FIXTURE(fixture, "a component is there many times, once per target") {
        balance_check<counted<0>> balance;
        kith::world own;
        make_relation<counted<0>>(own, sparse);
        kith::entity x = own.entity().set(counted<0>(-1));
        entity_list targets;
        for (int i = 0; i < 50; ++i) {
            targets.push_back(own.entity());
            x.set<counted<0>>(targets.back(), counted<0>(i));
        }
        x.add<Hot>();
        for (int i = 0; i < 50; i += 2) {
            x.remove<counted<0>>(targets[static_cast<std::size_t>(i)]);
        }
        for (int i = 1; i < 50; i += 2) {
            CHECK(x.get<counted<0>>(targets[static_cast<std::size_t>(i)])->number() == i);
        }
        CHECK(x.get<counted<0>>()->number() == -1);
        CHECK(counted<0>::counts.alive() == 26);
        own.check();
        targets[1].destruct();
        CHECK(counted<0>::counts.alive() == 25);
        own.check();
    }

    // spec 10
    TEST_CASE_FIXTURE(fixture, "a plain relationship to a type carries the type's value") {
        kith::entity begin = make_relation(world, sparse, "begin");
        e.set_second<Position>(begin, Position{1, 2});
        CHECK(e.get_second<Position>(begin)->y == 2);
        CHECK(e.has(begin, world.component<Position>()));
        e.get_mut_second<Position>(begin)->x = 7;
        CHECK(e.get_ref_second<Position>(begin)->x == 7);
        kith::entity other = world.entity().emplace_second<Position>(begin, 8, 9);
        CHECK(other.get_second<Position>(begin)->x == 8);
        e.remove_second<Position>(begin);
        CHECK_FALSE(e.has_second<Position>(begin));
        CHECK(other.has_second<Position>(begin));
        world.check();
    }

    // spec 10, 46
    TEST_CASE_FIXTURE(fixture, "a first-typed and a second-typed write never alias one value") {
        kith::entity eats = make_relation<Eats>(world, sparse);
        kith::entity plain = make_relation(world, sparse);
        e.set<Eats, Position>(Eats{3});
        CHECK(refusal(world, all_values(), [&] {
                  e.set_second<Position>(eats, Position{1, 2});
              }) == errc::wrong_type);
        CHECK(refusal(world, all_values(), [&] { e.get_mut_second<Position>(eats); }) ==
              errc::wrong_type);
        CHECK(refusal(world, all_values(), [&] { e.get_second<Position>(eats); }) ==
              errc::wrong_type);
        e.set_second<Position>(plain, Position{1, 2});
        const kith::id_t pair = world.pair(plain, world.component<Position>());
        CHECK(refusal(world, all_values(), [&] {
                  const Eats eaten{1};
                  e.set_ptr(pair, sizeof(Eats), &eaten);
              }).has_value());
        CHECK(e.get<Eats, Position>()->amount == 3);
        CHECK(e.get_second<Position>(plain)->y == 2);
    }

    // spec 42
    TEST_CASE_FIXTURE(fixture, "a pair of two entities without type is a tag") {
        kith::entity likes = make_relation(world, sparse);
        e.add(likes, alice);
        CHECK_FALSE(world.pair(likes, alice).type_id());
        CHECK(refusal(world, all_values(), [&] { e.get_mut(likes, alice); }) == errc::wrong_type);
        CHECK(refusal(world, all_values(), [&] {
                  const int value = 1;
                  e.set_ptr(world.pair(likes, alice), sizeof value, &value);
              }) == errc::wrong_type);
    }

    // spec 43, 97
    TEST_CASE_FIXTURE(fixture, "a pair whose relationship has Tag is a tag whatever the target") {
        make_relation<Begin>(world, sparse).add(kith::Tag);
        make_relation<Eats>(world, sparse).add(kith::Tag);
        e.set(Position{1, 2}).add<Begin, Position>().add<Eats, Position>().add<Eats>(alice);
        CHECK_FALSE(world.pair<Begin, Position>().type_id());
        CHECK_FALSE(world.pair<Eats, Position>().type_id());
        CHECK(e.get<Position>()->y == 2);
        CHECK(error_of([&] { e.get<Begin, Position>(); }) == errc::wrong_type);
        CHECK(refusal(world, all_values(), [&] {
                  e.set<Begin, Position>({3, 4});
              }) == errc::wrong_type);
        e.child_of(world.component<Position>());
        CHECK_FALSE(world.pair(kith::ChildOf, world.component<Position>()).type_id());
        world.check();
    }

    // spec 97
    TEST_CASE_FIXTURE(fixture, "Tag on the target of a pair means nothing") {
        make_relation<Eats>(world, sparse);
        alice.add(kith::Tag);
        e.set<Eats>(alice, Eats{4});
        CHECK(e.get<Eats>(alice)->amount == 4);
        world.check();
    }

    // spec 44, 46
    TEST_CASE_FIXTURE(fixture, "a typed relationship gives its pairs their type") {
        make_relation<Eats>(world, sparse);
        CHECK(world.pair<Eats>(alice).type_id() == world.component<Eats>());
        CHECK(world.pair<Eats, Position>().type_id() == world.component<Eats>());
        e.add<Eats, Position>();
        CHECK(e.get<Eats, Position>()->amount == 0);
        CHECK_FALSE(e.has<Position>());
        CHECK_FALSE(e.has<Eats>());
        world.check();
    }

    // spec 45, 46
    TEST_CASE_FIXTURE(fixture, "a typed target gives the pair its type if the relation has none") {
        make_relation<Begin>(world, sparse);
        make_relation<End>(world, sparse);
        e.set<Begin, Position>({0, 0}).set<End, Position>({10, 20});
        CHECK(e.get<Begin, Position>()->x == 0);
        CHECK(e.get<End, Position>()->y == 20);
        CHECK(world.pair<End, Position>().type_id() == world.component<Position>());
        CHECK_FALSE(e.has<Position>());
        world.check();
    }

    // spec 48
    TEST_CASE_FIXTURE(fixture, "the value of an edge comes with its target") {
        kith::entity follows = make_relation<Follows>(world, sparse);
        e.set<Follows>(alice, Follows{0.3, 50}).set<Follows>(bob, Follows{0.1, 5});
        std::map<std::string, double> found;
        e.each<Follows>([&](kith::entity target) {
            found[target.name().c_str()] = e.get<Follows>(target)->distance;
        });
        CHECK(found == std::map<std::string, double>{{"Alice", 50}, {"Bob", 5}});
        found.clear();
        e.match(world.pair(follows, kith::Wildcard), [&](kith::id id) {
            found[id.second().name().c_str()] = static_cast<const Follows*>(e.get(id))->distance;
        });
        CHECK(found.size() == 2);
    }

    // spec 49
    TEST_CASE_FIXTURE(fixture, "fields of an edge that are not given have their defaults") {
        make_relation<Follows>(world, sparse);
        e.add<Follows>(alice).set<Follows>(bob, Follows{.delay = 0.2});
        CHECK(e.get<Follows>(alice)->delay == 0.5);
        CHECK(e.get<Follows>(alice)->distance == 100);
        CHECK(e.get<Follows>(bob)->delay == 0.2);
        CHECK(e.get<Follows>(bob)->distance == 100);
    }

    // spec 50
    TEST_CASE_FIXTURE(fixture, "the hooks of a relationship see value, source and target") {
        make_relation<Follows>(world, sparse);
        auto note = [this](const char* what) {
            return [this, what](kith::iter& it, Follows* value) {
                log += text_of(what, it.entity(0).name().c_str(),
                               it.event_id().second().name().c_str(), value->distance) +
                       " ";
            };
        };
        world.component<Follows>().on_add([&](kith::iter& it, Follows* value) {
            value->distance += it.event_id().second() == alice ? 1 : 2;
        });
        world.component<Follows>().on_set(note("set")).on_remove(note("remove"));
        e.add<Follows>(alice).set<Follows>(bob, Follows{1, 7});
        CHECK(e.get<Follows>(alice)->distance == 101);
        e.remove<Follows>(alice);
        bob.destruct();
        CHECK(log == "set,e,Bob,9 remove,e,Alice,101 remove,e,Bob,9 ");
        world.check();
    }

    // spec 18
    TEST_CASE_FIXTURE(fixture, "adding a pair again changes nothing") {
        make_relation<Eats>(world, sparse);
        kith::entity likes = make_relation(world, sparse);
        int added = 0;
        world.component<Eats>().on_add([&](Eats&) { ++added; });
        e.set<Eats>(alice, Eats{5}).add(likes, alice);
        const std::string before = dump_world(world, all_values());
        e.add<Eats>(alice).add(likes, alice);
        CHECK(dump_world(world, all_values()) == before);
        CHECK(added == 1);
        CHECK(sources_of(alice, likes) == entity_list{e});
        world.check();
    }

    // spec 19
    TEST_CASE_FIXTURE(fixture, "removing a pair leaves other targets and other relationships") {
        make_relation<Eats>(world, sparse);
        kith::entity likes = make_relation(world, sparse);
        e.set<Eats>(alice, Eats{1}).set<Eats>(bob, Eats{2}).add(likes, alice).add(likes, bob);
        e.remove<Eats>(alice);
        CHECK_FALSE(e.has<Eats>(alice));
        CHECK(e.get<Eats>(bob)->amount == 2);
        CHECK(e.has(likes, alice));
        e.remove<Eats>(e).remove(likes, e).remove(alice, bob);
        CHECK(targets_of(e, likes) == entity_list{alice, bob});
        CHECK(sources_of(alice, likes) == entity_list{e});
        world.check();
    }

    // spec 2, 80
    TEST_CASE_FIXTURE(fixture, "an element that has ended is not the next entity of its index") {
        kith::entity eats = make_relation<Eats>(world, sparse);
        kith::entity gone = world.entity();
        gone.destruct();
        kith::entity next = world.entity();
        REQUIRE(kith::index_of(next) == kith::index_of(gone));
        e.set<Eats>(next, Eats{3});
        auto remove_gone = [&] {
            world.remove_all(eats, gone);
            world.remove_all(kith::Wildcard, gone);
            world.remove_all(gone, kith::Wildcard);
            world.delete_with(eats, gone);
            world.delete_with(kith::Wildcard, gone);
        };
        remove_gone();
        world.defer(remove_gone);
        REQUIRE(e.is_alive());
        CHECK(e.get<Eats>(next)->amount == 3);
        CHECK(world.count(eats, gone) == 0);
        CHECK(world.count<Eats>(gone) == 0);
        CHECK(world.count(kith::Wildcard, gone) == 0);
        int visited = 0;
        world.each(eats, gone, [&](kith::entity) { ++visited; });
        e.each(eats, gone, [&](kith::id) { ++visited; });
        CHECK(visited == 0);
        CHECK_FALSE(e.enabled(eats, gone));
        CHECK_FALSE(e.enabled<Eats>(gone));
        CHECK_FALSE(e.get_ref<Eats>(gone).has());
        CHECK_FALSE(e.table().has(eats, gone));
        CHECK(e.table().get<Eats>(gone) == nullptr);
        CHECK(e.range().get<Eats>(gone) == nullptr);
        CHECK(error_of([&] { e.disable(eats, gone); }) == errc::invalid_id);
        CHECK(error_of([&] { e.modified(eats, gone); }) == errc::invalid_id);
        CHECK(e.enabled(eats, next));
        world.check();
    }

    // spec 2, 80
    TEST_CASE_FIXTURE(fixture, "an ended relationship is not the next entity of its index") {
        kith::entity gone = world.entity();
        gone.destruct();
        kith::entity next = make_relation(world, sparse);
        REQUIRE(kith::index_of(next) == kith::index_of(gone));
        e.add(next, bob);
        int visited = 0;
        auto count = [&](kith::entity) { ++visited; };
        e.each(gone, count);
        bob.children(gone, count);
        bob.each_source(gone, count);
        for (kith::entity target : e.targets(gone)) {
            count(target);
        }
        for (kith::entity source : bob.children(gone)) {
            count(source);
        }
        CHECK(visited == 0);
        CHECK(e.target(gone) == 0);
        e.remove(gone, kith::Wildcard);
        world.remove_all(gone, kith::Wildcard);
        world.delete_with(gone, kith::Wildcard);
        CHECK(e.target(next) == bob);
        CHECK(error_of([&] { gone.children(gone, count); }) == errc::invalid_entity);
    }

    // spec 31
    TEST_CASE_FIXTURE(fixture, "setting the same target again overwrites the value") {
        make_relation<Label>(world, sparse);
        e.set<Label>(alice, Label{"first"}).set<Label>(bob, Label{"other"});
        const void* address = e.get<Label>(alice);
        e.set<Label>(alice, Label{"second"});
        CHECK(e.get<Label>(alice)->text == "second");
        CHECK(e.get<Label>(alice) == address);
        CHECK(e.get<Label>(bob)->text == "other");
        CHECK(e.get<Label>(e) == nullptr);
        CHECK(e.get<Label>() == nullptr);
        world.check();
    }
}
