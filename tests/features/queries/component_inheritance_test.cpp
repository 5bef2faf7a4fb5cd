// Terms match what is derived from the component, relationship or target that they name.
#include <kith/kith.hpp>

#include "support/bindings.hpp"
#include "support/errors.hpp"
#include "support/queries.hpp"
#include "support/types.hpp"

using namespace kith_test;
using kith::errc;
using kith::IsA;
using kith::Wildcard;

namespace {

struct Unit {};
struct Knight {};
struct Base {
    int number = 0;
};
struct Derived {
    int number = 0;
    int more = 0;
};

struct fixture {
    kith::filter_builder<> build() const { return world.filter_builder(); }

    kith::world world;
};

// unit <- melee <- knight, unit <- ranged
struct units : fixture {
    kith::entity unit = world.entity("Unit");
    kith::entity melee = world.entity("Melee").is_a(unit);
    kith::entity knight = world.entity("Knight").is_a(melee);
    kith::entity ranged = world.entity("Ranged").is_a(unit);
    kith::entity ann = world.entity("ann").add(knight);
    kith::entity ben = world.entity("ben").add(ranged);
    kith::entity cat = world.entity("cat").add(unit);
    kith::entity dan = world.entity("dan");
};

struct graph : fixture {
    bool sparse = for_both_storages();
    kith::entity likes = make_relation(world, sparse, "Likes");
    kith::entity loves = make_relation(world, sparse, "Loves").is_a(likes);
    kith::entity ann = world.entity("ann");
    kith::entity ben = world.entity("ben");
    kith::entity cat = world.entity("cat");
    kith::entity dan = world.entity("dan");
};

}  // namespace

