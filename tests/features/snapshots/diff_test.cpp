#include <kith/diff.hpp>
#include <kith/kith.hpp>
#include <kith/reflect.hpp>

#include "support/errors.hpp"
#include "support/types.hpp"

#include <stdexcept>
#include <string>

#include <doctest/doctest.h>

using namespace kith_test;

namespace {

struct Health {
    int points = 0;
    float armor = 0;
};
struct Badge {
    std::string text;
};

struct diffed_world {
    diffed_world() {
        register_all(world);
        world.reflect_types();
        likes = world.entity("likes");
        bob = world.entity("bob").set(Health{10, 1}).set(Badge{"new"});
        alice = world.entity("alice").add(likes, bob);
        before.take();
    }
    std::string dump() const { return dump_world(world, all_values()); }
    kith::diff change() const { return kith::diff(before, world); }
    std::string text() const { return change().str().c_str(); }

    struct reflecting_world : kith::world {
        void reflect_types() const {
            kith::reflect<Health>();
            kith::reflect<Badge>();
            component<Health>();
            component<Badge>();
        }
    };
    reflecting_world world;
    kith::entity likes;
    kith::entity bob;
    kith::entity alice;
    kith::snapshot before{world};
};

}  // namespace

TEST_SUITE("features.snapshots.diff") {
    // spec 569
    TEST_CASE_FIXTURE(diffed_world, "states without a difference have an empty one") {
        CHECK(change().empty());
        bob.set(Health{11, 1}).set(Health{10, 1});
        bob.set(Badge{"new"});
        alice.remove(likes, bob).add(likes, bob);
        CHECK(change().empty());
        CHECK(text() == "");
    }

    // spec 569
    TEST_CASE_FIXTURE(diffed_world, "a difference is printed as facts") {
        bob.set(Health{7, 1}).add<Hot>();
        alice.remove(likes, bob);
        world.entity("carol").child_of(bob);
        CHECK(text() ==
              "- likes(alice, bob)\n"
              "+ bob.carol\n"
              "+ ChildOf(bob.carol, bob)\n"
              "+ kith_test.Hot(bob)\n"
              "~ Health(bob).points: 10 -> 7\n");
    }

    // spec 569
    TEST_CASE_FIXTURE(diffed_world, "a new name is one line") {
        bob.set_name("robert");
        CHECK(text() == "~ Identifier(bob, Name): \"bob\" -> \"robert\"\n");
    }

    // spec 569
    TEST_CASE_FIXTURE(diffed_world, "values are printed by their descriptions") {
        bob.set(Badge{"old"});
        alice.set(Health{1, 2.5f});
        CHECK(text() ==
              "+ Health(alice) = {points: 1, armor: 2.5}\n"
              "~ Badge(bob).text: \"new\" -> \"old\"\n");
    }

    // spec 569, 588
    TEST_CASE_FIXTURE(diffed_world, "a difference is written as JSON") {
        CHECK(std::string(change().to_json().c_str()) == "[]");
        bob.set(Health{7, 2}).add<Hot>().disable<Badge>();
        alice.remove(likes, bob).set(Badge{"a \"b\""});
        world.entity("carol").child_of(bob);
        world.entity("alice").set_name("al");
        CHECK(std::string(change().to_json().c_str()) ==
              R"json([
{"change":"remove", "entity":"alice", "id":"(likes,bob)"},
{"change":"make", "entity":"bob.carol"},
{"change":"add", "entity":"bob.carol", "id":"(ChildOf,bob)"},
{"change":"add", "entity":"bob", "id":"kith_test.Hot"},
{"change":"add", "entity":"al", "id":"Badge", "value":{"text":"a \"b\""}},
{"change":"rename", "entity":"al", "kind":"Name", "old":"alice", "new":"al"},
{"change":"set", "entity":"bob", "id":"Health", "path":"points", "old":10, "new":7},
{"change":"set", "entity":"bob", "id":"Health", "path":"armor", "old":1, "new":2},
{"change":"disable", "entity":"bob", "id":"Badge"}
])json");
    }

    // spec 569
    TEST_CASE_FIXTURE(diffed_world, "a difference that is applied leads to the other state") {
        const std::string first = dump();
        bob.set(Health{3, 3}).remove<Badge>().set_name("robert").disable<Health>();
        alice.child_of(bob);
        world.entity("dave").add(likes, alice).set<Eats>(alice, Eats{4});
        likes.add(kith::Sparse);
        const std::string second = dump();
        const kith::diff there = change();
        before.restore();
        CHECK(dump() == first);
        kith::apply(world, there);
        CHECK(dump() == second);
        CHECK(world.lookup("robert::alice") == alice);
        world.check();
        kith::apply(world, there.invert());
        CHECK(dump() == first);
        CHECK(change().empty());
        world.check();
    }

    // spec 569
    TEST_CASE_FIXTURE(diffed_world, "deleted entities come back with their ids") {
        const std::string first = dump();
        const kith::entity_t id = alice;
        alice.destruct();
        world.entity("other").add<Hot>();
        const kith::diff there = change();
        kith::apply(world, there.invert());
        CHECK(dump() == first);
        CHECK(world.is_alive(id));
        CHECK(alice.has(likes, bob));
    }

    // The copy of the slot's child that is_a() makes is deleted again, and not the instance with
    // it.
    TEST_CASE_FIXTURE(diffed_world, "an instance comes back with the children of its slots") {
        kith::entity ship = world.prefab("Prefab");
        kith::entity engine = world.prefab("Prefab::Engine").child_of(ship).slot_of(ship);
        engine.add(kith::OnDeleteTarget, kith::Delete);
        kith::entity own = world.entity().is_a(ship);
        kith::entity own_engine = own.target(engine);
        REQUIRE(own_engine);
        const kith::snapshot with_ship = world.snapshot().take();
        own.destruct();
        const kith::snapshot without = world.snapshot().take();
        kith::apply(world, kith::diff(without, with_ship));
        CHECK(own.is_alive());
        CHECK(own_engine.is_alive());
        CHECK(own.target(engine) == own_engine);
        CHECK(world.count(kith::ChildOf, own) == 1);
        world.check();
    }
    TEST_CASE_FIXTURE(diffed_world, "a slot that is younger than an instance stays as it was") {
        kith::entity ship = world.prefab("Prefab");
        kith::entity own = world.entity().is_a(ship);
        kith::entity hold = world.prefab("Hold").child_of(ship).slot();
        const kith::snapshot with_ship = world.snapshot().take();
        own.destruct();
        const kith::snapshot without = world.snapshot().take();
        kith::apply(world, kith::diff(without, with_ship));
        CHECK(kith::diff(with_ship, world).empty());
        CHECK_FALSE(hold.has(kith::Union));
        CHECK(world.count(kith::ChildOf, own) == 0);
        world.check();
    }

    TEST_CASE_FIXTURE(diffed_world, "an instance inside of its prefab comes back") {
        kith::entity ship = world.prefab("Prefab");
        world.prefab("Hold").child_of(ship);
        kith::entity inner = world.entity("Inner").is_a(ship).child_of(ship);
        const kith::snapshot with_inner = world.snapshot().take();
        inner.destruct();
        const kith::snapshot without = world.snapshot().take();
        kith::apply(world, kith::diff(without, with_inner));
        CHECK(kith::diff(with_inner, world).empty());
        CHECK(world.lookup("Prefab::Inner::Hold"));
        world.check();
    }

    // spec 569
    TEST_CASE_FIXTURE(diffed_world, "names are exchanged") {
        bob.set_name("x");
        alice.set_name("bob");
        bob.set_name("alice");
        const kith::diff there = change();
        before.restore();
        kith::apply(world, there);
        CHECK(bob.name() == "alice");
        CHECK(alice.name() == "bob");
    }

    // spec 569
    TEST_CASE_FIXTURE(diffed_world, "everybody is notified of what a difference changes") {
        bob.set(Health{7, 1}).add<Hot>();
        const kith::diff there = change();
        before.restore();
        int sets = 0;
        int adds = 0;
        world.observer<Health>().event(kith::OnSet).each([&](Health& h) {
            CHECK(h.points == 7);
            ++sets;
        });
        world.observer<Hot>().event(kith::OnAdd).each([&](kith::entity) { ++adds; });
        kith::apply(world, there);
        CHECK(sets == 1);
        CHECK(adds == 1);
    }

    // spec 569
    TEST_CASE_FIXTURE(diffed_world, "a difference that does not fit is refused with its facts") {
        bob.set(Health{7, 1});
        alice.remove(likes, bob);
        const kith::diff there = change();
        before.restore();
        bob.set(Health{8, 1});
        const std::string present = dump();
        std::string message;
        try {
            kith::apply(world, there);
        } catch (const kith::error& refused) {
            CHECK(refused.code() == kith::errc::conflict);
            message = refused.what();
        }
        CHECK(message.find("~ Health(bob).points: 10 -> 7") != std::string::npos);
        CHECK(message.find("likes") == std::string::npos);
        CHECK(dump() == present);
        kith::apply(world, there, kith::force);
        CHECK(bob.get<Health>()->points == 7);
        CHECK_FALSE(alice.has(likes, bob));
    }

    // spec 569
    TEST_CASE_FIXTURE(diffed_world, "an error in the middle takes everything back") {
        bob.set(Health{7, 1});
        alice.set(Health{5, 5});
        const kith::diff there = change();
        before.restore();
        const std::string present = dump();
        world.component<Health>().on_validate([](const Health& value) {
            if (value.points == 7) {
                throw std::runtime_error("seven is refused");
            }
        });
        CHECK_THROWS_AS(kith::apply(world, there), std::runtime_error);
        CHECK(dump() == present);
        world.check();
    }

    // spec 569
    TEST_CASE_FIXTURE(diffed_world, "differences one after the other are one difference") {
        bob.set(Health{7, 1});
        const kith::snapshot middle = world.snapshot().take();
        bob.set(Health{5, 1}).add<Hot>();
        const kith::snapshot end = world.snapshot().take();
        const kith::diff whole = kith::diff(before, middle).then(kith::diff(middle, end));
        CHECK(whole.size() == 2);
        CHECK(std::string(whole.str().c_str()) == kith::diff(before, end).str().c_str());
        CHECK_THROWS_AS(kith::diff(before, end).then(kith::diff(before, middle)), kith::error);
    }

    // spec 569
    TEST_CASE_FIXTURE(diffed_world, "facts can be read one by one") {
        bob.set(Health{7, 1}).remove<Badge>();
        int changed = 0;
        int removed = 0;
        change().each([&](const kith::fact_view& fact) {
            CHECK(fact.entity == bob.id());
            if (fact.kind == kith::fact_kind::value_changed) {
                CHECK(static_cast<const Health*>(fact.before)->points == 10);
                CHECK(static_cast<const Health*>(fact.after)->points == 7);
                ++changed;
            } else {
                CHECK(fact.kind == kith::fact_kind::id_removed);
                CHECK(fact.id == world.id<Badge>());
                ++removed;
            }
        });
        CHECK(changed == 1);
        CHECK(removed == 1);
    }

    // spec 569
    TEST_CASE_FIXTURE(diffed_world, "types that are used first in between are no facts") {
        struct Fresh {};
        struct Rare {
            int number = 0;
        };
        world.component<Rare>().add(kith::Sparse);
        bob.add<Fresh>().set(Rare{3});
        const kith::diff there = change();
        kith::world other = before.open();
        kith::apply(other, there);
        const kith::entity copy = other.lookup("bob");
        CHECK(copy.has<Fresh>());
        REQUIRE(copy.has<Rare>());
        CHECK(copy.get<Rare>()->number == 3);
        CHECK(other.component<Rare>().has(kith::Sparse));
        CHECK(there.size() == 4);  // Sparse and Final of the type, and two of bob
    }

    TEST_CASE_FIXTURE(diffed_world, "transient ids are no facts") {
        world.component<Wide>().add(kith::Transient);
        before.take();
        bob.set(Wide{3});
        CHECK(change().empty());
    }

    // spec 567
    TEST_CASE_FIXTURE(diffed_world, "a restore by operations notifies observers") {
        int sets = 0;
        world.observer<Health>().event(kith::OnSet).each([&](Health&) { ++sets; });
        before.take();
        bob.set(Health{7, 1});
        world.entity("carol");
        sets = 0;
        before.restore(kith::tell);
        CHECK(sets == 1);
        CHECK(bob.get<Health>()->points == 10);
        CHECK_FALSE(world.lookup("carol"));
    }

    // spec 569
    TEST_CASE_FIXTURE(diffed_world, "a difference may outlive its world") {
        kith::snapshot after(world);
        bob.set(Health{7, 1});
        after.take();
        const kith::diff there(before, after);
        static_cast<kith::world&>(world) = kith::world();
        CHECK(std::string(there.str().c_str()) == "~ Health(bob).points: 10 -> 7\n");
    }

    TEST_CASE_FIXTURE(diffed_world, "misuse of differences is refused") {
        const kith::snapshot empty(world);
        CHECK_THROWS_AS(kith::diff(empty, before), kith::error);
        bob.add<Hot>();
        const kith::diff there = change();
        world.defer([&] { CHECK_THROWS_AS(kith::apply(world, there), kith::error); });
    }
}
