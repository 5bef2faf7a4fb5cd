// Scopes: several terms that are negated, optional, or an alternative as a whole.
#include <kith/kith.hpp>

#include "support/bindings.hpp"
#include "support/errors.hpp"
#include "support/queries.hpp"
#include "support/query_fixture.hpp"
#include "support/types.hpp"

using namespace kith_test;
using kith::ChildOf;
using kith::errc;

namespace {

struct fixture : query_fixture {
    fixture() { register_all(world); }

    kith::entity a = world.entity("A");
    kith::entity b = world.entity("B");
    kith::entity c = world.entity("C");
    kith::entity d = world.entity("D");
};

// An entity for each set of A, B, C and D, named by it: `e`, `eA`, … `eABCD`.
struct subsets : fixture {
    subsets() {
        const kith::entity tags[] = {a, b, c, d};
        for (unsigned set = 0; set < 16; ++set) {
            std::string name = "e";
            for (unsigned i = 0; i < 4; ++i) {
                if (set & (1u << i)) {
                    name += tags[i].name().c_str();
                }
            }
            kith::entity e = world.entity(name.c_str()).add(any);
            for (unsigned i = 0; i < 4; ++i) {
                if (set & (1u << i)) {
                    e.add(tags[i]);
                }
            }
        }
    }
    kith::entity any = world.entity("Thing");
};

struct graph : fixture {
    bool sparse = for_both_storages();
    kith::entity likes = make_relation(world, sparse, "Likes");
    kith::entity hates = make_relation(world, sparse, "Hates");
    kith::entity ann = world.entity("ann").add(a);
    kith::entity ben = world.entity("ben").add(a);
    kith::entity cat = world.entity("cat").add(a);
    kith::entity dan = world.entity("dan").add(a);
};

}  // namespace

