// Transitive and reflexive relationships in queries: as if all that follows were stored.
#include <kith/kith.hpp>

#include "support/bindings.hpp"
#include "support/errors.hpp"
#include "support/queries.hpp"
#include "support/types.hpp"

#include <algorithm>
#include <vector>

using namespace kith_test;
using kith::errc;
using kith::IsA;
using kith::Wildcard;

namespace {

struct fixture {
    kith::filter_builder<> build() const { return world.filter_builder(); }

    bool sparse = for_both_storages();
    kith::world world;
    kith::entity in = make_relation(world, sparse, "In").add(kith::Transitive);
    kith::entity likes = make_relation(world, sparse, "Likes");
    kith::entity tag = world.entity("Tag");
};

// bob - park - city - land; dog - park; sea has nothing to do with it.
struct places : fixture {
    kith::entity land = world.entity("land");
    kith::entity city = world.entity("city").add(in, land);
    kith::entity park = world.entity("park").add(in, city);
    kith::entity bob = world.entity("bob").add(in, park);
    kith::entity dog = world.entity("dog").add(in, park);
    kith::entity sea = world.entity("sea").add(tag);
};

// Layers of two, each entity linked to both of the next layer: the number of paths doubles with
// each layer.
struct diamonds : fixture {
    static constexpr int layers = 40;

    diamonds() {
        for (int i = 0; i < layers; ++i) {
            for (int side = 0; side < 2; ++side) {
                kith::entity e = world.entity();
                if (i > 0) {
                    e.add(in, nodes[2 * (i - 1)]).add(in, nodes[2 * (i - 1) + 1]);
                }
                nodes.push_back(e);
            }
        }
    }

    std::vector<kith::entity> nodes;  // from the top
};

// A chain of 100,000.
struct deep : fixture {
    static constexpr int length = 100'000;

    deep() {
        chain.push_back(world.entity());
        for (int i = 1; i < length; ++i) {
            chain.push_back(world.entity().add(in, chain.back()));
        }
    }

    std::vector<kith::entity> chain;  // from the top
};

}  // namespace

