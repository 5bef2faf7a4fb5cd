// Deferred commands whose meaning depends on commands on other entities: the outcome is that of
// running them one by one. All were found by tests/model.
#include "support/model/components.hpp"

#include <string>

#include <doctest/doctest.h>

namespace {

using model::Aligned;
using model::DataRelation;
using model::ExclusiveData;
using model::Text;

std::string error_of(const kith::world& world) {
    try {
        world.defer_end();
        return {};
    } catch (const kith::error& failed) {
        return kith::to_string(failed.code());
    }
}

}  // namespace

TEST_SUITE("features.deferring.order") {
    TEST_CASE("a name that somebody gives up can be taken by the next") {
        kith::world world;
        kith::entity first = world.entity("name");
        kith::entity second = world.entity();
        world.defer([&] {
            second.set(Text(1));
            first.set_name("other");
            second.set_name("name");
        });
        CHECK(second.name() == "name");
        CHECK(world.lookup("name") == second);
        world.check();
    }

    TEST_CASE("an old name can be taken back") {
        kith::world world;
        kith::entity e = world.entity("name");
        world.defer([&] {
            e.set_name("other");
            e.set_name("name");
        });
        CHECK(e.name() == "name");
        world.check();
    }

    TEST_CASE("a name that is taken fails when the command runs") {
        kith::world world;
        world.entity("name");
        kith::entity e = world.entity();
        world.defer_begin();
        e.set_name("name").set(Text(1));
        CHECK(error_of(world) == "name_taken");
        CHECK(e.name().empty());
        CHECK(e.has<Text>());
        world.check();
    }

    TEST_CASE("a named entity that gets a parent is found below it, whatever comes between") {
        kith::world world;
        kith::entity parent = world.entity().add<Text>();
        kith::entity e = world.entity("old");
        world.defer([&] {
            e.child_of(parent);
            world.entity().add(parent.id()).destruct();
            parent.clear();
            e.set_name("new");
        });
        CHECK(parent.lookup("new") == e);
        world.check();
    }

    TEST_CASE("the place of a child that leaves can be taken by one of the same name") {
        kith::world world;
        kith::entity parent = world.entity();
        kith::entity leaving = world.entity("name").child_of(parent);
        kith::entity coming = world.entity("name");
        world.defer([&] {
            coming.set(Text(1));
            leaving.set_name(nullptr);
            coming.child_of(parent);
        });
        CHECK(parent.lookup("name") == coming);
        world.check();
    }

    TEST_CASE("parents and children can change places") {
        kith::world world;
        kith::entity upper = world.entity();
        kith::entity lower = world.entity().child_of(upper);
        world.defer([&] {
            upper.set(Text(1));
            lower.remove(kith::ChildOf, upper);
            upper.child_of(lower);
        });
        CHECK(upper.parent() == lower);
        CHECK_FALSE(lower.parent());
        world.check();
    }

    TEST_CASE("the first error is the first in call order") {
        kith::world world;
        kith::entity early = world.entity();
        kith::entity late = world.entity();
        world.defer_begin();
        early.set(Text(1));
        late.disable<Text>();
        early.child_of(early);
        CHECK(error_of(world) == "missing_component");
    }

    TEST_CASE("get_mut of a replaced exclusive pair adds it again") {
        kith::world world;
        world.component<ExclusiveData>().add(kith::Exclusive);
        kith::entity a = world.entity();
        kith::entity b = world.entity();
        kith::entity e = world.entity().set<ExclusiveData>(a, ExclusiveData(1));
        world.defer([&] {
            e.add<ExclusiveData>(b);
            *e.get_mut<ExclusiveData>(a) = ExclusiveData(2);
        });
        CHECK(e.target<ExclusiveData>() == a);
        CHECK(e.get<ExclusiveData>(a)->get() == 2);
    }

    TEST_CASE("what is written after cloning is not cloned") {
        kith::world world;
        kith::entity e = world.entity(Aligned(1));
        kith::entity clone;
        world.defer([&] {
            clone = e.clone();
            *e.get_mut<Aligned>() = Aligned(2);
        });
        CHECK(clone.get<Aligned>()->get() == 1);
        CHECK(e.get<Aligned>()->get() == 2);
    }

    TEST_CASE("a relation keeps nothing of an entity that had its index") {
        kith::world world;
        kith::entity old = world.entity().add(kith::Exclusive);
        old.destruct();
        kith::entity relation = world.entity();
        CHECK(kith::index_of(relation) == kith::index_of(old));
        kith::entity e = world.entity();
        e.add(relation, world.entity()).add(relation, world.entity());
        CHECK(e.target(relation, 1));
    }

    TEST_CASE("a pair whose target dies in the queue does not mean who gets its index") {
        kith::world world;
        kith::entity base = world.prefab("base");
        world.entity("kid").child_of(base);
        kith::entity likes = world.entity("likes");
        kith::entity a = world.entity("a");
        kith::entity b = world.entity("b");
        kith::entity target = world.entity("target");
        auto run = [&](auto&& last) {
            world.defer([&] {
                target.destruct();
                b.is_a(base);
                last();
            });
        };
        SUBCASE("alone") {
            CHECK_THROWS_AS(run([&] { a.add(likes, target); }), kith::error);
        }
        SUBCASE("with others") {
            CHECK_THROWS_AS(run([&] { a.add(likes).add(likes, target); }), kith::error);
            CHECK(a.has(likes));
        }
        SUBCASE("as parent") {
            CHECK_THROWS_AS(run([&] { a.child_of(target); }), kith::error);
        }
        SUBCASE("as base") {
            CHECK_THROWS_AS(run([&] { a.is_a(target); }), kith::error);
        }
        SUBCASE("with a value") {
            CHECK_THROWS_AS(run([&] { a.set<Aligned>(target, Aligned{}); }), kith::error);
        }
        SUBCASE("of a property") {
            CHECK_THROWS_AS(run([&] { likes.add(kith::With, target); }), kith::error);
        }
        SUBCASE("removed") {
            a.add(likes, target);
            run([&] { a.remove(likes, target); });
        }
        kith::entity kid = b.lookup("kid");
        REQUIRE(kid);
        CHECK(kith::index_of(kid) == kith::index_of(target));
        CHECK_FALSE(a.has(kith::Wildcard, kid));
        CHECK_FALSE(likes.has(kith::Wildcard, kid));
        world.check();
    }

    // Whether a missing value can be made depends on what the entity inherits when its turn comes.
    TEST_CASE("an instance gets its own value before its base has one that cannot be copied") {
        kith::world world;
        kith::entity base = world.entity().add<Text>();
        kith::entity instance = world.entity().is_a(base);
        world.defer([&] {
            base.enable<Text>();
            *instance.get_mut<model::MoveOnly>() = model::MoveOnly(1);
            base.set(model::MoveOnly(2));
        });
        CHECK(*instance.get<model::MoveOnly>()->number == 1);
        CHECK(*base.get<model::MoveOnly>()->number == 2);
        world.check();
    }

    TEST_CASE("an instance gets no default value of its own after its base has lost the value") {
        kith::world world;
        kith::entity base = world.entity().set(model::NoDefault(1));
        kith::entity instance = world.entity().is_a(base);
        world.defer_begin();
        instance.set(Text(1));
        base.remove<model::NoDefault>();
        instance.get_mut<model::NoDefault>();
        CHECK(error_of(world) == "not_constructible");
        CHECK_FALSE(instance.has<model::NoDefault>());
        CHECK(instance.owns<Text>());
        world.check();
    }
}
