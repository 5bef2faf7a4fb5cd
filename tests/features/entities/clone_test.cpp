#include <kith/kith.hpp>

#include "support/errors.hpp"
#include "support/relations.hpp"
#include "support/types.hpp"

#include <string>
#include <vector>

using namespace kith_test;
using kith::errc;

TEST_SUITE("features.entities.clone") {
    TEST_CASE("a clone has the same ids and values, but no name") {
        kith::world world;
        kith::entity parent = world.entity("parent");
        kith::entity e = world.entity("parent::e").set(Position{1, 2}).set(Label{"x"});
        e.add<Hot>().set<Eats>(parent, Eats{3}).disable<Position>();
        kith::entity copy = e.clone();
        CHECK(copy != e);
        CHECK(copy.get<Position>()->y == 2);
        CHECK(copy.get<Label>()->text == "x");
        CHECK(copy.has<Hot>());
        CHECK(copy.get<Eats>(parent)->amount == 3);
        CHECK(copy.parent() == parent);
        CHECK(copy.name() == "");
        CHECK(e.name() == "e");
        copy.set(Label{"y"});
        CHECK(e.get<Label>()->text == "x");
        world.check();
    }

    TEST_CASE("a clone without values has default ones") {
        kith::world world;
        kith::entity e = world.entity().set(Wide{1}).set(Label{"x"});
        kith::entity copy = e.clone(false);
        CHECK(copy.get<Wide>()->number == 7);
        CHECK(copy.get<Label>()->text == "");
    }

    TEST_CASE("a clone without values has default ones, also if it has a base with others") {
        const bool sparse = for_both_storages();
        kith::world world;
        if (sparse) {
            world.component<Wide>().add(kith::Sparse);
        }
        kith::entity base = world.entity().set(Wide{1});
        kith::entity copy = world.entity().is_a(base);
        base.clone(false, copy);
        CHECK(copy.owns<Wide>());
        CHECK(copy.get<Wide>()->number == 7);
    }

    TEST_CASE("the other side of a clone's pair has a target that is a child like the source") {
        const bool sparse = for_both_storages();
        kith::world world;
        set_hierarchy(world, sparse);
        kith::entity team = world.entity().add(kith::Symmetric).add(kith::OneOf);
        kith::entity one = world.entity().child_of(team);
        kith::entity other = world.entity().child_of(team);
        one.add(team, other);
        kith::entity copy = one.clone();
        CHECK(copy.has(team, other));
        CHECK(other.has(team, copy));
        world.check();
    }

    TEST_CASE("a clone into an entity, and into one that has values") {
        kith::world world;
        register_all(world);
        kith::entity e = world.entity().set(Position{1, 2});
        kith::entity into = world.entity().add<Hot>();
        CHECK(e.clone(true, into) == into);
        CHECK(into.get<Position>()->x == 1);
        kith::entity full = world.entity().set(Label{"x"});
        CHECK(refusal(world, all_values(), [&] { e.clone(true, full); }) ==
              errc::invalid_operation);
    }

    TEST_CASE("a clone of an instance keeps the instance's values, not those of the base") {
        bool sparse = for_both_storages();
        kith::world world;
        make_relation<Label>(world, sparse);
        make_relation<Position>(world, sparse);
        kith::entity base = world.prefab().set_override(Label{"base"}).set_override(Position{1, 1});
        kith::entity e = world.entity().is_a(base).set(Label{"own"}).remove<Position>();
        std::vector<std::string> heard;
        world.component<Label>().on_set([&](Label& value) { heard.push_back(value.text); });
        kith::entity copy = e.clone();
        CHECK(copy.get<Label>()->text == "own");
        CHECK(heard == std::vector<std::string>{"own"});
        // What the entity gave up is as new for the clone, which is an instance of its own.
        CHECK(copy.owns<Position>());
        heard.clear();
        CHECK(e.clone(false).get<Label>()->text == "");
        CHECK(heard.empty());
        world.check();
    }

    TEST_CASE("a clone has no partner, also if the pair is switched off") {
        kith::world world;
        kith::entity married = make_relation(world, for_both_storages());
        married.add(kith::Symmetric).add(kith::Exclusive);
        kith::entity partner = world.entity();
        kith::entity e = world.entity().add(married, partner).set(Label{"x"});
        e.disable(married, partner).disable<Label>();
        kith::entity copy;
        CHECK_NOTHROW(copy = e.clone());
        CHECK_FALSE(copy.has(married, kith::Wildcard));
        CHECK_FALSE(copy.enabled<Label>());
        CHECK(e.target(married) == partner);
        world.check();
    }

    TEST_CASE("a clone is made while the table must grow") {
        kith::world world;
        kith::entity e = world.entity().set(Label{"a text that is too long for small strings"});
        for (int i = 0; i < 100; ++i) {
            CHECK(e.clone().get<Label>()->text == "a text that is too long for small strings");
        }
        CHECK(world.count<Label>() == 101);
        world.check();
    }

    // A property decides about the pairs of its relationship when it is added: these are there.
    TEST_CASE("a clone does not get properties and pairs of itself in one step") {
        kith::world world;
        kith::entity source = world.entity();
        kith::entity into = world.entity();
        kith::entity other = world.entity();
        source.add(into, other);
        SUBCASE("its pairs would have no other side") {
            source.add(kith::Symmetric);
        }
        SUBCASE("its pairs would have two targets") {
            source.add(into, world.entity()).add(kith::Exclusive);
        }
        CHECK(refusal(world, [&] { source.clone(true, into); }) == errc::constraint);
        CHECK(into.type().count() == 0);
        world.check();
        source.remove(into, kith::Wildcard);
        source.clone(true, into);
        CHECK(into.type().count() == 1);
        world.check();
    }

    TEST_CASE("a clone does not get a pair without what that implies") {
        kith::world world;
        kith::entity married = world.entity().add(kith::Exclusive).add(kith::Symmetric);
        kith::entity engaged = world.entity().add(kith::With, married);
        kith::entity a = world.entity();
        kith::entity b = world.entity();
        a.add(married, b);
        CHECK(a.clone().type().count() == 0);  // b has its partner
        a.add(engaged, b);
        kith::entity c = world.entity();
        CHECK(refusal(world, [&] { a.clone(true, c); }) == errc::constraint);
        CHECK(c.type().count() == 0);
        CHECK(b.target(married) == a);
        world.check();
    }
}