TEST_SUITE("features.queries.closure") {
    // -- transitive

    // spec 299
    TEST_CASE_FIXTURE(places, "a constant target finds everything below it") {
        CHECK(answer(world, {[&](auto& q) { q.with(in, land); }}) == "bob; city; dog; park");
        CHECK(answer(world, {[&](auto& q) { q.with(in, city); }}) == "bob; dog; park");
        CHECK(answer(world, {[&](auto& q) { q.with(in, park); }}) == "bob; dog");
        CHECK(answer(world, {[&](auto& q) { q.with(in, bob); }}) == "");
        CHECK(answer(world, {[&](auto& q) { q.with(in, sea); }}) == "");
    }

    TEST_CASE_FIXTURE(places, "what is found follows changes at any level") {
        question in_land(world, {[&](auto& q) { q.with(in, land); }});
        question in_sea(world, {[&](auto& q) { q.with(in, sea); }});
        CHECK(in_land.answer() == "bob; city; dog; park");
        park.remove(in, city);
        CHECK(in_land.answer() == "city");
        park.add(in, sea);
        CHECK(in_land.answer() == "city");
        CHECK(in_sea.answer() == "bob; dog; park");
        sea.add(in, land);
        CHECK(in_land.answer() == "bob; city; dog; park; sea");
        park.destruct();
        CHECK(in_land.answer() == "city; sea");
        CHECK(in_sea.answer() == "");
    }

    // spec 300
    TEST_CASE_FIXTURE(places, "a variable takes every target on the way up") {
        question where(world, {[&](auto& q) { q.with(in, "$place"); }}, {"place"});
        CHECK(where.answer() ==
              "bob place=city; bob place=land; bob place=park; city place=land; dog place=city; "
              "dog place=land; dog place=park; park place=city; park place=land");
        city.add(tag);
        CHECK(answer(world,
                     {[&](auto& q) { q.with(in, "$place"); },
                      [&](auto& q) { q.with(tag).src("$place"); }},
                     {"place"}) == "bob place=city; dog place=city; park place=city");
        CHECK(bindings_of(build().with(in, "$place").build().iter().set_var("place", city)) ==
              "bob; dog; park");
        CHECK(bindings_of(build().with(in, "$place").build().iter().set_var(0, park), {"place"}) ==
              "park place=city; park place=land");
    }

    TEST_CASE_FIXTURE(places, "a fixed source is looked up from") {
        CHECK(answer(world, {[&](auto& q) { q.with(in, "$this").src(bob); }}) ==
              "city; land; park");
        CHECK(answer(world, {[&](auto& q) { q.with(in, "$x").src(bob); }}, {"x"}) ==
              "() x=city; () x=land; () x=park");
        CHECK(build().with(in, land).src(bob).build().is_true());
        CHECK_FALSE(build().with(in, bob).src(land).build().is_true());
        CHECK_FALSE(build().with(in, sea).src(bob).build().is_true());
    }

    TEST_CASE_FIXTURE(places, "two ends that are both variables") {
        park.add(likes, land);
        bob.add(likes, dog);
        CHECK(answer(world,
                     {[&](auto& q) { q.with(likes, "$y").src("$x"); },
                      [&](auto& q) { q.with(in, "$y").src("$x"); }},
                     {"x", "y"}) == "() x=park y=land");
        CHECK(answer(world,
                     {[&](auto& q) { q.with(in, "$p").src("$x"); },
                      [&](auto& q) { q.with(in, "$p").src("$y"); },
                      [&](auto& q) { q.without(kith::PredEq).src("$x").second("$y"); },
                      [&](auto& q) { q.with(kith::PredEq).src("$p").second(park); }},
                     {"x", "y"}) == "() x=bob y=dog; () x=dog y=bob");
    }

    // spec 301
    TEST_CASE_FIXTURE(places, "the same as a search from the target down, itself included") {
        in.add(kith::Traversable);
        for (kith::entity target : {land, city, park, bob, sea}) {
            CHECK(found_by(build().with(in, target)) ==
                  found_by(build().with(in).second(target).self().down(in)));
        }
    }

    // spec 302
    TEST_CASE_FIXTURE(places, "a transitive relationship cannot become cyclic") {
        const auto code = refusal(world, [&] { land.add(in, bob); });
        CHECK(code == errc::cycle);
        CHECK(refusal(world, [&] { land.add(in, land); }) == errc::cycle);
        const std::string text = message_of([&] { land.add(in, bob); });
        CHECK(contains(text, "bob"));
        CHECK(contains(text, "land"));
        CHECK(answer(world, {[&](auto& q) { q.with(in, land); }}) == "bob; city; dog; park");

        bob.add(likes, dog);
        dog.add(likes, bob);
        CHECK(refusal(world, [&] { likes.add(kith::Transitive); }).has_value());
        CHECK(answer(world, {[&](auto& q) { q.with(likes, "$x"); }}, {"x"}) ==
              "bob x=dog; dog x=bob");
    }

    // spec 303
    TEST_CASE_FIXTURE(places, "Not: nothing leads there") {
        for (kith::entity e : {land, city, park, bob, dog}) {
            e.add(tag);
        }
        CHECK(answer(world, {[&](auto& q) { q.with(tag); },
                             [&](auto& q) { q.without(in, city); }}) == "city; land; sea");
        CHECK(answer(world, {[&](auto& q) { q.with(tag); },
                             [&](auto& q) { q.without(in, Wildcard); }}) == "land; sea");
        CHECK(answer(world, {[&](auto& q) { q.with(tag); },
                             [&](auto& q) { q.without(in, "$x"); }}) == "land; sea");
        CHECK(answer(world,
                     {[&](auto& q) { q.with(tag); }, [&](auto& q) { q.with(tag).src("$x"); },
                      [&](auto& q) { q.without(in, "$x"); },
                      [&](auto& q) { q.with(kith::PredEq).src("$x").second(city); }},
                     {"x"}) == "city x=city; land x=city; sea x=city");
    }

    TEST_CASE_FIXTURE(places, "Optional: all that is reached, or nothing") {
        for (kith::entity e : {land, park}) {
            e.add(tag);
        }
        CHECK(answer(world,
                     {[&](auto& q) { q.with(tag); }, [&](auto& q) { q.with(in, "$x").optional(); }},
                     {"x"}) == "land x=-; park x=city; park x=land; sea x=-");
        auto query = build().with(tag).with(in, land).optional();
        CHECK(results_of(query) == "land: Tag, -\npark: Tag, (In,land)\nsea: Tag, -\n");
        CHECK(results_of(build().with(tag).with(in, Wildcard).optional()) ==
              "land: Tag, -\npark: Tag, (In,city)\npark: Tag, (In,land)\nsea: Tag, -\n");
    }

    TEST_CASE_FIXTURE(places, "Or: one of several that is reached") {
        CHECK(answer(world, {[&](auto& q) { q.with(in, city).or_().with(tag); }}) ==
              "bob; dog; park; sea");
        park.add(likes, sea);
        CHECK(answer(world,
                     {[&](auto& q) { q.with(in, "$x").or_().with(likes, "$x"); },
                      [&](auto& q) { q.with(kith::PredEq, park); }},
                     {"x"}) == "park x=city; park x=land; park x=sea");
    }

    TEST_CASE_FIXTURE(places,
                      "a wildcard gives a result for each target that is reached, Any one") {
        CHECK(results_of(build().with(in, Wildcard).with(kith::PredEq, bob)) ==
              "bob: (In,city), -\nbob: (In,land), -\nbob: (In,park), -\n");
        CHECK(build().with(in, Wildcard).build().count() == 9);
        CHECK(world.query_builder().with(in, Wildcard).build().count() == 9);
        CHECK(found_by(build().with(in, kith::Any)) == sorted({city, park, bob, dog}));
        CHECK(results_of(build().with(in, Wildcard).src(bob)) ==
              "() (In,city)@bob\n() (In,land)@bob\n() (In,park)@bob\n");
    }

    TEST_CASE_FIXTURE(places, "scopes see what is reached") {
        park.add(tag);
        CHECK(answer(world,
                     {[&](auto& q) { q.with(in, land); },
                      [&](auto& q) {
                          q.scope_open().not_().with(in, "$x").with(tag).src("$x").scope_close();
                      }}) == "city; park");
    }

    TEST_CASE_FIXTURE(places, "a target that is reached in several ways is one result") {
        bob.add(in, city).add(in, sea);
        sea.add(in, land);
        CHECK(answer(world, {[&](auto& q) { q.with(in, "$x").src(bob); }}, {"x"}) ==
              "() x=city; () x=land; () x=park; () x=sea");
        CHECK(answer(world, {[&](auto& q) { q.with(in, land); }}) == "bob; city; dog; park; sea");
    }

    TEST_CASE_FIXTURE(places, "edges may be inherited") {
        kith::entity base = world.prefab("base").add(in, park);
        world.entity("heir").is_a(base);
        CHECK(answer(world, {[&](auto& q) { q.with(in, land); }}) == "bob; city; dog; heir; park");
        CHECK(answer(world, {[&](auto& q) { q.with(in, "$x").src("heir"); }}, {"x"}) ==
              "() x=city; () x=land; () x=park");
        CHECK(answer(world, {[&](auto& q) { q.with(in, park).self(); }}) == "bob; dog");
    }

    TEST_CASE_FIXTURE(places, "a search along something else is literal") {
        CHECK(found_by(build().with(in, land).up(kith::ChildOf)).empty());
        kith::entity child = world.entity("bob::child");
        CHECK(found_by(build().with(in, park).up(kith::ChildOf)) == entity_list{child});
        CHECK(found_by(build().with(in, land).up(kith::ChildOf)).empty());
    }

    TEST_CASE("the value is that of the pair itself; what only follows has none") {
        const bool sparse = for_both_storages();
        kith::world world;
        make_relation<Eats>(world, sparse).add(kith::Transitive);
        kith::entity grass = world.entity("grass");
        kith::entity cow = world.entity("cow").set<Eats>(grass, {7});
        kith::entity man = world.entity("man").set<Eats>(cow, {1});
        CHECK(man.is_alive());
        std::vector<std::string> seen;
        world.filter_builder().term<Eats>("$x").build().each([&](kith::iter& it, std::size_t row) {
            const auto* value = static_cast<const Eats*>(it.field(1));
            seen.push_back(std::string(it.entity(row).name().c_str()) + " " +
                           it.get_var("x").name().c_str() + " " +
                           (value ? std::to_string(value->amount) : "-"));
        });
        std::sort(seen.begin(), seen.end());
        CHECK(seen == std::vector<std::string>{"cow grass 7", "man cow 1", "man grass -"});
    }

    TEST_CASE_FIXTURE(places, "a relationship becomes transitive, and stops being so") {
        kith::entity of = make_relation(world, sparse, "Of");
        bob.add(of, dog);
        dog.add(of, sea);
        question of_sea(world, {[&](auto& q) { q.with(of, sea); }});
        question of_any(world, {[&](auto& q) { q.with(of, "$x"); }}, {"x"});
        CHECK(of_sea.answer() == "dog");
        CHECK(of_any.answer() == "bob x=dog; dog x=sea");
        of.add(kith::Transitive);
        CHECK(of_sea.answer() == "bob; dog");
        CHECK(of_any.answer() == "bob x=dog; bob x=sea; dog x=sea");
        of.remove(kith::Transitive);
        CHECK(of_sea.answer() == "dog");
        CHECK(of_any.answer() == "bob x=dog; dog x=sea");
    }

    TEST_CASE_FIXTURE(places, "a transitive relationship to a dead target finds nothing") {
        question in_city(world, {[&](auto& q) { q.with(in, city); }});
        CHECK(in_city.answer() == "bob; dog; park");
        city.destruct();
        CHECK(in_city.answer() == "");
        world.entity("new").add(in, world.entity());
        CHECK(in_city.answer() == "");
    }

    TEST_CASE_FIXTURE(places, "has and the queries' literal terms are not affected") {
        CHECK_FALSE(bob.has(in, land));
        CHECK(bob.has(in, park));
        CHECK(answer(world, {[&](auto& q) { q.with(Wildcard, land); }}) == "city");
    }

    // -- shapes that are hard

    TEST_CASE_FIXTURE(diamonds, "shared parts are visited once: 2 to the power of 39 paths") {
        kith::entity top = nodes.front();
        kith::entity bottom = nodes.back();
        const int all = 2 * layers;
        CHECK(build().with(in, top).build().count() == all - 2);
        CHECK(world.query_builder().with(in, top).build().count() == all - 2);
        CHECK(build().with(in, bottom).build().count() == 0);
        CHECK(build().with(in, top).src(bottom).build().is_true());
        CHECK_FALSE(build().with(in, bottom).src(top).build().is_true());
        CHECK(build().with(in, "$this").src(bottom).build().count() == all - 2);
        CHECK(build().with(in, Wildcard).with(kith::PredEq, bottom).build().count() == all - 2);
        // Each of a layer to both of every layer above.
        const int pairs = 2 * layers * (layers - 1);
        CHECK(build().with(in, "$x").build().count() == pairs);
        CHECK(build().with(in, Wildcard).build().count() == pairs);
        CHECK(world.query_builder().with(in, "$x").build().count() == pairs);
        CHECK(build().without(in, top).with(in, kith::Any).build().count() == 0);
    }

    TEST_CASE_FIXTURE(diamonds, "two closures joined on shared parts") {
        kith::entity bottom = nodes.back();
        // The layer below the top.
        CHECK(question(world, {[&](auto& q) { q.with(in, "$this").src(bottom); },
                               [&](auto& q) { q.with(in, nodes.front()); },
                               [&](auto& q) { q.without(in, nodes[2]); },
                               [&](auto& q) { q.without(in, nodes[3]); }})
                  .count() == 2);
        // All that is between.
        CHECK(question(world, {[&](auto& q) { q.with(in, "$x").src(bottom); },
                               [&](auto& q) { q.with(in, "$this").src("$x"); },
                               [&](auto& q) { q.with(kith::PredEq, nodes.front()); }})
                  .count() == 2 * layers - 4);
    }

    TEST_CASE_FIXTURE(deep, "a chain of 100,000 levels, from the top and from the bottom") {
        CHECK(build().with(in, chain.front()).build().count() == length - 1);
        CHECK(world.query_builder().with(in, chain.front()).build().count() == length - 1);
        CHECK(build().with(in, chain.back()).build().count() == 0);
        CHECK(build().with(in, chain[length - 2]).build().count() == 1);
        CHECK(build().with(in, chain.front()).src(chain.back()).build().is_true());
        CHECK_FALSE(build().with(in, chain.back()).src(chain.front()).build().is_true());
        CHECK(build().with(in, "$this").src(chain.back()).build().count() == length - 1);
        chain[length / 2].add(tag);
        CHECK(build().with(in, "$x").src(chain.back()).with(tag).src("$x").build().is_true());
        CHECK(build().with(in, "$x").with(tag).src("$x").build().count() ==
              length - length / 2 - 1);
        auto query = build().with(in, "$x").build();
        CHECK(query.iter().set_var(0, chain.back()).count() == length - 1);
        CHECK(query.iter().set_var("x", chain[length - 3]).count() == 2);
        CHECK(query.matches(chain[1]));
        CHECK_FALSE(query.matches(chain[0]));
    }

    // -- reflexive

    // spec 304
    TEST_CASE_FIXTURE(fixture, "a named target is its own source") {
        kith::entity tree = world.entity("tree");
        kith::entity oak = world.entity("oak").is_a(tree);
        world.entity("mine").is_a(oak);
        CHECK(answer(world, {[&](auto& q) { q.with(IsA, tree); }}) == "mine; oak; tree");
        CHECK(answer(world, {[&](auto& q) { q.with(IsA, oak); }}) == "mine; oak");
        CHECK(answer(world, {[&](auto& q) { q.with(IsA, tag); }}) == "Tag");
        CHECK(build().with(IsA, tree).src(tree).build().is_true());
        CHECK(build().with(IsA, tag).src(tag).build().is_true());
        CHECK_FALSE(build().with(IsA, oak).src(tree).build().is_true());

        kith::entity near = make_relation(world, sparse, "Near").add(kith::Reflexive);
        kith::entity lake = world.entity("lake");
        kith::entity hut = world.entity("hut").add(near, lake);
        CHECK(answer(world, {[&](auto& q) { q.with(near, lake); }}) == "hut; lake");
        CHECK(answer(world, {[&](auto& q) { q.with(near, hut); }}) == "hut");
        CHECK(answer(world,
                     {[&](auto& q) { q.with(tag); }, [&](auto& q) { q.with(near, lake); }}) == "");
    }

    // spec 305
    TEST_CASE_FIXTURE(fixture, "between variables, those that occur in the relationship") {
        kith::entity near = make_relation(world, sparse, "Near").add(kith::Reflexive);
        kith::entity one = world.entity("one");
        kith::entity two = world.entity("two").add(near, one);
        kith::entity three = world.entity("three").add(tag);
        question pairs(world, {[&](auto& q) { q.with(near, "$x"); }}, {"x"});
        CHECK(pairs.answer() == "one x=one; two x=one; two x=two");
        CHECK(answer(world, {[&](auto& q) { q.with(near, "$this"); }}) == "one; two");
        three.add(near, two);
        CHECK(pairs.answer() == "one x=one; three x=three; three x=two; two x=one; two x=two");
        two.remove(near, one);
        CHECK(pairs.answer() == "three x=three; three x=two; two x=two");
        CHECK(
            answer(world,
                   {[&](auto& q) { q.with(near, "$x"); }, [&](auto& q) { q.with(tag).src("$x"); }},
                   {"x"}) == "three x=three");
        CHECK(answer(world, {[&](auto& q) { q.with(near, "$y").src("$x"); }}, {"x", "y"}) ==
              "() x=three y=three; () x=three y=two; () x=two y=two");
    }

    TEST_CASE_FIXTURE(fixture, "a fixed source and a variable: the source, then its targets") {
        kith::entity near = make_relation(world, sparse, "Near").add(kith::Reflexive);
        kith::entity one = world.entity("one");
        kith::entity two = world.entity("two").add(near, one);
        CHECK(answer(world, {[&](auto& q) { q.with(near, "$x").src(two); }}, {"x"}) ==
              "() x=one; () x=two");
        CHECK(answer(world, {[&](auto& q) { q.with(near, "$x").src(tag); }}, {"x"}) == "() x=Tag");
    }

    TEST_CASE_FIXTURE(fixture, "wildcards do not stand for the entity itself") {
        kith::entity near = make_relation(world, sparse, "Near").add(kith::Reflexive);
        kith::entity one = world.entity("one");
        kith::entity two = world.entity("two").add(near, one);
        CHECK(results_of(build().with(near, Wildcard)) == "two: (Near,one)\n");
        CHECK(found_by(build().with(near, kith::Any)) == entity_list{two});
    }

    TEST_CASE_FIXTURE(fixture, "Not and Optional of a reflexive relationship") {
        kith::entity near = make_relation(world, sparse, "Near").add(kith::Reflexive);
        kith::entity one = world.entity("one").add(tag);
        kith::entity two = world.entity("two").add(tag).add(near, one);
        world.entity("three").add(tag);
        CHECK(answer(world, {[&](auto& q) { q.with(tag); },
                             [&](auto& q) { q.without(near, one); }}) == "three");
        CHECK(results_of(build().with(tag).with(near, two).optional()) ==
              "one: Tag, -\nthree: Tag, -\ntwo: Tag, (Near,two)\n");
    }

    TEST_CASE_FIXTURE(fixture, "a pair with oneself that is stored comes once") {
        kith::entity near = make_relation(world, sparse, "Near").add(kith::Reflexive);
        kith::entity one = world.entity("one");
        one.add(near, one);
        CHECK(answer(world, {[&](auto& q) { q.with(near, one); }}) == "one");
        CHECK(answer(world, {[&](auto& q) { q.with(near, "$x"); }}, {"x"}) == "one x=one");
    }

    TEST_CASE_FIXTURE(places, "transitive and reflexive together") {
        in.add(kith::Reflexive);
        CHECK(answer(world, {[&](auto& q) { q.with(in, city); }}) == "bob; city; dog; park");
        CHECK(answer(world, {[&](auto& q) { q.with(in, "$x").src(park); }}, {"x"}) ==
              "() x=city; () x=land; () x=park");
        CHECK(answer(world,
                     {[&](auto& q) { q.with(in, "$x"); },
                      [&](auto& q) { q.with(kith::PredEq, park); }},
                     {"x"}) == "park x=city; park x=land; park x=park");
    }

    TEST_CASE_FIXTURE(fixture, "cycles in a reflexive relationship end") {
        kith::entity near = make_relation(world, sparse, "Near").add(kith::Reflexive);
        kith::entity one = world.entity("one");
        kith::entity two = world.entity("two").add(near, one);
        one.add(near, two);
        CHECK(answer(world, {[&](auto& q) { q.with(near, "$x"); }}, {"x"}) ==
              "one x=one; one x=two; two x=one; two x=two");
    }

    TEST_CASE_FIXTURE(fixture, "(IsA, *) gives all bases, near and far") {
        kith::entity tree = world.entity("tree");
        kith::entity oak = world.entity("oak").is_a(tree);
        kith::entity mine = world.entity("mine").is_a(oak);
        CHECK(results_of(build().with(IsA, Wildcard)) ==
              "mine: (IsA,oak)\nmine: (IsA,tree)@oak\noak: (IsA,tree)\n");
        CHECK(answer(world, {[&](auto& q) { q.with(IsA, "$x").src(mine); }}, {"x"}) ==
              "() x=mine; () x=oak; () x=tree");
    }
}
