// Writes the ops of a graph plan, level by level, and keeps the state of a run at the place of the
// next op: which variables are bound, and whether $this is a range of rows or a single one.
#pragma once

#include "base/assert.hpp"
#include "base/raise.hpp"
#include "query/plan/graph_plan.hpp"

#include <utility>

namespace kith::queries {

class block_writer {
public:
    // Stands for "no op" and "no term" in the 8-bit numbers of a plan.
    static constexpr std::uint32_t nothing = 0xFF;
    // Whether $this is open, a range of rows of one table, or a single row.
    enum class this_state : std::uint8_t { unbound, range, row };

    // `everything`: the number of entities of the world.
    block_writer(const query_model& model, graph_plan& plan, double everything) noexcept
        : model_(model), plan_(plan), everything_(everything) {}

    // -- bindings
    variable_set bound() const noexcept { return bound_; }
    bool is_bound(variable_set variables) const noexcept { return (variables & ~bound_) == 0; }
    bool is_open_source(const term& term) const noexcept { return !is_bound(source_of(term)); }
    // Marks variables as bound. A term that binds $this without a scan gives a single row.
    void bind(variable_set variables) noexcept {
        if (variables & this_variable & ~bound_) {
            state_ = this_state::row;
        }
        bound_ |= variables;
    }

    void unbind(variable_set variables) noexcept { bound_ &= ~variables; }
    this_state state() const noexcept { return state_; }
    void set_state(this_state state) noexcept { state_ = state; }

    // -- ops
    std::size_t size() const noexcept { return plan_.ops.size(); }
    graph_op& operator[](std::size_t number) noexcept { return plan_.ops[number]; }
    // The last op of the current level.
    std::uint32_t tail() const noexcept { return level_tail_; }
    // An op for a single term.
    static op op_of(op_code code, op_level level, std::uint32_t number) noexcept {
        return {code, level, static_cast<std::uint8_t>(number),
                static_cast<std::uint8_t>(number + 1), 0};
    }
    // Appends an op to the current level. The reference is valid until the next call.
    graph_op& emit(const op& step) {
        graph_op emitted{};
        static_cast<op&>(emitted) = step;
        if (plan_.ops.size() >= nothing) {
            base::raise(errc::limit, "a query has too many steps");
        }
        auto number = static_cast<std::uint8_t>(plan_.ops.size());
        emitted.previous = static_cast<std::uint8_t>(level_tail_);
        emitted.next = static_cast<std::uint8_t>(number + 1);
        level_tail_ = number;
        plan_.ops.push_back(emitted);
        return plan_.ops.back();
    }
    // Narrows $this from a range to a single row, for ops that depend on the row.
    void need_rows() {
        if (state_ == this_state::range) {
            emit({op_code::each_row, op_level::row, 0, 0, 0});
            state_ = this_state::row;
        }
    }
    // Binds $this to rows that the run provides: the match cache, ordered rows or given rows.
    void take_this_from_outside() {
        emit({op_code::scan, op_level::table, 0, 0, 0});
        state_ = this_state::range;
        bound_ |= this_variable;
    }
    // Enumerates the rows of the whole world for $this. Rows of a branch are compared with the rows
    // of earlier branches, so a branch needs single rows.
    void enumerate_this() {
        graph_op& op = emit({op_code::enumerate, op_level::table, nothing, nothing, 0});
        op.variable = 0;
        op.expected = everything_;
        state_ = this_state::range;
        bound_ |= this_variable;
        if (in_branch_) {
            need_rows();
        }
    }
    // Binds a variable to all entities: only comparisons mention it.
    void enumerate_all(std::uint8_t variable) {
        graph_op& op = emit({op_code::enumerate, op_level::table, nothing, nothing, 0});
        op.variable = variable;
        op.expected = everything_;
        bound_ |= only(variable);
    }
    // Binds the open source of a term to the entities that may satisfy it.
    void enumerate_source(std::uint32_t number, double expected, variable_set depends = 0) {
        const term& term = model_.terms[number];
        KITH_ASSERT(is_open_source(term), "the source is to be found");
        graph_op& op = emit(op_of(op_code::enumerate, op_level::table, number));
        op.variable = term.source_variable;
        op.expected = expected;
        op.depends = depends;
        bound_ |= source_of(term);
        if (term.from == source_kind::self) {
            state_ = this_state::range;
            if (in_branch_) {
                need_rows();
            }
        }
    }

    // -- blocks
    // Emits a block op, and the ops of its inside by fill().
    template <class Fill>
    void block(const op& step, variable_set depends, Fill&& fill) {
        std::size_t number = plan_.ops.size();
        emit(step).depends = depends;
        std::uint32_t outer_tail = level_tail_;
        level_tail_ = nothing;
        fill();
        plan_.ops[number].tail = static_cast<std::uint8_t>(level_tail_);
        plan_.ops[number].next = static_cast<std::uint8_t>(plan_.ops.size());
        level_tail_ = outer_tail;
    }
    // Plans the inside of a block by fill(), from the present bindings. Returns the variables that
    // the inside binds, and restores the bindings.
    template <class Fill>
    variable_set inside(Fill&& fill) {
        variable_set before = bound_;
        this_state state = state_;
        fill();
        variable_set after = bound_;
        bound_ = before;
        state_ = state;
        return after & ~before;
    }
    // Plans an alternative of an or_else block by fill(), as inside() does.
    template <class Fill>
    variable_set inside_branch(Fill&& fill) {
        const bool outer = std::exchange(in_branch_, true);
        const variable_set added = inside(fill);
        in_branch_ = outer;
        return added;
    }

private:
    const query_model& model_;
    graph_plan& plan_;
    double everything_;
    variable_set bound_ = 0;
    this_state state_ = this_state::unbound;
    bool in_branch_ = false;  // the level is inside of an or_else
    std::uint32_t level_tail_ = nothing;
};

}  // namespace kith::queries
