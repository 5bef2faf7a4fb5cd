// Operators about the table of $this, each alone: scan, each_row, id_in_table, wildcard.
#include "support/operators.hpp"
#include "support/types.hpp"

using namespace kith_test;
using queries::op_code;

namespace {

struct fixture : operator_fixture {
    fixture() {
        register_all(world);
        for (int i = 0; i < 3; ++i) {
            rows[i] = world.entity().set(Position{i, 0}).add(likes, first).add(likes, second);
        }
    }
    kith::id_t position = world.component<Position>();
    kith::id_t velocity = world.component<Velocity>();
    kith::entity likes = world.entity(), first = world.entity(), second = world.entity();
    kith::entity rows[3];
};

}  // namespace

TEST_SUITE("unit.query.ops_table") {
    TEST_CASE_FIXTURE(fixture,
                      "a scan takes the proposed ranges in their order, and begins again") {
        const std::uint32_t table = queries::locate(store(), rows[0]).record->table;
        proposer.ranges = {{table, 0, 2}, {table, 2, 1}};
        queries::scan_operator scan;
        const queries::op op = flat_op(op_code::scan, 0, 0);
        for (int i = 0; i < 2; ++i) {
            REQUIRE(scan.open(context, op));
            CHECK(context.this_entity() == rows[0]);
            CHECK(context.self.rows.count == 2);
            REQUIRE(scan.next(context, op));
            CHECK(context.this_entity() == rows[2]);
            CHECK_FALSE(scan.next(context, op));
        }
    }

    TEST_CASE_FIXTURE(fixture, "each_row moves the fields of the range with the row") {
        add_term(position);
        take_table(rows[0]);
        queries::id_in_table_operator column;
        queries::each_row_operator each_row;
        const queries::op op = flat_op(op_code::id_in_table);
        REQUIRE(column.open(context, op));
        REQUIRE(each_row.open(context, op));
        for (int i = 0; i < 3; ++i) {
            CHECK(context.this_entity() == rows[i]);
            CHECK(context.self.rows.count == 1);
            CHECK(value<Position>().x == i);
            CHECK(each_row.next(context, op) == (i < 2));
        }
        CHECK(context.self.rows.count == 3);
        CHECK(value<Position>().x == 0);
    }

    TEST_CASE_FIXTURE(fixture, "each_row moves no field that was found for a single row") {
        add_term(position);
        take_table(rows[0]);
        context.row_fields = 1;
        queries::id_in_table_operator column;
        queries::each_row_operator each_row;
        const queries::op op = flat_op(op_code::id_in_table);
        REQUIRE(column.open(context, op));
        REQUIRE(each_row.open(context, op));
        REQUIRE(each_row.next(context, op));
        CHECK(value<Position>().x == 0);
    }

    TEST_CASE_FIXTURE(fixture, "an id in the table is found once, with its column") {
        add_term(position);
        take_table(rows[0]);
        queries::id_in_table_operator column;
        const queries::op op = flat_op(op_code::id_in_table);
        REQUIRE(column.open(context, op));
        CHECK(fields[0].stride == sizeof(Position));
        CHECK(fields[0].source == 0);
        CHECK_FALSE(column.next(context, op));
    }

    TEST_CASE_FIXTURE(fixture, "an id that the table lacks fails, unless the term allows it") {
        queries::term& term = add_term(velocity);
        take_table(rows[0]);
        queries::id_in_table_operator column;
        const queries::op op = flat_op(op_code::id_in_table);
        CHECK_FALSE(column.open(context, op));
        for (kith::oper_kind_t oper : {kith::Not, kith::Optional}) {
            term.oper = oper;
            CHECK(column.open(context, op));
            CHECK_FALSE(is_set());
            CHECK_FALSE(column.next(context, op));
        }
        terms[0].id = position;
        terms[0].oper = kith::Not;
        CHECK_FALSE(column.open(context, op));
    }

    TEST_CASE_FIXTURE(fixture, "an id that the table lacks is found in a base") {
        inherit(add_term(velocity));
        const kith::entity base = world.entity().set(Velocity{4, 5});
        take_table(world.entity().is_a(base));
        queries::id_in_table_operator column;
        const queries::op op = flat_op(op_code::id_in_table);
        REQUIRE(column.open(context, op));
        CHECK(column.inherited);
        CHECK(fields[0].source == base);
        CHECK(value<Velocity>().x == 4);
        CHECK_FALSE(column.next(context, op));
    }

    TEST_CASE_FIXTURE(fixture, "a wildcard has a result for each matching id of the table") {
        add_term(kith::make_pair(likes, kith::Wildcard));
        take_table(rows[0]);
        queries::wildcard_operator wildcard;
        const queries::op op = flat_op(op_code::wildcard);
        REQUIRE(wildcard.open(context, op));
        CHECK(fields[0].id == kith::make_pair(likes, first));
        REQUIRE(wildcard.next(context, op));
        CHECK(fields[0].id == kith::make_pair(likes, second));
        CHECK_FALSE(wildcard.next(context, op));
    }

    TEST_CASE_FIXTURE(fixture, "a wildcard that stands for any id has one result") {
        add_term(kith::make_pair(likes, kith::Any)).at_most_one = true;
        take_table(rows[0]);
        queries::wildcard_operator wildcard;
        const queries::op op = flat_op(op_code::wildcard);
        CHECK(wildcard.open(context, op));
        CHECK_FALSE(wildcard.next(context, op));
    }

    TEST_CASE_FIXTURE(fixture, "an optional wildcard without matches holds once, unset") {
        queries::term& term = add_term(kith::make_pair(first, kith::Wildcard));
        take_table(rows[0]);
        queries::wildcard_operator wildcard;
        const queries::op op = flat_op(op_code::wildcard);
        CHECK_FALSE(wildcard.open(context, op));
        term.oper = kith::Optional;
        CHECK(wildcard.open(context, op));
        CHECK_FALSE(is_set());
        CHECK_FALSE(wildcard.next(context, op));
    }

    TEST_CASE_FIXTURE(fixture, "a wildcard finds the ids of bases behind those of the entity") {
        inherit(add_term(kith::make_pair(likes, kith::Wildcard)));
        const kith::entity base = world.entity().add(likes, second);
        const kith::entity heir = world.entity().is_a(base).add(likes, first);
        take_table(heir);
        queries::wildcard_operator wildcard;
        const queries::op op = flat_op(op_code::wildcard);
        REQUIRE(wildcard.open(context, op));
        CHECK(fields[0].source == 0);
        REQUIRE(wildcard.next(context, op));
        CHECK(fields[0].source == base);
        CHECK_FALSE(wildcard.next(context, op));
    }
}
