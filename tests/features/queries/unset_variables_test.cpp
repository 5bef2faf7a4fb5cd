// Variables that have a value in some results only: who gives it to them, and what is left out
// where they have none.
#include <kith/kith.hpp>

#include "support/bindings.hpp"
#include "support/errors.hpp"

using namespace kith_test;
using kith::ChildOf;

namespace {

struct fixture {
    // What a builder finds, cached and not.
    template <class Builder>
    std::string ask(Builder builder, const variable_names& names) const {
        const std::string cached = bindings_of(builder.cached().build(), names);
        const std::string uncached = bindings_of(builder.uncached().build(), names);
        CHECK(cached == uncached);
        return uncached;
    }
    kith::filter_builder<> build() const { return world.filter_builder(); }

    kith::world world;
    kith::entity likes = world.entity("Likes");
    kith::entity knows = world.entity("Knows");
    kith::entity trusts = world.entity("Trusts");
    kith::entity hot = world.entity("Hot");
    kith::entity cold = world.entity("Cold");
    kith::entity ann = world.entity("ann");
    kith::entity bob = world.entity("bob");
    kith::entity cat = world.entity("cat");
    kith::entity dan = world.entity("dan");
    kith::entity eve = world.entity("eve");
};

// Ann likes, Cat knows.
struct either_of_two : fixture {
    either_of_two() {
        ann.add(likes, bob);
        cat.add(knows, dan);
    }
    kith::filter_builder<> alternatives() const {
        return build().with(likes, "$x").or_().with(knows, "$y");
    }
};

}  // namespace

