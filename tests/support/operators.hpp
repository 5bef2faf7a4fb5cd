// The surroundings of one operator of the executor: a world, terms that are written by hand, and an
// execution context with its fields and variables. Tests open one operator and count its results.
#pragma once

#include <kith/kith.hpp>

#include "query/exec/block_evaluator.hpp"
#include "query/exec/block_memory.hpp"
#include "query/exec/operator_frame.hpp"

#include <new>
#include <vector>

#include <doctest/doctest.h>

namespace kith_test {

namespace queries = kith::queries;

// Proposes ranges of rows in the order in which they were added.
struct listed_candidates final : queries::candidates {
    bool next(queries::row_range& rows, kith::detail::field_data*) override {
        if (position == ranges.size()) {
            return false;
        }
        rows = ranges[position++];
        return true;
    }
    void restart() override { position = 0; }

    std::vector<queries::row_range> ranges;
    std::size_t position = 0;
};

struct operator_fixture {
    static constexpr std::uint8_t x = 1, y = 2;  // variables

    operator_fixture() : context(store(), model, proposer, {}) {
        terms.reserve(8);
        model.terms = terms.data();
        model.shows_builtins = true;
        model.variable_count = 3;
        context.hidden = 0;
        context.fields = fields;
    }
    ~operator_fixture() {
        for (std::size_t i = 0; is_open_ && i < plan.ops.size(); ++i) {
            frames()[i].~operator_frame();
        }
    }
    operator_fixture(const operator_fixture&) = delete;
    operator_fixture& operator=(const operator_fixture&) = delete;
    const kith::storage::store& store() const {
        return static_cast<const kith::storage::store&>(*world.c_ptr()->store);
    }

    // A required term about $this with a field of its own.
    queries::term& add_term(kith::id_t id) {
        queries::term& term = terms.emplace_back();
        const bool pair = kith::is_pair(id);
        term.id = id;
        term.first = element(pair ? kith::pair_first(id) : kith::index_of(id));
        term.second = pair ? element(kith::pair_second(id)) : 0;
        term.flags = kith::Self;
        term.field = static_cast<std::uint8_t>(model.count);
        model.count = ++model.field_count;
        return term;
    }
    // The term also finds ids that its source inherits.
    static void inherit(queries::term& term) {
        term.flags = kith::Self | kith::Up;
        term.trav = kith::IsA;
    }
    // An op of a flat plan for the terms [first, last).
    static queries::op flat_op(queries::op_code code, std::uint8_t first = 0,
                               std::uint8_t last = 1) {
        return {code, queries::op_level::table, first, last, 0};
    }

    // $this becomes an entity, or all rows of its table.
    void take_row(kith::entity entity) {
        const queries::location where = queries::locate(store(), entity);
        context.take_range({where.record->table, where.record->row, 1});
        bind_this();
    }
    void take_table(kith::entity entity) {
        const std::uint32_t number = queries::locate(store(), entity).record->table;
        context.take_range({number, 0, store().tables.rows(number).count});
        bind_this();
    }
    bool is_set(std::uint32_t field = 0) const {
        return (fields[field].flags & kith::detail::field_set) != 0;
    }
    template <class T>
    const T& value(std::uint32_t field = 0) const {
        return *reinterpret_cast<const T*>(fields[field].value);
    }

    // -- block plans: ops are added in order, then the run is opened.
    queries::graph_op& add_op(queries::op_code code, std::uint8_t first = 0,
                              std::uint8_t last = 1) {
        queries::graph_op op{};
        static_cast<queries::op&>(op) = flat_op(code, first, last);
        const auto number = static_cast<std::uint8_t>(plan.ops.size());
        op.variable = queries::no_variable;
        op.next = static_cast<std::uint8_t>(number + 1);
        op.previous = number == 0 ? 0 : static_cast<std::uint8_t>(number - 1);
        return plan.ops.emplace_back(op);
    }
    // The last `count` ops are the block inside of the op before them.
    void enclose(std::uint8_t count) {
        const std::size_t size = plan.ops.size();
        queries::graph_op& outer = plan.ops[size - count - 1];
        outer.next = static_cast<std::uint8_t>(size);
        outer.tail = static_cast<std::uint8_t>(size - 1);
    }
    // Requires: all terms and at most `max_ops` ops have been added.
    void open_run() {
        REQUIRE(plan.ops.size() <= max_ops);
        plan.meanings.resize(terms.size());
        plan.tail = last_op();
        context.blocks = &plan;
        for (std::size_t i = 0; i < plan.ops.size(); ++i) {
            ::new (frames() + i) queries::operator_frame(plan.ops[i].code);
        }
        is_open_ = true;
        const bool bound = context.self.table != nullptr;
        memory.open(context, frames());
        evaluator.open(frames());
        if (bound) {
            bind_this();
        }
    }
    // Evaluates the op with a number: opens it, or goes to its next result.
    bool open(std::uint32_t number = 0) { return eval(number, false); }
    bool next(std::uint32_t number = 0) { return eval(number, true); }
    void bind(std::uint8_t variable, kith::entity_t value) {
        queries::variable_set bound = 0;
        REQUIRE(context.bind(variable, value, bound));
    }
    kith::entity_t value_of(std::uint8_t variable) const { return context.value_of(variable); }
    // All values of a variable that an op gives it, in their order.
    std::vector<kith::entity_t> values_of(std::uint8_t variable, std::uint32_t number = 0) {
        std::vector<kith::entity_t> values;
        for (bool any = open(number); any; any = next(number)) {
            values.push_back(value_of(variable));
        }
        return values;
    }

    kith::world world;
    std::vector<queries::term> terms;
    queries::query_model model;
    listed_candidates proposer;
    kith::detail::field_data fields[8] = {};
    queries::exec_context context;
    queries::graph_plan plan;
    queries::block_memory_ref memory;
    queries::block_evaluator evaluator{context};

private:
    static constexpr std::size_t max_ops = 8;

    queries::operator_frame* frames() {
        return reinterpret_cast<queries::operator_frame*>(frame_bytes_);
    }
    bool eval(std::uint32_t number, bool again) {
        return evaluator.run_ops(number, plan.ops[number].next, number, again);
    }
    // The last op that is in no block.
    std::uint32_t last_op() const {
        std::uint32_t last = 0;
        for (std::uint32_t i = 0; i < plan.ops.size(); i = plan.ops[i].next) {
            last = i;
        }
        return last;
    }
    kith::entity_t element(std::uint32_t index) const {
        return kith::is_wildcard_element(index) ? 0 : store().entities.alive_at(index);
    }
    void bind_this() {
        if (context.bindings) {
            context.bindings->bound |= queries::this_variable;
        }
    }

    bool is_open_ = false;
    alignas(queries::operator_frame) std::byte
        frame_bytes_[max_ops * sizeof(queries::operator_frame)];
};

}  // namespace kith_test
