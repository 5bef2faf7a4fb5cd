// The idle tables of a table_set: active tables without rows, which become dormant together. Adding
// and removing a table cannot fail and take constant time.
//
// Invariants
// 1. A table with the flag shape_idle is in numbers_, at positions_[its number].
// 2. numbers_ has room for all tables.
//
// Covered by tests/unit/storage/table_set_test.cpp.
#pragma once

#include "base/assert.hpp"
#include "storage/table.hpp"

namespace kith::storage {

class idle_tables {
public:
    // Makes room for the table with this number, the last of `count` tables.
    void reserve(containers::memory& mem, std::uint32_t number, std::uint32_t count) {
        numbers_.reserve_extra(mem, count - numbers_.size(), containers::purpose::tables);
        if (number == positions_.size()) {
            positions_.push(mem, 0, containers::purpose::tables);
        }
    }
    void release(containers::memory& mem) noexcept {
        numbers_.release(mem, containers::purpose::tables);
        positions_.release(mem, containers::purpose::tables);
    }
    void add(table& owner) noexcept {
        KITH_ASSERT(!(owner.flags & (detail::shape_idle | detail::shape_dormant)),
                    "only an active table becomes idle");
        owner.flags |= detail::shape_idle;
        positions_[owner.number] = numbers_.size();
        numbers_.push_reserved(owner.number);
    }
    void remove(table& owner) noexcept {
        KITH_ASSERT(has(owner.number), "an idle table is listed");
        owner.flags &= ~std::uint32_t{detail::shape_idle};
        const std::uint32_t moved = numbers_.back();
        numbers_[positions_[owner.number]] = moved;
        positions_[moved] = positions_[owner.number];
        numbers_.pop();
    }
    bool has(std::uint32_t number) const noexcept {
        const std::uint32_t position = positions_[number];
        return position < numbers_.size() && numbers_[position] == number;
    }
    // The numbers of the tables.
    const containers::vec<std::uint32_t>& numbers() const noexcept { return numbers_; }

private:
    containers::vec<std::uint32_t> numbers_;
    containers::vec<std::uint32_t> positions_;  // by number of a table: its position in numbers_
};

}  // namespace kith::storage
