// A table set as a whole, for snapshots: building a set from captured tables, and exchanging it.
//
// Covered by tests/features/snapshots/ and tests/model/snapshot_test.cpp.
#pragma once

#include "storage/table_set.hpp"

namespace kith::storage {

struct table_set_state {
    // The memory of tidy() and note_dropped().
    struct history {
        std::uint32_t idle_limit = 0;
        std::uint32_t dormant = 0;
        std::uint32_t slept = 0;
        std::uint32_t woken = 0;
        std::uint32_t dropped[table_set::dropped_count] = {};
    };
    static history save_history(const table_set& set) noexcept;
    static const containers::vec<std::uint32_t>& free_numbers(const table_set& set) noexcept {
        return set.free_numbers_;
    }
    // Adds a table with the next number, which no record lists yet; null ids: a free number.
    // Requires: tables were added by this function only. finish() completes the set.
    static table* append(table_set& set, const id_t* sorted, std::uint32_t count,
                         const table_age& age);
    static void finish(table_set& set, const std::uint32_t* free, std::uint32_t free_count,
                       const std::uint32_t* idle, std::uint32_t idle_count, const history& saved);
    // Exchanges the tables of two sets with the same memory, and their rows.
    static void swap(table_set& left, table_set& right) noexcept;
    // Raw memory for the rows of a table, and its release.
    static detail::table_rows make_block(const table_set& set, const table& owner,
                                         std::uint32_t rows, std::uint32_t capacity);
    static void release_block(const table_set& set, const table& owner,
                              const detail::table_rows& block) noexcept;
    // Replaces the list of idle tables. Requires: these tables are active and have no rows.
    static void replace_idle(table_set& set, const std::uint32_t* numbers, std::uint32_t count,
                             const history& saved) noexcept;
};

}  // namespace kith::storage
