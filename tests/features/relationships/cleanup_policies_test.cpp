// What happens to those that refer to something when it is deleted, for both storages.
#include <kith/kith.hpp>

#include "support/errors.hpp"
#include "support/relations.hpp"
#include "support/types.hpp"

using namespace kith_test;
using kith::errc;

namespace {

struct fixture {
    fixture() {
        register_all(world);
        world.component<Position>().on_remove(
            [this](kith::entity x, Position&) { order += std::string(x.name().c_str()) + " "; });
    }

    // An entity whose end is written down.
    kith::entity node(const char* name) { return world.entity(name).set(Position{1, 1}); }
    std::string taken() { return std::exchange(order, {}); }
    kith::entity policy(kith::entity_t condition, kith::entity_t action) {
        return make_relation(world, sparse).add(condition, action);
    }

    std::string order;
    kith::world world;
    bool sparse = for_both_storages();
    kith::entity likes = make_relation(world, sparse, "likes");
    kith::entity e = world.entity("e");
};

}  // namespace

TEST_SUITE("features.relationships.cleanup_policies") {
    // spec 2, 80
    TEST_CASE_FIXTURE(fixture, "a new entity with the index of a dead one has none of its pairs") {
        make_relation<Eats>(world, sparse);
        kith::entity old = world.entity();
        e.add(likes, old).set<Eats>(old, Eats{1}).add(old, e).add(old);
        old.destruct();
        kith::entity young = world.entity();
        REQUIRE(kith::index_of(young) == kith::index_of(old));
        CHECK_FALSE(e.has(likes, young));
        CHECK_FALSE(e.has<Eats>(young));
        CHECK_FALSE(e.has(young, e));
        CHECK_FALSE(e.has(young));
        CHECK(sources_of(young, likes).empty());
        CHECK(e.type().count() == 1);
        e.add(likes, young).add(young, e);
        CHECK_FALSE(e.has(likes, old));
        CHECK_FALSE(e.has(old, e));
        CHECK(e.target(likes) == young);
        CHECK(e.target(likes) != old);
        e.remove(likes, old);
        CHECK(e.has(likes, young));
        CHECK(refusal(world, [&] { e.add(likes, old); }) == errc::invalid_id);
        world.check();
    }

    // spec 2
    TEST_CASE_FIXTURE(fixture, "a relationship whose index lives again has no old properties") {
        kith::entity old = make_relation(world, sparse)
                               .add(kith::Exclusive)
                               .add(kith::Symmetric)
                               .add(kith::OnDeleteTarget, kith::Delete)
                               .add(kith::With, likes);
        e.add(old, e);
        old.destruct();
        kith::entity young = world.entity();
        REQUIRE(kith::index_of(young) == kith::index_of(old));
        kith::entity a = world.entity();
        kith::entity b = world.entity();
        e.add(young, a).add(young, b);
        CHECK(targets_of(e, young) == entity_list{a, b});
        CHECK_FALSE(a.has(young, e));
        CHECK_FALSE(e.has(likes, a));
        a.destruct();
        CHECK(e.is_alive());
        world.check();
    }

    // spec 2
    TEST_CASE_FIXTURE(fixture, "ids of a pair give the elements that live now") {
        for (int i = 0; i < 50; ++i) {
            kith::entity rel = make_relation(world, sparse);
            kith::entity target = world.entity();
            e.add(rel, target);
            kith::entity seen;
            e.match(kith::make_pair(rel, kith::Wildcard), [&](kith::id id) {
                CHECK(id.first() == rel);
                seen = id.second();
            });
            CHECK(seen == target);
            if (i % 2) {
                rel.destruct();
                target.destruct();
            } else {
                target.destruct();
                rel.destruct();
            }
            CHECK(e.type().count() == 1);
        }
        world.check();
    }

    // spec 82
    TEST_CASE_FIXTURE(fixture, "by default what was deleted is taken from those that had it") {
        kith::entity archer = make_relation(world, sparse, "archer");
        e.add(archer).add(archer, likes).add(likes, archer).add(likes, e);
        archer.destruct();
        CHECK(e.is_alive());
        CHECK(e.type().count() == 2);
        CHECK(e.has(likes, e));
        world.check();
    }

    // spec 83, 85, 87
    TEST_CASE_FIXTURE(fixture, "(OnDelete, Delete) deletes the holders, (OnDelete, Remove) not") {
        kith::entity deadly = policy(kith::OnDelete, kith::Delete);
        kith::entity harmless = policy(kith::OnDelete, kith::Remove);
        kith::entity a = world.entity().add(deadly);
        kith::entity b = world.entity().add(harmless);
        deadly.destruct();
        harmless.destruct();
        CHECK_FALSE(a.is_alive());
        CHECK(b.is_alive());
        CHECK(b.type().count() == 0);
        world.check();
    }

    // spec 88
    TEST_CASE_FIXTURE(fixture, "policies cover the plain id and its pairs") {
        kith::entity deadly = policy(kith::OnDelete, kith::Delete);
        kith::entity a = world.entity().add(deadly, e);
        kith::entity b = world.entity().add(deadly);
        kith::entity c = world.entity().add(likes, deadly);
        deadly.destruct();
        CHECK_FALSE(a.is_alive());
        CHECK_FALSE(b.is_alive());
        CHECK(c.is_alive());
        CHECK_FALSE(c.has(likes, kith::Wildcard));
        CHECK(e.is_alive());
        kith::entity panics = policy(kith::OnDelete, kith::Panic);
        kith::entity d = world.entity().add(panics, e);
        CHECK(refusal(world, all_values(), [&] { panics.destruct(); }) == errc::in_use);
        d.destruct();
        CHECK_NOTHROW(panics.destruct());
        world.check();
    }

    // spec 83, 86, 92
    TEST_CASE_FIXTURE(fixture, "(OnDeleteTarget, Delete) deletes the sources, and theirs") {
        kith::entity rel = policy(kith::OnDeleteTarget, kith::Delete);
        kith::entity a = world.entity();
        kith::entity b = world.entity().add(rel, a);
        kith::entity c = world.entity().add(rel, b).add(likes, a);
        kith::entity d = world.entity().add(likes, b);
        a.destruct();
        CHECK_FALSE(b.is_alive());
        CHECK_FALSE(c.is_alive());
        CHECK(d.is_alive());
        CHECK_FALSE(d.has(likes, kith::Wildcard));
        CHECK(rel.is_alive());
        world.check();
    }

    // spec 93
    TEST_CASE_FIXTURE(fixture, "cascades need not be exclusive") {
        kith::entity rel = policy(kith::OnDeleteTarget, kith::Delete);
        kith::entity a = world.entity();
        kith::entity b = world.entity();
        e.add(rel, a).add(rel, b);
        b.destruct();
        CHECK_FALSE(e.is_alive());
        CHECK(a.is_alive());
        world.check();
    }

    // spec 84
    TEST_CASE_FIXTURE(fixture, "Panic is an error that names the user, and changes nothing") {
        kith::entity rel = policy(kith::OnDeleteTarget, kith::Panic);
        kith::entity a = world.entity("target");
        e.add(rel, a);
        CHECK(refusal(world, all_values(), [&] { a.destruct(); }) == errc::in_use);
        CHECK(contains(message_of([&] { a.destruct(); }), "target"));
        e.remove(rel, a);
        CHECK_NOTHROW(a.destruct());
        world.check();
    }

    // spec 84, 85
    TEST_CASE_FIXTURE(fixture, "(OnDelete, Panic) keeps what somebody has, plain or as a pair") {
        kith::entity rel = policy(kith::OnDelete, kith::Panic);
        e.add(rel);
        CHECK(refusal(world, all_values(), [&] { rel.destruct(); }) == errc::in_use);
        e.remove(rel).add(rel, likes);
        CHECK(refusal(world, all_values(), [&] { rel.destruct(); }) == errc::in_use);
        e.remove(rel, likes);
        CHECK_NOTHROW(rel.destruct());
        world.check();
    }

    // spec 84
    TEST_CASE_FIXTURE(fixture, "a Panic far down a cascade stops all of it") {
        kith::entity cascade = policy(kith::OnDeleteTarget, kith::Delete);
        kith::entity panics = policy(kith::OnDeleteTarget, kith::Panic);
        kith::entity root = node("root");
        kith::entity child = node("child").child_of(root);
        kith::entity leaf = node("leaf").add(cascade, child);
        kith::entity guard = world.entity("guard").add(panics, leaf);
        CHECK(refusal(world, all_values(), [&] { root.destruct(); }) == errc::in_use);
        CHECK(refusal(world, all_values(), [&] { world.delete_with(kith::ChildOf, root); }) ==
              errc::in_use);
        CHECK(taken() == "");
        CHECK(error_of([&] {
                  world.defer([&] {
                      root.destruct();
                      e.add<Hot>();
                  });
              }) == errc::in_use);
        CHECK(root.is_alive());
        CHECK(e.has<Hot>());
        guard.destruct();
        root.destruct();
        CHECK_FALSE(leaf.is_alive());
        world.check();
    }

    // spec 84
    TEST_CASE_FIXTURE(fixture, "components with data panic by default, tags and entities do not") {
        make_relation<Label>(world, sparse);
        make_relation<Hot>(world, sparse);
        e.set<Label>(likes, Label{"x"}).add<Hot>();
        CHECK(refusal(world, all_values(), [&] { world.component<Label>().destruct(); }) ==
              errc::in_use);
        CHECK_NOTHROW(world.component<Hot>().destruct());
        e.remove<Label>(likes);
        CHECK_NOTHROW(world.component<Label>().destruct());
        world.component<Label>().add(kith::OnDelete, kith::Remove);
        e.set(Label{"y"}).set<Label>(likes, Label{"z"});
        CHECK_NOTHROW(world.component<Label>().destruct());
        CHECK(e.type().count() == 1);
        world.check();
    }

    // spec 87
    TEST_CASE_FIXTURE(fixture, "each relationship has its own policy for one target") {
        kith::entity cascade = policy(kith::OnDeleteTarget, kith::Delete);
        kith::entity a = world.entity();
        kith::entity liker = world.entity().add(likes, a);
        kith::entity child = world.entity().child_of(a);
        kith::entity follower = world.entity().add(cascade, a).add(likes, a);
        a.destruct();
        CHECK(liker.is_alive());
        CHECK_FALSE(child.is_alive());
        CHECK_FALSE(follower.is_alive());
        world.check();
    }

    // spec 80
    TEST_CASE_FIXTURE(fixture, "a policy cannot leave anything dangling") {
        for (kith::entity_t condition : {kith::OnDelete, kith::OnDeleteTarget}) {
            for (kith::entity_t action : {kith::Remove, kith::Delete, kith::Panic}) {
                kith::entity rel = policy(condition, action);
                kith::entity target = world.entity();
                entity_list users{world.entity().add(rel, target), world.entity().add(rel),
                                  world.entity().add(likes, rel), world.entity().add(rel, rel)};
                target.add(rel, target);
                for (kith::entity victim : {target, rel}) {
                    error_of([&] { victim.destruct(); });
                    world.check();
                    if (victim.is_alive()) {
                        continue;
                    }
                    for (kith::entity user : users) {
                        if (user.is_alive()) {
                            CHECK_FALSE(user.has(kith::Wildcard, victim));
                            CHECK_FALSE(user.has(victim, kith::Wildcard));
                        }
                    }
                }
            }
        }
    }

    // spec 89
    TEST_CASE_FIXTURE(fixture, "sources end before their target, siblings by id") {
        kith::entity rel = policy(kith::OnDeleteTarget, kith::Delete);
        kith::entity root = node("root");
        kith::entity a = node("a");
        kith::entity b = node("b");
        kith::entity c = node("c");
        kith::entity a1 = node("a1");
        kith::entity a2 = node("a2");
        for (kith::entity x : {c, a, b}) {
            x.add(rel, root);
        }
        a2.add(rel, a);
        a1.add(rel, a);
        root.destruct();
        CHECK(taken() == "a1 a2 a b c root ");
        world.check();
    }

    // spec 89
    TEST_CASE_FIXTURE(fixture, "children end before their parents whatever the storage") {
        set_hierarchy(world, sparse);
        kith::entity root = node("root");
        kith::entity b = node("b");
        kith::entity a = node("a").child_of(root);
        b.child_of(root);
        node("deep").child_of(a);
        world.entity("plain").child_of(root);
        root.destruct();
        CHECK(taken() == "b deep a root ");
        world.check();
    }

    // spec 90
    TEST_CASE_FIXTURE(fixture, "a cycle of Delete ends, in the same order wherever it starts") {
        std::string orders[3];
        kith::entity rel = policy(kith::OnDeleteTarget, kith::Delete);
        for (int start = 0; start < 3; ++start) {
            entity_list by_id = sorted({node("a"), node("b"), node("c")});
            by_id[0].set_name("1st");
            by_id[1].set_name("2nd");
            by_id[2].set_name("3rd");
            by_id[0].add(rel, by_id[1]);
            by_id[1].add(rel, by_id[2]);
            by_id[2].add(rel, by_id[0]);
            by_id[static_cast<std::size_t>(start)].destruct();
            orders[start] = taken();
            CHECK(orders[start].size() == 12);
            world.check();
        }
        CHECK(orders[0] == orders[1]);
        CHECK(orders[0] == orders[2]);
    }

    // spec 90
    TEST_CASE_FIXTURE(fixture, "deleting a component deletes holders in one order") {
        kith::entity tag = policy(kith::OnDelete, kith::Delete);
        kith::entity parent = node("parent");
        kith::entity second = node("second").add(tag);
        kith::entity first = node("first").child_of(parent).add(tag);
        parent.add(tag);
        second.child_of(first);
        tag.destruct();
        CHECK(taken() == "second first parent ");
        world.check();
    }

    // spec 94
    TEST_CASE_FIXTURE(fixture, "removing or replacing the edge does not cascade") {
        kith::entity a = world.entity();
        kith::entity b = world.entity();
        // Others before it: then the short way is taken.
        for (kith::entity parent : {a, a, b, b}) {
            world.entity().child_of(parent);
        }
        kith::entity child = world.entity().child_of(a);
        child.child_of(b);
        a.destruct();
        CHECK(child.is_alive());
        child.remove(kith::ChildOf, b);
        b.destruct();
        CHECK(child.is_alive());
        kith::entity rel = policy(kith::OnDeleteTarget, kith::Delete);
        child.add(rel, e);
        world.remove_all(rel, e);
        e.destruct();
        CHECK(child.is_alive());
        world.check();
    }

    // spec 95
    TEST_CASE_FIXTURE(fixture, "a deferred deletion cascades at the flush") {
        kith::entity rel = policy(kith::OnDeleteTarget, kith::Delete);
        kith::entity a = world.entity();
        kith::entity b = world.entity().add(rel, a);
        kith::entity c = world.entity();
        CHECK(error_of([&] {
                  world.defer([&] {
                      a.destruct();
                      c.add<Hot>().add(rel, b);
                      CHECK(a.is_alive());
                      CHECK(b.is_alive());
                      CHECK(b.has(rel, a));
                  });
              }) == errc::invalid_id);
        CHECK_FALSE(a.is_alive());
        CHECK_FALSE(b.is_alive());
        // b was dead when its turn came.
        CHECK(c.has<Hot>());
        CHECK_FALSE(c.has(rel, kith::Wildcard));
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "children that outlive their parents need names among the roots") {
        set_hierarchy(world, sparse);
        world.entity(kith::ChildOf).add(kith::OnDeleteTarget, kith::Remove);
        kith::entity parent = node("parent");
        kith::entity child = world.entity("parent::x");
        kith::entity root = world.entity("x");
        CHECK(refusal(world, all_values(), [&] { parent.destruct(); }) == errc::name_taken);
        CHECK(taken() == "");
        root.destruct();
        kith::entity other = node("other");
        world.entity("other::x");
        // Each of them alone has its place.
        CHECK(refusal(world, all_values(), [&] { world.delete_with<Position>(); }) ==
              errc::name_taken);
        CHECK(taken() == "");
        parent.destruct();
        CHECK(child.parent() == kith::entity());
        CHECK(world.lookup("x") == child);
        CHECK(error_of([&] { other.destruct(); }) == errc::name_taken);
        child.set_name(nullptr);
        other.destruct();
        CHECK(world.lookup("x"));
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "a child that dies after its parent needs no name among the roots") {
        set_hierarchy(world, sparse);
        kith::entity root = world.entity("x");
        kith::entity parent = world.entity("parent");
        kith::entity child = world.entity("parent::x").add(kith::OnDelete, kith::Delete);
        parent.add(child);
        CHECK_FALSE(error_of([&] { child.destruct(); }));
        CHECK_FALSE(parent.is_alive());
        CHECK(world.lookup("x") == root);
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "a cycle of parents and others dies whole") {
        set_hierarchy(world, sparse);
        kith::entity fate = policy(kith::OnDeleteTarget, kith::Delete);
        kith::entity first = world.entity();
        kith::entity child = world.entity().child_of(first);
        kith::entity last = world.entity().add(fate, child);
        first.child_of(last);
        CHECK_NOTHROW(first.destruct());
        CHECK_FALSE(first.is_alive());
        CHECK_FALSE(child.is_alive());
        CHECK_FALSE(last.is_alive());
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "a child that is deleted after its parent, and not because of it") {
        set_hierarchy(world, sparse);
        world.entity(kith::ChildOf).add(kith::OnDeleteTarget, kith::Remove);
        kith::entity parent = world.entity().add<Hot>();
        kith::entity child = world.entity().add<Hot>().child_of(parent);
        kith::entity other = world.entity().child_of(parent);
        world.delete_with<Hot>();
        CHECK_FALSE(child.is_alive());
        CHECK(other.parent() == kith::entity());
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "what a scope demands of its children ends with it") {
        set_hierarchy(world, sparse);
        world.entity(kith::ChildOf).add(kith::OnDeleteTarget, kith::Remove);
        kith::entity scope = world.entity("scope");
        kith::entity child = world.entity("scope::child");
        likes.add(kith::OneOf, scope);
        e.add(likes, child);
        scope.destruct();
        CHECK(e.has(likes, child));
        CHECK_FALSE(likes.has(kith::OneOf, kith::Wildcard));
        kith::entity unnamed = world.entity().child_of(likes);
        likes.remove(likes, kith::Wildcard);
        e.remove(likes, kith::Wildcard);
        likes.add(kith::OneOf);
        e.add(likes, unnamed);
        likes.destruct();
        CHECK(unnamed.is_alive());
        CHECK(e.type().count() == 1);
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "a hook may delete and create while a cascade runs") {
        kith::entity rel = policy(kith::OnDeleteTarget, kith::Delete);
        kith::entity a = world.entity();
        kith::entity other = world.entity();
        kith::entity made;
        world.component<Velocity>().on_remove([&](kith::entity x, Velocity&) {
            other.destruct();
            made = world.entity().add(likes, e);
            x.add<Hot>();
        });
        kith::entity b = world.entity().add(rel, a).set(Velocity{1, 1});
        a.destruct();
        CHECK_FALSE(b.is_alive());
        CHECK_FALSE(other.is_alive());
        CHECK(made.has(likes, e));
        world.check();
    }
}
