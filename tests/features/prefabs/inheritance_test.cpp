// IsA: what an entity shares with its bases, and what it has for itself.
#include <kith/kith.hpp>

#include "support/world_fixture.hpp"

using namespace kith_test;
using kith::errc;

namespace {

const void* const no_columns[] = {nullptr};

struct MaxSpeed {
    int value = 0;
};
struct Defense {
    int value = 0;
};

struct fixture : friends_fixture {
    kith::entity base = world.entity("base");
    kith::entity e = world.entity("e");
};

}  // namespace

TEST_SUITE("features.prefabs.inheritance") {
    // spec 65
    TEST_CASE_FIXTURE(fixture, "callbacks get the own value of an instance, not that of its base") {
        base.set(MaxSpeed{1}).set(Defense{1});
        const kith::entity nearer = world.entity().is_a(base).set(Defense{2});
        e.is_a(nearer).set(MaxSpeed{3});
        CHECK(e.get([](MaxSpeed& speed, const Defense& defense) {
            CHECK(speed.value == 3);
            CHECK(defense.value == 2);
            speed.value = 4;
        }));
        CHECK(e.get<MaxSpeed>()->value == 4);
        CHECK(base.get<MaxSpeed>()->value == 1);
    }

    // spec 65
    TEST_CASE_FIXTURE(fixture, "an instance with a constant of its own has that constant") {
        enum class Mood { calm, angry };
        base.add(Mood::calm);
        e.is_a(base).add(Mood::angry);
        CHECK(*e.get<Mood>() == Mood::angry);
        CHECK(e.get([](const Mood& mood) { CHECK(mood == Mood::angry); }));
        CHECK(*base.get<Mood>() == Mood::calm);
    }

    // spec 65, 71
    TEST_CASE_FIXTURE(fixture, "everything that the base has is found on the instance") {
        kith::entity tag = make_relation(world, sparse);
        make_relation<Label>(world, sparse);
        base.add(tag).set(Label{"x"}).add(likes, alice).set<Eats>(alice, Eats{3});
        e.is_a(base);
        CHECK(e.has(tag));
        CHECK(e.get<Label>()->text == "x");
        CHECK(e.has(likes, alice));
        CHECK(e.has(likes, kith::Wildcard));
        CHECK(e.has(kith::Wildcard, alice));
        CHECK(e.target(likes) == alice);
        CHECK(e.get<Eats>(alice)->amount == 3);
        CHECK_FALSE(e.has(likes, bob));
        CHECK_FALSE(e.owns(tag));
        CHECK_FALSE(e.owns<Label>());
        CHECK_FALSE(e.owns(likes, alice));
        CHECK_FALSE(e.owns(likes, kith::Wildcard));
        CHECK(e.owns(kith::IsA, base));
        world.check();
    }

    // spec 65
    TEST_CASE_FIXTURE(fixture, "a base is not equal to its instance") {
        e.is_a(base).set(Label{"own"}).add(likes, alice);
        CHECK_FALSE(base.has<Label>());
        CHECK_FALSE(base.has(likes, alice));
        CHECK_FALSE(base.has(kith::IsA, e));
        CHECK(base.get<Label>() == nullptr);
    }

    // spec 66
    TEST_CASE_FIXTURE(fixture, "IsA reaches through several levels") {
        kith::entity fruit = world.entity("Fruit");
        kith::entity apple = world.entity("Apple").is_a(fruit);
        kith::entity granny = world.entity("GrannySmith").is_a(apple);
        CHECK(granny.has(kith::IsA, apple));
        CHECK(granny.has(kith::IsA, fruit));
        CHECK_FALSE(granny.owns(kith::IsA, fruit));
        CHECK(world.entity().is_a(granny).has(kith::IsA, fruit));
        CHECK_FALSE(fruit.has(kith::IsA, apple));
        CHECK(world.entity(kith::IsA).has(kith::Transitive));
        CHECK(world.entity(kith::IsA).has(kith::Reflexive));
        CHECK(error_of([&] { fruit.is_a(granny); }) == errc::cycle);
        world.check();
    }

    // spec 67
    TEST_CASE_FIXTURE(fixture, "is_a and child_of are short for the pairs, types included") {
        e.is_a(base).child_of(alice);
        CHECK(e.owns(kith::IsA, base));
        CHECK(e.owns(kith::ChildOf, alice));
        kith::entity x = world.entity().is_a<Hot>().child_of<Cold>();
        CHECK(x.owns(kith::IsA, world.component<Hot>()));
        CHECK(x.parent() == world.component<Cold>());
        kith::entity y = world.entity().depends_on(x).depends_on<Cold>();
        CHECK(targets_of(y, kith::DependsOn) == sorted({x, world.component<Cold>()}));
        CHECK(error_of([&] { x.depends_on(y); }) == errc::cycle);
        world.check();
    }

    // spec 68
    TEST_CASE_FIXTURE(fixture, "a shared value is there once, at any depth") {
        balance_check<counted<0>> balance;
        kith::world own;
        make_relation<counted<0>>(own, sparse);
        kith::entity root = own.entity().set(counted<0>(1));
        kith::entity at = root;
        for (int i = 0; i < 200; ++i) {
            at = own.entity().is_a(at);
        }
        CHECK(at.get<counted<0>>() == root.get<counted<0>>());
        CHECK(at.get<counted<0>>()->number() == 1);
        CHECK(counted<0>::counts.alive() == 1);
        root.set(counted<0>(2));
        CHECK(at.get<counted<0>>()->number() == 2);
        int seen = 0;
        CHECK(at.get([&](const counted<0>& value) { seen = value.number(); }));
        CHECK(seen == 2);
        root.remove<counted<0>>();
        CHECK(at.get<counted<0>>() == nullptr);
        CHECK_FALSE(at.has<counted<0>>());
        own.check();
    }

    // spec 69
    TEST_CASE_FIXTURE(fixture, "a value set on the instance hides the base's, for it alone") {
        make_relation<Position>(world, sparse);
        base.set(Position{1, 1});
        kith::entity sibling = world.entity().is_a(base);
        e.is_a(base).set(Position{2, 2});
        CHECK(e.get<Position>()->x == 2);
        CHECK(e.owns<Position>());
        CHECK(base.get<Position>()->x == 1);
        CHECK(sibling.get<Position>()->x == 1);
        base.set(Position{5, 5});
        CHECK(e.get<Position>()->x == 2);
        CHECK(sibling.get<Position>()->x == 5);
        e.remove<Position>();
        CHECK(e.get<Position>()->x == 5);
        CHECK(e.has<Position>());
        CHECK_FALSE(e.owns<Position>());
        e.remove<Position>();
        CHECK(base.get<Position>()->x == 5);
        world.check();
    }

    // spec 69
    TEST_CASE_FIXTURE(fixture, "add and get_mut of a shared component copy the base's value") {
        make_relation<Label>(world, sparse);
        base.set(Label{"shared"}).set<Eats>(alice, Eats{4});
        kith::entity far = world.entity().is_a(world.entity().is_a(base));
        e.is_a(base);
        e.add<Label>();
        CHECK(e.get<Label>()->text == "shared");
        CHECK(e.owns<Label>());
        far.get_mut<Label>()->text += " and changed";
        CHECK(far.get<Label>()->text == "shared and changed");
        CHECK(base.get<Label>()->text == "shared");
        e.add<Eats>(alice);
        CHECK(e.owns<Eats>(alice));
        CHECK(e.get<Eats>(alice)->amount == 4);
        world.defer([&] { world.entity("later").is_a(base).add<Label>(); });
        CHECK(world.lookup("later").get<Label>()->text == "shared");
        CHECK(world.lookup("later").owns<Label>());
        world.check();
    }

    // spec 69
    TEST_CASE_FIXTURE(fixture, "a copy that cannot be made is refused") {
        base.set(Owner{std::make_unique<int>(3)});
        e.is_a(base);
        CHECK(*e.get<Owner>()->number == 3);
        CHECK(refusal(world, all_values(), [&] { e.get_mut<Owner>(); }) == errc::not_copyable);
        CHECK(refusal(world, all_values(), [&] { e.add<Owner>(); }) == errc::not_copyable);
        e.set(Owner{std::make_unique<int>(4)});
        CHECK(*e.get<Owner>()->number == 4);
    }

    // spec 69
    TEST_CASE_FIXTURE(fixture, "emplace on an instance makes an own value") {
        make_relation<Position>(world, sparse);
        base.set(Position{1, 1});
        e.is_a(base).emplace<Position>(7, 8);
        CHECK(e.get<Position>()->x == 7);
        CHECK(base.get<Position>()->x == 1);
        CHECK(refusal(world, all_values(), [&] { e.emplace<Position>(1, 1); }) ==
              errc::already_exists);
    }

    // spec 70
    TEST_CASE_FIXTURE(fixture, "the nearest value wins on several levels") {
        make_relation<MaxSpeed>(world, sparse);
        make_relation<Defense>(world, sparse);
        kith::entity ship = world.entity().set(MaxSpeed{100}).set(Defense{50});
        kith::entity frigate = world.entity().is_a(ship).set(Defense{75});
        kith::entity fast = world.entity().is_a(frigate).set(MaxSpeed{200});
        CHECK(frigate.get<MaxSpeed>()->value == 100);
        CHECK(frigate.get<Defense>()->value == 75);
        CHECK(fast.get<MaxSpeed>()->value == 200);
        CHECK(fast.get<Defense>()->value == 75);
        frigate.remove<Defense>();
        CHECK(fast.get<Defense>()->value == 50);
        fast.remove(kith::IsA, frigate);
        CHECK(fast.get<Defense>() == nullptr);
        CHECK(fast.get<MaxSpeed>()->value == 200);
        world.check();
    }

    // spec 70
    TEST_CASE_FIXTURE(fixture, "several bases are asked depth first, in order of the pairs") {
        make_relation<Position>(world, sparse);
        kith::entity deep = world.entity().set(Position{1, 0});
        kith::entity first = world.entity().is_a(deep);
        kith::entity second = world.entity().set(Position{2, 0}).add<Hot>();
        kith::entity x = world.entity().is_a(second).is_a(first);
        CHECK(x.get<Position>()->x == 1);
        CHECK(x.has<Hot>());
        first.remove(kith::IsA, deep);
        CHECK(x.get<Position>()->x == 2);
        world.check();
    }

    // spec 70
    TEST_CASE_FIXTURE(fixture, "a diamond of bases is legal") {
        make_relation<Position>(world, sparse);
        kith::entity top = world.entity().set(Position{1, 0}).add(likes, alice);
        kith::entity left = world.entity().is_a(top);
        kith::entity right = world.entity().is_a(top);
        kith::entity x = world.entity().is_a(left).is_a(right);
        CHECK(x.get<Position>()->x == 1);
        CHECK(x.target(likes) == alice);
        CHECK_FALSE(x.target(likes, 1));
        CHECK(error_of([&] { top.is_a(x); }) == errc::cycle);
        top.destruct();
        CHECK(x.get<Position>() == nullptr);
        CHECK(targets_of(x, kith::IsA) == sorted({left, right}));
        world.check();
    }

    // spec 68
    TEST_CASE("a lattice of bases with very many ways up is searched soon") {
        kith::world world;
        kith::entity top = world.entity().set(MaxSpeed{3});
        entity_list level{world.entity().is_a(top), world.entity().is_a(top)};
        for (int i = 0; i < 60; ++i) {
            kith::entity x = world.entity().is_a(level[0]).is_a(level[1]);
            kith::entity y = world.entity().is_a(level[0]).is_a(level[1]);
            level = {x, y};
        }
        CHECK(level[0].get<MaxSpeed>()->value == 3);
        CHECK_FALSE(level[0].has<Defense>());
        CHECK(level[0].get<Defense>() == nullptr);
        CHECK_FALSE(level[0].has<Likes>(kith::Wildcard));
        CHECK_FALSE(level[0].target<Likes>());
        CHECK(targets_of(level[0], kith::IsA).size() == 121);
        CHECK_NOTHROW(level[0].add<Defense>());
        world.check();
    }

    // spec 68
    TEST_CASE("a chain of bases is searched in the default stack") {
        kith::world world;
        kith::entity root = world.entity().set(MaxSpeed{3});
        kith::entity at = root;
        for (int i = 0; i < 5000; ++i) {
            at = world.entity().is_a(at);
        }
        CHECK(at.get<MaxSpeed>()->value == 3);
        CHECK(at.has(kith::IsA, root));
        CHECK_FALSE(at.has<Defense>());
        CHECK_FALSE(at.target<Likes>());
        at.add<MaxSpeed>();
        CHECK(at.owns<MaxSpeed>());
        root.destruct();
        CHECK(at.is_alive());
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "own targets come first, inherited ones after them") {
        base.add(likes, alice).add(likes, base);
        e.is_a(base).add(likes, bob).add(likes, alice);
        entity_list own{e.target(likes, 0), e.target(likes, 1)};
        CHECK(sorted(own) == entity_list{alice, bob});
        CHECK(e.target(likes, 2) == base);
        CHECK_FALSE(e.target(likes, 3));
    }

    // spec 71, 106
    TEST_CASE_FIXTURE(fixture, "an own exclusive pair hides an inherited one") {
        likes.add(kith::Exclusive);
        eats.add(kith::Exclusive);
        base.add(likes, alice).set<Eats>(alice, Eats{3});
        e.is_a(base);
        CHECK(e.target(likes) == alice);
        e.add(likes, bob).set<Eats>(bob, Eats{4});
        CHECK(e.target(likes) == bob);
        CHECK_FALSE(e.target(likes, 1));
        CHECK(e.has(likes, bob));
        CHECK_FALSE(e.has(likes, alice));
        CHECK_FALSE(e.has(kith::Wildcard, alice));
        CHECK(e.get<Eats>(alice) == nullptr);
        kith::entity below = world.entity().is_a(e);
        CHECK(below.target(likes) == bob);
        CHECK_FALSE(below.has(likes, alice));
        CHECK_FALSE(below.has<Eats>(alice));
        e.remove(likes, bob).remove<Eats>(bob);
        CHECK(e.target(likes) == alice);
        CHECK(below.get<Eats>(alice)->amount == 3);
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "each, match, type and world.each know what is owned only") {
        base.add(likes, alice).add<Hot>();
        e.is_a(base).add(likes, bob);
        entity_list seen;
        e.each(likes, [&](kith::entity target) { seen.push_back(target); });
        CHECK(seen == entity_list{bob});
        int ids = 0;
        e.match(kith::make_pair(likes, kith::Wildcard), [&](kith::id) { ++ids; });
        CHECK(ids == 1);
        CHECK(e.type().count() == 3);  // name, IsA, likes
        CHECK(matches_of(world, world.component<Hot>()) == entity_list{base});
        CHECK(sources_of(alice, likes) == entity_list{base});
        world.check();
    }

    // spec 77, 99
    TEST_CASE_FIXTURE(fixture, "name, parent, Prefab and Disabled are not inherited") {
        base.child_of(alice).add(kith::Prefab).disable();
        kith::entity x = world.entity().is_a(base);
        CHECK_FALSE(x.has(kith::Prefab));
        CHECK_FALSE(x.has(kith::Disabled));
        CHECK(x.enabled());
        CHECK_FALSE(x.parent());
        CHECK_FALSE(x.has(kith::ChildOf, kith::Wildcard));
        CHECK(x.name().empty());
        CHECK_FALSE(x.has(world.component<kith::Identifier>(), kith::Name));
        CHECK(alice.lookup("base") == base);
        const kith::entity_t builtin[] = {kith::Prefab, kith::Disabled, kith::ChildOf,
                                          world.component<kith::Identifier>()};
        for (kith::entity_t id : builtin) {
            CHECK(world.entity(id).has(kith::DontInherit));
        }
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "a disabled component of the base is still the base's own matter") {
        make_relation<Position>(world, sparse);
        base.set(Position{1, 2}).disable<Position>();
        e.is_a(base);
        CHECK(e.has<Position>());
        e.set(Position{3, 4});
        CHECK(e.enabled<Position>());
        CHECK_FALSE(base.enabled<Position>());
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "instances outlive their base") {
        base.set(Label{"x"}).add(likes, alice);
        e.is_a(base).add(likes, bob);
        base.destruct();
        CHECK(e.is_alive());
        CHECK_FALSE(e.has(kith::IsA, kith::Wildcard));
        CHECK_FALSE(e.has<Label>());
        CHECK(targets_of(e, likes) == entity_list{bob});
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "a clone of an instance shares with the same base") {
        base.set(Label{"x"});
        e.is_a(base).add(likes, bob);
        kith::entity copy = e.clone();
        CHECK(copy.get<Label>() == base.get<Label>());
        CHECK_FALSE(copy.owns<Label>());
        CHECK(copy.has(likes, bob));
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "bulk and with make instances") {
        base.set(Label{"x"});
        const kith::id_t ids[] = {kith::make_pair(kith::IsA, base)};
        const kith::entity_span made = world.bulk(3, ids, 1, no_columns);
        const kith::entity_t last = made[2];
        CHECK(world.entity(last).get<Label>()->text == "x");
        kith::entity x;
        world.with(kith::IsA, base, [&] { x = world.entity(); });
        CHECK(x.get<Label>()->text == "x");
        CHECK(sources_of(base, kith::IsA).size() == 4);
        world.check();
    }
}