TEST_SUITE("features.queries.unset_variables") {
    TEST_CASE_FIXTURE(either_of_two, "an optional term does not bind what alternatives leave") {
        ann.add(trusts, dan);
        cat.add(trusts, dan);
        auto terms = alternatives().with(trusts, "$y").optional();
        CHECK(ask(terms, {"x", "y"}) == "ann x=bob y=-; cat x=- y=dan");
    }

    TEST_CASE_FIXTURE(either_of_two, "of two optional terms, the first binds") {
        ann.add(hot);
        cat.add(hot).add(likes, dan);
        auto terms = build().with(hot).with(knows, "$y").optional().with(likes, "$y").optional();
        CHECK(ask(terms, {"y"}) == "ann y=-; cat y=dan");
    }

    TEST_CASE_FIXTURE(either_of_two, "alternatives are left out together") {
        ann.add(trusts, bob);
        eve.add(likes, bob);
        auto terms = alternatives().with(trusts, "$x").or_().with(cold);
        CHECK(ask(terms, {"x", "y"}) == "ann x=bob y=-; cat x=- y=dan");
    }

    TEST_CASE_FIXTURE(either_of_two,
                      "alternatives that are left out do not keep a term from its value") {
        dan.add(hot);
        auto terms = alternatives().with(trusts, "$z").or_().with(hot).src("$y");
        terms.with(cold).src("$z");
        CHECK(ask(terms, {"x", "y", "z"}) == "");
        cat.add(trusts, eve);
        CHECK(ask(terms, {"x", "y", "z"}) == "");
        eve.add(cold);
        CHECK(ask(terms, {"x", "y", "z"}) == "ann x=bob y=- z=eve; cat x=- y=dan z=eve");
    }

    TEST_CASE_FIXTURE(either_of_two,
                      "alternatives that all have a source give it to those that name it in part") {
        ann.add(cold);
        eve.add(knows, bob);
        dan.add(hot);
        auto terms = build().with(likes, "$x").src("$y").or_().with(hot).src("$y");
        terms.with(cold).or_().with(knows, "$y");
        CHECK(ask(terms, {"x", "y"}) == "ann x=- y=dan; ann x=bob y=ann; cat x=- y=dan");
    }

    TEST_CASE_FIXTURE(fixture, "alternatives in an optional scope have to hold with each other") {
        cat.add(cold);
        dan.add(knows, cat);
        auto terms = build().with(cold).maybe([&](auto& scope) {
            scope.with(likes, "$x").or_().with(knows, "$this").src("$y");
            scope.with(trusts, "$z").src("$y").or_().with(hot).src("$z");
        });
        CHECK(ask(terms, {"x", "y", "z"}) == "cat x=- y=- z=-");
        dan.add(trusts, eve);
        CHECK(ask(terms, {"x", "y", "z"}) == "cat x=- y=dan z=eve");
    }

    TEST_CASE_FIXTURE(fixture, "a comparison gives its value on where there is one") {
        for (kith::entity e : {ann, cat}) {
            e.add(hot);
        }
        ann.add(likes, bob);
        const clause_list terms = {
            [&](auto& b) { b.with(hot); },
            [&](auto& b) { b.with(likes, "$x").optional(); },
            [&](auto& b) { b.with(kith::PredEq).src("$x").second("$y"); },
            [&](auto& b) { b.with(cold).src("$y").not_(); },
        };
        CHECK(answer(world, terms, {"x", "y"}) == "ann x=bob y=bob; cat x=- y=-");
    }

    TEST_CASE_FIXTURE(fixture, "an optional scope in an alternative leaves its variables unset") {
        ann.add(hot).add(likes, bob);
        cat.add(hot);
        dan.add(knows, eve);
        auto terms = build().either(
            [&](auto& one) {
                one.with(hot).with(likes, "$x").optional();
                one.with(trusts, "$y").src("$x");
            },
            [&](auto& other) { other.with(knows, "$y"); });
        CHECK(ask(terms, {"x", "y"}) == "cat x=- y=-; dan x=- y=eve");
        bob.add(trusts, eve);
        CHECK(ask(terms, {"x", "y"}) == "ann x=bob y=eve; cat x=- y=-; dan x=- y=eve");
        // A term that must hold gives the variable its value.
        terms.with(cold).src("$y");
        CHECK(ask(terms, {"x", "y"}) == "");
        eve.add(cold);
        CHECK(ask(terms, {"x", "y"}) == "ann x=bob y=eve; cat x=- y=eve; dan x=- y=eve");
    }

    TEST_CASE_FIXTURE(fixture, "where a search starts, a variable is not named") {
        auto kid = world.entity("kid").child_of(bob);
        bob.add(hot).add(likes, kid);
        dan.add(hot);
        auto terms = build().with(hot).src("$x");
        terms.with(likes).second("$x").down(ChildOf).src("$x").optional();
        CHECK(ask(terms, {"x"}) == "() x=bob; () x=dan");
    }

    TEST_CASE_FIXTURE(fixture, "a search from what is unset is left out, with all that it finds") {
        auto kid = world.entity("kid").child_of(bob);
        ann.add(hot).add(likes, kid);
        cat.add(hot);
        eve.add(trusts, bob);
        dan.add(trusts, cat);
        const clause_list terms = {
            [&](auto& b) { b.with(hot); },
            [&](auto& b) { b.with(likes, "$x").optional(); },
            [&](auto& b) { b.with(trusts).second("$x").up(ChildOf).src("$y"); },
        };
        CHECK(answer(world, terms, {"x", "y"}) == "ann x=kid y=eve; cat x=- y=-");
    }

    TEST_CASE_FIXTURE(fixture, "terms that wait for each other are refused") {
        auto terms = build().with(hot);
        terms.maybe([&](auto& scope) {
            scope.with(likes, "$x").without(kith::PredEq).src("$x").second("$y");
        });
        terms.maybe([&](auto& scope) {
            scope.with(knows, "$y").without(kith::PredEq).src("$y").second("$x");
        });
        CHECK(refusal(world, [&] { terms.build(); }) == kith::errc::invalid_query);
        const std::string message = message_of([&] { terms.build(); });
        CAPTURE(message);
        CHECK(message.find("term 6") != std::string::npos);
        CHECK(message.find("the variable $x has its value from term 2, which needs what this term "
                           "finds") != std::string::npos);
    }
}
