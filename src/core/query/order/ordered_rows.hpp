// The rows of a run in the order of their ranks: by group, and inside of a group by depth in a
// hierarchy (cascade). Rows of the same rank keep the order in which they were found. All rows are
// added first, sorted once, and then handed out.
//
// Covered by tests/features/ordering/group_test.cpp and the random queries of
// tests/model/query_test.cpp.
#pragma once

#include "base/counters.hpp"
#include "query/order/grouping.hpp"

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
        count_ += rows.count;
    }
    // Sorts the rows, after all are added. Calls the group function once for each table.
    void sort(world_t* world);
    // Restricts the run to the rows of a single group. Requires: the rows are sorted.
    void limit(std::uint64_t group) noexcept;

    void restart() noexcept { at_ = first_; }
    // The next range of rows of one table and one rank; false at the end. Entities that callbacks
    // have deleted are left out.
    bool next(row_range& rows, std::uint64_t& group);

    // The rank of the rows that were handed out last, counted from 0.
    std::size_t rank() const noexcept { return level_; }

private:
    // The entities of one rank.
    struct level {
        std::uint64_t group;  // without groups: the depth
        std::size_t end;      // one past its last entity in entities_
    };

    void sort_by_depth();
    void sort_by_group(world_t* world);

    const storage::store& data_;
    const query_model& model_;
    const grouping* groups_;
    std::vector<row_range> ranges_;         // rows as they were added; empty once sorted
    std::unique_ptr<entity_t[]> entities_;  // in order
    std::vector<level> levels_;             // of entities_, in order
    std::size_t count_ = 0;                 // end of the entities to hand out
    std::size_t first_ = 0;                 // start of the entities to hand out
    std::size_t at_ = 0;                    // next entity
    std::size_t level_ = 0;                 // level of the entity that was handed out last
};

}  // namespace kith::queries
