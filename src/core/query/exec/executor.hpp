// The executor evaluates a plan: it finds one way after the other in which all ops hold, without
// recursion over ops and without allocations for queries of ordinary size. Flat plans are sequences
// of ops about $this; block plans have variables and ops inside of ops. Both are evaluated by the
// loop in backtrack.hpp; the operators are in ops/, one file each. Implemented in executor.cpp.
//
// Covered by tests/unit/query/ops_*_test.cpp and the random queries of tests/model/query_test.cpp.
#pragma once

#include "query/exec/ancestor_cache.hpp"
#include "query/exec/block_evaluator.hpp"
#include "query/exec/block_memory.hpp"
#include "query/exec/operator_frame.hpp"
#include "query/exec/row_batch.hpp"

#include <memory>

namespace kith::queries {

// Invariants
// 1. `frames_` has one frame for each op of the plan, with the code of the op.
// 2. The plan is the executor's own: a callback may change the world so that the query is planned
//    again while the run goes on.
class executor {
public:
    executor(const storage::store& data, const query_model& model, const plan& steps,
             candidates& source, const name_reader& names = {});
    ~executor();
    executor(const executor&) = delete;
    executor& operator=(const executor&) = delete;

    // To the next result, false at the end.
    bool advance();
    // Makes advance() do without the loop over ops, if the plan is one intersection about $this
    // that needs none. Requires: no result was asked for, variables have no values, and the run is
    // not divided among shares.
    void skip_loop();
    // To the next batch of rows, false at the end. Requires: a plan that ends in leaves.
    bool advance(row_batch& batch);
    // To the next batch of the rows that the last batch is from; false if no further row of them
    // matches.
    bool advance_in_range(row_batch& batch);

    // -- the result
    // The table of $this; null for results without $this.
    const storage::table* table() const noexcept { return context_.self.table; }
    const row_range& rows() const noexcept { return context_.self.rows; }
    const detail::field_data* fields() const noexcept { return context_.fields; }
    detail::field_data* fields() noexcept { return context_.fields; }
    // The values of variables; null if there are none but $this.
    const entity_t* variables() const noexcept {
        return context_.bindings ? context_.bindings->values : nullptr;
    }

    // -- before the run
    // Gives a variable a value. Requires: a block plan.
    void give(std::uint8_t variable, entity_t value) noexcept;
    // True if the first choice of a block plan is $this, from the candidates.
    bool shares_candidates() const noexcept { return blocks_.shares_candidates(); }
    // Divides the first choice of the plan among shares. False if the plan has no choices: then its
    // results are to be divided.
    bool share_steps(const row_share& share) noexcept {
        return block_plan_ && blocks_.divide(share);
    }

    // -- leaves
    // The fields that a batch has values for, in its order.
    std::uint32_t leaf_count() const noexcept { return op_count_ - leaves_at_; }
    std::uint32_t leaf_field(std::uint32_t leaf) const noexcept {
        return context_.model.terms[ops_[leaves_at_ + leaf].first].field;
    }

private:
    static constexpr std::uint32_t few = 12;

    bool advance_flat(std::uint32_t count);
    void make_frames(std::uint32_t count);
    void find_row_fields(const op& op) noexcept;
    std::uint32_t frame_count() const noexcept {
        return block_plan_ ? static_cast<std::uint32_t>(block_plan_->ops.size()) : op_count_;
    }

    std::shared_ptr<const graph_plan> block_plan_;  // null: a flat plan
    exec_context context_;
    std::uint32_t op_count_;   // of the flat plan
    std::uint32_t rows_at_;    // the op `each_row` of the flat plan
    std::uint32_t leaves_at_;  // the first op behind it that is no test of values
    op ops_[plan::max_ops];    // the flat plan
    operator_frame* frames_ = nullptr;
    block_memory_ref memory_;
    block_evaluator blocks_;
    leaf_evaluator leaves_;
    bool started_ = false;
    intersect_operator* alone_ = nullptr;  // the op that is evaluated without the loop
    // Memory for frames and fields; plans with more than a few ops use `more_`.
    alignas(operator_frame) std::byte few_frames_[few * sizeof(operator_frame)];
    detail::field_data few_fields_[few];
    std::unique_ptr<std::byte[]> more_;
};

}  // namespace kith::queries
