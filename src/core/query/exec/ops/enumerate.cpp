// The operator `enumerate`, declared in enumerate.hpp, and the list of sources that it makes.
#include "query/exec/ops/enumerate.hpp"

#include "storage/graph.hpp"

#include <algorithm>

namespace kith::queries {

namespace {

// True if the term is for pairs of any relationship with a known target, and some of those pairs
// are links: no single scan has all of their sources.
bool is_by_any_link(const storage::store& data, const term& term) noexcept {
    const bool suits = is_pair(term.id) && is_wildcard_element(pair_first(term.id)) &&
                       !is_wildcard_element(pair_second(term.id)) && starts_with_owners(term);
    return suits && std::any_of(data.link_ids.begin(), data.link_ids.end(),
                                [&](const storage::id_record* relation) {
                                    return relation->links->is_target(pair_second(term.id));
                                });
}

// Lists every source that may have one of several ids, once.
class source_list {
public:
    source_list(const exec_context& context, std::vector<row_range>& listed) noexcept
        : context_(context), data_(context.data), listed_(listed) {}

    void make(const term& searched_term, const term_semantics& meaning,
              const match_request& request);

private:
    std::vector<entity_t> find_targets(const term& searched_term, const term_semantics& meaning,
                                       const match_request& request) const;
    void add_pair(term& exact, std::uint32_t first, std::uint32_t second);
    void add_scan(const term& exact);
    void add_targets(const term& term, const std::vector<entity_t>& named);
    void drop_repeated();

