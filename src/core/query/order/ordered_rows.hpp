// The rows of a run in the order of their ranks: by group, and inside of a group by depth in a
// hierarchy (cascade). Rows of the same rank keep the order in which they were found. All rows are
// added first, sorted once, and then handed out.
//
// Sorted rows are handed out as ranges of tables. Callbacks may move rows of tables that are not
// locked: from then on, each entity is looked up in the place where it is.
//
// Covered by tests/features/ordering/group_test.cpp and the random queries of
// tests/model/query_test.cpp.
#pragma once

#include "base/counters.hpp"
#include "query/order/grouping.hpp"
#include "query/order/ranked_rows.hpp"

namespace kith::queries {

class ordered_rows {
public:
    // `groups` null: rows are ordered by depth alone.
    ordered_rows(const storage::store& data, const query_model& model,
                 const grouping* groups) noexcept
        : data_(data), model_(model), groups_(groups) {}

    void add(const row_range& rows) {
        KITH_COUNT(steps);
        ranges_.push_back(rows);
    }
    // The ranges that were added.
    const std::vector<row_range>& ranges() const noexcept { return ranges_; }
    // Sorts the rows, after all are added. Calls the group function once for each table.
    void sort(world_t* world);
    // Takes the order of rows that were sorted before, in place of sort(). Requires: the ranges are
    // the same, and their rows have not moved.
    void take(std::shared_ptr<const ranked_rows> sorted) noexcept;
    // The rows in order.
    const std::shared_ptr<const ranked_rows>& rows() const noexcept { return sorted_; }
    // Restricts the run to the rows of a single group. Requires: the rows are sorted.
    void limit(std::uint64_t group) noexcept;

    void restart() noexcept {
        at_ = first_;
        next_range_ = first_range_;
        level_ = 0;
    }
    // The next range of rows of one table and one rank; false at the end. Entities that callbacks
    // have deleted are left out.
    bool next(row_range& rows, std::uint64_t& group);

    // The targets of the rows that were handed out last.
    sibling_list siblings() const noexcept;
    // The rank of the rows that were handed out last, counted from 0.
    std::size_t rank() const noexcept { return level_; }

private:
    void sort_by_depth(ranked_rows& sorted) const;
    void sort_by_group(world_t* world, ranked_rows& sorted) const;
    bool next_entities(row_range& rows);
    std::size_t count_rows() const noexcept;
    // True as long as the ranges of the sorted rows hold.
    bool are_in_place() const noexcept {
        return !sorted_->ranges.empty() && data_.ticks.any_rows_tick() == placed_;
    }

    const storage::store& data_;
    const query_model& model_;
    const grouping* groups_;
    std::vector<row_range> ranges_;              // rows as they were added
    std::shared_ptr<const ranked_rows> sorted_;  // null until the rows are sorted
    std::uint64_t placed_ = 0;                   // tick of the last change of rows, when they were
    std::size_t end_ = 0;                        // end of the entities to hand out
    std::size_t first_ = 0;                      // start of the entities to hand out
    std::size_t first_range_ = 0;                // the range that begins with the first of these
    std::size_t at_ = 0;                         // next entity
    std::size_t next_range_ = 0;                 // the range that begins with the next entity
    std::size_t level_ = 0;                      // level of the rows that were handed out last
    bool by_range_ = false;                      // these are the range before next_range_
};

}  // namespace kith::queries
