// Operators of block plans that contain a block, each alone: optional, not_exists, or_else.
#include "support/operators.hpp"

using namespace kith_test;
using queries::op_code;

namespace {

using entities = std::vector<kith::entity_t>;

struct fixture : operator_fixture {
    fixture() { ann.add(likes, bob).add(likes, cid).add(knows, cid); }
    // The op `match_term` of (relation, $x) about $this.
    queries::graph_op& add_match(kith::entity relation) {
        add_term(kith::make_pair(relation, kith::Wildcard)).second_variable = x;
        const auto number = static_cast<std::uint8_t>(terms.size() - 1);
        return add_op(op_code::match_term, number, static_cast<std::uint8_t>(number + 1));
    }

    kith::entity likes = world.entity(), knows = world.entity(), ann = world.entity(),
                 bob = world.entity(), cid = world.entity();
};

}  // namespace

TEST_SUITE("unit.query.ops_blocks") {
    TEST_CASE_FIXTURE(fixture, "optional has the results of its block") {
        add_op(op_code::optional);
        add_match(likes);
        enclose(1);
        open_run();
        take_row(ann);
        CHECK(values_of(x) == entities{bob, cid});
    }

    TEST_CASE_FIXTURE(fixture, "optional holds once, unset and unbound, without results") {
        add_op(op_code::optional);
        add_match(likes);
        enclose(1);
        open_run();
        take_row(cid);
        CHECK(values_of(x) == entities{0});
        CHECK_FALSE(is_set());
    }

    TEST_CASE_FIXTURE(fixture, "not_exists holds once where its block has no result") {
        add_op(op_code::not_exists);
        add_match(likes);
        enclose(1);
        open_run();
        take_row(ann);
        CHECK_FALSE(open());
        CHECK_FALSE(context.is_bound(x));
        CHECK_FALSE(is_set());
        take_row(cid);
        CHECK(open());
        CHECK_FALSE(next());
    }

    TEST_CASE_FIXTURE(fixture, "not_exists about sources answers as its block does") {
        const kith::entity tag = world.entity();
        queries::term& pair = add_term(kith::make_pair(likes, kith::Wildcard));
        pair.second_variable = x;
        pair.source_variable = y;
        pair.from = queries::source_kind::variable;
        queries::term& test = add_term(tag);
        test.source_variable = y;
        test.from = queries::source_kind::variable;
        add_op(op_code::not_exists, 0, 2);
        add_op(op_code::enumerate).variable = y;
        add_op(op_code::match_term);
        add_op(op_code::match_term, 1, 2);
        enclose(3);
        open_run();
        bind(x, bob);
        for (const bool tagged : {false, true}) {
            for (const bool about_sources : {false, true}) {
                plan.ops[0].about_sources = about_sources;
                CHECK(open() == !tagged);
            }
            ann.add(tag);
        }
    }

    TEST_CASE_FIXTURE(fixture,
                      "or_else gives the results of each alternative, repeated ones once") {
        add_op(op_code::or_else, 0, 2);
        add_op(op_code::branch, 0, 1);
        add_match(likes);
        enclose(1);
        add_op(op_code::branch, 1, 2);
        add_match(knows);
        enclose(1);
        plan.ops[0].next = 5;
        ann.add(knows, ann);
        open_run();
        take_row(ann);
        CHECK(values_of(x) == entities{bob, cid, ann});
        CHECK_FALSE(context.is_bound(x));
    }

    TEST_CASE_FIXTURE(fixture,
                      "an alternative may list matches while an earlier one is asked again") {
        // The plain op `match` lists the ids of a wildcard that bases have as well.
        const kith::entity heir = world.entity().is_a(ann).add(knows, bob);
        inherit(add_term(kith::make_pair(knows, kith::Wildcard)));
        inherit(add_term(kith::make_pair(likes, kith::Wildcard)));
        terms[0].oper = terms[1].oper = kith::And;
        terms[0].every_of_chain = true;
        terms[1].field = terms[0].field;
        add_op(op_code::or_else, 0, 2);
        add_op(op_code::branch, 0, 1);
        add_op(op_code::match, 0, 1);
        enclose(1);
        add_op(op_code::branch, 1, 2);
        add_op(op_code::match, 1, 2);
        enclose(1);
        plan.ops[0].next = 5;
        open_run();
        take_row(heir);
        std::vector<kith::id_t> ids;
        for (bool any = open(); any; any = next()) {
            ids.push_back(fields[0].id);
        }
        CHECK(ids ==
              std::vector<kith::id_t>{kith::make_pair(knows, bob), kith::make_pair(knows, cid),
                                      kith::make_pair(likes, bob), kith::make_pair(likes, cid)});
    }
}
