// DontInherit: not taken from a base.
#include <kith/kith.hpp>

#include "support/errors.hpp"
#include "support/relations.hpp"
#include "support/types.hpp"

using namespace kith_test;

namespace {

struct TagA {};
struct TagB {};

struct fixture {
    kith::world world;
    bool sparse = for_both_storages();
    kith::entity base = world.entity("base");
    kith::entity e = world.entity("e").is_a(base);
};

}  // namespace

TEST_SUITE("features.relationships.dont_inherit") {
    // spec 99
    TEST_CASE_FIXTURE(fixture, "tags, values and pairs with the property stay on the base") {
        make_relation<TagA>(world, sparse);
        make_relation<TagB>(world, sparse).add(kith::DontInherit);
        make_relation<Label>(world, sparse).add(kith::DontInherit);
        make_relation<Eats>(world, sparse).add(kith::DontInherit);
        kith::entity alice = world.entity();
        base.add<TagA>().add<TagB>().set(Label{"x"}).set<Eats>(alice, Eats{1});
        CHECK(e.has<TagA>());
        CHECK_FALSE(e.has<TagB>());
        CHECK_FALSE(e.has<Label>());
        CHECK(e.get<Label>() == nullptr);
        CHECK_FALSE(e.has<Eats>(alice));
        CHECK_FALSE(e.has<Eats>(kith::Wildcard));
        CHECK(e.get<Eats>(alice) == nullptr);
        CHECK_FALSE(e.target<Eats>());
        CHECK(base.has<TagB>());
        CHECK(base.get<Eats>(alice)->amount == 1);
        world.check();
    }

    // spec 99
    TEST_CASE_FIXTURE(fixture, "wildcards on the relation do not see what is not inherited") {
        kith::entity secret = make_relation(world, sparse).add(kith::DontInherit);
        kith::entity open = make_relation(world, sparse);
        kith::entity alice = world.entity();
        kith::entity bob = world.entity();
        base.add(secret, alice).add(open, bob);
        CHECK_FALSE(e.has(kith::Wildcard, alice));
        CHECK(e.has(kith::Wildcard, bob));
        CHECK(e.has(open, kith::Wildcard));
        CHECK_FALSE(e.has(secret, kith::Wildcard));
    }

    TEST_CASE_FIXTURE(fixture, "the property takes effect at once, and ends when it is removed") {
        kith::entity tag = make_relation(world, sparse);
        base.add(tag);
        CHECK(e.has(tag));
        tag.add(kith::DontInherit);
        CHECK_FALSE(e.has(tag));
        tag.remove(kith::DontInherit);
        CHECK(e.has(tag));
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "add and get_mut on the instance start from the default") {
        make_relation<Label>(world, sparse).add(kith::DontInherit);
        base.set(Label{"x"});
        e.add<Label>();
        CHECK(e.get<Label>()->text == "");
        kith::entity other = world.entity().is_a(base);
        CHECK(other.get_mut<Label>()->text == "");
        world.check();
    }

    TEST_CASE_FIXTURE(fixture, "the property on a target means nothing") {
        kith::entity likes = make_relation(world, sparse);
        kith::entity alice = world.entity().add(kith::DontInherit);
        base.add(likes, alice);
        CHECK(e.has(likes, alice));
    }
}
