// The order in which a walk visits the tables of an id. Records of ids list tables in no order that
// memory knows: tables that fall asleep and wake change their places. Where an id has a large part
// of all tables, a walk goes through the numbers of tables instead, because descriptions, directory
// and rows of tables that were made one after the other lie one after the other.
//
// Covered by tests/features/queries/table_walk_test.cpp.
#pragma once

#include "storage/store.hpp"

namespace kith::queries {

class table_walk {
public:
    table_walk() noexcept = default;
    // A walk over the first `listed` tables of the record; null: over none.
    table_walk(const storage::store& data, const storage::id_record* record,
               std::uint32_t listed) noexcept
        : record_(record), listed_(listed), edition_(data.tables.edition()) {
        by_number_ = listed >= many_tables && data.tables.number_limit() / large_part <= listed;
        limit_ = by_number_ ? data.tables.number_limit() : listed;
    }

    // True if candidates are the numbers of all tables, most of which have the id.
    bool by_number() const noexcept { return by_number_; }
    // The number of tables that the record lists, at the start.
    std::uint32_t listed() const noexcept { return listed_; }
    // The number of candidates. Tables that come later do not join the walk.
    std::uint32_t limit() const noexcept { return limit_; }
    // The limit of a walk during which tables are deleted.
    std::uint32_t limit_now() const noexcept {
        return by_number_ || limit_ <= record_->active ? limit_ : record_->active;
    }
    // The number of the table at a position below the limit; by number, also of a deleted table.
    std::uint32_t table_at(std::uint32_t position) const noexcept {
        return by_number_ ? position : record_->tables[position].table;
    }
    // False for a table that was made, or got its first row, during the walk. Requires: the table
    // has the id.
    bool is_part(const storage::store& data, std::uint32_t number) const noexcept {
        return !by_number_ || edition_ == data.tables.edition() || was_listed(data, number);
    }

private:
    // Builds with KITH_ASSERTS walk by number early, so that small tests cover such walks.
#if defined(KITH_ASSERTS) && KITH_ASSERTS
    static constexpr std::uint32_t many_tables = 8;
    static constexpr std::uint32_t large_part = 32;
#else
    static constexpr std::uint32_t many_tables = 256;
    static constexpr std::uint32_t large_part = 4;  // a quarter
#endif

    bool was_listed(const storage::store& data, std::uint32_t number) const noexcept {
        const storage::table& owner = data.tables.at(number);
        const std::int32_t position = storage::find_id(owner, record_->id);
        return position >= 0 && owner.entry_positions[position] < listed_;
    }

    const storage::id_record* record_ = nullptr;
    std::uint32_t listed_ = 0;
    std::uint32_t limit_ = 0;
    bool by_number_ = false;
    std::uint64_t edition_ = 0;  // of the tables when the walk began
};

}  // namespace kith::queries