    const exec_context& context_;
    const storage::store& data_;
    std::vector<row_range>& listed_;
};

void source_list::make(const term& searched_term, const term_semantics& meaning,
                       const match_request& request) {
    listed_.clear();
    const bool pair = is_pair(searched_term.id);
    std::vector<entity_t> firsts;
    if (request.first) {
        firsts = request.first->members;
    } else {
        firsts.push_back(pair ? entity_t{pair_first(request.asked.id)} : request.asked.id);
    }
    const std::vector<entity_t> seconds =
        pair ? find_targets(searched_term, meaning, request) : std::vector<entity_t>{};
    term exact = request.asked;
    for (entity_t first : firsts) {
        if (!pair) {
            exact.id = first;
            add_scan(exact);
        }
        for (entity_t second : seconds) {
            add_pair(exact, index_of(first), index_of(second));
        }
    }
    if (meaning.reflexive) {
        add_targets(searched_term, seconds);
    }
    drop_repeated();
}

// The targets of the pairs that sources may have. For a transitive relationship: with all targets
// that lead to them.
std::vector<entity_t> source_list::find_targets(const term& searched_term,
                                                const term_semantics& meaning,
                                                const match_request& request) const {
    std::vector<entity_t> named;
    if (request.second) {
        named = request.second->members;
    } else {
        named.push_back(pair_second(request.asked.id));
    }
    if (!meaning.transitive) {
        return named;
    }
    std::vector<entity_t> targets;
    for (entity_t target : named) {
        if (is_wildcard_element(index_of(target))) {
            targets.push_back(target);
        } else {
            target_closure& closure = context_.closures[&searched_term - context_.model.terms];
            const graph::visit_set& below =
                closure.of(data_, request, data_.entities.alive_at(index_of(target)));
            targets.insert(targets.end(), below.begin(), below.end());
        }
    }
    return targets;
}

void source_list::add_pair(term& exact, std::uint32_t first, std::uint32_t second) {
    exact.id = make_pair(first, second);
    if (!is_by_any_link(data_, exact)) {
        add_scan(exact);
        return;
    }
    for (const storage::id_record* relation : data_.link_ids) {
        if (relation->links->is_target(second)) {
            exact.id = make_pair(pair_first(relation->id), second);
            add_scan(exact);
        }
    }
    for (const storage::id_record* pair = data_.ids.first_with_target(second); pair;
         pair = data_.ids.next_with_target(*pair)) {
        if (!is_wildcard(pair->id)) {
            exact.id = pair->id;
            add_scan(exact);
        }
    }
}

void source_list::add_scan(const term& exact) {
    scan scan(data_, choose_scan(data_, exact), 0);
    row_range rows;
    while (scan.next(data_, rows)) {
        listed_.push_back(rows);
    }
}

// Adds the targets themselves, which are sources of a reflexive relationship.
void source_list::add_targets(const term& term, const std::vector<entity_t>& named) {
    auto add = [&](std::uint32_t index) {
        const entity_t entity = data_.entities.alive_at(index);
        const storage::entity_record* record = entity ? data_.entities.find(entity) : nullptr;
        if (record) {
            listed_.push_back({record->table, record->row, 1});
        }
    };
    for (entity_t target : named) {
        if (!is_wildcard_element(index_of(target))) {
            add(index_of(target));
            continue;
        }
        storage::each_pair(data_, pair_first(term.id), [&](entity_t, std::uint32_t other) {
            add(other);
            return true;
        });
    }
}

// Leaves each range once. Ranges may overlap where some are single rows: then all are made single
// rows first.
void source_list::drop_repeated() {
    const bool whole = std::all_of(listed_.begin(), listed_.end(), [&](const row_range& rows) {
        return rows.first == 0 && rows.count == data_.tables.rows(rows.table).count;
    });
    if (!whole) {
        std::vector<row_range> single;
        for (const row_range& rows : listed_) {
            for (std::uint32_t i = 0; i < rows.count; ++i) {
                single.push_back({rows.table, rows.first + i, 1});
            }
        }
        listed_.swap(single);
    }
    graph::visit_set& seen = *context_.visited_rows;
    seen.clear();
    listed_.erase(
        std::remove_if(listed_.begin(), listed_.end(),
                       [&](const row_range& rows) {
                           return !seen.insert((std::uint64_t{rows.table} << 32) | rows.first);
                       }),
        listed_.end());
}

}  // namespace

bool enumerate_operator::open(exec_context& context, const graph_op& op, op_head& head) {
    bound_before = context.is_bound(op.variable);
    if (bound_before) {
        return true;
    }
    choose_candidates(context, op);
    return next_candidate(context, op, head);
}

bool enumerate_operator::next(exec_context& context, const graph_op& op, op_head& head) {
    if (bound_before) {
        return false;
    }
    if (op.variable != 0 && context.still_there(rows) && ++row < rows.count) {
        context.bindings->values[op.variable] = context.entity_at(rows, row);
        return true;
    }
    return next_candidate(context, op, head);
}

// Binds the variable to the next range, or to the first entity of it.
bool enumerate_operator::next_candidate(exec_context& context, const graph_op& op, op_head& head) {
    context.release(head.bound);
    if (!next_range_of(context, context.hidden_of(op.variable), rows)) {
        return false;
    }
    if (op.variable == 0) {
        context.take_range(rows);
    } else {
        row = 0;
        context.bindings->values[op.variable] = context.entity_at(rows, 0);
    }
    context.bindings->bound |= only(op.variable);
    head.bound = only(op.variable);
    return true;
}

bool enumerate_operator::next_range_of(exec_context& context, std::uint32_t hidden,
                                       row_range& range) {
    if (!is_listed) {
        return divided ? candidates.next(context.data, context.share, range)
                       : candidates.next(context.data, range);
    }
    while (next_listed(context, hidden, range)) {
        if (!divided || share_rows(context.share, range)) {
            return true;
        }
    }
    return false;
}

bool enumerate_operator::next_listed(const exec_context& context, std::uint32_t hidden,
                                     row_range& range) noexcept {
    while (next_range < listed.size()) {
        range = listed[next_range++];
        if (context.still_there(range) && !(context.data.tables.at(range.table).flags & hidden)) {
            return true;
        }
    }
    return false;
}

void enumerate_operator::choose_candidates(exec_context& context, const graph_op& op) {
    const storage::store& data = context.data;
    const std::uint32_t hidden = context.hidden_of(op.variable);
    is_listed = false;
    if (op.first == op.last) {
        candidates = scan(data, scan_choice{}, hidden);
        return;
    }
    if (context.is_dead(op.first)) {
        is_listed = true;
        listed.clear();
        next_range = 0;
        return;
    }
    const term& term = context.model.terms[op.first];
    const term_semantics& meaning = context.blocks->meanings[op.first];
    const match_request asked = request.make(context, term);
    // An element that is substituted from the variable itself may be any entity.
    const bool own_start = (term.first_by.flags && term.first_variable == op.variable) ||
                           (term.second_by.flags && term.second_variable == op.variable);
    is_listed = !own_start && (asked.first || asked.second || meaning.transitive ||
                               meaning.reflexive || is_by_any_link(data, request.now));
    if (!is_listed) {
        candidates = scan(data, choose_scan(data, request.now), hidden);
        return;
    }
    // The list of the last time serves the same values.
    if (listed_id != request.now.id || listed_first != request.first.start ||
        listed_second != request.second.start) {
        source_list(context, listed).make(term, meaning, asked);
        listed_id = request.now.id;
        listed_first = request.first.start;
        listed_second = request.second.start;
    }
    next_range = 0;
}

}  // namespace kith::queries
