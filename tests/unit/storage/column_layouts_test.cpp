#include "storage/column_layouts.hpp"

#include "storage/store.hpp"

#include <doctest/doctest.h>

using namespace kith;
using storage::store;

namespace {

std::uint32_t layout_of(const store& data, const storage::table& owner) {
    return data.tables.layouts().number_of(owner.number);
}

}  // namespace

TEST_SUITE("unit.storage.column_layouts") {
    TEST_CASE("tables that differ in tags and pairs have one layout") {
        store data(nullptr);
        data.tables.ensure(nullptr, 0);  // the first number is never that of a table with ids
        const kith::id_t ids[] = {200, 201, 300, make_pair(302, 303)};
        storage::table& both = data.tables.ensure(ids, 2);
        storage::table& with_tag = data.tables.ensure(ids, 3);
        storage::table& with_pair = data.tables.ensure(ids, 4);
        storage::table& one = data.tables.ensure(ids, 1);
        CHECK(layout_of(data, both) == layout_of(data, with_tag));
        CHECK(layout_of(data, both) == layout_of(data, with_pair));
        CHECK(layout_of(data, both) != layout_of(data, one));
        const storage::column_layout& layout = data.tables.layouts().of(with_pair.number);
        CHECK(layout.tables == 3);
        CHECK(layout.find(200) == 0);
        CHECK(layout.find(201) == 1);
        CHECK(layout.find(199) == -1);
        CHECK(layout.find(255) == -1);
        CHECK(storage::column_layouts::fits(layout, with_pair));
        CHECK_FALSE(storage::column_layouts::fits(layout, one));
    }

    TEST_CASE("a layout ends with its last table, and its number is used again") {
        store data(nullptr);
        data.tables.ensure(nullptr, 0);
        const kith::id_t ids[] = {200, 300};
        storage::table& one = data.tables.ensure(ids, 1);
        storage::table& two = data.tables.ensure(ids, 2);
        const std::uint32_t known = data.tables.layouts().count();
        const std::uint32_t number = layout_of(data, one);
        data.tables.remove(one);
        CHECK(data.tables.layouts().count() == known);
        data.tables.remove(two);
        CHECK(data.tables.layouts().count() == known - 1);
        const kith::id_t other[] = {210};
        CHECK(layout_of(data, data.tables.ensure(other, 1)) == number);
        CHECK(data.tables.layouts().count() == known);
    }

    TEST_CASE("flags that queries test distinguish layouts") {
        store data(nullptr);
        data.tables.ensure(nullptr, 0);
        const kith::id_t plain[] = {200, make_pair(300, 301)};
        const kith::id_t based[] = {200, make_pair(IsA, 301)};
        CHECK(layout_of(data, data.tables.ensure(plain, 2)) !=
              layout_of(data, data.tables.ensure(based, 2)));
    }
}