TEST_SUITE("features.queries.scopes") {
    // -- Not

    // spec 211
    TEST_CASE_FIXTURE(subsets, "a negated scope excludes what matches all of it") {
        CHECK(answer(world, {[&](auto& q) { q.with(a); },
                             [&](auto& q) {
                                 q.scope_open().not_().with(b).with(c).scope_close();
                             }}) == "eA; eAB; eABD; eAC; eACD; eAD");
    }

    TEST_CASE_FIXTURE(subsets, "operators inside of a negated scope") {
        CHECK(answer(world, {[&](auto& q) { q.with(a); },
                             [&](auto& q) {
                                 q.scope_open().not_().with(b).or_().with(c).scope_close();
                             }}) == "eA; eAD");
        CHECK(answer(world, {[&](auto& q) { q.with(a); },
                             [&](auto& q) {
                                 q.scope_open().not_().with(b).without(c).scope_close();
                             }}) == "eA; eABC; eABCD; eAC; eACD; eAD");
        CHECK(answer(world, {[&](auto& q) { q.with(a); },
                             [&](auto& q) {
                                 q.scope_open().not_().with(b).with(c).or_().with(d).scope_close();
                             }}) == "eA; eAB; eAC; eACD; eAD");
        CHECK(answer(world, {[&](auto& q) { q.with(a); },
                             [&](auto& q) {
                                 q.scope_open().not_().with(b).with(c).optional().scope_close();
                             }}) == "eA; eAC; eACD; eAD");
    }

    TEST_CASE_FIXTURE(subsets, "scopes are nested") {
        // A, !{ B, !{ C, !D } }
        CHECK(answer(world, {[&](auto& q) { q.with(a); },
                             [&](auto& q) {
                                 q.scope_open().not_().with(b);
                                 q.scope_open().not_().with(c).without(d).scope_close();
                                 q.scope_close();
                             }}) == "eA; eABC; eAC; eACD; eAD");
    }

    TEST_CASE_FIXTURE(subsets, "a scope without an operator changes nothing") {
        CHECK(answer(world, {[&](auto& q) { q.with(a); },
                             [&](auto& q) { q.scope_open().with(b).without(c).scope_close(); }}) ==
              "eAB; eABD");
    }

    // spec 212
    TEST_CASE_FIXTURE(graph, "a scope is a quantifier: no child with, against a child without") {
        for (const char* name : {"ann::one", "ann::two", "ben::three", "cat::four", "cat::five"}) {
            world.entity(name);
        }
        world.lookup("ann::one").set(Position{1, 2});
        world.lookup("cat::four").set(Position{1, 2});
        world.lookup("cat::five").set(Position{1, 2});
        question none_with(world, {[&](auto& q) { q.with(a); },
                                   [&](auto& q) {
                                       q.scope_open()
                                           .not_()
                                           .with(ChildOf, "$this")
                                           .src("$child")
                                           .template with<Position>()
                                           .src("$child")
                                           .scope_close();
                                   }});
        CHECK(none_with.answer() == "ben; dan");
        question one_without(
            world,
            {[&](auto& q) { q.with(a); }, [&](auto& q) { q.with(ChildOf, "$this").src("$child"); },
             [&](auto& q) { q.template without<Position>().src("$child"); }},
            {"child"});
        CHECK(one_without.answer() == "ann child=two; ben child=three");

        world.lookup("ann::one").remove<Position>();
        world.lookup("ben::three").set(Position{1, 2});
        CHECK(none_with.answer() == "ann; dan");
        CHECK(one_without.answer() == "ann child=one; ann child=two");
    }

    TEST_CASE_FIXTURE(graph, "for all: nothing of which the contrary holds") {
        ann.add(likes, cat).add(likes, dan);
        ben.add(likes, cat);
        cat.add(b);
        // Everyone that likes only what has B.
        question only(
            world, {[&](auto& q) { q.with(a); },
                    [&](auto& q) {
                        q.scope_open().not_().with(likes, "$x").without(b).src("$x").scope_close();
                    }});
        CHECK(only.answer() == "ben; cat; dan");
        dan.add(b);
        CHECK(only.answer() == "ann; ben; cat; dan");
    }

    TEST_CASE_FIXTURE(graph, "a scope tests variables that are bound outside") {
        ann.add(likes, ben).add(likes, cat);
        ben.add(hates, ann);
        cat.add(likes, ann);
        CHECK(answer(world,
                     {[&](auto& q) { q.with(likes, "$x"); },
                      [&](auto& q) {
                          q.scope_open()
                              .not_()
                              .with(hates, "$this")
                              .src("$x")
                              .or_()
                              .with(b)
                              .src("$x")
                              .scope_close();
                      }},
                     {"x"}) == "ann x=cat; cat x=ann");
    }

    // spec 213
    TEST_CASE_FIXTURE(graph, "a variable that a negated scope declares is unknown outside") {
        auto scope = [&](auto builder) {
            return builder.with(a)
                .scope_open()
                .not_()
                .with(likes, "$x")
                .with(b)
                .src("$x")
                .scope_close();
        };
        CHECK_NOTHROW(scope(build()).build());
        CHECK(refused(scope(build()).without(hates, "$x")) == errc::invalid_query);
        CHECK(refused(scope(build()).without(kith::PredEq).src("$x").second(ann)) ==
              errc::invalid_query);
        const std::string text =
            message(scope(build()).without(kith::PredEq).src("$this").second("$x"));
        CHECK(contains(text, "$x"));
    }

    TEST_CASE_FIXTURE(graph, "a variable that is bound outside is the one that a scope tests") {
        ann.add(likes, ben);
        ben.add(b);
        cat.add(b);
        // A, B($x), !{ (Likes, $x) }
        CHECK(answer(world,
                     {[&](auto& q) { q.with(a); }, [&](auto& q) { q.with(b).src("$x"); },
                      [&](auto& q) { q.scope_open().not_().with(likes, "$x").scope_close(); }},
                     {"x"}) ==
              "ann x=cat; ben x=ben; ben x=cat; cat x=ben; cat x=cat; dan x=ben; dan x=cat");
    }

    TEST_CASE_FIXTURE(graph, "scopes may use the same name for variables of their own") {
        ann.add(likes, ben);
        cat.add(likes, dan).add(likes, ben);
        ben.add(b);
        dan.add(c);
        // A, !{ (Likes, $x), B($x) }, !{ (Likes, $x), C($x) }
        question neither(
            world, {[&](auto& q) { q.with(a); },
                    [&](auto& q) {
                        q.scope_open().not_().with(likes, "$x").with(b).src("$x").scope_close();
                    },
                    [&](auto& q) {
                        q.scope_open().not_().with(likes, "$x").with(c).src("$x").scope_close();
                    }});
        CHECK(neither.answer() == "ben; dan");
        ben.remove(b);
        CHECK(neither.answer() == "ann; ben; dan");
        dan.remove(c);
        CHECK(neither.answer() == "ann; ben; cat; dan");
    }

    TEST_CASE_FIXTURE(graph, "a variable of a nested scope is known in the scopes inside") {
        ann.add(likes, ben);
        cat.add(likes, dan);
        dan.add(likes, dan);
        // No one whom they like likes no one.
        CHECK(answer(world, {[&](auto& q) { q.with(a); },
                             [&](auto& q) {
                                 q.scope_open().not_().with(likes, "$x");
                                 q.scope_open().not_().with(likes, "$y").src("$x").scope_close();
                                 q.scope_close();
                             }}) == "ben; cat; dan");
    }

    // -- Optional

    // spec 214
    TEST_CASE_FIXTURE(graph, "an optional scope gives all of its variables, or none") {
        ann.add(likes, ben).add(likes, cat);
        ben.add(likes, dan);
        cat.add(hates, ann);
        // ?{ (Likes, $x), Hates($x, $y) }
        question maybe(world,
                       {[&](auto& q) { q.with(a); },
                        [&](auto& q) {
                            q.scope_open()
                                .optional()
                                .with(likes, "$x")
                                .with(hates, "$y")
                                .src("$x")
                                .scope_close();
                        }},
                       {"x", "y"});
        CHECK(maybe.answer() == "ann x=cat y=ann; ben x=- y=-; cat x=- y=-; dan x=- y=-");
        ben.add(hates, dan);
        CHECK(maybe.answer() ==
              "ann x=ben y=dan; ann x=cat y=ann; ben x=- y=-; cat x=- y=-; dan x=- y=-");
    }

    TEST_CASE_FIXTURE(graph, "terms about variables of an optional scope depend on it") {
        ann.add(likes, ben);
        cat.add(likes, dan);
        ben.add(b);
        CHECK(answer(world,
                     {[&](auto& q) { q.with(a); },
                      [&](auto& q) { q.scope_open().optional().with(likes, "$x").scope_close(); },
                      [&](auto& q) { q.with(b).src("$x"); }},
                     {"x"}) == "ann x=ben; ben x=-; dan x=-");
    }

    TEST_CASE_FIXTURE(graph, "fields in an optional scope are set where it holds") {
        ann.add(b).add(c);
        ben.add(b);
        CHECK(results_of(build().with(a).scope_open().optional().with(b).with(c).scope_close()) ==
              "ann: A, B, C\nben: A, -, -\ncat: A, -, -\ndan: A, -, -\n");
    }

    // -- Or

    TEST_CASE_FIXTURE(subsets, "one scope or another") {
        // { A, B } || { C, !D }
        CHECK(answer(world, {[&](auto& q) {
                                 q.scope_open().with(a).with(b).scope_close().or_();
                                 q.scope_open().with(c).without(d).scope_close();
                             },
                             [&](auto& q) { q.with(any); }}) ==
              "eAB; eABC; eABCD; eABD; eAC; eBC; eC");
    }

    TEST_CASE_FIXTURE(subsets, "a scope or a term, a term or a scope") {
        CHECK(answer(world, {[&](auto& q) { q.with(any); },
                             [&](auto& q) {
                                 q.scope_open().with(a).with(b).scope_close().or_();
                                 q.with(d);
                             }}) == "eAB; eABC; eABCD; eABD; eACD; eAD; eBCD; eBD; eCD; eD");
        CHECK(answer(world, {[&](auto& q) { q.with(any); },
                             [&](auto& q) {
                                 q.with(d).or_();
                                 q.scope_open().with(a).with(b).scope_close();
                             }}) == "eAB; eABC; eABCD; eABD; eACD; eAD; eBCD; eBD; eCD; eD");
    }

    TEST_CASE_FIXTURE(graph, "alternatives give all values of their variables, once each") {
        ann.add(likes, ben).add(likes, cat).add(hates, ben).add(hates, dan);
        ben.add(b);
        cat.add(b);
        dan.add(c);
        // { (Likes, $x), B($x) } || { (Hates, $x), A($x) }
        CHECK(answer(world, {[&](auto& q) {
                         q.scope_open().with(likes, "$x").with(b).src("$x").scope_close().or_();
                         q.scope_open().with(hates, "$x").with(a).src("$x").scope_close();
                     }},
                     {"x"}) == "ann x=ben; ann x=cat; ann x=dan");
    }

    TEST_CASE_FIXTURE(graph, "a required term binds what not all alternatives bind") {
        ann.add(likes, ben);
        cat.add(hates, dan);
        ben.add(b);
        question either(world,
                        {[&](auto& q) {
                             q.scope_open().with(likes, "$x").scope_close().or_();
                             q.scope_open().with(hates, "$y").scope_close();
                         },
                         [&](auto& q) { q.with(b).src("$x"); }},
                        {"x", "y"});
        CHECK(either.answer() == "ann x=ben y=-; cat x=ben y=dan");
        ben.remove(b);
        CHECK(either.answer() == "");
    }

    TEST_CASE_FIXTURE(graph, "what a negated scope in an alternative declares stays in there") {
        ann.add(likes, ben);
        ben.add(b);
        auto builder = build();
        builder.scope_open().with(a);
        builder.scope_open().not_().with(likes, "$x").with(b).src("$x").scope_close();
        builder.scope_close().or_();
        builder.scope_open().with(c).scope_close();
        CHECK(found_by(builder) == sorted({ben, cat, dan}));
        CHECK(refused(builder.without(kith::PredEq).src("$x").second(ben)) == errc::invalid_query);
    }

    TEST_CASE_FIXTURE(graph,
                      "an alternative that says nothing of $this holds for all that is left") {
        kith::entity eve = world.entity("eve").add(d);
        ben.add(b);
        // !A, { A } || { B($x) }
        auto builder = build().without(a);
        builder.scope_open().with(a).scope_close().or_();
        builder.scope_open().with(b).src("$x").scope_close();
        const entity_list found = found_by(builder);
        CHECK(std::find(found.begin(), found.end(), eve) != found.end());
        CHECK(std::find(found.begin(), found.end(), ann) == found.end());
    }

    // -- anywhere

    // spec 215
    TEST_CASE_FIXTURE(subsets, "a scope comes first, last, or alone") {
        auto first = build().scope_open().not_().with(b).or_().with(c).scope_close().with(a);
        auto last = build().with(a).scope_open().not_().with(b).or_().with(c).scope_close();
        CHECK(bindings_of(first.build()) == "eA; eAD");
        CHECK(bindings_of(last.build()) == "eA; eAD");
        CHECK(found_by(first) == found_by(last));
        CHECK(bindings_of(build().scope_open().with(a).with(b).with(c).scope_close().build()) ==
              "eABC; eABCD");
        const entity_list others = found_by(build().scope_open().not_().with(any).scope_close());
        CHECK(std::find(others.begin(), others.end(), world.lookup("eA")) == others.end());
        CHECK(std::find(others.begin(), others.end(), a) != others.end());
    }

    // -- forms

    // spec 216
    TEST_CASE_FIXTURE(subsets, "builder, description and callbacks make the same scopes") {
        auto flat = build().with(a).scope_open().not_().with(b).or_().with(c).scope_close().build();
        CHECK(bindings_of(flat) == "eA; eAD");

        CHECK(
            bindings_of(
                build().with(a).none([&](auto& scope) { scope.with(b).or_().with(c); }).build()) ==
            "eA; eAD");

        kith::term_desc terms[5];
        terms[0].id = a;
        terms[1].id = kith::ScopeOpen;
        terms[1].src.flags = kith::IsEntity;
        terms[1].oper = kith::Not;
        terms[2].id = b;
        terms[2].oper = kith::Or;
        terms[3].id = c;
        terms[4].id = kith::ScopeClose;
        terms[4].src.flags = kith::IsEntity;
        kith::query_desc description;
        description.terms = terms;
        description.count = 5;
        CHECK(bindings_of(world.filter(description)) == "eA; eAD");
        CHECK(bindings_of(world.query(description)) == "eA; eAD");
    }

    TEST_CASE_FIXTURE(subsets, "callbacks make optional scopes and alternatives") {
        CHECK(bindings_of(build()
                              .with(any)
                              .either([&](auto& one) { one.with(a).with(b); },
                                      [&](auto& other) { other.with(c).without(d); })
                              .build()) == "eAB; eABC; eABCD; eABD; eAC; eBC; eC");
        CHECK(bindings_of(build()
                              .with(any)
                              .either([&](auto& one) { one.with(a).with(b); },
                                      [&](auto& two) { two.with(c).without(d); },
                                      [&](auto& three) { three.with(d).without(c); })
                              .build()) == "eAB; eABC; eABCD; eABD; eAC; eAD; eBC; eBD; eC; eD");
        auto maybe =
            build().with(a).with(b).with(c).maybe([&](auto& scope) { scope.with(d); }).build();
        CHECK(results_of(maybe) == "eABC: A, B, C, -\neABCD: A, B, C, D\n");
    }

    TEST_CASE_FIXTURE(subsets, "callbacks are nested") {
        // A, !{ B, !{ C, !D } }
        auto query = build()
                         .with(a)
                         .none([&](auto& outer) {
                             outer.with(b).none([&](auto& inner) { inner.with(c).without(d); });
                         })
                         .build();
        CHECK(bindings_of(query) == "eA; eABC; eAC; eACD; eAD");
    }

    TEST_CASE_FIXTURE(subsets, "terms in scopes have fields, braces have none") {
        auto query =
            build().with(a).scope_open().not_().with(b).with(c).scope_close().with(d).build();
        CHECK(query.field_count() == 4);
        CHECK(results_of(query) == "eABD: A, -, -, D\neACD: A, -, -, D\neAD: A, -, -, D\n");
    }

    TEST_CASE_FIXTURE(subsets, "a query with scopes has a text") {
        const std::string text = build()
                                     .with(a)
                                     .scope_open()
                                     .not_()
                                     .with(b)
                                     .or_()
                                     .with(c)
                                     .scope_close()
                                     .build()
                                     .str()
                                     .c_str();
        CHECK(contains(text, "!{"));
        CHECK(contains(text, "B || C"));
        CHECK(contains(text, "}"));
    }

    // -- changes

    TEST_CASE_FIXTURE(graph, "cached queries with scopes follow changes") {
        auto query = world.query_builder()
                         .with(a)
                         .scope_open()
                         .not_()
                         .with(likes, "$x")
                         .with(b)
                         .src("$x")
                         .scope_close()
                         .build();
        CHECK(bindings_of(query) == "ann; ben; cat; dan");
        ann.add(likes, ben);
        CHECK(bindings_of(query) == "ann; ben; cat; dan");
        ben.add(b);
        CHECK(bindings_of(query) == "ben; cat; dan");
        world.entity("eve").add(a).add(likes, ben);
        CHECK(bindings_of(query) == "ben; cat; dan");
        ben.remove(b);
        CHECK(bindings_of(query) == "ann; ben; cat; dan; eve");
        ben.add(b);
        ben.destruct();
        CHECK(bindings_of(query) == "ann; cat; dan; eve");
    }

    // -- bad input

    TEST_CASE_FIXTURE(fixture, "a scope that is not closed, or not opened") {
        CHECK(refused(build().with(a).scope_open().not_().with(b)) == errc::invalid_query);
        CHECK(refused(build().with(a).scope_open()) == errc::invalid_query);
        CHECK(refused(build().with(a).scope_close()) == errc::invalid_query);
        CHECK(refused(build().with(a).scope_open().not_().with(b).scope_close().scope_close()) ==
              errc::invalid_query);
        CHECK(contains(message(build().with(a).scope_open().not_().with(b)), "close"));
        CHECK(contains(message(build().with(a).scope_close()), "open"));
    }

    TEST_CASE_FIXTURE(subsets, "16 scopes inside of each other are the most") {
        auto nested = [&](int depth) {
            auto builder = build().with(a);
            for (int i = 0; i < depth; ++i) {
                builder.scope_open().not_().with(b);
            }
            for (int i = 0; i < depth; ++i) {
                builder.scope_close();
            }
            return builder;
        };
        // Even depths of one and the same condition: it is not required; odd: it must not hold.
        CHECK(found_by(nested(1)).size() == 4);
        CHECK(found_by(nested(2)).size() == 8);
        CHECK(found_by(nested(16)).size() == 8);
        CHECK(refused(nested(17)).has_value());
        CHECK(contains(message(nested(17)), "16"));
        CHECK(refused(nested(25)).has_value());
    }

    TEST_CASE_FIXTURE(fixture, "Or behind a scope with nothing to join") {
        CHECK(refused(build().with(a).scope_open().with(b).scope_close().or_().without(c)) ==
              errc::invalid_query);
    }

    TEST_CASE_FIXTURE(fixture, "an operator that scopes do not have") {
        CHECK(refused(build().with(a).scope_open().and_from().with(b).scope_close()) ==
              errc::invalid_query);
    }

    TEST_CASE_FIXTURE(graph, "a contradiction in a scope holds never") {
        CHECK(answer(world, {[&](auto& q) { q.with(a); },
                             [&](auto& q) {
                                 q.scope_open().not_().with(a).without(a).scope_close();
                             }}) == "ann; ben; cat; dan");
        CHECK(answer(world, {[&](auto& q) { q.with(a); },
                             [&](auto& q) { q.scope_open().not_().with(a).scope_close(); }}) == "");
    }
}
