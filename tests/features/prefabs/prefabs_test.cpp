// Prefabs: instances share values with them, own what they override, and get copies of their
// children.
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
        set_hierarchy(world, sparse);
    }

    kith::world world;
    bool sparse = for_both_storages();
    kith::entity likes = make_relation(world, sparse, "likes");
    kith::entity alice = world.entity("Alice");
};

}  // namespace

TEST_SUITE("features.prefabs.prefabs") {
    TEST_CASE_FIXTURE(fixture, "a prefab is an entity with the tag, and is not visited") {
        kith::entity prefab = world.prefab("Ship").set(Position{1, 2});
        CHECK(prefab.has(kith::Prefab));
        CHECK(world.lookup("Ship") == prefab);
        kith::entity x = world.entity().is_a(prefab);
        CHECK_FALSE(x.has(kith::Prefab));
        int visits = 0;
        world.each(
            [&](kith::entity visited, const Position&) { visits += visited == x ? 1 : 100; });
        CHECK(visits == 1);  // the instance, which inherits the value
        CHECK(world.prefab<Cold>().has(kith::Prefab));
        CHECK(world.prefab<Cold>() == world.component<Cold>());
    }

    TEST_CASE_FIXTURE(fixture, "an overridden component is the instance's own from the start") {
        make_relation<Label>(world, sparse);
        kith::entity prefab = world.prefab().set(Label{"x"}).override<Label>().set(Position{1, 1});
        CHECK(contains(prefab.type().str().c_str(), "OVERRIDE|"));
        kith::entity a = world.entity().is_a(prefab);
        kith::entity b = world.entity().is_a(prefab);
        CHECK(a.owns<Label>());
        CHECK_FALSE(a.owns<Position>());
        a.set(Label{"a"});
        CHECK(b.get<Label>()->text == "x");
        CHECK(prefab.get<Label>()->text == "x");
        CHECK_FALSE(contains(a.type().str().c_str(), "OVERRIDE"));
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "override goes through chains, nearest value first") {
        make_relation<Label>(world, sparse);
        kith::entity first = world.prefab().set(Label{"1"}).override<Label>();
        kith::entity second = world.prefab().is_a(first);
        kith::entity x = world.entity().is_a(second);
        CHECK(second.owns<Label>());
        CHECK(x.owns<Label>());
        second.set(Label{"2"});
        CHECK(world.entity().is_a(second).get<Label>()->text == "2");
        CHECK(x.get<Label>()->text == "1");
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "override of what the base does not have gives a default value") {
        kith::entity prefab = world.prefab().override<Wide>().override<Hot>();
        CHECK_FALSE(prefab.has<Wide>());
        kith::entity x = world.entity().is_a(prefab);
        CHECK(x.owns<Wide>());
        CHECK(x.get<Wide>()->number == 7);
        CHECK(x.owns<Hot>());
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "override works for tags, pairs and ids in every form") {
        make_relation<Eats>(world, sparse);
        kith::entity tag = world.entity("tag");
        kith::entity prefab = world.prefab()
                                  .add(likes, alice)
                                  .set<Eats>(alice, Eats{2})
                                  .set<Eats, Hot>(Eats{3})
                                  .add(tag)
                                  .override(likes, alice)
                                  .override<Eats>(alice)
                                  .override<Eats, Hot>()
                                  .override(tag);
        kith::entity x = world.entity().is_a(prefab);
        CHECK(x.owns(likes, alice));
        CHECK(x.owns<Eats>(alice));
        CHECK(x.get<Eats>(alice)->amount == 2);
        CHECK(x.get<Eats, Hot>()->amount == 3);
        CHECK(x.owns<Eats, Hot>());
        CHECK(x.owns(tag));
        CHECK(sources_of(alice, likes).size() == 2);
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "an override goes with what it is of") {
        make_relation<Eats>(world, sparse);
        kith::entity tag = world.entity("tag");
        kith::entity bob = world.entity("Bob");
        kith::entity prefab = world.prefab("p")
                                  .override(tag)
                                  .override(likes, alice)
                                  .override(likes, bob)
                                  .override<Eats>(alice);
        tag.destruct();
        alice.destruct();
        kith::entity young = world.entity();
        kith::entity younger = world.entity();
        world.check();
        kith::entity x = world.entity().is_a(prefab);
        CHECK(targets_of(x, likes) == entity_list{bob});
        CHECK_FALSE(x.has<Eats>(kith::Wildcard));
        CHECK_FALSE(x.has(young));
        CHECK_FALSE(x.has(younger));
        likes.destruct();
        CHECK(prefab.type().count() == 2);  // Prefab and the name
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "an override is taken away like any id") {
        kith::entity prefab = world.prefab().set(Position{1, 1}).override<Position>();
        const kith::id_t mark = kith::Override | world.component<Position>().id();
        CHECK(prefab.has(mark));
        prefab.remove(mark);
        CHECK_FALSE(prefab.has(mark));
        CHECK_FALSE(world.entity().is_a(prefab).owns<Position>());
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "taking a mark leaves the pair that it marks") {
        kith::entity prefab = world.prefab().add(likes, alice);
        const kith::id_t mark = kith::Override | kith::make_pair(likes, alice);
        prefab.remove(mark);
        prefab.remove(kith::Override | kith::make_pair(likes, kith::Wildcard));
        CHECK(prefab.has(likes, alice));
        world.defer([&] { prefab.remove(mark); });
        CHECK(prefab.has(likes, alice));
        prefab.override(likes, alice);
        world.defer([&] { prefab.remove(mark); });
        CHECK(prefab.has(likes, alice));
        CHECK_FALSE(prefab.has(mark));
        int matches = 0;
        prefab.match(mark, [&](kith::id) { ++matches; });
        CHECK(matches == 0);
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "set_override and emplace_override set and mark at once") {
        make_relation<Eats>(world, sparse);
        const Label text{"y"};
        kith::entity prefab = world.prefab()
                                  .set_override(Position{1, 2})
                                  .set_override<Eats>(alice, Eats{5})
                                  .set_override<Likes, Velocity>({3, 4})
                                  .set_override(text)
                                  .emplace_override<Needy>(9)
                                  .emplace_override<Eats, Hot>(6);
        kith::entity x = world.entity().is_a(prefab);
        CHECK(x.owns<Position>());
        CHECK(x.get<Position>()->y == 2);
        CHECK(x.owns<Eats>(alice));
        CHECK(x.get<Eats>(alice)->amount == 5);
        CHECK(x.owns<Likes, Velocity>());
        CHECK(x.get<Likes, Velocity>()->x == 3);
        CHECK(x.owns<Label>());
        CHECK(x.get<Label>()->text == "y");
        CHECK(x.owns<Needy>());
        CHECK(x.get<Needy>()->number() == 9);
        CHECK(x.get<Eats, Hot>()->amount == 6);
        CHECK(prefab.get<Position>()->y == 2);
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "an own value that was there before is not overwritten") {
        kith::entity prefab = world.prefab().set(Position{1, 1}).override<Position>();
        kith::entity x = world.entity().set(Position{5, 5}).is_a(prefab);
        CHECK(x.get<Position>()->x == 5);
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "an own target of an exclusive relationship hides an override") {
        likes.add(kith::Exclusive);
        kith::entity bob = world.entity("Bob");
        kith::entity prefab = world.prefab().override(likes, bob);
        CHECK(world.entity().add(likes, alice).is_a(prefab).target(likes) == alice);
        kith::entity variant = world.prefab().override(likes, alice).is_a(prefab);
        CHECK(variant.target(likes) == bob);
        kith::entity nearest = world.prefab();
        nearest.is_a(prefab).remove(likes, bob).override(likes, alice);
        CHECK(world.entity().is_a(nearest).target(likes) == alice);
        world.check();
    }

    // spec 69, 116, 117
    TEST_CASE_FIXTURE(fixture, "an overridden id brings along what must come with it") {
        make_relation<Label>(world, sparse);
        kith::entity power = make_relation(world, sparse, "power");
        power.add(kith::With, likes).add(kith::With, world.component<Label>());
        kith::entity prefab = world.prefab().override(power);
        kith::entity x = world.entity().is_a(prefab);
        CHECK(x.owns(power));
        CHECK(x.owns(likes));
        CHECK(x.owns<Label>());
        prefab.set(Label{"x"});
        prefab.override(power, alice);
        CHECK(world.entity().is_a(prefab).get<Label>()->text == "x");
        CHECK(world.entity().is_a(prefab).owns(likes, alice));
        world.check();
    }

    // What comes along with another one is set like the others: whoever comes first in the type.
    TEST_CASE_FIXTURE(fixture,
                      "an override that comes along with another one is set all the same") {
        make_relation<Label>(world, sparse);
        make_relation<Position>(world, sparse);
        int heard = 0;
        kith::entity base = world.prefab().set_override(Label{"b"}).set_override(Position{1, 2});
        auto check = [&] {
            heard = 0;
            kith::entity x = world.entity().is_a(base);
            CHECK(heard == 2);
            CHECK(x.get<Label>()->text == "b");
            CHECK(x.get<Position>()->x == 1);
        };
        world.component<Label>().on_set([&](Label&) { ++heard; });
        world.component<Position>().on_set([&](Position&) { ++heard; });
        world.component<Label>().add(kith::With, world.component<Position>());
        check();
        world.component<Label>().remove(kith::With, world.component<Position>());
        world.component<Position>().add(kith::With, world.component<Label>());
        check();
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "hooks run for the instance's own copies only") {
        std::string log;
        world.component<Position>()
            .on_add([&](kith::entity e, Position&) {
                log += std::string("add ") + e.name().c_str() + " ";
            })
            .on_set([&](kith::entity e, Position&) {
                log += std::string("set ") + e.name().c_str() + " ";
            });
        kith::entity shared = world.prefab("s").set(Position{1, 1});
        kith::entity owned = world.prefab("o").set(Position{1, 1}).override<Position>();
        log.clear();
        world.entity("x").is_a(shared);
        CHECK(log == "");
        world.entity("y").is_a(owned);
        CHECK(log == "add y set y ");
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "the children of a prefab are copied, with names, values, pairs") {
        make_relation<Label>(world, sparse);
        kith::entity ship = world.prefab("Ship");
        kith::entity engine = world.prefab("Engine").child_of(ship).set(Label{"warp"});
        kith::entity nozzle = world.prefab("Nozzle").child_of(engine).add(likes, alice);
        kith::entity x = world.entity("x").is_a(ship);
        kith::entity copy = x.lookup("Engine");
        REQUIRE(copy);
        CHECK(copy != engine);
        CHECK(copy.parent() == x);
        CHECK(copy.owns<Label>());
        CHECK(copy.get<Label>()->text == "warp");
        CHECK_FALSE(copy.has(kith::Prefab));
        CHECK_FALSE(copy.has(kith::IsA, engine));
        kith::entity deep = x.lookup("Engine::Nozzle");
        REQUIRE(deep);
        CHECK(deep.parent() == copy);
        CHECK(deep.has(likes, alice));
        CHECK_FALSE(deep.has(kith::Prefab));
        copy.set(Label{"own"});
        CHECK(engine.get<Label>()->text == "warp");
        CHECK(children_of(ship) == entity_list{engine});
        CHECK(children_of(engine) == entity_list{nozzle});
        kith::entity y = world.entity("y").is_a(ship);
        CHECK(y.lookup("Engine").get<Label>()->text == "warp");
        CHECK(y.lookup("Engine") != copy);
        x.destruct();
        CHECK_FALSE(deep.is_alive());
        CHECK(nozzle.is_alive());
        CHECK(y.lookup("Engine::Nozzle"));
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "children are copied in their order") {
        kith::entity prefab = world.prefab();
        for (int i = 0; i < 20; ++i) {
            world.prefab().child_of(prefab).set(Position{i, 0});
        }
        kith::entity x = world.entity().is_a(prefab);
        int at = 0;
        x.children([&](kith::entity child) { CHECK(child.get<Position>()->x == at++); });
        CHECK(at == 20);
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "only prefabs have their children copied") {
        kith::entity base = world.entity("base");
        world.entity("child").child_of(base);
        kith::entity x = world.entity().is_a(base);
        CHECK(children_of(x).empty());
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "a plain entity put under a prefab becomes one, with all below it") {
        kith::entity prefab = world.prefab("p");
        kith::entity child = world.entity("child");
        kith::entity below = world.entity("below").child_of(child);
        child.child_of(prefab);
        CHECK(child.has(kith::Prefab));
        CHECK(below.has(kith::Prefab));
        kith::entity scoped;
        prefab.scope([&] { scoped = world.entity("scoped"); });
        CHECK(scoped.owns(kith::Prefab));
        kith::entity x = world.entity().is_a(prefab);
        CHECK(x.lookup("child::below"));
        CHECK(x.lookup("scoped"));
        CHECK_FALSE(x.lookup("scoped").has(kith::Prefab));
        kith::entity queued;
        world.defer([&] { queued = world.entity("queued").child_of(prefab); });
        CHECK(queued.has(kith::Prefab));
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "a variant of a prefab is a prefab with prefab children") {
        kith::entity base = world.prefab("Base");
        world.prefab("A").child_of(base).set(Position{1, 1});
        kith::entity variant = world.prefab("Variant").is_a(base);
        kith::entity copied = variant.lookup("A");
        REQUIRE(copied);
        CHECK(copied.has(kith::Prefab));
        copied.set(Position{2, 2});
        world.prefab("B").child_of(variant);
        kith::entity x = world.entity("x").is_a(variant);
        CHECK(children_of(x).size() == 2);
        CHECK(x.lookup("A").get<Position>()->x == 2);
        CHECK(x.lookup("B"));
        CHECK_FALSE(x.lookup("A").has(kith::Prefab));
        CHECK(children_of(world.entity().is_a(base)).size() == 1);
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "a child that is an instance itself is copied once") {
        kith::entity wheel = world.prefab("Wheel").set(Position{3, 3});
        world.prefab("Tyre").child_of(wheel);
        kith::entity car = world.prefab("Car");
        kith::entity front = world.prefab("Front").child_of(car).is_a(wheel);
        REQUIRE(front.lookup("Tyre"));
        kith::entity x = world.entity("x").is_a(car);
        kith::entity copy = x.lookup("Front");
        REQUIRE(copy);
        CHECK(copy.has(kith::IsA, wheel));
        CHECK(copy.get<Position>()->x == 3);
        CHECK_FALSE(copy.owns<Position>());
        CHECK(children_of(copy).size() == 1);
        CHECK(copy.lookup("Tyre"));
        CHECK_FALSE(copy.lookup("Tyre").has(kith::Prefab));
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "children copies have their own switches and exclusive pairs") {
        likes.add(kith::Exclusive);
        kith::entity prefab = world.prefab();
        world.prefab("c").child_of(prefab).set(Position{1, 1}).add(likes, alice);
        kith::entity copy = world.entity().is_a(prefab).lookup("c");
        kith::entity bob = world.entity("Bob");
        copy.add(likes, bob);
        CHECK(targets_of(copy, likes) == entity_list{bob});
        CHECK(targets_of(prefab.lookup("c"), likes) == entity_list{alice});
        copy.disable<Position>();
        CHECK(prefab.lookup("c").enabled<Position>());
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "symmetric pairs of a child are mirrored for its copies") {
        likes.add(kith::Symmetric);
        kith::entity prefab = world.prefab();
        world.prefab("c").child_of(prefab).add(likes, alice);
        kith::entity copy = world.entity().is_a(prefab).lookup("c");
        CHECK(copy.has(likes, alice));
        CHECK(alice.has(likes, copy));
        CHECK(is_mutual(world, likes));
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "instances are made by deferral, bulk, with and scope") {
        kith::entity prefab = world.prefab("p").set(Position{1, 1}).override<Position>();
        world.prefab("c").child_of(prefab).set(Label{"x"});
        kith::entity x;
        world.defer([&] {
            x = world.entity("x").is_a(prefab);
            CHECK(children_of(x).empty());
        });
        CHECK(x.lookup("c").get<Label>()->text == "x");
        CHECK(x.owns<Position>());
        const kith::id_t ids[] = {kith::make_pair(kith::IsA, prefab)};
        const kith::entity_span span = world.bulk(3, ids, 1, no_columns);
        const std::vector<kith::entity_t> made(span.begin(), span.end());
        for (kith::entity_t id : made) {
            CHECK(world.entity(id).lookup("c").get<Label>()->text == "x");
            CHECK(world.entity(id).owns<Position>());
        }
        kith::entity y;
        alice.scope([&] { world.with(kith::IsA, prefab, [&] { y = world.entity("y"); }); });
        CHECK(y.parent() == alice);
        CHECK(alice.lookup("y::c"));
        CHECK(children_of(y).size() == 1);
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "the current scope and with do not reach the copies") {
        kith::entity prefab = world.prefab("p");
        world.prefab("c").child_of(prefab);
        kith::entity x = world.entity("x");
        alice.scope([&] { world.with<Hot>([&] { x.is_a(prefab); }); });
        CHECK(x.lookup("c").parent() == x);
        CHECK_FALSE(x.lookup("c").has<Hot>());
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "a prefab made and used in one batch is whole") {
        kith::entity prefab;
        kith::entity x;
        world.defer([&] {
            prefab = world.prefab("p").set(Position{4, 4});
            world.entity("c").child_of(prefab).set(Label{"text"});
            x = world.entity("x").is_a(prefab).set(Velocity{1, 1});
            world.entity("late").child_of(prefab);
        });
        CHECK(x.get<Position>()->x == 4);
        CHECK(x.lookup("c").get<Label>()->text == "text");
        CHECK_FALSE(x.lookup("c").has(kith::Prefab));
        CHECK_FALSE(x.lookup("late"));
        CHECK(prefab.lookup("c").has(kith::Prefab));
        CHECK(x.get<Velocity>()->x == 1);
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "a prefab that dies leaves its instances and their children") {
        kith::entity prefab = world.prefab("p").set(Position{1, 1});
        world.prefab("c").child_of(prefab);
        kith::entity x = world.entity("x").is_a(prefab);
        prefab.destruct();
        CHECK(x.is_alive());
        CHECK_FALSE(x.has<Position>());
        CHECK(x.lookup("c"));
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "instantiation that fails leaves a sound world and no leak") {
        balance_check<counted<0>> balance;
        kith::world own;
        kith::entity prefab = own.prefab();
        own.prefab("a").child_of(prefab).set(counted<0>(1));
        own.prefab("b").child_of(prefab).set(counted<0>(2));
        kith::entity x = own.entity();
        counted<0>::throw_in = 2;
        CHECK_THROWS_AS(x.is_a(prefab), std::runtime_error);
        own.check();
        CHECK_FALSE(own.is_deferred());
        kith::entity y = own.entity();
        CHECK_NOTHROW(y.is_a(prefab));
        CHECK(y.lookup("b").get<counted<0>>()->number() == 2);
        own.check();
    }

    TEST_CASE_FIXTURE(fixture, "a child that cannot be copied is an error") {
        kith::entity prefab = world.prefab("p");
        world.prefab("c").child_of(prefab).set(Owner{std::make_unique<int>(1)});
        kith::entity x = world.entity();
        CHECK(error_of([&] { x.is_a(prefab); }) == errc::not_copyable);
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "a clone of an instance inside of its own prefab is refused") {
        const kith::entity ship = world.prefab("Ship");
        world.prefab("Sail").child_of(ship);
        const kith::entity instance = world.entity("Instance").is_a(ship).child_of(ship);
        CHECK(kith_test::refusal(world, [&] { instance.clone(); }) == kith::errc::cycle);
    }

    TEST_CASE_FIXTURE(fixture, "a prefab cannot contain an instance of itself") {
        kith::entity prefab = world.prefab("p");
        kith::entity child = world.prefab("c").child_of(prefab);
        // Each copy would contain the next: refused, or ended after one level.
        error_of([&] { child.is_a(prefab); });
        world.check();
        CHECK_NOTHROW(world.entity().is_a(prefab));
        CHECK(world.stats().entities < 2000);
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "a deep prefab is instantiated and deleted in the default stack") {
        kith::entity prefab = world.prefab();
        kith::entity at = prefab;
        for (int i = 0; i < 20000; ++i) {
            at = world.prefab().child_of(at);
        }
        const std::size_t before = world.stats().entities;
        kith::entity x = world.entity().is_a(prefab);
        CHECK(world.stats().entities == before + 20001);
        x.destruct();
        CHECK(world.stats().entities == before);
        world.check();
    }
}
