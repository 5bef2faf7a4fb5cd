// The C++ snippets of the relationships document that kith is written after, as they stand there,
// with the smallest repair where one is not valid C++ or reads the wrong variable. Those that need
// the query language or observers are left out, or say it with a builder or a hook.
#include <kith/kith.hpp>

#include "support/errors.hpp"

#include <iostream>
#include <sstream>

namespace flecs = kith;

using kith_test::error_of;
using std::endl;

namespace {

struct Position {
    float x, y;
};
struct Eats {
    float amount;
};
struct Begin {};
struct End {};
struct MaxSpeed {
    float value;
};
struct Defense {
    float value;
};
struct Archer {};
struct Node {};
struct TagA {};
struct TagB {};
struct Serializable {};
struct ChildOf {};
struct Apples {};

struct fixture {
    flecs::world world;
    flecs::world& ecs = world;
    std::ostringstream cout;
};

}  // namespace

TEST_SUITE("seeds.relationships") {
    TEST_CASE_FIXTURE(fixture, "introduction") {
        auto Likes = world.entity();
        auto Bob = world.entity();
        auto Alice = world.entity();

        // Bob Likes Alice
        Bob.add(Likes, Alice);
        CHECK(Bob.has(Likes, Alice));

        // Bob Likes Alice no more
        Bob.remove(Likes, Alice);
        CHECK_FALSE(Bob.has(Likes, Alice));
    }

    TEST_CASE_FIXTURE(fixture, "several targets, and what can be asked of them") {
        auto Bob = world.entity();
        auto Eats = world.entity();
        auto Apples = world.entity();
        auto Pears = world.entity();

        Bob.add(Eats, Apples);
        Bob.add(Eats, Pears);

        CHECK(Bob.has(Eats, Apples));  // true
        CHECK(Bob.has(Eats, Pears));   // true

        CHECK(Bob.has(Eats, flecs::Wildcard));

        flecs::entity food = Bob.target(Eats);
        CHECK(food == Apples);

        int32_t index = 0;
        int found = 0;
        while ((food = Bob.target(Eats, index++))) {
            ++found;
        }
        CHECK(found == 2);

        int pairs = 0;
        Bob.each([&](flecs::id id) {
            if (id.is_pair()) {
                flecs::entity first = id.pair().first();
                flecs::entity second = id.pair().second();
                pairs += first == Eats && (second == Apples || second == Pears);
            }
        });
        CHECK(pairs == 2);
    }

    TEST_CASE_FIXTURE(fixture, "find all entities that eat apples") {
        auto Bob = world.entity("Bob");
        auto Alice = world.entity("Alice");
        auto Eats = world.entity("Eats");
        auto Apples = world.entity("Apples");
        auto Pears = world.entity("Pears");
        Bob.add(Eats, Apples).add(Eats, Pears);
        Alice.add(Eats, Pears);

        auto q = world.query_builder<>().term(Eats, Apples).build();
        q.each([&](flecs::entity e) { cout << e.name() << endl; });
        CHECK(cout.str() == "Bob\n");

        // As an ad hoc filter
        world.filter_builder().term(Eats, Apples).build().each([&](flecs::entity e) {
            cout << e.name() << endl;
        });
        CHECK(cout.str() == "Bob\nBob\n");
    }

    TEST_CASE_FIXTURE(fixture, "find all entities that eat apples, with pair types") {
        auto Bob = world.entity().set<Eats, Apples>({3});
        world.entity().add<Eats>(world.entity());

        // When both relationship and target are compile time types
        auto q = world.query<flecs::pair<Eats, Apples>>();
        CHECK(q.count() == 1);
        CHECK(q.first() == Bob);
        q.each([](flecs::pair<Eats, Apples> eats) { CHECK(eats->amount == 3); });
    }

    TEST_CASE_FIXTURE(fixture, "find all entities that eat anything") {
        auto Bob = world.entity("Bob");
        auto Eats = world.entity("Eats");
        auto Apples = world.entity("Apples");
        auto Pears = world.entity("Pears");
        Bob.add(Eats, Apples).add(Eats, Pears);

        world.filter_builder()
            .term(Eats, flecs::Wildcard)
            .build()
            .each([&](flecs::iter& it, size_t i) {
                flecs::entity food = it.pair().second();  // Apples, ...
                flecs::entity e = it.entity(i);
                cout << e.name() << " eats " << food.name() << endl;
            });
        CHECK(cout.str() == "Bob eats Apples\nBob eats Pears\n");
    }

    TEST_CASE_FIXTURE(fixture, "relationship wildcards") {
        auto Likes = world.entity("Likes");
        auto Bob = world.entity("Bob");
        auto Alice = world.entity("Alice");
        auto Knows = world.entity("Knows");
        Bob.add(Likes, Alice).add(Knows, Alice);
        Alice.add(Likes, Bob);

        auto q = world.query_builder().term(Likes, flecs::Wildcard).build();

        q.iter([&](flecs::iter& it) {
            auto id = it.pair(1);

            for (auto i : it) {
                cout << "entity " << it.entity(i).name() << " has relationship "
                     << id.first().name() << ", " << id.second().name() << endl;
            }
        });
        const std::string text = cout.str();
        CHECK(text.find("entity Bob has relationship Likes, Alice\n") != std::string::npos);
        CHECK(text.find("entity Alice has relationship Likes, Bob\n") != std::string::npos);
        CHECK(q.count() == 2);

        // All relationships with Alice as target
        CHECK(world.query_builder().term(flecs::Wildcard, Alice).build().count() == 2);
        // All relationships, of which names are some too
        auto all = world.query_builder().term(flecs::Wildcard, flecs::Wildcard).build();
        int pairs = 0;
        all.each([&](flecs::iter& it, size_t) {
            pairs += it.pair(1).first() == Likes || it.pair(1).first() == Knows;
        });
        CHECK(pairs == 3);
    }

    TEST_CASE_FIXTURE(fixture, "iterate all children for a parent") {
        auto parent = world.entity();
        auto first = world.entity().child_of(parent);
        int found = 0;
        parent.children([&](flecs::entity child) { found += child == first; });
        CHECK(found == 1);
    }

    TEST_CASE_FIXTURE(fixture, "relationship components") {
        // Tags
        flecs::entity Likes = world.entity();
        flecs::entity Apples = world.entity();

        flecs::entity e = world.entity();

        // Both Likes and Apples are tags, so (Likes, Apples) is a tag
        e.add(Likes, Apples);

        // Eats is a type and Apples is a tag, so (Eats, Apples) has type Eats
        e.set<Eats>(Apples, {1});

        // Begin is a tags and Position is a type, so (Begin, Position) has type Position
        e.set<Begin, Position>({0, 0});
        e.set<End, Position>({10, 20});  // Same for End

        // ChildOf has the Tag property, so even though Position is a type, the pair
        // does not assume the Position type
        e.add(flecs::ChildOf, world.id<Position>());

        CHECK_FALSE(world.pair(Likes, Apples).type_id());
        CHECK(e.get<Eats>(Apples)->amount == 1);
        CHECK(e.get<Begin, Position>()->x == 0);
        CHECK(e.get<End, Position>()->y == 20);
        CHECK_FALSE(world.pair(flecs::ChildOf, world.id<Position>()).type_id());
        CHECK(e.parent() == world.component<Position>());
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "using relationships to add components multiple times") {
        auto e = world.entity();

        auto first = world.entity();
        auto second = world.entity();
        auto third = world.entity();

        // Add component position 3 times, for 3 different objects
        e.set<Position>(first, {1, 2});
        e.set<Position>(second, {3, 4});
        e.set<Position>(third, {5, 6});

        CHECK(e.get<Position>(first)->x == 1);
        CHECK(e.get<Position>(second)->x == 3);
        CHECK(e.get<Position>(third)->y == 6);
    }

    TEST_CASE_FIXTURE(fixture, "inspecting relationships") {
        // Bob eats apples and pears
        auto bob = world.entity();
        auto Eats = world.entity();
        auto Apples = world.entity("Apples");
        auto Pears = world.entity("Pears");

        bob.add(Eats, Apples);
        bob.add(Eats, Pears);

        // Find all (Eats, *) relationships in Bob's type
        bob.match(world.pair(Eats, flecs::Wildcard),
                  [&](flecs::id id) { cout << "Bob eats " << id.second().name() << endl; });

        // For target wildcard pairs, each() can be used:
        bob.each(Eats, [&](flecs::entity obj) { cout << "Bob eats " << obj.name() << endl; });

        CHECK(cout.str() == "Bob eats Apples\nBob eats Pears\nBob eats Apples\nBob eats Pears\n");
    }

    TEST_CASE_FIXTURE(fixture, "the IsA relationship") {
        auto Apple = world.entity();
        auto Fruit = world.entity();
        Apple.add(flecs::IsA, Fruit);
        Apple.is_a(Fruit);

        auto GrannySmith = world.entity();
        GrannySmith.add(flecs::IsA, Apple);
        CHECK(GrannySmith.has(flecs::IsA, Fruit));
        CHECK_FALSE(Fruit.has(flecs::IsA, Apple));
    }

    TEST_CASE_FIXTURE(fixture, "component sharing") {
        auto Spaceship = world.entity().set<MaxSpeed>({100}).set<Defense>({50});

        auto Frigate = world.entity()
                           .is_a(Spaceship)  // shorthand for .add(flecs::IsA, Spaceship)
                           .set<Defense>({75});

        // Obtain the inherited component from Spaceship
        const MaxSpeed* v = Frigate.get<MaxSpeed>();
        CHECK(v->value == 100);  // true

        // Obtain the overridden component from Frigate
        const Defense* o = Frigate.get<Defense>();
        CHECK(o->value == 75);  // true

        auto FastFrigate = world.entity().is_a(Frigate).set<MaxSpeed>({200});

        // Obtain the overridden component from FastFrigate
        const MaxSpeed* s = FastFrigate.get<MaxSpeed>();
        CHECK(s->value == 200);  // true

        // Obtain the inherited component from Frigate
        const Defense* d = FastFrigate.get<Defense>();
        CHECK(d->value == 75);  // true
    }

    TEST_CASE_FIXTURE(fixture, "the ChildOf relationship") {
        auto Spaceship = world.entity();
        auto Cockpit = world.entity();

        Cockpit.add(flecs::ChildOf, Spaceship);
        Cockpit.child_of(Spaceship);
        CHECK(Cockpit.parent() == Spaceship);
        Spaceship.destruct();
        CHECK_FALSE(Cockpit.is_alive());
    }

    TEST_CASE_FIXTURE(fixture, "namespacing") {
        auto parent = world.entity("Parent");
        auto child = world.entity("Child").child_of(parent);

        CHECK(child == world.lookup("Parent::Child"));  // true
        CHECK(child == parent.lookup("Child"));         // true
    }

    TEST_CASE_FIXTURE(fixture, "scoping") {
        auto parent = world.entity();
        auto prev = world.set_scope(parent);

        auto child_a = world.entity();
        auto child_b = world.entity();

        // Restore the previous scope
        world.set_scope(prev);

        CHECK(child_a.has(flecs::ChildOf, parent));  // true
        CHECK(child_b.has(flecs::ChildOf, parent));  // true

        auto other = world.entity();
        other.scope([&] {
            auto child_c = world.entity();
            auto child_d = world.entity();

            CHECK(child_c.has(flecs::ChildOf, other));  // true
            CHECK(child_d.has(flecs::ChildOf, other));  // true
        });
    }

    TEST_CASE_FIXTURE(fixture, "removing all references") {
        auto Archer = world.entity();
        auto e = world.entity().add(Archer).add(Archer, Archer);
        world.remove_all(Archer);
        world.remove_all(Archer, flecs::Wildcard);
        world.remove_all(flecs::Wildcard, Archer);
        CHECK(e.type().count() == 0);
    }

    TEST_CASE_FIXTURE(fixture, "(OnDelete, Remove)") {
        // Remove Archer from entities when Archer is deleted
        world.component<Archer>().add(flecs::OnDelete, flecs::Remove);

        auto e = world.entity().add<Archer>();

        // This will remove Archer from e
        world.component<Archer>().destruct();
        CHECK(e.is_alive());
        CHECK(e.type().count() == 0);
    }

    TEST_CASE_FIXTURE(fixture, "(OnDelete, Delete)") {
        // Delete entities with Archer when Archer is deleted
        world.component<Archer>().add(flecs::OnDelete, flecs::Delete);

        auto e = world.entity().add<Archer>();

        // This will delete e
        world.component<Archer>().destruct();
        CHECK_FALSE(e.is_alive());
    }

    TEST_CASE_FIXTURE(fixture, "(OnDeleteTarget, Delete)") {
        // Delete children when deleting parent
        world.component<ChildOf>().add(flecs::OnDeleteTarget, flecs::Delete);

        auto p = world.entity();
        auto e = world.entity().add<ChildOf>(p);

        // This will delete both p and e
        p.destruct();
        CHECK_FALSE(p.is_alive());
        CHECK_FALSE(e.is_alive());
    }

    TEST_CASE_FIXTURE(fixture, "cleanup order") {
        std::string order;
        flecs::entity p = world.entity("p").add<Node>();
        flecs::entity c = world.entity("c").add<Node>().child_of(p);
        world.component<Node>().on_remove([&](flecs::entity e) { order += e.name().c_str(); });
        p.destruct();
        CHECK(order == "cp");
        CHECK_FALSE(c.is_alive());
    }

    TEST_CASE_FIXTURE(fixture, "tag property") {
        {
            auto e = ecs.entity()
                         .set<Position>({10, 20})
                         .add<Begin, Position>();  // Because Begin is a tag, the pair
                                                   // has a value of type Position

            // Gets value from Position component
            const Position* p = e.get<Position>();
            CHECK(p->y == 20);

            // Gets (unintended) value from (Begin, Position) pair
            const Position* q = e.get<Begin, Position>();
            CHECK(q != nullptr);
        }

        // Ensure that Serializable never contains data
        ecs.component<Serializable>().add(flecs::Tag);

        auto e = ecs.entity()
                     .set<Position>({10, 20})
                     .add<Serializable, Position>();  // Because Serializable marked as a Tag, no
                                                      // data is added for the pair even though
                                                      // Position is a component

        // Gets value from Position component
        const Position* p = e.get<Position>();
        CHECK(p->x == 10);

        // This no longer works, the pair has no data
        CHECK(error_of([&] { e.get<Serializable, Position>(); }) == flecs::errc::wrong_type);
        CHECK(e.has<Serializable, Position>());
    }

    TEST_CASE_FIXTURE(fixture, "final property") {
        auto e = ecs.entity().add(flecs::Final);

        CHECK(error_of([&] {
                  ecs.entity().is_a(e);  // not allowed
              }) == flecs::errc::constraint);
    }

    TEST_CASE_FIXTURE(fixture, "don't inherit property") {
        world.component<TagB>().add(flecs::DontInherit);

        auto base = world.entity().add<TagA>().add<TagB>();

        auto inst = world.entity().is_a(base);
        CHECK(inst.has<TagA>());        // true
        CHECK_FALSE(inst.has<TagB>());  // false
    }

    TEST_CASE_FIXTURE(fixture, "transitive property") {
        auto LocatedIn = world.entity();
        auto ManHattan = world.entity();
        auto NewYork = world.entity();
        auto USA = world.entity();

        ManHattan.add(LocatedIn, NewYork);
        NewYork.add(LocatedIn, USA);

        LocatedIn.add(flecs::Transitive);
        CHECK(LocatedIn.has(flecs::Transitive));
        CHECK(error_of([&] { USA.add(LocatedIn, ManHattan); }) == flecs::errc::cycle);
    }

    TEST_CASE_FIXTURE(fixture, "exclusive property") {
        auto e = world.entity();
        auto parent_a = world.entity();
        auto parent_b = world.entity();
        e.child_of(parent_a);
        e.child_of(parent_b);  // replaces (ChildOf, parent_a)
        CHECK_FALSE(e.has(flecs::ChildOf, parent_a));

        flecs::entity MarriedTo = world.entity().add(flecs::Exclusive);
        e.add(MarriedTo, parent_a).add(MarriedTo, parent_b);
        CHECK_FALSE(e.has(MarriedTo, parent_a));
    }

    TEST_CASE_FIXTURE(fixture, "union property") {
        flecs::entity Movement = world.entity().add(flecs::Union);
        flecs::entity Walking = world.entity();
        flecs::entity Running = world.entity();

        flecs::entity e = world.entity().add(Movement, Running);
        e.add(Movement, Walking);  // replaces (Movement, Running)
        CHECK(e.has(Movement, Walking));
        CHECK_FALSE(e.has(Movement, Running));
    }

    TEST_CASE_FIXTURE(fixture, "symmetric property") {
        auto MarriedTo = world.entity().add(flecs::Symmetric);
        auto Bob = ecs.entity();
        auto Alice = ecs.entity();
        Bob.add(MarriedTo, Alice);  // Also adds (MarriedTo, Bob) to Alice
        CHECK(Alice.has(MarriedTo, Bob));
    }

    TEST_CASE_FIXTURE(fixture, "with property") {
        auto Responsibility = world.entity();
        auto Power = world.entity().add(flecs::With, Responsibility);

        // Create new entity that has both Power and Responsibility
        auto e = world.entity().add(Power);
        CHECK(e.has(Responsibility));

        auto Likes = world.entity();
        auto Loves = world.entity().add(flecs::With, Likes);
        auto Pears = world.entity();

        // Create new entity with both (Loves, Pears) and (Likes, Pears)
        auto f = world.entity().add(Loves, Pears);
        CHECK(f.has(Likes, Pears));
    }

    TEST_CASE_FIXTURE(fixture, "one of property") {
        // Enforce that target of relationship is child of Food
        auto Food = world.entity().add(flecs::OneOf);
        auto Eats = world.entity().add(flecs::OneOf, Food);
        auto Apples = world.entity().child_of(Food);
        auto Fork = world.entity();

        // This is ok, Apples is a child of Food
        auto a = world.entity().add(Food, Apples);
        auto b = world.entity().add(Eats, Apples);
        CHECK(a.has(Food, Apples));
        CHECK(b.has(Eats, Apples));

        // This is not ok, Fork is not a child of Food
        CHECK(error_of([&] { world.entity().add(Food, Fork); }) == flecs::errc::constraint);
        CHECK(error_of([&] { world.entity().add(Eats, Fork); }) == flecs::errc::constraint);
    }
}
