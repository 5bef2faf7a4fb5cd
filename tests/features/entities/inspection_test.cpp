// What can be asked of an entity's pairs, for both storages: the answers do not tell which one it
// is.
#include <kith/kith.hpp>

#include "support/world_fixture.hpp"

using namespace kith_test;
using kith::errc;

namespace {

struct fixture : friends_fixture {
    kith::entity e = world.entity("e");

    kith::id_t any(kith::entity_t relation) { return kith::make_pair(relation, kith::Wildcard); }
    kith::id_t any_of(kith::entity_t target) { return kith::make_pair(kith::Wildcard, target); }
};

}  // namespace

TEST_SUITE("features.entities.inspection") {
    // spec 22
    TEST_CASE_FIXTURE(fixture, "has is true for exactly the pairs that were added") {
        e.add(likes, alice).set<Eats>(bob, Eats{1});
        CHECK(e.has(likes, alice));
        CHECK(e.has<Eats>(bob));
        CHECK_FALSE(e.has(likes, bob));
        CHECK_FALSE(e.has<Eats>(alice));
        CHECK_FALSE(e.has(alice, likes));
        CHECK_FALSE(e.has(likes));
        CHECK_FALSE(e.has(alice));
        CHECK_FALSE(alice.has(likes, alice));
        CHECK(e.owns(likes, alice));
        CHECK_FALSE(e.owns(likes, bob));
    }

    // spec 23, 61
    TEST_CASE_FIXTURE(fixture, "has with a wildcard is true if anything matches") {
        CHECK_FALSE(e.has(likes, kith::Wildcard));
        e.add(likes, alice);
        CHECK(e.has(likes, kith::Wildcard));
        CHECK(e.has(likes, kith::Any));
        CHECK(e.has(kith::Wildcard, alice));
        CHECK(e.has(kith::Any, alice));
        CHECK(e.has(kith::Wildcard, kith::Wildcard));
        CHECK(e.owns(likes, kith::Wildcard));
        CHECK_FALSE(e.has(eats, kith::Wildcard));
        CHECK_FALSE(e.has(kith::Wildcard, bob));
        e.remove(likes, alice);
        CHECK_FALSE(e.has(likes, kith::Wildcard));
        CHECK_FALSE(e.has(kith::Wildcard, alice));
        e.set_name(nullptr);
        CHECK_FALSE(e.has(kith::Wildcard, kith::Wildcard));
    }

    // spec 61
    TEST_CASE_FIXTURE(fixture, "a lone wildcard means what is no pair") {
        kith::entity x = world.entity().add(likes, alice);
        CHECK_FALSE(x.has(kith::Wildcard));
        x.add<Hot>();
        CHECK(x.has(kith::Wildcard));
        x.remove(kith::Wildcard);
        CHECK_FALSE(x.has<Hot>());
        CHECK(x.has(likes, alice));
        x.add<Hot>();
        x.remove(kith::Wildcard, kith::Wildcard);
        CHECK(x.has<Hot>());
        CHECK_FALSE(x.has(likes, alice));
        world.check();
    }

    // spec 24
    TEST_CASE_FIXTURE(fixture, "the first target, or null") {
        CHECK_FALSE(e.target(likes));
        e.add(likes, bob);
        CHECK(e.target(likes) == bob);
        CHECK(e.target<Eats>() == kith::entity::null());
        e.remove(likes, bob);
        CHECK_FALSE(e.target(likes));
    }

    // spec 25
    TEST_CASE_FIXTURE(fixture, "targets are counted through until null") {
        e.add(likes, bob).add(likes, alice).add(likes, e).set<Eats>(alice, Eats{1});
        CHECK(targets_of(e, likes) == entity_list{alice, bob, e});
        CHECK_FALSE(e.target(likes, 3));
        CHECK_FALSE(e.target(likes, -1));
        CHECK_FALSE(e.target(likes, 1 << 30));
        CHECK(e.target<Eats>(0) == alice);
        CHECK_FALSE(e.target<Eats>(1));
    }

    // spec 26
    TEST_CASE_FIXTURE(fixture, "each visits every target once") {
        e.add(likes, bob).add(likes, alice).set<Eats>(e, Eats{1});
        entity_list seen;
        e.each(likes, [&](kith::entity target) { seen.push_back(target); });
        CHECK(sorted(seen) == entity_list{alice, bob});
        seen.clear();
        e.each<Eats>([&](kith::entity target) { seen.push_back(target); });
        CHECK(seen == entity_list{e});
        alice.each(likes, [&](kith::entity) { FAIL("alice likes nobody"); });
    }

    // spec 27, 30
    TEST_CASE_FIXTURE(fixture, "each and type show every id, those beside the table too") {
        e.add(likes, bob).add<Hot>().add(likes, alice).set<Eats>(alice, Eats{1}).child_of(bob);
        std::vector<kith::id_t> visited;
        e.each([&](kith::id id) { visited.push_back(id); });
        const kith::type type = e.type();
        CHECK(visited == std::vector<kith::id_t>(type.begin(), type.end()));
        CHECK(std::is_sorted(visited.begin(), visited.end()));
        CHECK(type.count() == 6);  // with the name
        auto at = [&](kith::id_t id) { return std::find(type.begin(), type.end(), id); };
        CHECK(at(world.pair(likes, bob)) == at(world.pair(likes, alice)) + 1);
        CHECK(at(world.pair(eats, alice)) != type.end());
        CHECK(at(world.pair(kith::ChildOf, bob)) != type.end());
        CHECK(contains(type.str().c_str(), "(likes,Alice)"));
    }

    // spec 28
    TEST_CASE_FIXTURE(fixture, "match visits the ids that a pattern stands for") {
        e.add(likes, bob).add(likes, alice).set<Eats>(alice, Eats{1}).add<Hot>();
        auto count = [&](kith::id_t pattern) {
            int found = 0;
            e.match(pattern, [&](kith::id id) {
                CHECK(kith::matches_id(pattern, id));
                ++found;
            });
            return found;
        };
        CHECK(count(any(likes)) == 2);
        CHECK(count(any_of(alice)) == 2);
        CHECK(count(any_of(bob)) == 1);
        CHECK(count(kith::make_pair(kith::Wildcard, kith::Wildcard)) == 4);
        CHECK(count(kith::Wildcard) == 1);
        CHECK(count(world.pair(likes, bob)) == 1);
        CHECK(count(world.pair(eats, bob)) == 0);
        CHECK(count(world.component<Hot>()) == 1);
        int found = 0;
        e.each(likes, kith::Wildcard, [&](kith::id id) { found += id.first() == likes; });
        CHECK(found == 2);
    }

    // spec 29
    TEST_CASE("a table's type is searched for a pattern from an index on") {
        kith::world world;
        kith::entity eats = world.entity();
        kith::entity other = world.entity();
        kith::entity a = world.entity();
        kith::entity b = world.entity();
        kith::entity e = world.entity().add<Hot>().add(eats, b).add(eats, a).add(other, a);
        const kith::id_t pattern = kith::make_pair(eats, kith::Wildcard);
        std::vector<kith::entity_t> found;
        const kith::table table = e.table();
        std::int32_t at = -1;
        while ((at = table.search(pattern, at + 1)) != -1) {
            found.push_back(table.type().get(at).second());
        }
        CHECK(found == std::vector<kith::entity_t>{a, b});
        CHECK(table.search(kith::make_pair(kith::Wildcard, a)) >= 0);
        CHECK(table.search(kith::make_pair(a, kith::Wildcard)) == -1);
        CHECK(table.search(pattern, table.type().count()) == -1);
        CHECK(table.search(kith::make_pair(eats, b), table.search(kith::make_pair(eats, b)) + 1) ==
              -1);
    }

    // spec 30, 316
    TEST_CASE("the type of an entity does not tell how its pairs are stored") {
        std::string text[2];
        for (int sparse = 0; sparse < 2; ++sparse) {
            kith::world world;
            kith::entity likes = world.entity("likes");
            if (sparse) {
                likes.add(kith::Sparse);
            }
            kith::entity a = world.entity("a");
            kith::entity b = world.entity("b");
            kith::entity e = world.entity("e").set<Eats>(b, Eats{1}).add(likes, b).add(likes, a);
            text[sparse] = dump_entity(e) + e.type().str().c_str();
            const kith::type table = e.table().type();
            const auto in_table = std::count_if(table.begin(), table.end(), [&](kith::id_t id) {
                return kith::is_pair(id) && kith::pair_first(id) == kith::index_of(likes);
            });
            CHECK(in_table == (sparse ? 0 : 2));
        }
        CHECK(text[0] == text[1]);
    }

    // spec 20, 61
    TEST_CASE_FIXTURE(fixture, "remove with a wildcard takes every target, a bare remove none") {
        e.add(likes, alice).add(likes, bob).set<Eats>(alice, Eats{1}).add(likes);
        e.remove(likes);
        CHECK_FALSE(e.has(likes));
        CHECK(targets_of(e, likes) == entity_list{alice, bob});
        e.remove(likes, kith::Wildcard);
        CHECK(targets_of(e, likes).empty());
        CHECK(e.get<Eats>(alice)->amount == 1);
        CHECK(sources_of(alice, likes).empty());
        CHECK(sources_of(bob, likes).empty());
        e.add(likes, alice).add(likes, bob);
        e.remove(kith::Wildcard, alice);
        CHECK_FALSE(e.has(kith::Wildcard, alice));
        CHECK(e.has(likes, bob));
        world.check();
    }

    // spec 21
    TEST_CASE_FIXTURE(fixture, "an entity that lost its last target matches the wildcard no more") {
        auto found = [&] {
            const bool listed = matches_of(world, any(likes)) == entity_list{e};
            CHECK(e.has(likes, kith::Wildcard) == listed);
            CHECK(world.count(likes, kith::Wildcard) == (listed ? 1 : 0));
            CHECK(static_cast<bool>(e.target(likes)) == listed);
            return listed;
        };
        kith::entity a = world.entity();
        kith::entity b = world.entity();
        auto give = [&] { e.add(likes, a).add(likes, b); };
        give();
        e.remove(likes, a);
        CHECK(found());
        e.remove(likes, b);
        CHECK_FALSE(found());
        give();
        CHECK(found());
        e.remove(likes, kith::Wildcard);
        CHECK_FALSE(found());
        give();
        e.clear();
        CHECK_FALSE(found());
        give();
        world.remove_all(likes, kith::Wildcard);
        CHECK_FALSE(found());
        give();
        world.defer([&] { e.remove(likes, a).remove(likes, b); });
        CHECK_FALSE(found());
        give();
        a.destruct();
        CHECK(found());
        b.destruct();
        CHECK_FALSE(found());
        world.check();
    }

    // spec 59
    TEST_CASE_FIXTURE(fixture, "wildcards find what was made before and after their first use") {
        kith::entity x = world.entity().add(likes, alice);
        CHECK(matches_of(world, any(likes)) == entity_list{x});
        CHECK(matches_of(world, any_of(alice)) == entity_list{x});
        kith::entity y = world.entity().add(likes, bob).add<Hot>();
        kith::entity z = world.entity().set<Eats>(alice, Eats{1});
        CHECK(matches_of(world, any(likes)) == entity_list{x, y});
        CHECK(matches_of(world, any_of(alice)) == entity_list{x, z});
        CHECK(matches_of(world, any_of(bob)) == entity_list{y});
        CHECK(world.count(likes, kith::Wildcard) == 2);
        CHECK(world.count(kith::Wildcard, alice) == 2);
        x.add(likes, bob);
        CHECK(matches_of(world, any_of(bob)) == entity_list{x, y});
        alice.destruct();
        CHECK(matches_of(world, any(likes)) == entity_list{x, y});
        bob.destruct();
        CHECK(matches_of(world, any(likes)).empty());
        world.check();
    }

    // spec 32
    TEST_CASE_FIXTURE(fixture, "sources are visited in the order in which they came") {
        entity_list made;
        for (int i = 0; i < 10; ++i) {
            made.push_back(world.entity());
        }
        std::reverse(made.begin(), made.end());
        for (kith::entity x : made) {
            x.add(likes, alice);
        }
        CHECK(sources_of(alice, likes) == made);
        for (kith::entity x : made) {
            x.child_of(alice);
        }
        CHECK(children_of(alice) == made);
        made[3].remove(kith::ChildOf, alice);
        made[7].destruct();
        entity_list rest = made;
        rest.erase(rest.begin() + 7);
        rest.erase(rest.begin() + 3);
        CHECK(children_of(alice) == rest);
        made[3].child_of(alice);
        rest.push_back(made[3]);
        CHECK(children_of(alice) == rest);
        world.check();
    }

    // spec 32
    TEST_CASE("children of the root, of nothing and of wildcards") {
        kith::world world;
        kith::entity root = world.entity("root");
        kith::entity child = world.entity("child").child_of(root);
        entity_list roots;
        world.children([&](kith::entity e) { roots.push_back(e); });
        CHECK(std::count(roots.begin(), roots.end(), root) == 1);
        CHECK(std::count(roots.begin(), roots.end(), child) == 0);
        for (kith::entity_t none : {kith::This, kith::Wildcard, kith::Any}) {
            CHECK(children_of(world.entity(none)).empty());
        }
        CHECK(children_of(child).empty());
    }

    // spec 34, 61
    TEST_CASE_FIXTURE(fixture, "remove_all with wildcards purges an entity from all pairs") {
        kith::entity archer = make_relation(world, sparse, "archer");
        kith::entity a = world.entity().add(archer).add(likes, archer).add(archer, bob);
        kith::entity b = world.entity().set<Eats>(archer, Eats{1}).add(archer, archer);
        kith::entity c = world.entity().add(likes, bob);
        world.remove_all(archer);
        CHECK_FALSE(a.has(archer));
        CHECK(a.has(archer, bob));
        world.remove_all(archer, kith::Wildcard);
        CHECK_FALSE(a.has(archer, bob));
        CHECK_FALSE(b.has(archer, archer));
        CHECK(a.has(likes, archer));
        world.remove_all(kith::Wildcard, archer);
        CHECK_FALSE(a.has(likes, archer));
        CHECK_FALSE(b.has<Eats>(archer));
        CHECK(c.has(likes, bob));
        CHECK(archer.is_alive());
        CHECK(a.type().count() == 0);
        world.check();
    }

    // spec 35
    TEST_CASE_FIXTURE(fixture, "delete_with deletes whoever has the pair") {
        kith::entity a = world.entity().add(likes, alice);
        kith::entity b = world.entity().add(likes, bob);
        kith::entity c = world.entity().set<Eats>(bob, Eats{1});
        kith::entity child = world.entity().child_of(a);
        world.delete_with(likes, alice);
        CHECK_FALSE(a.is_alive());
        CHECK_FALSE(child.is_alive());
        CHECK(b.is_alive());
        world.delete_with(kith::Wildcard, bob);
        CHECK_FALSE(b.is_alive());
        CHECK_FALSE(c.is_alive());
        kith::entity d = world.entity().add(likes, alice).add(likes, bob);
        world.delete_with(likes, kith::Wildcard);
        CHECK_FALSE(d.is_alive());
        CHECK(alice.is_alive());
        CHECK(likes.is_alive());
        CHECK_NOTHROW(world.delete_with(likes, alice));
        world.check();
    }

    // spec 40
    TEST_CASE_FIXTURE(fixture, "removal does not walk the siblings, nor lookups the targets") {
        constexpr int many = 200000;
        entity_list made;
        for (int i = 0; i < many; ++i) {
            made.push_back(world.entity().add(likes, alice));
        }
        REQUIRE(sources_of(alice, likes).size() == many);
        for (kith::entity x : made) {
            REQUIRE(x.has(likes, kith::Wildcard));
            REQUIRE(x.target(likes) == alice);
            x.remove(likes, alice);
        }
        CHECK(sources_of(alice, likes).empty());
        world.check();
    }

    // spec 40
    TEST_CASE("an entity with very many targets is as quick as one with few") {
        kith::world world;
        kith::entity likes = make_relation(world, true);
        kith::entity e = world.entity();
        entity_list targets;
        for (int i = 0; i < 100000; ++i) {
            targets.push_back(world.entity());
            e.add(likes, targets.back());
        }
        for (kith::entity target : targets) {
            REQUIRE(e.has(likes, target));
        }
        CHECK(e.type().count() == 100000);
        for (kith::entity target : targets) {
            e.remove(likes, target);
        }
        CHECK(e.type().count() == 0);
        world.check();
    }
}
