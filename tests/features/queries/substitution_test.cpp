// Flags on any part of a term: the entity that is named is replaced by those above or below it.
#include <kith/kith.hpp>

#include "support/bindings.hpp"
#include "support/errors.hpp"
#include "support/queries.hpp"
#include "support/query_fixture.hpp"
#include "support/types.hpp"

using namespace kith_test;
using kith::ChildOf;
using kith::errc;
using kith::IsA;

namespace {

// a - b - c - d, from the top; c has another child, e.
struct fixture : query_fixture {
    // Who likes whom: `to_a` likes a, and so on.
    void add_fans() const {
        for (kith::entity e : {a, b, c, d, e2}) {
            world.entity((std::string("to_") + e.name().c_str()).c_str()).add(likes, e);
        }
    }

    bool sparse = for_both_storages();
    kith::entity likes = make_relation(world, sparse, "Likes");
    kith::entity tag = world.entity("Tag");
    kith::entity a = world.entity("a");
    kith::entity b = world.entity("a::b");
    kith::entity c = world.entity("a::b::c");
    kith::entity d = world.entity("a::b::c::d");
    kith::entity e2 = world.entity("a::b::c::e");
};

}  // namespace

TEST_SUITE("features.queries.substitution") {
    // spec 238
    TEST_CASE_FIXTURE(fixture, "flags apply to source, target and component") {
        add_fans();
        CHECK(answer(world, {[&](auto& q) { q.with(likes).second(c).up(ChildOf); }}) ==
              "to_a; to_b");
        kith::entity sub = world.entity("Tag::Sub");
        d.add(tag);
        e2.add(sub);
        CHECK(answer(world, {[&](auto& q) { q.with().first(sub).up(ChildOf); }}) == "d");
        CHECK(answer(world, {[&](auto& q) { q.with().first(sub).self().up(ChildOf); }}) == "d; e");
        CHECK(answer(world, {[&](auto& q) { q.with().first(tag).down(ChildOf); }}) == "e");
        CHECK(answer(world, {[&](auto& q) { q.with(tag).src(d).self().up(ChildOf); }}) == "()");
    }

    // spec 239
    TEST_CASE_FIXTURE(fixture, "super and superset are other names of up") {
        a.add(tag);
        CHECK(results_of(build().with(tag).super(ChildOf)) ==
              results_of(build().with(tag).up(ChildOf)));
        CHECK(results_of(build().with(tag).set(kith::SuperSet, ChildOf)) ==
              results_of(build().with(tag).up(ChildOf)));
        CHECK(results_of(build().with(tag).super(ChildOf)) ==
              "b: Tag@a\nc: Tag@a\nd: Tag@a\ne: Tag@a\n");
        kith::entity inst = world.entity("inst").is_a(a);
        CHECK(found_by(build().with(tag).super()) == entity_list{inst});
    }

    // spec 240
    TEST_CASE_FIXTURE(fixture, "sub and subset are other names of down, by default through IsA") {
        d.add(tag);
        CHECK(results_of(build().with(tag).sub(ChildOf)) ==
              results_of(build().with(tag).down(ChildOf)));
        CHECK(results_of(build().with(tag).set(kith::SubSet, ChildOf)) ==
              "a: Tag@d\nb: Tag@d\nc: Tag@d\n");
        kith::entity base = world.entity("base");
        world.entity("inst").is_a(base).add(tag);
        CHECK(found_by(build().with(tag).sub()) == entity_list{base});
    }

    // spec 244
    TEST_CASE_FIXTURE(fixture, "a named source is replaced by those above or below it") {
        auto above = build().with(tag).src(d).up(ChildOf);
        CHECK(results_of(above) == "");
        d.add(tag);
        CHECK(results_of(above) == "");
        a.add(tag);
        CHECK(results_of(above) == "() Tag@a\n");
        b.add(tag);
        CHECK(results_of(above) == "() Tag@b\n");
        CHECK(results_of(build().with(tag).src(c).down(ChildOf)) == "() Tag@d\n");
    }

    TEST_CASE_FIXTURE(fixture, "a named target is replaced by those above it, one result each") {
        kith::entity fan = world.entity("fan").add(likes, a).add(likes, b).add(likes, d);
        add_fans();
        // Nearest first.
        CHECK(results_of(build().with(likes).second(d).up(ChildOf).with(kith::PredEq, fan)) ==
              "fan: (Likes,a.b), -\n");
        CHECK(results_of(build().with(likes).second(d).up(ChildOf)) ==
              "fan: (Likes,a.b)\nto_a: (Likes,a)\nto_b: (Likes,a.b)\nto_c: (Likes,a.b.c)\n");
        CHECK(results_of(build().with(likes).second(d).self().up(ChildOf)) ==
              "fan: (Likes,a.b.c.d)\nto_a: (Likes,a)\nto_b: (Likes,a.b)\nto_c: (Likes,a.b.c)\n"
              "to_d: (Likes,a.b.c.d)\n");
    }

    TEST_CASE_FIXTURE(fixture, "a named target is replaced by those below it") {
        add_fans();
        CHECK(answer(world, {[&](auto& q) { q.with(likes).second(c).down(ChildOf); }}) ==
              "to_d; to_e");
        CHECK(answer(world, {[&](auto& q) { q.with(likes).second(b).down(ChildOf); }}) ==
              "to_c; to_d; to_e");
        CHECK(answer(world, {[&](auto& q) { q.with(likes).second(d).down(ChildOf); }}) == "");
    }

    TEST_CASE_FIXTURE(fixture, "all: a result for each that matches") {
        world.entity("fan").add(likes, a).add(likes, b).add(likes, d);
        CHECK(results_of(build().with(likes).second(d).up(ChildOf).all()) ==
              "fan: (Likes,a)\nfan: (Likes,a.b)\n");
        CHECK(results_of(build().with(likes).second(d).self().up(ChildOf).all()) ==
              "fan: (Likes,a)\nfan: (Likes,a.b)\nfan: (Likes,a.b.c.d)\n");
        CHECK(results_of(build().with(likes).second(a).down(ChildOf).all()) ==
              "fan: (Likes,a.b)\nfan: (Likes,a.b.c.d)\n");
        kith::entity art = world.entity("Art");
        kith::entity painting = world.entity("Painting").is_a(art);
        kith::entity portrait = world.entity("Portrait").is_a(painting);
        world.entity("mona").add(painting).add(portrait);
        CHECK(results_of(build().with().first(art).self().all().down(IsA)) ==
              "mona: Painting\nmona: Portrait\n");
        CHECK(results_of(build().with(art)) == "mona: Painting\n");
    }

    // spec 245
    TEST_CASE_FIXTURE(fixture, "with self, the entity itself comes first") {
        world.entity("fan").add(likes, c).add(likes, d);
        CHECK(results_of(build().with(likes).second(d).self().up(ChildOf)) ==
              "fan: (Likes,a.b.c.d)\n");
        CHECK(results_of(build().with(likes).second(c).self().down(ChildOf)) ==
              "fan: (Likes,a.b.c)\n");
        CHECK(results_of(build().with(likes).second(c).down(ChildOf)) == "fan: (Likes,a.b.c.d)\n");
    }

    TEST_CASE_FIXTURE(fixture, "self alone on a target replaces nothing") {
        kith::entity fruit = world.entity("Fruit");
        kith::entity apple = world.entity("Apple").is_a(fruit);
        world.entity("ann").add(likes, fruit);
        world.entity("ben").add(likes, apple);
        CHECK(answer(world, {[&](auto& q) { q.with(likes, fruit); }}) == "ann; ben");
        CHECK(answer(world, {[&](auto& q) { q.with(likes).second(fruit).self(); }}) == "ann");
    }

    TEST_CASE_FIXTURE(fixture, "self alone on a component replaces nothing") {
        kith::entity sub = world.entity("Sub").is_a(tag);
        world.entity("ann").add(tag);
        world.entity("ben").add(sub);
        CHECK(answer(world, {[&](auto& q) { q.with(tag); }}) == "ann; ben");
        CHECK(answer(world, {[&](auto& q) { q.with().first(tag).self(); }}) == "ann");
    }

    TEST_CASE_FIXTURE(fixture, "depths limit how far a target is replaced") {
        add_fans();
        CHECK(answer(world, {[&](auto& q) { q.with(likes).second(d).up(ChildOf).max_depth(1); }}) ==
              "to_c");
        CHECK(answer(world, {[&](auto& q) { q.with(likes).second(d).up(ChildOf).max_depth(2); }}) ==
              "to_b; to_c");
        CHECK(answer(world, {[&](auto& q) { q.with(likes).second(d).up(ChildOf).min_depth(2); }}) ==
              "to_a; to_b");
        CHECK(answer(world, {[&](auto& q) {
                         q.with(likes).second(d).up(ChildOf).min_depth(2).max_depth(2);
                     }}) == "to_b");
        CHECK(answer(world, {[&](auto& q) {
                         q.with(likes).second(a).down(ChildOf).max_depth(2);
                     }}) == "to_b; to_c");
        CHECK(answer(world, {[&](auto& q) {
                         q.with(likes).second(d).self().up(ChildOf).max_depth(1);
                     }}) == "to_c; to_d");
    }

    TEST_CASE_FIXTURE(fixture, "a variable is replaced by those above what it is bound to") {
        add_fans();
        world.entity("x").add(tag).add(likes, d);
        // Who likes something above what x likes.
        CHECK(answer(world,
                     {[&](auto& q) { q.with(likes, "$y").src("x"); },
                      [&](auto& q) { q.with(likes).second("$y").up(ChildOf); }},
                     {"y"}) == "to_a y=d; to_b y=d; to_c y=d");
    }

    TEST_CASE_FIXTURE(fixture, "the source itself is what its target is replaced from") {
        b.add(likes, d);
        c.add(likes, a);
        d.add(likes, d);
        const clause below = [&](auto& q) {
            q.with(likes).second("$x").self().down(ChildOf).src("$x");
        };
        CHECK(answer(world, {below}, {"x"}) == "() x=b; () x=d");
        // Whatever else is asked about it.
        CHECK(answer(world,
                     {below,
                      [&](auto& q) {
                          q.none([&](auto& scope) {
                              scope.with(ChildOf).second("$x").up(ChildOf).src(c);
                          });
                      }},
                     {"x"}) == "() x=b");
    }

    TEST_CASE_FIXTURE(fixture, "a variable that nothing binds cannot be replaced") {
        CHECK(refused(build().with(likes).second("$y").up(ChildOf)) == errc::invalid_query);
        CHECK(contains(message_of([&] { build().with(likes).second("$y").up(ChildOf).build(); }),
                       "y"));
    }

    TEST_CASE_FIXTURE(fixture,
                      "a variable that is equal to what it would find cannot be replaced") {
        auto terms = build().with(likes).second("$y").up(ChildOf).src("$x");
        terms.with(kith::PredEq).src("$x").second("$y");
        CHECK(refused(terms) == errc::invalid_query);
        CHECK(contains(message_of([&] { terms.build(); }),
                       "the variable $y has its value from term 2, which needs what this term"));
        // Another one that knows it.
        terms.with(tag).src("$x");
        CHECK(refused(terms) == std::nullopt);
    }

    TEST_CASE_FIXTURE(fixture, "operators apply to all that the target is replaced by") {
        add_fans();
        for (const char* name : {"to_a", "to_b", "to_c", "to_d", "to_e"}) {
            world.entity(name).add(tag);
        }
        CHECK(answer(world, {[&](auto& q) { q.with(tag); },
                             [&](auto& q) { q.without(likes).second(c).up(ChildOf); }}) ==
              "to_c; to_d; to_e");
        CHECK(results_of(build().with(tag).with(likes).second(c).up(ChildOf).optional()) ==
              "to_a: Tag, (Likes,a)\nto_b: Tag, (Likes,a.b)\nto_c: Tag, -\nto_d: Tag, -\n"
              "to_e: Tag, -\n");
    }

    // spec 246
    TEST_CASE_FIXTURE(fixture, "cached queries follow changes of what replaces a part") {
        add_fans();
        auto query = world.query_builder().with(likes).second(d).up(ChildOf).build();
        CHECK(bindings_of(query) == "to_a; to_b; to_c");
        kith::entity other = world.entity("other");
        world.entity("to_other").add(likes, other);
        d.child_of(other);
        CHECK(bindings_of(query) == "to_other");
        other.child_of(b);
        CHECK(bindings_of(query) == "to_a; to_b; to_other");
        world.entity("more").add(likes, a);
        CHECK(bindings_of(query) == "more; to_a; to_b; to_other");
        d.destruct();
        CHECK(bindings_of(query) == "");
    }

    TEST_CASE_FIXTURE(fixture, "relationships that may have cycles cannot be followed") {
        CHECK(refused(build().with(likes).second(d).up(likes)) == errc::invalid_query);
        CHECK(refused(build().with().first(tag).down(likes)) == errc::invalid_query);
        CHECK(contains(message_of([&] { build().with(likes).second(d).up(likes).build(); }),
                       "Likes"));
    }

    TEST_CASE_FIXTURE(fixture, "flags that exclude each other, on a target") {
        CHECK(refused(build().with(likes).second(d).up(ChildOf).down(ChildOf)) ==
              errc::invalid_query);
        CHECK(refused(build().with(likes).second(d).cascade(ChildOf)) == errc::invalid_query);
        CHECK(refused(build().with(likes).second(d).up(ChildOf).min_depth(3).max_depth(2)) ==
              errc::invalid_query);
        CHECK(refused(build().with(likes).second(kith::Wildcard).up(ChildOf)) ==
              errc::invalid_query);
    }

    TEST_CASE_FIXTURE(fixture, "a replaced target in a hierarchy of 100,000 levels") {
        kith::entity inside = make_relation(world, sparse, "Inside").add(kith::Traversable);
        kith::entity top = world.entity();
        kith::entity last = top;
        for (int i = 1; i < 100'000; ++i) {
            last = world.entity().add(inside, last);
        }
        world.entity("fan").add(likes, top);
        CHECK(bindings_of(build().with(likes).second(last).up(inside).build()) == "fan");
        world.entity("other").add(likes, last);
        CHECK(bindings_of(build().with(likes).second(top).down(inside).build()) == "other");
    }
}
