// The operator `intersect`, declared in intersect.hpp.
#include "query/exec/ops/intersect.hpp"

#include "base/counters.hpp"

#include <algorithm>
#include <bit>

namespace kith::queries {

namespace {

bool has_bases(const location& source) noexcept {
    return source.table && source.table->flags & detail::shape_has_base;
}

// True if sources may have pairs of the input from their bases.
bool is_inherited(const exec_context& context, const intersect_input& input) noexcept {
    return context.model.terms[input.term].inherits() && !context.data.bases->pairs.empty();
}

// True if all rows of a table are one result.
bool is_whole_table(const graph_op& op) noexcept {
    return op.variable == 0 && op.level == op_level::table;
}

// Sets the field of a term about $this, whose pair is in the type of the table. False if the pair
// is switched off.
bool set_own_column(exec_context& context, const intersect_input& input, id_t pair) noexcept {
    const std::uint32_t position = input.position_of(pair_second(pair));
    KITH_ASSERT(context.self.table->ids[position] == pair, "the table of $this was listed last");
    if (is_off(context.data, context.this_entity(), pair)) {
        return false;
    }
    context.set_column(context.model.terms[input.term], position);
    return true;
}

// Sets the field of a term. False if a callback has removed the pair, or the pair is switched off.
bool set_pair_field(exec_context& context, const intersect_input& input,
                    std::uint32_t target) noexcept {
    const term& term = context.model.terms[input.term];
    owned_id owned{make_pair(pair_first(term.id), target), nullptr, 0};
    if (!input.links && term.from == source_kind::self && context.self.table) {
        return set_own_column(context, input, owned.id);
    }
    entity_t source = input.source;
    if (input.links && !input.links->has_values()) {
        if (!context.data.entities.find(source)) {
            return false;
        }
    } else {
        const location where = context.bound_source_of(term);
        owned_id_position position;
        source = where.entity;
        if (!where.table ||
            !next_owned_id(context.data, where, owned.id, visibility::own, position, owned)) {
            return false;
        }
    }
    if (is_off(context.data, source, owned.id)) {
        return false;
    }
    context.set_field(term, {source, true, 0}, owned);
    return true;
}

}  // namespace

bool intersect_operator::open(exec_context& context, const graph_op& op, op_head& head,
                              inner_block& block) {
    choose_strategy(context, op);
    return find(context, op, head, block, false);
}

bool intersect_operator::next(exec_context& context, const graph_op& op, op_head& head,
                              inner_block& block) {
    return find(context, op, head, block, true);
}

// Goes to the next common target; behind the last one, to the results of the block for sources with
// bases.
bool intersect_operator::find(exec_context& context, const graph_op& op, op_head& head,
                              inner_block& block, bool again) {
    if (how != strategy::block) {
        if (next_common(context, op, head)) {
            return true;
        }
        if (!inheritors) {
            return false;
        }
        how = strategy::block;
        again = false;
    }
    const term& first = context.model.terms[op.first];
    while (block.run_inside(op, again)) {
        again = true;
        if (!inheritors || has_bases(context.bound_source_of(first))) {
            return true;
        }
    }
    block.abandon_inside(op);
    return false;
}

// -- strategies -----------------------------------------------------------------------------------

void intersect_operator::choose_strategy(exec_context& context, const graph_op& op) {
    how = strategy::block;
    inheritors = false;
    common.clear();
    next_target = 0;
    row = 0;
    if (schema != context.data.schema) {
        make_inputs(context, op);
    }
    const bool known = std::all_of(inputs.begin(), inputs.end(), [](const intersect_input& input) {
        return input.relation != nullptr;
    });
    const std::uint8_t target = context.model.terms[op.first].second_variable;
    if (!known || context.dead & op.terms || context.is_bound(target)) {
        return;
    }
    if (op.variable != no_variable && !context.is_bound(op.variable)) {
        open_unbound_source(context, op);
    } else {
        open_bound_sources(context, op);
    }
}

void intersect_operator::make_inputs(const exec_context& context, const graph_op& op) {
    schema = context.data.schema;
    inputs.resize(static_cast<std::size_t>(std::popcount(op.terms)));
    std::size_t count = 0;
    auto add = [&](std::uint32_t term) {
        intersect_input& input = inputs[count++];
        input.term = term;
        input.relation =
            context.data.ids.find(make_pair(context.model.terms[term].first, Wildcard));
        input.links = input.relation ? input.relation->links : nullptr;
    };
    // The first input proposes sources.
    add(op.first);
    for (std::uint64_t rest = op.terms; rest != 0; rest &= rest - 1) {
        if (const auto term = static_cast<std::uint32_t>(std::countr_zero(rest));
            term != op.first) {
            add(term);
        }
    }
}

// The source of all inputs is one unbound variable.
void intersect_operator::open_unbound_source(const exec_context& context,
                                             const graph_op& op) noexcept {
    by_table = true;
    for (intersect_input& input : inputs) {
        input.moves = true;
        inheritors |= is_inherited(context, input);
        by_table &= !input.links;
    }
    rows = {};
    if (inputs[0].links) {
        how = strategy::links;
        link = 1;
    } else {
        how = strategy::scan;
        candidates = scan(context.data, choose_scan(context.data, context.model.terms[op.first]),
                          context.hidden_of(op.variable));
    }
}

// All sources are bound; $this may be several rows.
void intersect_operator::open_bound_sources(const exec_context& context, const graph_op& op) {
    const bool by_row = op.level == op_level::row && context.self.rows.count > 1;
    for (intersect_input& input : inputs) {
        const term& term = context.model.terms[input.term];
        const location where = context.bound_source_of(term);
        if (!where.table || (is_inherited(context, input) && has_bases(where))) {
            return;
        }
        input.moves = by_row && term.from == source_kind::self && input.links;
        if (input.links) {
            input.take_links(where.entity);
        } else {
            input.accept_table(*where.table);
        }
    }
    by_table = false;
    rows = context.self.rows;
    how = by_row ? strategy::rows : strategy::known;
}

// -- results --------------------------------------------------------------------------------------

bool intersect_operator::next_common(exec_context& context, const graph_op& op, op_head& head) {
    for (;;) {
        context.release(head.bound);
        if (next_target < common.size()) {
            if (accept(context, op, head, common[next_target++])) {
                return true;
            }
        } else if (next_source(context, op)) {
            next_target = 0;
        } else {
            return false;
        }
    }
}

// Goes to the next source with common targets.
bool intersect_operator::next_source(exec_context& context, const graph_op& op) {
    switch (how) {
        case strategy::known:
            if (row++ == 0) {
                find_common(inputs, common);
                return true;
            }
            return false;
        case strategy::rows:
            if (next_row(context)) {
                return true;
            }
            context.move_to_row(rows.first);
            context.self.rows = rows;
            return false;
        case strategy::links:
            return next_linked(context, op);
        default:
            return next_in_table(context, op);
    }
}

bool intersect_operator::next_row(const exec_context& context) {
    const entity_t* entities = storage::entities_of(context.data.tables.at(rows.table),
                                                    context.data.tables.rows(rows.table)) +
                               rows.first;
    while (row < rows.count) {
        source = entities[row++];
        if (accept_source(inputs, source)) {
            find_common(inputs, common);
            if (!common.empty()) {
                return true;
            }
        }
    }
    return false;
}

bool intersect_operator::next_linked(exec_context& context, const graph_op& op) {
    const storage::store& data = context.data;
    const std::uint32_t hidden =
        context.hidden_of(op.variable) | (inheritors ? std::uint32_t{detail::shape_has_base} : 0u);
    const storage::link_store& links = *inputs[0].links;
    const bool in_tables = std::any_of(inputs.begin(), inputs.end(),
                                       [](const intersect_input& input) { return !input.links; });
    common.clear();
    while ((link = links.next_source(link)) != 0) {
        const std::uint32_t index = link++;
        if (divided && !context.share.takes_one()) {
            continue;
        }
        const storage::entity_record& record = data.entities.at(index);
        if (in_tables) {
            accept_type(data.tables.at(record.table));
        }
        source = make_entity_id(index, static_cast<std::uint16_t>(record.state));
        if (!accept_source(inputs, source)) {
            continue;
        }
        find_common(inputs, common);
        if (!common.empty() && !(data.tables.at(record.table).flags & hidden)) {
            rows = {record.table, record.row, 1};
            return true;
        }
    }
    link = 0xFFFFFFFF;
    common.clear();
    return false;
}

bool intersect_operator::next_in_table(exec_context& context, const graph_op& op) {
    for (;;) {
        // Tables that are not handed out as results may be changed by callbacks.
        if (row < rows.count && context.still_there(rows)) {
            if (!by_table) {
                if (next_row(context)) {
                    return true;
                }
            } else if (row < rows.count && !common.empty()) {
                source = context.entity_at(rows, row);
                row = is_whole_table(op) ? rows.count : row + 1;
                return true;
            }
        }
        row = 0;
        common.clear();
        if (!(divided ? candidates.next(context.data, context.share, rows)
                      : candidates.next(context.data, rows))) {
            rows = {};
            return false;
        }
        const storage::table& type = context.data.tables.at(rows.table);
        if (inheritors && type.flags & detail::shape_has_base) {
            rows.count = 0;
            continue;
        }
        accept_type(type);
        if (by_table) {
            find_common(inputs, common);
        }
    }
}

// Takes the targets in the type of a table for the inputs whose pairs are in tables.
void intersect_operator::accept_type(const storage::table& type) {
    for (intersect_input& input : inputs) {
        if (!input.links) {
            input.accept_table(type);
        }
    }
}

// Makes the last source and one of its targets the result. False if that cannot be.
bool intersect_operator::accept(exec_context& context, const graph_op& op, op_head& head,
                                std::uint32_t target) {
    if (how == strategy::rows) {
        context.move_to_row(rows.first + row - 1);
    } else if (how != strategy::known) {
        bind_source(context, op, head);
    }
    if (!context.bind(context.model.terms[op.first].second_variable,
                      context.data.entities.alive_at(target), head.bound)) {
        return false;
    }
    return std::all_of(inputs.begin(), inputs.end(), [&](const intersect_input& input) {
        return set_pair_field(context, input, target);
    });
}

void intersect_operator::bind_source(exec_context& context, const graph_op& op,
                                     op_head& head) noexcept {
    if (op.variable != 0) {
        context.bindings->values[op.variable] = source;
    } else {
        context.take_range(rows_of_source(op));
    }
    context.bindings->bound |= only(op.variable);
    head.bound |= only(op.variable);
}

// The rows that have the last source, if that is $this.
row_range intersect_operator::rows_of_source(const graph_op& op) const noexcept {
    if (is_whole_table(op) && how == strategy::scan) {
        return rows;
    }
    const std::uint32_t offset = how == strategy::links ? 0 : row - 1;
    return {rows.table, rows.first + offset, 1};
}

// -- as the whole plan ----------------------------------------------------------------------------

bool intersect_operator::open_alone(exec_context& context, const graph_op& op) {
    KITH_ASSERT(context.bindings->bound == 0, "the op is the first one");
    const std::uint8_t target = context.model.terms[op.first].second_variable;
    if (op.variable != 0 || target == 0 || op.depends != 0 || context.hidden_of(target) != 0) {
        return false;
    }
    choose_strategy(context, op);
    return (how == strategy::links || how == strategy::scan) && !inheritors;
}

bool intersect_operator::next_alone(exec_context& context, const graph_op& op) {
    entity_t& value = context.bindings->values[context.model.terms[op.first].second_variable];
    for (;;) {
        KITH_COUNT(steps);
        if (next_target < common.size()) {
            const std::uint32_t target = common[next_target++];
            value = context.data.entities.alive_at(target);
            if (std::all_of(inputs.begin(), inputs.end(), [&](const intersect_input& input) {
                    return set_pair_field(context, input, target);
                })) {
                return true;
            }
        } else if (next_source(context, op)) {
            next_target = 0;
            context.take_range(rows_of_source(op));
        } else {
            return false;
        }
    }
}

}  // namespace kith::queries
