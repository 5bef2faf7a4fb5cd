// Rows of tables in the order of their groups, and inside of a group by their depth in a hierarchy.
// Rows of the same rank stay in the order in which they were found.
//
// Covered by tests/core/query/group_test.cpp and the random queries of tests/model/query_test.cpp.
#pragma once

#include "base/counters.hpp"
#include "query/order/grouping.hpp"

namespace kith::queries {

class ordered_rows {
public:
    // `groups` null: by depth alone.
    ordered_rows(const storage::store& data, const query_model& model,
                 const grouping* groups) noexcept
        : data_(data), model_(model), groups_(groups) {}

    void add(const row_range& rows) {
        KITH_COUNT(steps);
        ranges_.push_back(rows);
        count_ += rows.count;
    }
    // Once all are added. Asks the function that groups once for each table.
    void sort(world_t* world);
    // Only rows of this group.
    void limit(std::uint64_t group) noexcept;

    void restart() noexcept { at_ = first_; }
    // The next rows of one table and one group. Entities that are gone are left out.
    bool next(row_range& rows, std::uint64_t& group);

    // Which rank the last rows had, counted from 0.
    std::size_t rank() const noexcept { return level_; }

private:
    // Rows of one rank.
    struct level {
        std::uint64_t group;  // the depth, if there are no groups
        std::size_t end;
    };

    void sort_by_depth();
    void sort_by_group(world_t* world);

    const storage::store& data_;
    const query_model& model_;
    const grouping* groups_;
    std::vector<row_range> ranges_;
    std::unique_ptr<entity_t[]> entities_;  // in order
    std::vector<level> levels_;
    std::size_t count_ = 0;
    std::size_t first_ = 0;
    std::size_t at_ = 0;
    std::size_t level_ = 0;  // which has the entity at at_, or one before it
};

}  // namespace kith::queries
