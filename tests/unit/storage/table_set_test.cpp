#include "storage/table_set.hpp"

#include "storage/store.hpp"

#include <doctest/doctest.h>

using namespace kith;
using storage::store;

TEST_SUITE("unit.storage.table_set") {
    TEST_CASE("a list of ids has one table, found by its ids") {
        store data(nullptr);
        data.tables.ensure(nullptr, 0);  // the first number is never that of a table with ids
        const kith::id_t ids[] = {300, 301, make_pair(302, 303)};
        storage::table& made = data.tables.ensure(ids, 3);
        CHECK(&data.tables.ensure(ids, 3) == &made);
        CHECK(data.tables.find(ids, 3) == &made);
        CHECK(data.tables.find(ids, 2) == nullptr);
        CHECK(storage::find_id(made, 301) == 1);
        CHECK(storage::find_id(made, make_pair(302, Wildcard)) == 2);
        CHECK(storage::find_id(made, 305) == -1);
        CHECK(storage::find_match(made, make_pair(Wildcard, 303), 0) == 2);
        CHECK(storage::find_match(made, Wildcard, 1) == 1);
    }

    TEST_CASE("records list the tables of their id, until the table is removed") {
        store data(nullptr);
        data.tables.ensure(nullptr, 0);  // the first number is never that of a table with ids
        const kith::id_t ids[] = {300, 301};
        storage::table& both = data.tables.ensure(ids, 2);
        storage::table& one = data.tables.ensure(ids, 1);
        CHECK(data.ids.find(300)->tables.size() == 2);
        CHECK(data.ids.find(301)->tables.size() == 1);
        data.tables.remove(both);
        CHECK(data.ids.find(300)->tables.size() == 1);
        CHECK(data.ids.find(300)->tables[0].table == one.number);
        CHECK(data.tables.find(ids, 2) == nullptr);
    }

    TEST_CASE("edges lead both ways, and go with their table") {
        store data(nullptr);
        data.tables.ensure(nullptr, 0);  // the first number is never that of a table with ids
        const kith::id_t ids[] = {300, 301, 302};
        storage::table& one = data.tables.ensure(ids, 1);
        storage::table& two = data.tables.ensure(ids, 2);
        const kith::id_t others[] = {300, 302};
        storage::table& other = data.tables.ensure(others, 2);
        data.tables.connect(one, two, 301);
        data.tables.connect(one, other, 302);
        CHECK(data.tables.find_edge(one, 301)->to == two.number);
        CHECK(data.tables.find_edge(two, 301)->to == one.number);
        CHECK(data.tables.find_edge(one, 302)->to == other.number);
        CHECK(data.tables.find_edge(one, 303) == nullptr);
        data.tables.remove(two);
        CHECK(data.tables.find_edge(one, 301) == nullptr);
        CHECK(data.tables.find_edge(one, 302)->to == other.number);
        data.tables.drop_edges();
        CHECK(data.tables.find_edge(one, 302) == nullptr);
    }

    TEST_CASE("the number of a removed table is used again, and the epoch tells") {
        store data(nullptr);
        data.tables.ensure(nullptr, 0);  // the first number is never that of a table with ids
        const kith::id_t ids[] = {300};
        const std::uint32_t number = data.tables.ensure(ids, 1).number;
        const std::uint32_t epoch = data.table_epoch;
        data.tables.remove(data.tables.at(number));
        CHECK(data.tables.find_number(number) == nullptr);
        const kith::id_t others[] = {301};
        CHECK(data.tables.ensure(others, 1).number == number);
        CHECK(data.table_epoch != epoch);
    }
}
