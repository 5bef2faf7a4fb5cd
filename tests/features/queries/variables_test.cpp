// Variables in terms: what they stand for, setting and reading them, and what is refused.
#include <kith/kith.hpp>

#include "support/bindings.hpp"
#include "support/errors.hpp"
#include "support/queries.hpp"
#include "support/query_fixture.hpp"
#include "support/types.hpp"

#include <set>

using namespace kith_test;
using kith::ChildOf;
using kith::errc;
using kith::Wildcard;

namespace {

struct fixture : query_fixture {
    fixture() { register_all(world); }

    kith::entity tag = world.entity("Tag");
    kith::entity planet = world.entity("Planet");
};

struct graph : fixture {
    bool sparse = for_both_storages();
    kith::entity likes = make_relation(world, sparse, "Likes");
    kith::entity hates = make_relation(world, sparse, "Hates");
    kith::entity ann = world.entity("ann");
    kith::entity ben = world.entity("ben");
    kith::entity cat = world.entity("cat");
    kith::entity dan = world.entity("dan");
};

struct harbour : graph {
    kith::entity ship = world.entity("Ship");
    kith::entity docked_to = make_relation(world, sparse, "DockedTo");
    kith::entity earth = world.entity("earth").add(planet);
    kith::entity mars = world.entity("mars").add(planet);
    kith::entity mir = world.entity("mir");
    kith::entity eagle = world.entity("eagle").add(ship).add(docked_to, earth);
    kith::entity viking = world.entity("viking").add(ship).add(docked_to, mars);
    kith::entity soyuz = world.entity("soyuz").add(ship).add(docked_to, mir);
    kith::entity drifter = world.entity("drifter").add(ship);

    // Ship, (DockedTo, $place), Planet($place)
    kith::filter<> docked() const {
        return build().with(ship).with(docked_to, "$place").with(planet).src("$place").build();
    }
};

}  // namespace