TEST_SUITE("features.queries.component_inheritance") {
    // spec 294
    TEST_CASE_FIXTURE(units, "a term matches what is derived from its tag, at any depth") {
        CHECK(answer(world, {[&](auto& q) { q.with(unit); }}) == "ann; ben; cat");
        CHECK(answer(world, {[&](auto& q) { q.with(melee); }}) == "ann");
        CHECK(answer(world, {[&](auto& q) { q.with(knight); }}) == "ann");
        CHECK(answer(world, {[&](auto& q) { q.with(ranged); }}) == "ben");
    }

    TEST_CASE_FIXTURE(units, "the id that is reported is the one that is there") {
        CHECK(results_of(build().with(unit)) == "ann: Knight\nben: Ranged\ncat: Unit\n");
    }

    TEST_CASE_FIXTURE(units, "an entity with several of them is one result, with the nearest") {
        ann.add(ranged);
        CHECK(results_of(build().with(unit)) == "ann: Ranged\nben: Ranged\ncat: Unit\n");
        ann.add(unit);
        CHECK(results_of(build().with(unit)) == "ann: Unit\nben: Ranged\ncat: Unit\n");
        ben.add(knight).add(melee);
        CHECK(results_of(build().with(unit)) == "ann: Unit\nben: Melee\ncat: Unit\n");
    }

    TEST_CASE_FIXTURE(units, "Not excludes all of them, Optional and Or find them") {
        kith::entity tag = world.entity("Tag");
        for (kith::entity e : {ann, ben, cat, dan}) {
            e.add(tag);
        }
        CHECK(answer(world, {[&](auto& q) { q.with(tag); }, [&](auto& q) { q.without(melee); }}) ==
              "ben; cat; dan");
        CHECK(answer(world, {[&](auto& q) { q.with(tag); }, [&](auto& q) { q.without(unit); }}) ==
              "dan");
        CHECK(results_of(build().with(tag).with(unit).optional()) ==
              "ann: Tag, Knight\nben: Tag, Ranged\ncat: Tag, Unit\ndan: Tag, -\n");
        CHECK(results_of(build().with(melee).or_().with(ranged)) == "ann: Knight\nben: Ranged\n");
    }

    TEST_CASE_FIXTURE(units, "sources of all kinds") {
        kith::entity likes = world.entity("Likes");
        dan.add(likes, ann).add(likes, dan);
        CHECK(answer(
                  world,
                  {[&](auto& q) { q.with(likes, "$x"); }, [&](auto& q) { q.with(unit).src("$x"); }},
                  {"x"}) == "dan x=ann");
        CHECK(build().with(unit).src(ann).build().is_true());
        CHECK_FALSE(build().with(ranged).src(ann).build().is_true());
        kith::entity child = world.entity("ann::child");
        CHECK(found_by(build().with(unit).up(kith::ChildOf)) == entity_list{child});
    }

    // spec 295
    TEST_CASE_FIXTURE(fixture, "derived types have the layout that they have") {
        world.component<Base>().remove(kith::Final);
        kith::entity derived = world.component<Derived>().is_a<Base>();
        kith::entity one = world.entity("one").set(Base{1});
        kith::entity two = world.entity("two").set(Derived{2, 3});
        // No value is asked for: the layout does not matter.
        CHECK(results_of(build().with<Base>()) == "one: Base\ntwo: Derived\n");
        // A value of another type is never read as one of this type.
        std::vector<kith::entity> seen;
        int sum = 0;
        world.filter<const Base>().each([&](kith::entity e, const Base& value) {
            seen.push_back(e);
            sum += value.number;
        });
        CHECK(seen == std::vector<kith::entity>{one});
        CHECK(sum == 1);
        CHECK(error_of([&] {
                  build().with<Base>().build().each([&](kith::iter& it, std::size_t) {
                      if (it.id(1) == derived) {
                          it.field<const Base>(1);
                      }
                  });
              }).has_value());
        CHECK(two.is_alive());
    }

    TEST_CASE_FIXTURE(fixture, "empty types derive from each other like tags") {
        world.component<Knight>().is_a<Unit>();
        world.entity("ann").add<Knight>();
        world.entity("ben").add<Unit>();
        std::string names;
        world.filter<Unit>().each([&](kith::entity e, Unit) { names += e.name().c_str(); });
        CHECK((names == "annben" || names == "benann"));
        CHECK(results_of(build().with<Unit>()) == "ann: Knight\nben: Unit\n");
    }

    // spec 296
    TEST_CASE_FIXTURE(units, "what is final has nothing derived, and is matched as it is") {
        CHECK(refusal(world, [&] { unit.add(kith::Final); }).has_value());
        kith::entity rank = world.entity("Rank").add(kith::Final);
        kith::entity with_data = world.component<Base>();
        CHECK(refusal(world, [&] { melee.is_a(rank); }) == errc::constraint);
        CHECK(refusal(world, [&] { melee.is_a(with_data); }) == errc::constraint);
        ann.add(rank);
        CHECK(answer(world, {[&](auto& q) { q.with(rank); }}) == "ann");
    }

    // spec 297
    TEST_CASE_FIXTURE(graph, "relationship, target and source are all replaced by what derives") {
        kith::entity fruit = world.entity("Fruit");
        kith::entity apple = world.entity("Apple").is_a(fruit);
        kith::entity gala = world.entity("Gala").is_a(apple);
        ann.add(likes, fruit);
        ben.add(loves, fruit);
        cat.add(likes, gala);
        dan.add(loves, apple);
        kith::entity base = world.prefab("base").add(loves, gala);
        world.entity("heir").is_a(base);
        CHECK(answer(world, {[&](auto& q) { q.with(likes, fruit); }}) ==
              "ann; ben; cat; dan; heir");
        CHECK(answer(world, {[&](auto& q) { q.with(loves, apple); }}) == "dan; heir");
        CHECK(results_of(build().with(likes, apple)) ==
              "cat: (Likes,Gala)\ndan: (Loves,Apple)\nheir: (Loves,Gala)@base\n");
        CHECK(answer(world,
                     {[&](auto& q) { q.with(likes, fruit).src("$x"); },
                      [&](auto& q) { q.with(kith::PredEq).src("$x").second("heir"); }},
                     {"x"}) == "() x=heir");
    }

    TEST_CASE_FIXTURE(graph, "pairs with any target, of a relationship and what derives from it") {
        ann.add(likes, ben).add(loves, cat);
        CHECK(results_of(build().with(likes, Wildcard)) == "ann: (Likes,ben)\nann: (Loves,cat)\n");
        CHECK(results_of(build().with(loves, Wildcard)) == "ann: (Loves,cat)\n");
        CHECK(answer(world, {[&](auto& q) { q.with(likes, "$x"); }}, {"x"}) ==
              "ann x=ben; ann x=cat");
        CHECK(found_by(build().with(likes, kith::Any)) == entity_list{ann});
    }

    TEST_CASE_FIXTURE(graph, "a hierarchy is not replaced") {
        kith::entity house = world.entity("house");
        kith::entity villa = world.entity("villa").is_a(house);
        ann.child_of(villa);
        CHECK(found_by(build().with(kith::ChildOf, house)).empty());
        CHECK(found_by(build().with(kith::ChildOf, villa)) == entity_list{ann});
    }

    TEST_CASE_FIXTURE(units, "variables and wildcards in the place of a component are literal") {
        CHECK(answer(world, {[&](auto& q) { q.with("$c").src(ann); }}, {"c"}) == "() c=Knight");
        CHECK(results_of(build().with(Wildcard).src(ann)) == "() Knight@ann\n");
    }

    TEST_CASE_FIXTURE(units, "has is not affected") {
        CHECK_FALSE(ann.has(unit));
        CHECK(ann.has(knight));
    }

    // spec 298
    TEST_CASE_FIXTURE(units, "what is derived later is found by queries that are there") {
        question all(world, {[&](auto& q) { q.with(unit); }});
        CHECK(all.answer() == "ann; ben; cat");
        kith::entity siege = world.entity("Siege");
        dan.add(siege);
        CHECK(all.answer() == "ann; ben; cat");
        siege.is_a(ranged);
        CHECK(all.answer() == "ann; ben; cat; dan");
        ranged.remove(IsA, unit);
        CHECK(all.answer() == "ann; cat");
        siege.is_a(melee);
        CHECK(all.answer() == "ann; cat; dan");
        siege.destruct();
        CHECK(all.answer() == "ann; cat");
        knight.destruct();
        CHECK(all.answer() == "cat");
    }

    TEST_CASE_FIXTURE(graph, "the same for relationships and targets") {
        kith::entity fruit = world.entity("Fruit");
        kith::entity apple = world.entity("Apple");
        kith::entity adores = make_relation(world, sparse, "Adores");
        question eaters(world, {[&](auto& q) { q.with(likes, fruit); }});
        ann.add(adores, fruit);
        ben.add(likes, apple);
        CHECK(eaters.answer() == "");
        adores.is_a(loves);
        CHECK(eaters.answer() == "ann");
        apple.is_a(fruit);
        CHECK(eaters.answer() == "ann; ben");
        loves.remove(IsA, likes);
        CHECK(eaters.answer() == "ben");
    }
}
