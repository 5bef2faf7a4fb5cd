// The executor, declared in executor.hpp: frames, flat plans and batches of rows.
#include "query/exec/executor.hpp"

#include "query/exec/backtrack.hpp"

#include <algorithm>
#include <new>

namespace kith::queries {

namespace {

// The program of a flat plan, for backtrack(): each op follows the one before it, and all results
// belong to the run.
struct flat_program {
    bool eval(std::uint32_t number, bool again) {
        return eval_common_op(context, ops[number], frames[number], again);
    }
    static bool holds_once(std::uint32_t) noexcept { return false; }
    static bool accepts(std::uint32_t) noexcept { return true; }
    static bool gives_up() noexcept { return false; }
    static std::uint32_t next(std::uint32_t number) noexcept { return number + 1; }
    static std::uint32_t previous(std::uint32_t number) noexcept { return number - 1; }

    exec_context& context;
    const op* ops;
    operator_frame* frames;
};

}  // namespace

executor::executor(const storage::store& data, const query_model& model, const plan& steps,
                   candidates& source, const name_reader& names)
    : block_plan_(steps.graph),
      context_(data, model, source, names),
      op_count_(steps.count),
      rows_at_(steps.rows_at),
      leaves_at_(steps.rows_at + 1 + steps.tests),
      blocks_(context_),
      leaves_(ops_ + leaves_at_, steps.leaf ? steps.count - leaves_at_ : 0, steps.tests) {
    std::copy(steps.ops, steps.ops + steps.count, ops_);
    std::copy(steps.memos, steps.memos + plan::max_ancestor_caches, context_.caches);
    context_.blocks = block_plan_.get();
    context_.dead = block_plan_ ? block_plan_->dead : steps.dead;
    make_frames(frame_count());
    if (block_plan_) {
        std::for_each(block_plan_->ops.begin(), block_plan_->ops.end(),
                      [&](const op& op) { find_row_fields(op); });
        memory_.open(context_, frames_);
        blocks_.open(frames_);
    } else {
        std::for_each(ops_, ops_ + op_count_, [&](const op& op) { find_row_fields(op); });
    }
}

executor::~executor() {
    for (std::uint32_t i = 0; i < frame_count(); ++i) {
        frames_[i].~operator_frame();
    }
}

void executor::make_frames(std::uint32_t count) {
    frames_ = reinterpret_cast<operator_frame*>(few_frames_);
    context_.fields = few_fields_;
    const std::uint32_t field_count = context_.model.field_count;
    if (count > few || field_count > few) {
        const std::size_t frame_bytes = sizeof(operator_frame) * count;
        more_.reset(new std::byte[frame_bytes + sizeof(detail::field_data) * field_count]);
        frames_ = reinterpret_cast<operator_frame*>(more_.get());
        context_.fields = reinterpret_cast<detail::field_data*>(more_.get() + frame_bytes);
    }
    for (std::uint32_t i = 0; i < count; ++i) {
        ::new (frames_ + i) operator_frame(block_plan_ ? block_plan_->ops[i].code : ops_[i].code);
    }
    for (std::uint32_t i = 0; i < field_count; ++i) {
        context_.fields[i] = {nullptr, nullptr, 0, 0, 0, 0};
    }
}

// Notes the fields of an op that are found for each row by itself. The ops inside of `intersect`
// name the fields of its terms.
void executor::find_row_fields(const op& op) noexcept {
    if (op.level != op_level::row || op.code == op_code::intersect || op.code == op_code::where) {
        return;
    }
    for (std::uint32_t t = op.first; t < op.last; ++t) {
        context_.row_fields |= std::uint64_t{1} << context_.model.terms[t].field;
    }
}

void executor::give(std::uint8_t variable, entity_t value) noexcept {
    KITH_ASSERT(context_.bindings, "flat plans have no variables");
    context_.bindings->values[variable] = value;
    context_.bindings->bound |= only(variable);
    context_.bindings->given |= only(variable);
    const storage::entity_record* record = context_.data.entities.find(value);
    if (record && context_.data.tables.at(record->table).flags & context_.hidden_of(variable)) {
        blocks_.stop();
    }
}

void executor::skip_loop() {
    if (!block_plan_ || block_plan_->ops.empty()) {
        return;
    }
    const graph_op& first = block_plan_->ops.front();
    if (first.code == op_code::intersect && first.next == block_plan_->ops.size() &&
        frames_->intersect->open_alone(context_, first)) {
        alone_ = frames_->intersect;
    }
}

bool executor::advance() {
    if (!block_plan_) {
        return advance_flat(op_count_);
    }
    if (alone_) {
        return alone_->next_alone(context_, block_plan_->ops.front());
    }
    const bool again = started_;
    started_ = true;
    return blocks_.run(again);
}

// Evaluates the first ops of the flat plan.
bool executor::advance_flat(std::uint32_t count) {
    const bool again = started_;
    started_ = true;
    flat_program program{context_, ops_, frames_};
    return backtrack(program, 0, count, count - 1, again);
}

bool executor::advance(row_batch& batch) {
    KITH_ASSERT(!block_plan_ && rows_at_ < op_count_, "batches are for plans that end in leaves");
    leaves_.begin(context_, batch);
    do {
        if (!leaves_.in_range()) {
            context_.self.rows = context_.self.whole;
            if (!advance_flat(rows_at_)) {
                return false;
            }
            leaves_.open(context_);
        }
        leaves_.fill(context_, batch);
    } while (batch.count == 0);
    return true;
}

bool executor::advance_in_range(row_batch& batch) {
    leaves_.begin(context_, batch);
    while (leaves_.in_range() && batch.count == 0) {
        leaves_.fill(context_, batch);
    }
    return batch.count != 0;
}

}  // namespace kith::queries
