// The step for terms whose targets are one variable that has no value yet. The general steps are
// inside of it, and are taken for what has to be searched: pairs that sources have from their
// bases, and variables that got values in another way than planned.
#include "query/exec/executor.hpp"

#include <algorithm>
#include <bit>

namespace kith::queries {

using meet_way = meeting::way;

bool executor::eval_intersect(std::uint32_t number, bool again) {
    const graph_op& step = steps_->ops[number];
    graph_frame& at = graph_->frames[number];
    meeting& meet = at.meet;
    if (!again) {
        begin_meet(step, at);
    }
    if (meet.how != meet_way::steps) {
        if (next_meeting(step, at)) {
            return true;
        }
        if (!meet.heirs) {
            return false;
        }
        meet.how = meet_way::steps;
        again = false;
    }
    while (run_inside(number, again)) {
        again = true;
        if (!meet.heirs || has_bases(graph_source(model_.terms[step.first]))) {
            return true;
        }
    }
    abandon(number + 1, step.next);
    return false;
}

bool executor::has_bases(const place& source) noexcept {
    return source.table && source.table->flags & detail::shape_has_base;
}

void executor::make_edges(const graph_op& step, meeting& meet) const {
    meet.schema = data_.schema;
    meet.edges.resize(static_cast<std::size_t>(std::popcount(step.terms)));
    std::size_t made = 0;
    auto add = [&](std::uint32_t term) {
        meet_edge& edge = meet.edges[made++];
        edge.term = term;
        edge.relation = data_.ids.find(make_pair(model_.terms[term].first, Wildcard));
        edge.links = edge.relation ? edge.relation->links : nullptr;
    };
    // The first one proposes sources.
    add(step.first);
    for (std::uint64_t rest = step.terms; rest != 0; rest &= rest - 1) {
        if (const auto term = static_cast<std::uint32_t>(std::countr_zero(rest));
            term != step.first) {
            add(term);
        }
    }
}

void executor::begin_meet(const graph_op& step, graph_frame& at) {
    meeting& meet = at.meet;
    meet.how = meet_way::steps;
    meet.heirs = false;
    meet.common.clear();
    meet.at = 0;
    meet.row = 0;
    if (meet.schema != data_.schema) {
        make_edges(step, meet);
    }
    const bool known = std::all_of(meet.edges.begin(), meet.edges.end(),
                                   [](const meet_edge& one) { return one.relation != nullptr; });
    if (!known || steps_->dead & step.terms || is_bound(model_.terms[step.first].second_variable)) {
        return;
    }
    if (step.variable != no_variable && !is_bound(step.variable)) {
        begin_sought(step, at);
    } else {
        begin_known(step, meet);
    }
}

bool executor::is_inherited(const meet_edge& edge) const noexcept {
    return model_.terms[edge.term].inherits() && !data_.bases->pairs.empty();
}

// The source of all edges is still to be found.
void executor::begin_sought(const graph_op& step, graph_frame& at) {
    meeting& meet = at.meet;
    meet.by_table = true;
    for (meet_edge& edge : meet.edges) {
        edge.moves = true;
        meet.heirs |= is_inherited(edge);
        meet.by_table &= !edge.links;
    }
    meet.rows = {};
    if (meet.edges[0].links) {
        meet.how = meet_way::links;
        meet.link = 1;
    } else {
        meet.how = meet_way::scan;
        at.candidates = scan(data_, choose_scan(data_, at.now), hidden_of(step.variable));
    }
}

// All sources are there; $this may be several rows.
void executor::begin_known(const graph_op& step, meeting& meet) {
    const bool by_row = step.level == op_level::row && range_.count > 1;
    for (meet_edge& edge : meet.edges) {
        const term& one = model_.terms[edge.term];
        const place source = graph_source(one);
        if (!source.table || (is_inherited(edge) && has_bases(source))) {
            return;
        }
        edge.moves = by_row && one.from == source_kind::self && edge.links;
        if (edge.links) {
            edge.take_links(source.entity);
        } else {
            edge.accept_table(*source.table);
        }
    }
    meet.by_table = false;
    meet.rows = range_;
    meet.how = by_row ? meet_way::rows : meet_way::once;
}

bool executor::next_meeting(const graph_op& step, graph_frame& at) {
    meeting& meet = at.meet;
    for (;;) {
        release(at);
        if (meet.at < meet.common.size()) {
            if (accept_intersection(step, at, meet.common[meet.at++])) {
                return true;
            }
        } else if (next_met_source(step, at)) {
            meet.at = 0;
        } else {
            return false;
        }
    }
}

// To the next source with common targets.
bool executor::next_met_source(const graph_op& step, graph_frame& at) {
    meeting& meet = at.meet;
    switch (meet.how) {
        case meet_way::once:
            if (meet.row++ == 0) {
                find_common(meet.edges, meet.common);
                return true;
            }
            return false;
        case meet_way::rows:
            if (next_met_row(meet)) {
                return true;
            }
            move_to_row(meet.rows.first);
            range_ = meet.rows;
            return false;
        case meet_way::links:
            return next_met_link(step, at);
        default:
            return next_met_table(step, at);
    }
}

void executor::accept_intersected_type(meeting& meet, const storage::table& type) {
    for (meet_edge& edge : meet.edges) {
        if (!edge.links) {
            edge.accept_table(type);
        }
    }
}

bool executor::next_met_row(meeting& meet) const {
    const entity_t* entities =
        storage::entities_of(data_.tables.at(meet.rows.table), data_.tables.rows(meet.rows.table)) +
        meet.rows.first;
    while (meet.row < meet.rows.count) {
        meet.source = entities[meet.row++];
        if (accept_source(meet.edges, meet.source)) {
            find_common(meet.edges, meet.common);
            if (!meet.common.empty()) {
                return true;
            }
        }
    }
    return false;
}

bool executor::next_met_link(const graph_op& step, graph_frame& at) {
    meeting& meet = at.meet;
    const bool shared = is_shared(at);
    const std::uint32_t hidden =
        hidden_of(step.variable) | (meet.heirs ? std::uint32_t{detail::shape_has_base} : 0u);
    const storage::link_store& links = *meet.edges[0].links;
    const bool in_tables = std::any_of(meet.edges.begin(), meet.edges.end(),
                                       [](const meet_edge& one) { return !one.links; });
    meet.common.clear();
    while ((meet.link = links.next_source(meet.link)) != 0) {
        const std::uint32_t index = meet.link++;
        if (shared && !share_.takes_one()) {
            continue;
        }
        if (in_tables) {
            accept_intersected_type(meet, data_.tables.at(data_.entities.at(index).table));
        }
        const storage::entity_record& record = data_.entities.at(index);
        meet.source = make_entity_id(index, static_cast<std::uint16_t>(record.state));
        if (!accept_source(meet.edges, meet.source)) {
            continue;
        }
        find_common(meet.edges, meet.common);
        if (!meet.common.empty() && !(data_.tables.at(record.table).flags & hidden)) {
            meet.rows = {record.table, record.row, 1};
            return true;
        }
    }
    meet.link = 0xFFFFFFFF;
    meet.common.clear();
    return false;
}

bool executor::next_met_table(const graph_op& step, graph_frame& at) {
    meeting& meet = at.meet;
    for (;;) {
        // Tables that are not handed out may be changed meanwhile.
        if (meet.row < meet.rows.count && still_there(meet.rows)) {
            if (!meet.by_table) {
                if (next_met_row(meet)) {
                    return true;
                }
            } else if (meet.row < meet.rows.count && !meet.common.empty()) {
                meet.source = entity_at(meet.rows, meet.row);
                meet.row = is_whole(step) ? meet.rows.count : meet.row + 1;
                return true;
            }
        }
        meet.row = 0;
        meet.common.clear();
        if (!(is_shared(at) ? at.candidates.next(data_, share_, meet.rows)
                            : at.candidates.next(data_, meet.rows))) {
            meet.rows = {};
            return false;
        }
        const storage::table& type = data_.tables.at(meet.rows.table);
        if (meet.heirs && type.flags & detail::shape_has_base) {
            meet.rows.count = 0;
            continue;
        }
        accept_intersected_type(meet, type);
        if (meet.by_table) {
            find_common(meet.edges, meet.common);
        }
    }
}

// True if all rows of a table are one result.
bool executor::is_whole(const graph_op& step) const noexcept {
    return step.variable == 0 && step.level == op_level::table;
}

// Makes the last source and one of its targets the result. False if that cannot be.
bool executor::accept_intersection(const graph_op& step, graph_frame& at, std::uint32_t target) {
    meeting& meet = at.meet;
    if (meet.how == meet_way::rows) {
        move_to_row(meet.rows.first + meet.row - 1);
    } else if (meet.how != meet_way::once) {
        accept_intersected_source(step, at);
    }
    if (!bind(model_.terms[step.first].second_variable, data_.entities.alive_at(target), at)) {
        return false;
    }
    return std::all_of(meet.edges.begin(), meet.edges.end(),
                       [&](const meet_edge& edge) { return set_met_field(edge, target); });
}

// False if the pair went while a callback had the last match, or is switched off.
bool executor::set_met_field(const meet_edge& edge, std::uint32_t target) {
    const term& one = model_.terms[edge.term];
    found_id found{make_pair(pair_first(one.id), target), nullptr, 0};
    entity_t source = edge.source;
    if (edge.links && !edge.links->has_values()) {
        if (!data_.entities.find(source)) {
            return false;
        }
    } else {
        const place where = graph_source(one);
        own_position position;
        source = where.entity;
        if (!where.table || !next_own(data_, where, found.id, offer::own, position, found)) {
            return false;
        }
    }
    if (is_off(data_, source, found.id)) {
        return false;
    }
    set_field(one, {source, true, 0}, found);
    return true;
}

void executor::accept_intersected_source(const graph_op& step, graph_frame& at) noexcept {
    const meeting& meet = at.meet;
    if (step.variable != 0) {
        graph_->values[step.variable] = meet.source;
    } else if (is_whole(step) && meet.how == meet_way::scan) {
        take_range(meet.rows);
    } else {
        const std::uint32_t row = meet.how == meet_way::links ? 0 : meet.row - 1;
        take_range({meet.rows.table, meet.rows.first + row, 1});
    }
    graph_->bound |= only(step.variable);
    at.bound |= only(step.variable);
}

// $this becomes one row of the table that it is in.
void executor::move_to_row(std::uint32_t row) noexcept {
    shift_fields(static_cast<std::ptrdiff_t>(row) - range_.first);
    range_ = {range_.table, row, 1};
}

}  // namespace kith::queries