TEST_SUITE("features.queries.variables") {
    // spec 122
    TEST_CASE_FIXTURE(graph, "filters, queries and rules answer the same questions") {
        kith::entity in = make_relation(world, sparse, "In").add(kith::Transitive);
        kith::entity unit = world.entity("Unit");
        kith::entity knight = world.entity("Knight").is_a(unit);
        kith::entity town = world.entity("town");
        kith::entity house = world.entity("house").add(in, town);
        ann.add(knight).add(in, house).add(likes, ben);
        ben.add(unit).add(in, house);
        cat.add(unit).add(in, house).add(likes, dan);
        dan.add(tag);
        // Unit, (In, $place), $place == town, (Likes, $x), !{ Tag($x) || Planet($x) }
        auto terms = [&](auto builder) {
            builder.with(unit)
                .with(in, "$place")
                .with(kith::PredEq)
                .src("$place")
                .second(town)
                .with(likes, "$x")
                .scope_open()
                .not_()
                .with(tag)
                .src("$x")
                .or_()
                .with(planet)
                .src("$x")
                .scope_close();
            return builder.build();
        };
        const variable_names names{"place", "x"};
        CHECK(bindings_of(terms(world.filter_builder()), names) == "ann place=town x=ben");
        CHECK(bindings_of(terms(world.query_builder()), names) == "ann place=town x=ben");
        CHECK(bindings_of(terms(world.rule_builder()), names) == "ann place=town x=ben");
    }

    // -- positions

    // spec 219
    TEST_CASE_FIXTURE(graph, "a variable is the source of a term") {
        ann.add(likes, ben);
        cat.add(likes, dan);
        ben.add(tag);
        CHECK(
            answer(world,
                   {[&](auto& q) { q.with(likes, "$x"); }, [&](auto& q) { q.with(tag).src("$x"); }},
                   {"x"}) == "ann x=ben");
    }

    TEST_CASE_FIXTURE(graph, "a query need not have $this at all") {
        ann.add(likes, ben);
        ben.add(likes, cat);
        CHECK(answer(world, {[&](auto& q) { q.with(likes, "$y").src("$x"); }}, {"x", "y"}) ==
              "() x=ann y=ben; () x=ben y=cat");
        int calls = 0;
        build().with(likes, "$y").src("$x").build().each([&] { ++calls; });
        CHECK(calls == 2);
    }

    // spec 255
    TEST_CASE_FIXTURE(graph,
                      "a variable stands in every position, and is the same in all of them") {
        // $r relates ann to something, is an entity with Tag, and has itself a relation to ben.
        kith::entity knows = make_relation(world, sparse, "Knows");
        ann.add(knows, cat).add(likes, cat);
        knows.add(tag).add(likes, ben);
        CHECK(answer(world,
                     {[&](auto& q) { q.with("$r", "cat").src(ann); },
                      [&](auto& q) { q.with(tag).src("$r"); },
                      [&](auto& q) { q.with(likes, ben).src("$r"); }},
                     {"r"}) == "() r=Knows");
        ben.add(knows);
        dan.add(hates, knows);
        CHECK(
            answer(world,
                   {[&](auto& q) { q.with("$r", "cat").src(ann); },
                    [&](auto& q) { q.with("$r").src(ben); }, [&](auto& q) { q.with(hates, "$r"); }},
                   {"r"}) == "dan r=Knows");
    }

    // spec 256
    TEST_CASE_FIXTURE(graph, "the order of terms does not matter to the results") {
        ann.add(likes, ben).add(likes, cat).add(hates, dan);
        ben.add(likes, dan).add(tag);
        cat.add(likes, dan).add(hates, ben);
        dan.add(tag);
        CHECK(
            answer(world,
                   {[&](auto& q) { q.with(likes, "$x"); },
                    [&](auto& q) { q.with(likes, "$y").src("$x"); },
                    [&](auto& q) { q.with(hates, "$y"); }, [&](auto& q) { q.with(tag).src("$y"); }},
                   {"x", "y"}) == "ann x=ben y=dan; ann x=cat y=dan");
    }

    TEST_CASE_FIXTURE(graph, "the same variable twice in a term means the same entity") {
        ann.add(likes, ann);
        ann.add(likes, ben);
        ben.add(likes, ann);
        CHECK(answer(world, {[&](auto& q) { q.with(likes, "$x").src("$x"); }}, {"x"}) ==
              "() x=ann");
        CHECK(answer(world, {[&](auto& q) { q.with(likes, "$this"); }}) == "ann");
    }

    // spec 257
    TEST_CASE_FIXTURE(graph, "a variable is the component of a term") {
        kith::entity timer = make_relation(world, sparse, "Timer").add(kith::Tag);
        world.component<Position>().add(tag);
        planet.add(tag);
        ann.set(Position{1, 2}).add(planet).add(timer, planet);
        ben.add(planet).set(Velocity{1, 2}).add(timer, world.component<Velocity>());
        cat.add(timer, planet);
        CHECK(answer(world,
                     {[&](auto& q) { q.with(tag).src("$c"); }, [&](auto& q) { q.with("$c"); }},
                     {"c"}) == "ann c=Planet; ann c=Position; ben c=Planet");
        CHECK(answer(world, {[&](auto& q) { q.with(timer, "$c"); }, [&](auto& q) { q.with("$c"); }},
                     {"c"}) == "ann c=Planet; ben c=Velocity");
    }

    TEST_CASE_FIXTURE(graph, "as a component, a variable stands for ids that are no pairs") {
        ann.add(tag).add(planet).add(likes, ben);
        CHECK(bindings_of(build().with("$c").src(ann).build(), {"c"}) == "() c=Planet; () c=Tag");
    }

    // spec 258
    TEST_CASE_FIXTURE(graph, "a variable is the relationship of a term") {
        ann.add(likes, ben).add(hates, ben).add(hates, cat);
        cat.add(likes, ben);
        CHECK(answer(world, {[&](auto& q) { q.with("$r", ben); }}, {"r"}) ==
              "ann r=Hates; ann r=Likes; cat r=Likes");
        CHECK(answer(world,
                     {[&](auto& q) { q.with(likes, "$x"); }, [&](auto& q) { q.with("$r", "$x"); }},
                     {"r", "x"}) == "ann r=Hates x=ben; ann r=Likes x=ben; cat r=Likes x=ben");
    }

    TEST_CASE_FIXTURE(graph, "a relationship that is a variable is taken literally") {
        kith::entity in = make_relation(world, sparse, "In").add(kith::Transitive);
        ann.add(in, ben);
        ben.add(in, cat);
        CHECK(answer(world,
                     {[&](auto& q) { q.with("$r", "$x").src(ann); },
                      [&](auto& q) { q.with(kith::PredEq).src("$r").second(in); }},
                     {"x"}) == "() x=ben");
    }

    // spec 259
    TEST_CASE_FIXTURE(graph, "terms join entities into chains") {
        ann.add(likes, ben).add(hates, cat);
        ben.add(likes, cat).add(likes, dan);
        dan.add(likes, ben);
        CHECK(answer(world,
                     {[&](auto& q) { q.with(likes, "$friend"); },
                      [&](auto& q) { q.with(likes, "$enemy").src("$friend"); },
                      [&](auto& q) { q.with(hates, "$enemy"); }},
                     {"friend", "enemy"}) == "ann friend=ben enemy=cat");
    }

    // spec 260
    TEST_CASE_FIXTURE(graph, "$this is spelled out in any case and stands in any position") {
        ann.add(tag).add(likes, ben);
        ben.add(likes, ben);
        for (const char* name : {"$this", "$This", "$THIS"}) {
            CHECK(bindings_of(build().with(tag).src(name).build()) == "ann");
            CHECK(bindings_of(build().with(likes, name).src(ann).build()) == "ben");
        }
        CHECK(bindings_of(build().with(tag).src().var("this").build()) == "ann");
        CHECK(bindings_of(build().with(tag).src(kith::This).build()) == "ann");
        CHECK(bindings_of(build().with("$this").src(ann).build()) == "Tag");
        CHECK(answer(world, {[&](auto& q) { q.with("$this", ben).src("$x"); }}, {"x"}) ==
              "Likes x=ann; Likes x=ben");
    }

    TEST_CASE_FIXTURE(graph, "$this as a target: what something points at") {
        kith::entity top = world.entity("top").add(tag);
        world.entity("top::one");
        world.entity("top::two");
        CHECK(answer(world,
                     {[&](auto& q) { q.with(tag); },
                      [&](auto& q) { q.with(ChildOf, "$this").src("$child"); }},
                     {"child"}) == "top child=one; top child=two");
        CHECK(top.is_alive());
    }

    // spec 263
    TEST_CASE_FIXTURE(graph, "var and a name with $ are the same, in builders and descriptions") {
        ann.add(likes, ben);
        cat.add(likes, dan).add(tag);
        dan.add(tag);
        CHECK(bindings_of(build().with(likes).second().var("x").with(tag).src().var("x").build(),
                          {"x"}) == "cat x=dan");
        CHECK(bindings_of(build().with(likes).second("$x").with(tag).src("$x").build(), {"x"}) ==
              "cat x=dan");
        CHECK(bindings_of(build().with(likes).second("$x").with(tag).src().var("x").build(),
                          {"x"}) == "cat x=dan");
        CHECK(bindings_of(build().with().first().var("r").second(dan).build(), {"r"}) ==
              "cat r=Likes");

        kith::term_desc terms[2];
        terms[0].first.id = likes;
        terms[0].second.name = "x";
        terms[0].second.flags = kith::IsVariable;
        terms[1].id = tag;
        terms[1].src.name = "x";
        terms[1].src.flags = kith::IsVariable;
        kith::query_desc description;
        description.terms = terms;
        description.count = 2;
        CHECK(bindings_of(world.filter(description), {"x"}) == "cat x=dan");
    }

    // -- what they range over

    TEST_CASE_FIXTURE(graph, "a variable takes own and inherited targets, a wildcard too") {
        kith::entity base = world.prefab("base").add(likes, ann).add(likes, ben);
        world.entity("heir").is_a(base);
        world.entity("rich").is_a(base).add(likes, cat).add(likes, ben);
        CHECK(answer(world, {[&](auto& q) { q.with(likes, "$x"); }}, {"x"}) ==
              "heir x=ann; heir x=ben; rich x=ann; rich x=ben; rich x=cat");
        CHECK(bindings_of(build().with(likes, Wildcard).build()) == "heir; heir; rich; rich; rich");
        CHECK(answer(world, {[&](auto& q) { q.with(likes, "$x").self(); }}, {"x"}) ==
              "rich x=ben; rich x=cat");
    }

    TEST_CASE_FIXTURE(graph, "an owned pair of an exclusive relationship hides inherited ones") {
        kith::entity lord = make_relation(world, sparse, "Lord").add(kith::Exclusive);
        kith::entity base = world.prefab("base").add(lord, ann);
        world.entity("heir").is_a(base);
        world.entity("free").is_a(base).add(lord, ben);
        CHECK(answer(world, {[&](auto& q) { q.with(lord, "$x"); }}, {"x"}) ==
              "free x=ben; heir x=ann");
    }

    TEST_CASE_FIXTURE(graph, "what is not inherited is no value of a variable") {
        kith::entity lord = make_relation(world, sparse, "Lord").add(kith::DontInherit);
        kith::entity base = world.entity("base").add(lord, ann);
        world.entity("heir").is_a(base);
        CHECK(answer(world, {[&](auto& q) { q.with(lord, "$x"); }}, {"x"}) == "base x=ann");
    }

    TEST_CASE_FIXTURE(graph, "prefabs and disabled entities are hidden as $this only") {
        kith::entity fab = world.prefab("fab").add(tag);
        kith::entity off = world.entity("off").add(tag).disable();
        ann.add(likes, fab).add(likes, off);
        fab.add(likes, ben);
        off.add(likes, ben);
        CHECK(answer(world, {[&](auto& q) { q.with(likes, "$x"); }}, {"x"}) ==
              "ann x=fab; ann x=off");
        CHECK(answer(world, {[&](auto& q) { q.with(likes, "$this").src("$x"); }}, {"x"}) ==
              "ben x=fab; ben x=off");
        CHECK(answer(world, {[&](auto& q) { q.with(tag).src("$x"); }}, {"x"}) ==
              "() x=fab; () x=off");
        CHECK(answer(world, {[&](auto& q) { q.with(tag); }}) == "");
    }

    TEST_CASE_FIXTURE(graph, "builtin entities are values of variables, but no results") {
        ann.add(likes, ChildOf);
        CHECK(answer(world, {[&](auto& q) { q.with(likes, "$x").src("ann"); }}, {"x"}) ==
              "() x=ChildOf");
        CHECK(answer(world, {[&](auto& q) { q.with(likes, "$this").src("ann"); }}) == "");
    }

    TEST_CASE_FIXTURE(graph, "a component that is switched off does not match for any source") {
        ann.add(likes, ben).add(likes, cat);
        ben.set(Position{1, 2});
        cat.set(Position{3, 4});
        question where(world,
                       {[&](auto& q) { q.with(likes, "$x"); },
                        [&](auto& q) { q.template with<Position>().src("$x"); }},
                       {"x"});
        CHECK(where.answer() == "ann x=ben; ann x=cat");
        ben.disable<Position>();
        CHECK(where.answer() == "ann x=cat");
        ben.enable<Position>();
        CHECK(where.answer() == "ann x=ben; ann x=cat");
    }

    TEST_CASE_FIXTURE(graph, "variables alone never give the same result twice") {
        kith::entity base = world.prefab("base").add(likes, ben);
        ann.is_a(base).add(likes, ben);
        CHECK(answer(world, {[&](auto& q) { q.with(likes, "$x"); }}, {"x"}) == "ann x=ben");
        ben.add(tag);
        CHECK(
            answer(world,
                   {[&](auto& q) { q.with(likes, "$x"); }, [&](auto& q) { q.with(tag).src("$x"); },
                    [&](auto& q) { q.with(likes, "$x"); }},
                   {"x"}) == "ann x=ben");
    }

    TEST_CASE_FIXTURE(graph, "wildcards beside variables give a result for each match") {
        ann.add(likes, ben).add(hates, cat).add(hates, dan);
        CHECK(answer(world,
                     {[&](auto& q) { q.with(likes, "$x"); },
                      [&](auto& q) { q.with(hates, Wildcard); }},
                     {"x"}) == "ann x=ben; ann x=ben");
        CHECK(answer(world,
                     {[&](auto& q) { q.with(likes, "$x"); },
                      [&](auto& q) { q.with(hates, kith::Any); }},
                     {"x"}) == "ann x=ben");
    }

    TEST_CASE_FIXTURE(graph, "fields of terms with variables have id, source and value") {
        kith::entity eats = make_relation<Eats>(world, sparse);
        ann.set<Eats>(ben, {3}).set<Eats>(cat, {4});
        ben.set(Position{1, 2});
        cat.set(Position{5, 6});
        auto query = build().term<Eats>("$x").term<Position>().src("$x").build();
        CHECK(results_of(query) ==
              "ann: (kith_test.Eats,ben), kith_test.Position@ben\n"
              "ann: (kith_test.Eats,cat), kith_test.Position@cat\n");
        int sum = 0;
        query.each([&](kith::iter& it, std::size_t row) {
            sum += it.field<const Eats>(1)[row].amount * it.field<const Position>(2)[row].x;
        });
        CHECK(sum == 3 * 1 + 4 * 5);
        CHECK(eats.is_alive());
    }

    TEST_CASE_FIXTURE(graph, "template arguments take values from variables") {
        ann.add(likes, ben);
        cat.add(likes, dan);
        ben.set(Position{7, 8});
        auto query =
            world.filter_builder<const Position>().arg(1).src("$x").with(likes, "$x").build();
        int calls = 0;
        query.each([&](kith::entity who, const Position& position) {
            CHECK(who == ann);
            CHECK(position.x == 7);
            ++calls;
        });
        CHECK(calls == 1);
    }

    // -- Not

    // spec 265
    TEST_CASE_FIXTURE(graph, "Not with a variable that is bound elsewhere") {
        kith::entity food = world.entity("Food");
        ben.add(food);
        cat.add(food);
        ann.add(tag).add(likes, ben);
        dan.add(tag);
        CHECK(answer(world,
                     {[&](auto& q) { q.with(tag); }, [&](auto& q) { q.with(food).src("$food"); },
                      [&](auto& q) { q.without(likes, "$food"); }},
                     {"food"}) == "ann food=cat; dan food=ben; dan food=cat");
    }

    TEST_CASE_FIXTURE(graph, "Not with a variable of its own: there is none") {
        ann.add(tag).add(likes, ben);
        ben.add(tag);
        question nobody(world,
                        {[&](auto& q) { q.with(tag); }, [&](auto& q) { q.without(likes, "$x"); }});
        CHECK(nobody.answer() == "ben");
        ben.add(likes, ben);
        CHECK(nobody.answer() == "");
        ann.remove(likes, Wildcard);
        CHECK(nobody.answer() == "ann");
    }

    TEST_CASE_FIXTURE(graph, "a variable that exists only under Not cannot be used elsewhere") {
        auto unbound = [&] { return build().with(tag).without(likes, "$who"); };
        CHECK_NOTHROW(unbound().build());
        CHECK(refused(unbound().without(hates, "$who")) == errc::invalid_query);
        CHECK(refused(unbound().without(kith::PredEq).src("$who").second(ann)) ==
              errc::invalid_query);
        CHECK(refused(unbound().without(kith::PredEq).src("$this").second("$who")) ==
              errc::invalid_query);
        CHECK(contains(message(unbound().without(hates, "$who")), "who"));
        // Another term that binds it makes it the variable of both.
        CHECK_NOTHROW(unbound().with(tag).src("$who").build());
    }

    // -- Optional

    // spec 200
    TEST_CASE_FIXTURE(harbour,
                      "a term about what an optional term may find is skipped without it") {
        question all(
            world,
            {[&](auto& q) { q.with(ship); }, [&](auto& q) { q.with(docked_to, "$p").optional(); },
             [&](auto& q) { q.with(planet).src("$p"); }},
            {"p"});
        // soyuz is docked to what is no planet.
        CHECK(all.answer() == "drifter p=-; eagle p=earth; viking p=mars");
        drifter.add(docked_to, earth);
        soyuz.remove(docked_to, mir);
        CHECK(all.answer() == "drifter p=earth; eagle p=earth; soyuz p=-; viking p=mars");
    }

    TEST_CASE_FIXTURE(harbour, "the field of a skipped term is not set") {
        auto query =
            build().with(ship).with(docked_to, "$p").optional().with(planet).src("$p").build();
        CHECK(results_of(query) ==
              "drifter: Ship, -, -\n"
              "eagle: Ship, (DockedTo,earth), Planet@earth\n"
              "viking: Ship, (DockedTo,mars), Planet@mars\n");
    }

    TEST_CASE_FIXTURE(harbour, "an optional term gives a result for each value of its variable") {
        eagle.add(docked_to, mars);
        CHECK(answer(world,
                     {[&](auto& q) { q.with(ship); },
                      [&](auto& q) { q.with(docked_to, "$p").optional(); }},
                     {"p"}) ==
              "drifter p=-; eagle p=earth; eagle p=mars; soyuz p=mir; viking p=mars");
    }

    TEST_CASE_FIXTURE(harbour, "optional terms build upon each other") {
        earth.add(likes, ann);
        ann.add(hates, ben);
        CHECK(answer(world, {[&](auto& q) {
                         q.with(ship)
                             .with(docked_to, "$p")
                             .optional()
                             .with(likes, "$x")
                             .src("$p")
                             .optional()
                             .with(hates, "$y")
                             .src("$x")
                             .optional();
                     }},
                     {"p", "x", "y"}) ==
              "drifter p=- x=- y=-; eagle p=earth x=ann y=ben; soyuz p=mir x=- y=-; "
              "viking p=mars x=- y=-");
    }

    TEST_CASE_FIXTURE(harbour, "Not of a variable that is unset is skipped too") {
        CHECK(answer(world,
                     {[&](auto& q) { q.with(ship); },
                      [&](auto& q) { q.with(docked_to, "$p").optional(); },
                      [&](auto& q) { q.without(planet).src("$p"); }},
                     {"p"}) == "drifter p=-; soyuz p=mir");
    }

    TEST_CASE_FIXTURE(harbour, "an optional term whose variable is bound elsewhere binds nothing") {
        CHECK(answer(world,
                     {[&](auto& q) { q.with(ship); }, [&](auto& q) { q.with(planet).src("$p"); },
                      [&](auto& q) { q.with(docked_to, "$p").optional(); },
                      [&](auto& q) { q.with(kith::PredEq).src("$p").second(earth); }},
                     {"p"}) == "drifter p=earth; eagle p=earth; soyuz p=earth; viking p=earth");
    }

    // -- Or

    TEST_CASE_FIXTURE(graph, "Or with a variable gives all values of all alternatives, once each") {
        ann.add(likes, ben).add(hates, ben).add(hates, cat);
        dan.add(hates, ann);
        question either(world, {[&](auto& q) { q.with(likes, "$x").or_().with(hates, "$x"); }},
                        {"x"});
        CHECK(either.answer() == "ann x=ben; ann x=cat; dan x=ann");
        ann.remove(likes, ben);
        CHECK(either.answer() == "ann x=ben; ann x=cat; dan x=ann");
        ann.remove(hates, ben);
        CHECK(either.answer() == "ann x=cat; dan x=ann");
    }

    TEST_CASE_FIXTURE(graph, "the field of a chain is that of the first alternative that holds") {
        ann.add(likes, ben).add(hates, ben).add(hates, cat);
        CHECK(results_of(build().with(likes, "$x").or_().with(hates, "$x")) ==
              "ann: (Hates,cat)\nann: (Likes,ben)\n");
    }

    TEST_CASE_FIXTURE(graph, "variables of other alternatives are unset") {
        ann.add(likes, ben).add(hates, cat);
        dan.add(hates, cat);
        CHECK(answer(world, {[&](auto& q) { q.with(likes, "$x").or_().with(hates, "$y"); }},
                     {"x", "y"}) == "ann x=ben y=-; dan x=- y=cat");
    }

    TEST_CASE_FIXTURE(graph, "Or tests a variable that is bound elsewhere") {
        ann.add(likes, ben).add(likes, cat).add(likes, dan);
        ben.add(tag);
        dan.add(planet).add(tag);
        CHECK(answer(world,
                     {[&](auto& q) { q.with(likes, "$x"); },
                      [&](auto& q) { q.with(tag).src("$x").or_().with(planet).src("$x"); }},
                     {"x"}) == "ann x=ben; ann x=dan");
    }

    TEST_CASE_FIXTURE(graph,
                      "a term that must hold gives its variables values, wherever it stands") {
        kith::entity r = make_relation(world, sparse, "R");
        ann.add(r, ben).add(tag);
        ben.add(tag);
        cat.add(r, cat).add(tag);
        // Tag, (R, $z) || R(ann, $x), R($z, $x): the alternatives are asked for each $z.
        CHECK(answer(world,
                     {[&](auto& q) { q.with(tag); },
                      [&](auto& q) { q.with(r, "$z").or_().with(r, "$x").src(ann); },
                      [&](auto& q) { q.with(r, "$x").src("$z"); }},
                     {"x", "z"}) ==
              "ann x=ben z=ann; ben x=ben z=ann; cat x=ben z=ann; cat x=cat z=cat");
    }

    TEST_CASE_FIXTURE(graph, "a comparison in an alternative gives a value, wherever it stands") {
        ann.add(likes, ben).add(tag);
        cat.add(tag);
        CHECK(
            answer(world,
                   {[&](auto& q) { q.with(likes, "$z"); },
                    [&](auto& q) { q.with(kith::PredEq).src("$z").second("$x").or_().with(tag); }},
                   {"x", "z"}) == "ann x=ben z=ben");
    }

    TEST_CASE_FIXTURE(graph, "a comparison in an alternative waits for the value of its variable") {
        kith::entity r = make_relation(world, sparse, "R");
        ann.add(r, ben).add(tag);
        ben.add(planet).add(tag);
        cat.add(tag);
        // $this == $y, { ?Tag, $y != ann } || { Planet($z), (R, $y) }
        const entity_list found = found_by(build()
                                               .with(kith::PredEq)
                                               .src("$this")
                                               .second("$y")
                                               .scope_open()
                                               .with(tag)
                                               .optional()
                                               .without(kith::PredEq)
                                               .src("$y")
                                               .second(ann)
                                               .scope_close()
                                               .or_()
                                               .scope_open()
                                               .with(planet)
                                               .src("$z")
                                               .with(r, "$y")
                                               .scope_close());
        CHECK(std::find(found.begin(), found.end(), ann) == found.end());
        CHECK(std::find(found.begin(), found.end(), ben) != found.end());
    }

    // -- setting and reading

    // spec 261
    TEST_CASE_FIXTURE(harbour, "a variable is set before a run, by name and by index") {
        auto query = docked();
        const int place = query.find_var("place");
        CHECK(bindings_of(query.iter().set_var("place", earth), {"place"}) == "eagle place=earth");
        CHECK(bindings_of(query.iter().set_var(place, mars), {"place"}) == "viking place=mars");
        CHECK(bindings_of(query.iter().set_var(place, mir)) == "");
        CHECK(bindings_of(query.iter().set_var(place, eagle)) == "");
        CHECK(bindings_of(query) == "eagle; viking");
        CHECK(query.iter().set_var("place", earth).count() == 1);
        CHECK(query.iter().set_var("place", earth).first() == eagle);
        CHECK_FALSE(query.iter().set_var("place", mir).is_true());
    }

    TEST_CASE_FIXTURE(harbour, "$this is set by name, by index, and to a range of rows") {
        auto query = docked();
        CHECK(bindings_of(query.iter().set_var("this", eagle), {"place"}) == "eagle place=earth");
        CHECK(bindings_of(query.iter().set_var(0, viking), {"place"}) == "viking place=mars");
        CHECK(bindings_of(query.iter().set_var(0, soyuz)) == "");
        CHECK(bindings_of(query.iter().set_var(0, eagle).set_var("place", mars)) == "");
        entity_list rows;
        build().with(ship).build().iter([&](kith::iter& it) {
            query.iter().set_var(0, it.range()).each([&](kith::entity e) { rows.push_back(e); });
        });
        CHECK(sorted(rows) == sorted({eagle, viking}));
    }

    TEST_CASE_FIXTURE(harbour, "a variable may be set in plain queries, too") {
        auto query = build().with(ship).build();
        CHECK(query.iter().set_var(0, eagle).count() == 1);
        CHECK(query.iter().set_var(0, earth).count() == 0);
        auto cached = world.query_builder().with(ship).build();
        CHECK(cached.iter().set_var("this", eagle).first() == eagle);
    }

    TEST_CASE_FIXTURE(harbour, "one query serves many lookups, cached or not") {
        for (bool keep : {false, true}) {
            auto builder = build().with(ship).with(docked_to, "$place");
            auto query = keep ? builder.cached().build() : builder.build();
            std::string found;
            for (kith::entity where : {earth, mars, mir, ann}) {
                query.iter().set_var("place", where).each([&](kith::entity who) {
                    found += who.name().c_str();
                    found += " ";
                });
            }
            CHECK(found == "eagle viking soyuz ");
        }
    }

    TEST_CASE_FIXTURE(harbour, "what cannot be set is refused") {
        auto query = docked();
        kith::entity dead = world.entity();
        dead.destruct();
        CHECK(refusal(world, [&] { query.iter().set_var("nowhere", earth); }).has_value());
        CHECK(contains(message_of([&] { query.iter().set_var("nowhere", earth); }), "nowhere"));
        CHECK(refusal(world, [&] { query.iter().set_var(query.var_count(), earth); }).has_value());
        CHECK(refusal(world, [&] { query.iter().set_var(-1, earth); }).has_value());
        CHECK(refusal(world, [&] { query.iter().set_var(1000, earth); }).has_value());
        CHECK(refusal(world, [&] { query.iter().set_var("place", dead).count(); }).has_value());
        CHECK(refusal(world, [&] { query.iter().set_var(0, dead).count(); }).has_value());
        CHECK(bindings_of(query) == "eagle; viking");
    }

    // spec 262
    TEST_CASE_FIXTURE(harbour, "variables have names and indices") {
        auto query = docked();
        CHECK(query.find_var("this") == 0);
        CHECK(query.find_var("This") == 0);
        const int place = query.find_var("place");
        CHECK(place > 0);
        CHECK(query.find_var("nowhere") == -1);
        CHECK(query.find_var("") == -1);
        CHECK(query.var_count() == 2);
        CHECK(std::string(query.var_name(place)) == "place");
        CHECK(std::string(query.var_name(0)) == "this");
        CHECK(build().with(ship).build().find_var("place") == -1);
    }

    TEST_CASE_FIXTURE(harbour, "a result tells the values of variables") {
        auto query = docked();
        const int place = query.find_var("place");
        std::set<kith::entity_t> seen;
        query.each([&](kith::iter& it, std::size_t row) {
            CHECK(it.get_var("place") == it.get_var(place));
            CHECK(it.entity(row).has(docked_to, it.get_var(place)));
            seen.insert(it.get_var("place"));
        });
        CHECK(seen == std::set<kith::entity_t>{earth, mars});
        auto it = query.iter().set_var("place", mars);
        REQUIRE(it.next());
        CHECK(it->get_var("place") == mars);
        CHECK(it->entity(0) == viking);
        CHECK_FALSE(it.next());
    }

    TEST_CASE_FIXTURE(harbour, "reading a variable that is not there is an error") {
        auto query = docked();
        CHECK(error_of([&] {
                  query.iter([](kith::iter& it) { it.get_var("nowhere"); });
              }).has_value());
        CHECK(error_of([&] { query.iter([](kith::iter& it) { it.get_var(17); }); }).has_value());
        CHECK(error_of([&] { query.iter([](kith::iter& it) { it.get_var(-1); }); }).has_value());
        CHECK(bindings_of(query) == "eagle; viking");
    }

    TEST_CASE_FIXTURE(harbour, "matches asks about one entity") {
        auto query = docked();
        CHECK(query.matches(eagle));
        CHECK_FALSE(query.matches(soyuz));
        CHECK_FALSE(query.matches(drifter));
        CHECK_FALSE(query.matches(earth));
    }

    TEST_CASE_FIXTURE(harbour, "pages and shares of results with variables") {
        eagle.add(docked_to, mars);
        auto query = docked();
        CHECK(query.count() == 3);
        std::vector<std::string> rows;
        for (int i = 0; i < 3; ++i) {
            rows.push_back(bindings_of(query.page(i, 1), {"place"}));
        }
        CHECK(bindings_of(query.page(3, 1)) == "");
        std::sort(rows.begin(), rows.end());
        CHECK(rows == std::vector<std::string>{"eagle place=earth", "eagle place=mars",
                                               "viking place=mars"});
        int rows_of_all = 0;
        for (int i = 0; i < 4; ++i) {
            query.worker(i, 4).each([&](kith::entity) { ++rows_of_all; });
        }
        CHECK(rows_of_all == 3);
    }

    TEST_CASE_FIXTURE(harbour, "a callback that returns false ends the run") {
        int calls = 0;
        docked().each([&](kith::entity) {
            ++calls;
            return false;
        });
        CHECK(calls == 1);
    }

    TEST_CASE_FIXTURE(harbour, "runs of one query may be nested") {
        auto query = docked();
        std::string found;
        query.each([&](kith::iter& outer, std::size_t) {
            query.each([&](kith::iter& inner, std::size_t row) {
                if (inner.get_var("place") != outer.get_var("place")) {
                    found += inner.entity(row).name().c_str();
                    found += " ";
                }
            });
        });
        CHECK((found == "eagle viking " || found == "viking eagle "));
    }

    // -- caching

    // spec 264
    TEST_CASE_FIXTURE(harbour, "cached queries with variables stay right after any change") {
        auto query = world.query_builder()
                         .with(ship)
                         .with(docked_to, "$place")
                         .with(planet)
                         .src("$place")
                         .build();
        CHECK(bindings_of(query, {"place"}) == "eagle place=earth; viking place=mars");
        mir.add(planet);
        CHECK(bindings_of(query, {"place"}) ==
              "eagle place=earth; soyuz place=mir; viking place=mars");
        earth.remove(planet);
        CHECK(bindings_of(query, {"place"}) == "soyuz place=mir; viking place=mars");
        drifter.add(docked_to, mars);
        CHECK(bindings_of(query, {"place"}) ==
              "drifter place=mars; soyuz place=mir; viking place=mars");
        viking.remove(docked_to, mars);
        CHECK(bindings_of(query, {"place"}) == "drifter place=mars; soyuz place=mir");
        mir.destruct();
        CHECK(bindings_of(query, {"place"}) == "drifter place=mars");
        kith::entity base = world.prefab("base").add(docked_to, mars);
        world.entity("heir").add(ship).is_a(base);
        CHECK(bindings_of(query, {"place"}) == "drifter place=mars; heir place=mars");
        mars.disable();
        CHECK(bindings_of(query, {"place"}) == "drifter place=mars; heir place=mars");
        drifter.disable();
        CHECK(bindings_of(query, {"place"}) == "heir place=mars");
        base.remove(docked_to, mars);
        CHECK(bindings_of(query, {"place"}) == "");
    }

    TEST_CASE_FIXTURE(harbour, "new entities and new tables join a cached query") {
        auto query = world.query_builder().with(ship).with(docked_to, "$place").build();
        CHECK(query.count() == 3);
        kith::entity moon = world.entity("moon");
        for (int i = 0; i < 50; ++i) {
            world.entity().add(ship).add(docked_to, moon).add(world.entity());
        }
        CHECK(query.count() == 53);
        CHECK(query.iter().set_var("place", moon).count() == 50);
        moon.destruct();
        CHECK(query.count() == 3);
    }

    TEST_CASE_FIXTURE(harbour, "a query outlives the entities that its terms name") {
        question at_earth(world,
                          {[&](auto& q) { q.with(likes, "$x"); },
                           [&](auto& q) { q.with(docked_to, earth).src("$x"); }},
                          {"x"});
        ann.add(likes, eagle);
        CHECK(at_earth.answer() == "ann x=eagle");
        earth.destruct();
        CHECK(at_earth.answer() == "");
        likes.destruct();
        CHECK(at_earth.answer() == "");
    }

    TEST_CASE_FIXTURE(harbour, "a change while iterating is refused unless it is deferred") {
        auto query = docked();
        world.defer([&] { query.each([&](kith::entity e) { e.add(tag); }); });
        CHECK(eagle.has(tag));
        CHECK(viking.has(tag));
        CHECK_NOTHROW(world.check());
        CHECK(bindings_of(query) == "eagle; viking");
    }

    // -- undeclared cycles, contradictions, limits

    TEST_CASE_FIXTURE(graph, "cycles in data end") {
        ann.add(likes, ben).add(likes, ann);
        ben.add(likes, cat);
        cat.add(likes, ann);
        CHECK(answer(world,
                     {[&](auto& q) { q.with(likes, "$x"); },
                      [&](auto& q) { q.with(likes, "$y").src("$x"); },
                      [&](auto& q) { q.with(likes, "$z").src("$y"); },
                      [&](auto& q) { q.with(likes, "$this").src("$z"); }},
                     {"x", "y", "z"}) ==
              "ann x=ann y=ann z=ann; ann x=ann y=ben z=cat; ann x=ben y=cat z=ann; "
              "ben x=cat y=ann z=ann; cat x=ann y=ann z=ben");
    }

    TEST_CASE_FIXTURE(graph, "terms that contradict each other find nothing") {
        ann.add(tag).add(likes, ben);
        CHECK(answer(world, {[&](auto& q) { q.with(tag); }, [&](auto& q) { q.without(tag); }}) ==
              "");
        CHECK(answer(world, {[&](auto& q) { q.with(likes, "$x"); },
                             [&](auto& q) { q.without(likes, "$x"); }}) == "");
    }

    TEST_CASE_FIXTURE(graph, "64 variables are the most, $this included") {
        auto with_variables = [&](int count) {
            auto builder = build();
            // Two in a term; $this is in another.
            for (int i = 0; i < count; ++i) {
                builder.with(likes, ("$v" + std::to_string(i)).c_str());
                if (i + 1 < count) {
                    ++i;
                    builder.src(("$v" + std::to_string(i)).c_str());
                }
            }
            return builder;
        };
        ann.add(likes, ben);
        auto most = with_variables(62).with(tag).build();
        CHECK(most.var_count() == 63);
        CHECK(most.count() == 0);
        ann.add(tag);
        CHECK(most.count() == 1);
        CHECK(with_variables(63).with(tag).build().count() == 1);
        const auto code = refused(with_variables(64).with(tag));
        CHECK((code == errc::limit || code == errc::invalid_query));
        CHECK(contains(message(with_variables(64).with(tag)), "64"));
        CHECK(contains(message(with_variables(80).with(tag)), "64"));
    }

    TEST_CASE_FIXTURE(graph, "64 terms are the most, also with variables") {
        ann.add(likes, ben);
        auto with_terms = [&](int count) {
            auto builder = build();
            for (int i = 0; i < count; ++i) {
                builder.with(likes, i % 2 ? "$x" : "$y");
            }
            return builder;
        };
        CHECK(with_terms(64).build().count() == 1);
        CHECK(refused(with_terms(65)).has_value());
        CHECK(contains(message(with_terms(65)), "64"));
    }

    TEST_CASE_FIXTURE(graph, "names that are no variables") {
        CHECK(refused(build().with(likes, "$").src(ann)).has_value());
        CHECK(refused(build().with(likes).second().var("")).has_value());
    }

    TEST_CASE_FIXTURE(graph, "a term about a dead entity beside a variable is refused") {
        kith::entity dead = world.entity();
        dead.destruct();
        CHECK(refused(build().with(likes, "$x").with(tag).src(dead)).has_value());
        CHECK(refused(build().with(dead, "$x")).has_value());
        CHECK(refused(build().with("$r", dead)).has_value());
    }
}
