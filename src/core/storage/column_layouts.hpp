// Column layouts: the part of a table's description that most tables of a world have in common. Two
// tables whose ids differ in tags and pairs without values only have the same layout. Walks over
// many tables look up components in the layout, which they have just read for another table, so
// they need not read the descriptions of the tables.
//
// Invariants
// 1. of_table_ has the number of the layout of each table, and room for all tables.
// 2. Layouts with `tables` != 0 are found through index_; the numbers of the others are in free_,
//    which has room for all numbers.
// 3. Two layouts that are in use differ.
// check.cpp verifies 1 for each table.
//
// Implemented in column_layouts.cpp; covered by tests/unit/storage/column_layouts_test.cpp.
#pragma once

#include "containers/hash_index.hpp"
#include "storage/table.hpp"

namespace kith::storage {

// `slots` and `low` follow the struct: the columns of the ids below low_id_limit, and, as in
// table_shape, the position of each of these ids plus one. Low ids come first in each type, so
// their positions are the same in all tables of a layout.
struct column_layout {
    std::uint32_t tables;  // number of tables that have the layout; 0: the number is free
    std::uint32_t hash;
    std::uint32_t entities_offset;  // as in table
    std::uint32_t flags;            // layout_flags of the tables
    std::uint16_t id_count;         // ids below low_id_limit
    std::uint16_t low_count;        // the largest of them plus one

    const detail::column* slots() const noexcept {
        return reinterpret_cast<const detail::column*>(this + 1);
    }
    const std::uint8_t* low() const noexcept {
        return reinterpret_cast<const std::uint8_t*>(slots() + id_count);
    }
    // The position of an id below low_id_limit in the types of the tables, or -1.
    std::int32_t find(id_t id) const noexcept {
        return id < low_count ? std::int32_t{low()[id]} - 1 : -1;
    }
};
inline entity_t* entities_of(const column_layout& layout, const detail::table_rows& rows) noexcept {
    return reinterpret_cast<entity_t*>(rows.block +
                                       std::size_t{layout.entities_offset} * rows.capacity);
}
// Flags of tables that never change, and that queries test.
inline constexpr std::uint32_t layout_flags = detail::shape_has_prefab |
                                              detail::shape_has_disabled | detail::shape_builtin |
                                              detail::shape_has_base;

class column_layouts {
public:
    // The number of the layout of a table. Requires: the table was entered.
    std::uint32_t number_of(std::uint32_t table) const noexcept { return of_table_[table]; }
    const column_layout& at(std::uint32_t number) const noexcept { return *layouts_[number]; }
    const column_layout& of(std::uint32_t table) const noexcept { return at(number_of(table)); }

    // Makes room for tables with numbers below `limit`.
    void reserve_tables(containers::memory& mem, std::uint32_t limit) {
        of_table_.reserve_extra(mem, limit - of_table_.size(), containers::purpose::tables);
    }
    // Finds or makes the layout of a table and counts the table; returns the number of the layout.
    std::uint32_t add(containers::memory& mem, const table& added);
    // Notes the number of the layout of a table. Requires: reserve_tables().
    void enter(std::uint32_t table, std::uint32_t layout) noexcept {
        if (table == of_table_.size()) {
            of_table_.push_reserved(0);
        }
        of_table_[table] = layout;
    }
    // A table with this layout is deleted.
    void remove(containers::memory& mem, std::uint32_t layout) noexcept;
    void release(containers::memory& mem) noexcept;

    std::uint32_t count() const noexcept { return layouts_.size() - free_.size(); }
    // True if the table has that layout.
    static bool fits(const column_layout& layout, const table& owner) noexcept;

private:
    containers::vec<std::uint32_t> of_table_;  // by number of the table
    containers::vec<column_layout*> layouts_;  // by number; null: free
    containers::vec<std::uint32_t> free_;      // numbers
    containers::hash_index index_;             // of layouts: number + 1
};

}  // namespace kith::storage
