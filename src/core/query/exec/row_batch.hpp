// Batches of rows. The ops behind `each_row` that give each row one result at most (the leaves of a
// plan) are evaluated for up to 64 rows at a time: without backtracking, and with the last owner
// remembered from row to row. Implemented in row_batch.cpp.
#pragma once

#include "query/exec/ops/match.hpp"

namespace kith::queries {

// Rows of one table that match, with the values that were found for each row by itself.
struct row_batch {
    static constexpr std::uint32_t capacity = 64;

    std::uint32_t count = 0;
    std::uint32_t source_count = 0;
    std::uint32_t rows[capacity];                        // counted from the first row of the range
    std::byte* values[plan::max_leaf_fields][capacity];  // by leaf and entry of `rows`
    std::uint32_t source_tables[capacity];               // tables of values of other entities
    // The whole fields, where the caller asks for them: at the number of the leaf times the
    // capacity. Null: not asked for.
    detail::field_data* details = nullptr;
};

// Evaluates the leaves of a plan over the rows of $this.
//
// Invariants
// 1. `next_row_` is at most the number of rows of `context.self.whole`.
// 2. `in_range_` is true while rows of that range are left.
class leaf_evaluator {
public:
    // `tests` ops `where` stand in front of the leaves.
    leaf_evaluator(const op* leaves, std::uint32_t count, std::uint32_t tests) noexcept
        : leaves_(leaves), count_(count), tests_(tests) {}

    // True if rows of the present range are left.
    bool in_range() const noexcept { return in_range_; }
    // Begins with the first row of the range that $this is.
    void open(exec_context& context) noexcept;
    // Empties a batch, and looks up what all of its rows have in common.
    void begin(const exec_context& context, row_batch& batch) noexcept;
    // Adds matching rows of the range to the batch until one of the two ends. Requires: begin() for
    // this batch.
    void fill(exec_context& context, row_batch& batch);

private:
    // The column of the last owner, whose neighbours often have the same table.
    struct last_owner {
        std::uint32_t table = 0;
        detail::column slot{0, 0};
        id_t id = 0;
    };

    void fill_by_value(exec_context& context, const entity_t* entities, row_batch& batch);
    std::uint64_t test_rows(exec_context& context, std::uint32_t first, std::uint32_t count);
    bool skip_to_candidate(const exec_context& context, value_seek& seek);
    std::uint64_t test_candidates(exec_context& context, value_seek& seek, std::uint32_t count);
    bool eval_all(exec_context& context, std::uint32_t row, entity_t entity, row_batch& batch);
    void fill_by_row(exec_context& context, const entity_t* entities, row_batch& batch);
    void fill_by_target(exec_context& context, const entity_t* entities, row_batch& batch);
    sibling_run next_siblings(const storage::link_store& links, const entity_t* entities,
                              std::uint32_t end) noexcept;
    void take_siblings(std::uint32_t count, std::byte* value, row_batch& batch) noexcept;
    bool eval(exec_context& context, std::uint32_t leaf, std::uint32_t index, row_batch& batch);
    bool find_value(exec_context& context, std::uint32_t leaf, std::uint32_t owner,
                    std::byte*& value, row_batch& batch);

    const op* leaves_;
    std::uint32_t count_;
    std::uint32_t tests_;
    std::uint64_t passing_ = 0;     // rows from `masked_row_` on that pass all tests, as bits
    std::uint32_t masked_row_ = 0;  // a multiple of 64, counted from the first row of the range
    std::uint32_t next_row_ = 0;    // counted from the first row of the range
    bool in_range_ = false;
    std::uint32_t siblings_left_ = 0;             // rows of the siblings before next_siblings_
    const sibling_run* next_siblings_ = nullptr;  // null: targets are read from the links
    last_owner last_owners_[plan::max_leaf_fields];
    // The record of a sparse id that rows may have themselves; null: the leaf is searched as any.
    const storage::id_record* own_sparse_[plan::max_leaf_fields] = {};
    match_operator search_;  // of one leaf and row at a time: leaves have one result at most
};

}  // namespace kith::queries
