// Operators of block plans that bind variables, each alone: enumerate, match_term, compare,
// intersect.
#include "support/operators.hpp"
#include "support/relations.hpp"

#include <algorithm>

using namespace kith_test;
using queries::op_code;
using queries::source_kind;

namespace {

using entities = std::vector<kith::entity_t>;

struct fixture : operator_fixture {
    kith::entity likes = world.entity(), knows = world.entity(), ann = world.entity(),
                 bob = world.entity(), cid = world.entity();

    // (likes, $x) about a variable, or about $this.
    queries::term& add_likes_x(std::uint8_t source = 0) {
        queries::term& term = add_term(kith::make_pair(likes, kith::Wildcard));
        term.second_variable = x;
        set_source(term, source);
        return term;
    }
    static void set_source(queries::term& term, std::uint8_t variable) {
        term.source_variable = variable;
        term.from = variable == 0 ? source_kind::self : source_kind::variable;
    }
};

}  // namespace

TEST_SUITE("unit.query.ops_variables") {
    TEST_CASE_FIXTURE(fixture, "enumerate proposes each entity that may be the source, once") {
        ann.add(likes, bob);
        cid.add(likes, bob).add(likes, ann);
        set_source(add_term(kith::make_pair(likes, bob)), y);
        add_op(op_code::enumerate).variable = y;
        open_run();
        entities sources = values_of(y);
        std::sort(sources.begin(), sources.end());
        CHECK(sources == entities{ann, cid});
        CHECK_FALSE(context.is_bound(y));
    }

    TEST_CASE_FIXTURE(fixture, "enumerate takes whole ranges for $this") {
        ann.add(likes, bob);
        cid.add(likes, bob);
        add_term(kith::make_pair(likes, bob));
        add_op(op_code::enumerate).variable = 0;
        open_run();
        REQUIRE(open());
        CHECK(context.self.rows.count == 2);
        CHECK_FALSE(next());
        CHECK(context.self.table == nullptr);
    }

    TEST_CASE_FIXTURE(fixture, "enumerate leaves a bound variable as it is, once") {
        ann.add(likes, bob);
        set_source(add_term(kith::make_pair(likes, bob)), y);
        add_op(op_code::enumerate).variable = y;
        open_run();
        bind(y, cid);
        CHECK(values_of(y) == entities{cid});
        CHECK(value_of(y) == cid);
    }

    TEST_CASE_FIXTURE(fixture, "enumerate lists the sources below a target of a transitive pair") {
        cid.add(likes, bob);
        bob.add(likes, ann);
        set_source(add_term(kith::make_pair(likes, ann)), y);
        plan.meanings.resize(1);
        plan.meanings[0].transitive = true;
        add_op(op_code::enumerate).variable = y;
        open_run();
        entities sources = values_of(y);
        std::sort(sources.begin(), sources.end());
        CHECK(sources == entities{bob, cid});
    }

    TEST_CASE_FIXTURE(fixture, "match_term binds a variable to each target, and unbinds it") {
        for (const bool sparse : {false, true}) {
            CAPTURE(sparse);
            fixture own;
            if (sparse) {
                own.likes.add(kith::Sparse);
            }
            own.ann.add(own.likes, own.bob).add(own.likes, own.cid);
            own.add_likes_x();
            own.add_op(op_code::match_term).linkable = sparse;
            own.open_run();
            own.take_row(own.ann);
            CHECK(own.values_of(x) == entities{own.bob, own.cid});
            CHECK_FALSE(own.context.is_bound(x));
        }
    }

    TEST_CASE_FIXTURE(fixture, "match_term tests the value of a bound variable, once") {
        ann.add(likes, bob).add(likes, cid);
        add_likes_x();
        add_op(op_code::match_term).exact = true;
        open_run();
        take_row(ann);
        bind(x, cid);
        CHECK(values_of(x) == entities{cid});
        CHECK(fields[0].id == kith::make_pair(likes, cid));
        take_row(bob);
        CHECK_FALSE(open());
    }

    TEST_CASE_FIXTURE(fixture, "match_term of an optional term holds once, unset and unbound") {
        add_likes_x().oper = kith::Optional;
        add_op(op_code::match_term);
        open_run();
        take_row(ann);
        CHECK(values_of(x) == entities{0});
        CHECK_FALSE(is_set());
    }

    TEST_CASE_FIXTURE(fixture,
                      "match_term of a transitive pair finds implied targets, nearest first") {
        ann.add(likes, bob);
        bob.add(likes, cid);
        add_likes_x();
        plan.meanings.resize(1);
        plan.meanings[0].transitive = true;
        add_op(op_code::match_term);
        open_run();
        take_row(ann);
        CHECK(values_of(x) == entities{bob, cid});
    }

    TEST_CASE_FIXTURE(fixture, "match_term of a transitive pair answers alike by either search") {
        ann.add(likes, bob);
        bob.add(likes, cid);
        add_likes_x();
        plan.meanings.resize(1);
        plan.meanings[0].transitive = true;
        add_op(op_code::match_term);
        open_run();
        bind(x, cid);
        for (const bool outer : {false, true}) {
            plan.ops[0].outer_target = outer;
            for (kith::entity source : {ann, bob, cid}) {
                take_row(source);
                CHECK(open() == (source != cid));
            }
        }
    }

    TEST_CASE_FIXTURE(fixture, "compare binds the open side of an equation") {
        queries::term& term = add_term(0);
        term.kind = queries::term_kind::equal;
        term.second_variable = y;
        set_source(term, x);
        add_op(op_code::compare);
        open_run();
        bind(x, ann);
        CHECK(values_of(y) == entities{ann});
        CHECK_FALSE(context.is_bound(y));
        bind(y, bob);
        CHECK_FALSE(open());
    }

    TEST_CASE_FIXTURE(fixture, "compare negates, and binds nothing then") {
        queries::term& term = add_term(0);
        term.kind = queries::term_kind::equal;
        term.oper = kith::Not;
        term.second = bob;
        set_source(term, x);
        add_op(op_code::compare);
        open_run();
        CHECK(open());
        CHECK_FALSE(context.is_bound(x));
        bind(x, bob);
        CHECK_FALSE(open());
    }

    TEST_CASE_FIXTURE(fixture, "compare gives one order of two variables that were left open") {
        queries::term& term = add_term(0);
        term.kind = queries::term_kind::apart;
        term.second_variable = y;
        set_source(term, x);
        add_op(op_code::compare);
        open_run();
        bind(x, ann);
        bind(y, bob);
        CHECK(open() == (ann < bob));
        context.bindings->given = queries::only(x);
        CHECK(open());
    }

    TEST_CASE_FIXTURE(fixture, "intersect binds the source and the targets that its terms share") {
        for (const bool sparse : {false, true}) {
            CAPTURE(sparse);
            fixture own;
            if (sparse) {
                own.likes.add(kith::Sparse);
            }
            own.ann.add(own.likes, own.bob).add(own.likes, own.cid).add(own.knows, own.cid);
            own.bob.add(own.likes, own.ann);
            own.add_likes_x(y);
            queries::term& term = own.add_term(kith::make_pair(own.knows, kith::Wildcard));
            term.second_variable = x;
            set_source(term, y);
            queries::graph_op& op = own.add_op(op_code::intersect);
            op.variable = y;
            op.terms = 3;
            own.open_run();
            REQUIRE(own.open());
            CHECK(own.value_of(y) == own.ann);
            CHECK(own.value_of(x) == own.cid);
            CHECK(own.fields[0].id == kith::make_pair(own.likes, own.cid));
            CHECK(own.fields[1].id == kith::make_pair(own.knows, own.cid));
            CHECK_FALSE(own.next());
            CHECK_FALSE(own.context.is_bound(x));
            CHECK_FALSE(own.context.is_bound(y));
        }
    }

    TEST_CASE_FIXTURE(fixture, "intersect evaluates the block inside where its target is bound") {
        ann.add(likes, bob).add(knows, bob);
        add_likes_x();
        queries::term& term = add_term(kith::make_pair(knows, kith::Wildcard));
        term.second_variable = x;
        add_op(op_code::intersect).terms = 3;
        add_op(op_code::match_term, 0, 1);
        add_op(op_code::match_term, 1, 2);
        enclose(2);
        open_run();
        take_row(ann);
        bind(x, bob);
        CHECK(values_of(x) == entities{bob});
        bind(x, bob);
        take_row(bob);
        CHECK_FALSE(open());
    }
}
