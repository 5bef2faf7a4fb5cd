// The step for terms whose targets are one variable that has no value yet. The general steps are
// inside of it, and are taken for what has to be searched: pairs that sources have from their
// bases, and variables that got values in another way than planned.
#include "query/exec/executor.hpp"

#include <algorithm>
#include <bit>

namespace kith::queries {

using intersect_strategy = intersection::way;

bool executor::eval_intersect(std::uint32_t number, bool again) {
    const graph_op& step = steps_->ops[number];
    graph_frame& current = graph_->frames[number];
    intersection& intersect = current.intersect;
    if (!again) {
        begin_intersect(step, current);
    }
    if (intersect.how != intersect_strategy::steps) {
        if (next_intersection(step, current)) {
            return true;
        }
        if (!intersect.inheritors) {
            return false;
        }
        intersect.how = intersect_strategy::steps;
        again = false;
    }
    while (run_inside(number, again)) {
        again = true;
        if (!intersect.inheritors || has_bases(graph_source(model_.terms[step.first]))) {
            return true;
        }
    }
    abandon(number + 1, step.next);
    return false;
}

bool executor::has_bases(const location& source) noexcept {
    return source.table && source.table->flags & detail::shape_has_base;
}

void executor::make_edges(const graph_op& step, intersection& intersect) const {
    intersect.schema = data_.schema;
    intersect.edges.resize(static_cast<std::size_t>(std::popcount(step.terms)));
    std::size_t made = 0;
    auto add = [&](std::uint32_t term) {
        intersect_input& edge = intersect.edges[made++];
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

void executor::begin_intersect(const graph_op& step, graph_frame& current) {
    intersection& intersect = current.intersect;
    intersect.how = intersect_strategy::steps;
    intersect.inheritors = false;
    intersect.common.clear();
    intersect.at = 0;
    intersect.row = 0;
    if (intersect.schema != data_.schema) {
        make_edges(step, intersect);
    }
    const bool known =
        std::all_of(intersect.edges.begin(), intersect.edges.end(),
                    [](const intersect_input& input) { return input.relation != nullptr; });
    if (!known || steps_->dead & step.terms || is_bound(model_.terms[step.first].second_variable)) {
        return;
    }
    if (step.variable != no_variable && !is_bound(step.variable)) {
        begin_sought(step, current);
    } else {
        begin_known(step, intersect);
    }
}

bool executor::is_inherited(const intersect_input& edge) const noexcept {
    return model_.terms[edge.term].inherits() && !data_.bases->pairs.empty();
}

// The source of all edges is still to be found.
void executor::begin_sought(const graph_op& step, graph_frame& current) {
    intersection& intersect = current.intersect;
    intersect.by_table = true;
    for (intersect_input& edge : intersect.edges) {
        edge.moves = true;
        intersect.inheritors |= is_inherited(edge);
        intersect.by_table &= !edge.links;
    }
    intersect.rows = {};
    if (intersect.edges[0].links) {
        intersect.how = intersect_strategy::links;
        intersect.link = 1;
    } else {
        intersect.how = intersect_strategy::scan;
        current.candidates = scan(data_, choose_scan(data_, current.now), hidden_of(step.variable));
    }
}

// All sources are there; $this may be several rows.
void executor::begin_known(const graph_op& step, intersection& intersect) {
    const bool by_row = step.level == op_level::row && range_.count > 1;
    for (intersect_input& edge : intersect.edges) {
        const term& term = model_.terms[edge.term];
        const location source = graph_source(term);
        if (!source.table || (is_inherited(edge) && has_bases(source))) {
            return;
        }
        edge.moves = by_row && term.from == source_kind::self && edge.links;
        if (edge.links) {
            edge.take_links(source.entity);
        } else {
            edge.accept_table(*source.table);
        }
    }
    intersect.by_table = false;
    intersect.rows = range_;
    intersect.how = by_row ? intersect_strategy::rows : intersect_strategy::once;
}

bool executor::next_intersection(const graph_op& step, graph_frame& current) {
    intersection& intersect = current.intersect;
    for (;;) {
        release(current);
        if (intersect.at < intersect.common.size()) {
            if (accept_intersection(step, current, intersect.common[intersect.at++])) {
                return true;
            }
        } else if (next_intersected_source(step, current)) {
            intersect.at = 0;
        } else {
            return false;
        }
    }
}

// To the next source with common targets.
bool executor::next_intersected_source(const graph_op& step, graph_frame& current) {
    intersection& intersect = current.intersect;
    switch (intersect.how) {
        case intersect_strategy::once:
            if (intersect.row++ == 0) {
                find_common(intersect.edges, intersect.common);
                return true;
            }
            return false;
        case intersect_strategy::rows:
            if (next_intersected_row(intersect)) {
                return true;
            }
            move_to_row(intersect.rows.first);
            range_ = intersect.rows;
            return false;
        case intersect_strategy::links:
            return next_intersected_link(step, current);
        default:
            return next_intersected_table(step, current);
    }
}

void executor::accept_intersected_type(intersection& intersect, const storage::table& type) {
    for (intersect_input& edge : intersect.edges) {
        if (!edge.links) {
            edge.accept_table(type);
        }
    }
}

bool executor::next_intersected_row(intersection& intersect) const {
    const entity_t* entities = storage::entities_of(data_.tables.at(intersect.rows.table),
                                                    data_.tables.rows(intersect.rows.table)) +
                               intersect.rows.first;
    while (intersect.row < intersect.rows.count) {
        intersect.source = entities[intersect.row++];
        if (accept_source(intersect.edges, intersect.source)) {
            find_common(intersect.edges, intersect.common);
            if (!intersect.common.empty()) {
                return true;
            }
        }
    }
    return false;
}

bool executor::next_intersected_link(const graph_op& step, graph_frame& current) {
    intersection& intersect = current.intersect;
    const bool shared = is_shared(current);
    const std::uint32_t hidden =
        hidden_of(step.variable) |
        (intersect.inheritors ? std::uint32_t{detail::shape_has_base} : 0u);
    const storage::link_store& links = *intersect.edges[0].links;
    const bool in_tables = std::any_of(intersect.edges.begin(), intersect.edges.end(),
                                       [](const intersect_input& input) { return !input.links; });
    intersect.common.clear();
    while ((intersect.link = links.next_source(intersect.link)) != 0) {
        const std::uint32_t index = intersect.link++;
        if (shared && !share_.takes_one()) {
            continue;
        }
        if (in_tables) {
            accept_intersected_type(intersect, data_.tables.at(data_.entities.at(index).table));
        }
        const storage::entity_record& record = data_.entities.at(index);
        intersect.source = make_entity_id(index, static_cast<std::uint16_t>(record.state));
        if (!accept_source(intersect.edges, intersect.source)) {
            continue;
        }
        find_common(intersect.edges, intersect.common);
        if (!intersect.common.empty() && !(data_.tables.at(record.table).flags & hidden)) {
            intersect.rows = {record.table, record.row, 1};
            return true;
        }
    }
    intersect.link = 0xFFFFFFFF;
    intersect.common.clear();
    return false;
}

bool executor::next_intersected_table(const graph_op& step, graph_frame& current) {
    intersection& intersect = current.intersect;
    for (;;) {
        // Tables that are not handed out may be changed meanwhile.
        if (intersect.row < intersect.rows.count && still_there(intersect.rows)) {
            if (!intersect.by_table) {
                if (next_intersected_row(intersect)) {
                    return true;
                }
            } else if (intersect.row < intersect.rows.count && !intersect.common.empty()) {
                intersect.source = entity_at(intersect.rows, intersect.row);
                intersect.row = is_whole(step) ? intersect.rows.count : intersect.row + 1;
                return true;
            }
        }
        intersect.row = 0;
        intersect.common.clear();
        if (!(is_shared(current) ? current.candidates.next(data_, share_, intersect.rows)
                                 : current.candidates.next(data_, intersect.rows))) {
            intersect.rows = {};
            return false;
        }
        const storage::table& type = data_.tables.at(intersect.rows.table);
        if (intersect.inheritors && type.flags & detail::shape_has_base) {
            intersect.rows.count = 0;
            continue;
        }
        accept_intersected_type(intersect, type);
        if (intersect.by_table) {
            find_common(intersect.edges, intersect.common);
        }
    }
}

// True if all rows of a table are one result.
bool executor::is_whole(const graph_op& step) const noexcept {
    return step.variable == 0 && step.level == op_level::table;
}

// Makes the last source and one of its targets the result. False if that cannot be.
bool executor::accept_intersection(const graph_op& step, graph_frame& current,
                                   std::uint32_t target) {
    intersection& intersect = current.intersect;
    if (intersect.how == intersect_strategy::rows) {
        move_to_row(intersect.rows.first + intersect.row - 1);
    } else if (intersect.how != intersect_strategy::once) {
        accept_intersected_source(step, current);
    }
    if (!bind(model_.terms[step.first].second_variable, data_.entities.alive_at(target), current)) {
        return false;
    }
    return std::all_of(
        intersect.edges.begin(), intersect.edges.end(),
        [&](const intersect_input& edge) { return set_intersected_field(edge, target); });
}

// False if the pair went while a callback had the last match, or is switched off.
bool executor::set_intersected_field(const intersect_input& edge, std::uint32_t target) {
    const term& term = model_.terms[edge.term];
    owned_id owned{make_pair(pair_first(term.id), target), nullptr, 0};
    entity_t source = edge.source;
    if (edge.links && !edge.links->has_values()) {
        if (!data_.entities.find(source)) {
            return false;
        }
    } else {
        const location where = graph_source(term);
        owned_id_position position;
        source = where.entity;
        if (!where.table ||
            !next_owned_id(data_, where, owned.id, visibility::own, position, owned)) {
            return false;
        }
    }
    if (is_off(data_, source, owned.id)) {
        return false;
    }
    set_field(term, {source, true, 0}, owned);
    return true;
}

void executor::accept_intersected_source(const graph_op& step, graph_frame& current) noexcept {
    const intersection& intersect = current.intersect;
    if (step.variable != 0) {
        graph_->values[step.variable] = intersect.source;
    } else if (is_whole(step) && intersect.how == intersect_strategy::scan) {
        take_range(intersect.rows);
    } else {
        const std::uint32_t row =
            intersect.how == intersect_strategy::links ? 0 : intersect.row - 1;
        take_range({intersect.rows.table, intersect.rows.first + row, 1});
    }
    graph_->bound |= only(step.variable);
    current.bound |= only(step.variable);
}

// $this becomes one row of the table that it is in.
void executor::move_to_row(std::uint32_t row) noexcept {
    shift_fields(static_cast<std::ptrdiff_t>(row) - range_.first);
    range_ = {range_.table, row, 1};
}

}  // namespace kith::queries
