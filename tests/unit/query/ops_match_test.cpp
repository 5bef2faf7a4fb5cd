// Operators for terms without variables, each alone: match, or_chain, list.
#include "support/operators.hpp"
#include "support/types.hpp"

using namespace kith_test;
using queries::op_code;

namespace {

struct fixture : operator_fixture {
    kith::entity likes = world.entity(), eats = world.entity(), apples = world.entity(),
                 pears = world.entity(), tag = world.entity(), other = world.entity();
    kith::entity someone = world.entity().add(tag).add(likes, apples).add(likes, pears);
};

}  // namespace

TEST_SUITE("unit.query.ops_match") {
    TEST_CASE_FIXTURE(fixture, "match has a result for each id that the source has") {
        add_term(kith::make_pair(likes, kith::Wildcard));
        take_row(someone);
        queries::match_operator match;
        const queries::op op = flat_op(op_code::match);
        REQUIRE(match.open(context, op));
        CHECK(fields[0].id == kith::make_pair(likes, apples));
        REQUIRE(match.next(context, op));
        CHECK(fields[0].id == kith::make_pair(likes, pears));
        CHECK_FALSE(match.next(context, op));
    }

    TEST_CASE_FIXTURE(fixture, "match of a term with Not holds once, where nothing is found") {
        add_term(tag).oper = kith::Not;
        queries::match_operator match;
        const queries::op op = flat_op(op_code::match);
        take_row(someone);
        CHECK_FALSE(match.open(context, op));
        take_row(apples);
        CHECK(match.open(context, op));
        CHECK_FALSE(is_set());
        CHECK_FALSE(match.next(context, op));
    }

    TEST_CASE_FIXTURE(fixture, "match of an optional term holds once, unset, without a match") {
        add_term(tag).oper = kith::Optional;
        queries::match_operator match;
        const queries::op op = flat_op(op_code::match);
        take_row(apples);
        CHECK(match.open(context, op));
        CHECK_FALSE(is_set());
        CHECK_FALSE(match.next(context, op));
        take_row(someone);
        CHECK(match.open(context, op));
        CHECK(is_set());
        CHECK_FALSE(match.next(context, op));
    }

    TEST_CASE_FIXTURE(fixture, "match of a fixed source needs no $this") {
        queries::term& term = add_term(tag);
        term.from = queries::source_kind::fixed;
        term.source = someone;
        queries::match_operator match;
        const queries::op op = flat_op(op_code::match);
        REQUIRE(match.open(context, op));
        CHECK(fields[0].source == someone);
        context.dead = 1;
        CHECK_FALSE(match.open(context, op));
    }

    TEST_CASE_FIXTURE(fixture, "match of a term that traverses all finds every owner") {
        queries::term& term = add_term(tag);
        inherit(term);
        term.flags |= kith::TraverseAll;
        const kith::entity heir = world.entity().is_a(someone).add(tag);
        take_row(heir);
        queries::match_operator match;
        const queries::op op = flat_op(op_code::match);
        REQUIRE(match.open(context, op));
        CHECK(fields[0].source == 0);
        REQUIRE(match.next(context, op));
        CHECK(fields[0].source == someone);
        CHECK_FALSE(match.next(context, op));
    }

    TEST_CASE_FIXTURE(fixture, "a match that a callback removes is not a result") {
        inherit(add_term(kith::make_pair(likes, kith::Wildcard)));
        const kith::entity heir = world.entity().is_a(someone);
        take_row(heir);
        queries::match_operator match;
        const queries::op op = flat_op(op_code::match);
        REQUIRE(match.open(context, op));
        CHECK(fields[0].id == kith::make_pair(likes, apples));
        someone.remove(likes, pears);
        CHECK_FALSE(match.next(context, op));
    }

    TEST_CASE_FIXTURE(fixture, "two searches of listed matches do not disturb each other") {
        inherit(add_term(kith::make_pair(likes, kith::Wildcard)));
        inherit(add_term(kith::make_pair(kith::Wildcard, pears)));
        someone.add(eats, pears);
        take_row(world.entity().is_a(someone));
        queries::match_operator later, earlier;
        const queries::op later_op = flat_op(op_code::match, 0, 1);
        const queries::op earlier_op = flat_op(op_code::match, 1, 2);
        REQUIRE(later.open(context, later_op));
        REQUIRE(earlier.open(context, earlier_op));
        REQUIRE(later.next(context, later_op));
        CHECK(fields[0].id == kith::make_pair(likes, pears));
        REQUIRE(earlier.next(context, earlier_op));
        CHECK_FALSE(earlier.next(context, earlier_op));
        CHECK_FALSE(later.next(context, later_op));
    }

    TEST_CASE_FIXTURE(fixture, "the first term of a chain that matches decides") {
        add_term(other);
        add_term(kith::make_pair(likes, apples));
        add_term(tag);
        for (queries::term& term : terms) {
            term.field = 0;
            term.in_chain = true;
        }
        take_row(someone);
        queries::or_chain_operator chain;
        const queries::op op = flat_op(op_code::chain, 0, 3);
        REQUIRE(chain.open(context, op));
        CHECK(chain.alternative == 1);
        CHECK(fields[0].id == kith::make_pair(likes, apples));
        CHECK_FALSE(chain.next(context, op));
    }

    TEST_CASE_FIXTURE(fixture, "a chain of wildcards gives each match once") {
        add_term(kith::make_pair(likes, kith::Wildcard));
        add_term(kith::make_pair(kith::Wildcard, pears));
        for (queries::term& term : terms) {
            term.field = 0;
            term.in_chain = term.every_of_chain = true;
        }
        someone.add(eats, pears);
        take_row(someone);
        queries::or_chain_operator chain;
        const queries::op op = flat_op(op_code::chain, 0, 2);
        std::vector<kith::id_t> ids;
        for (bool any = chain.open(context, op); any; any = chain.next(context, op)) {
            ids.push_back(fields[0].id);
        }
        CHECK(ids == std::vector<kith::id_t>{kith::make_pair(likes, apples),
                                             kith::make_pair(likes, pears),
                                             kith::make_pair(eats, pears)});
    }

    TEST_CASE_FIXTURE(fixture, "a list is compared with the ids of the source") {
        const kith::entity list = world.entity().add(tag).add(other);
        queries::term& term = add_term(list);
        take_row(someone);
        queries::list_operator compare;
        const queries::op op = flat_op(op_code::list);
        auto holds = [&](kith::oper_kind_t oper) {
            term.oper = oper;
            const bool any = compare.open(context, op);
            CHECK_FALSE(compare.next(context, op));
            return any;
        };
        CHECK_FALSE(holds(kith::AndFrom));
        CHECK(holds(kith::OrFrom));
        CHECK_FALSE(holds(kith::NotFrom));
        someone.add(other);
        take_row(someone);
        CHECK(holds(kith::AndFrom));
        someone.remove(other).remove(tag);
        take_row(someone);
        CHECK_FALSE(holds(kith::OrFrom));
        CHECK(holds(kith::NotFrom));
    }
}
