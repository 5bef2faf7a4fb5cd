// Where the values of variables come from: for the source of a term, everything that may have what
// it asks for, each once.
#include "query/exec/executor.hpp"
#include "storage/graph.hpp"
#include "traits/traits.hpp"

#include <algorithm>

namespace kith::queries {

bool executor::eval_enumerate(const graph_op& step, graph_frame& current, bool again) {
    const std::uint8_t variable = step.variable;
    if (!again) {
        current.skipped = is_bound(variable);
        if (current.skipped) {
            return true;  // another step was asked first
        }
        begin_seek(step, current);
    } else if (current.skipped) {
        return false;
    }
    if (variable == 0) {
        release(current);
        row_range rows;
        if (!next_in_share(current, hidden_, rows)) {
            return false;
        }
        take_range(rows);
        graph_->bound |= this_variable;
        current.bound = this_variable;
        return true;
    }
    // Tables that are not handed out may be changed meanwhile.
    if (again && still_there(current.rows) && ++current.row < current.rows.count) {
        graph_->values[variable] = entity_at(current.rows, current.row);
        return true;
    }
    release(current);
    if (!next_in_share(current, hidden_of(variable), current.rows)) {
        return false;
    }
    current.row = 0;
    graph_->values[variable] = entity_at(current.rows, 0);
    graph_->bound |= only(variable);
    current.bound = only(variable);
    return true;
}

entity_t executor::entity_at(const row_range& rows, std::uint32_t row) const noexcept {
    return storage::entities_of(data_.tables.at(rows.table),
                                data_.tables.rows(rows.table))[rows.first + row];
}

// False if none of the rows is left; some may have gone.
bool executor::still_there(row_range& rows) const noexcept {
    const std::uint32_t count =
        data_.tables.find_number(rows.table) ? data_.tables.rows(rows.table).count : 0;
    rows.count = rows.first < count ? std::min(rows.count, count - rows.first) : 0;
    return rows.count != 0;
}

void executor::take_range(const row_range& rows) noexcept {
    range_ = whole_ = rows;
    table_ = &data_.tables.at(rows.table);
    bare_.table = rows.table;
}

bool executor::next_candidates(graph_frame& current, std::uint32_t hidden, row_range& rows) {
    if (!current.is_listed) {
        return current.candidates.next(data_, rows);
    }
    while (current.at < current.listed.size()) {
        rows = current.listed[current.at++];
        if (still_there(rows) && !(data_.tables.at(rows.table).flags & hidden)) {
            return true;
        }
    }
    return false;
}

bool executor::next_in_share(graph_frame& current, std::uint32_t hidden, row_range& rows) {
    if (!is_shared(current)) {
        return next_candidates(current, hidden, rows);
    }
    if (!current.is_listed) {
        return current.candidates.next(data_, share_, rows);
    }
    while (next_candidates(current, hidden, rows)) {
        if (share_rows(share_, rows)) {
            return true;
        }
    }
    return false;
}

void executor::begin_seek(const graph_op& step, graph_frame& current) {
    const std::uint32_t hidden = hidden_of(step.variable);
    current.is_listed = false;
    if (step.first == step.last) {
        current.candidates = scan(data_, scan_choice{}, hidden);
        return;
    }
    const term& term = model_.terms[step.first];
    if ((steps_->dead >> step.first) & 1) {
        current.is_listed = true;
        current.listed.clear();
        current.at = 0;
        return;
    }
    const term_semantics& meaning = steps_->meanings[step.first];
    const match_request asked = request(term, current);
    // What is substituted from the source itself may be anything.
    const bool own_start = (term.first_by.flags && term.first_variable == step.variable) ||
                           (term.second_by.flags && term.second_variable == step.variable);
    if (own_start) {
        current.candidates = scan(data_, choose_scan(data_, current.now), hidden);
        return;
    }
    if (asked.first || asked.second || meaning.transitive || meaning.reflexive ||
        is_by_any_link(current.now)) {
        // For the same values it is the same list.
        if (current.listed_id != current.now.id || current.listed_first != current.first.start ||
            current.listed_second != current.second.start) {
            list_candidates(term, meaning, asked, current);
            current.listed_id = current.now.id;
            current.listed_first = current.first.start;
            current.listed_second = current.second.start;
        }
        current.is_listed = true;
        current.at = 0;
        return;
    }
    current.candidates = scan(data_, choose_scan(data_, current.now), hidden);
}

// Every source that may have one of several ids, once.
void executor::list_candidates(const term& searched_term, const term_semantics& meaning,
                               const match_request& request, graph_frame& current) {
    current.listed.clear();
    std::vector<entity_t> firsts;
    std::vector<entity_t> seconds;
    const bool pair = is_pair(searched_term.id);
    if (request.first) {
        firsts = request.first->members;
    } else {
        firsts.push_back(pair ? entity_t{pair_first(current.now.id)} : current.now.id);
    }
    if (request.second) {
        seconds = request.second->members;
    } else if (pair) {
        seconds.push_back(pair_second(current.now.id));
    }
    const bool reflexive = meaning.reflexive;
    if (meaning.transitive && pair) {
        std::vector<entity_t> named;
        named.swap(seconds);
        for (entity_t target : named) {
            if (is_wildcard_element(index_of(target))) {
                seconds.push_back(target);
            } else {
                const std::vector<entity_t>& below =
                    graph_->below[static_cast<std::size_t>(&searched_term - model_.terms)].of(
                        data_, request, data_.entities.alive_at(index_of(target)));
                seconds.insert(seconds.end(), below.begin(), below.end());
            }
        }
    }
    term exact = current.now;
    for (entity_t first : firsts) {
        if (!pair) {
            exact.id = first;
            list_scan(exact, current);
        }
        for (entity_t second : seconds) {
            list_pair(exact, index_of(first), index_of(second), current);
        }
    }
    if (reflexive) {
        list_targets(searched_term, seconds, current);
    }
    drop_repeated(current);
}

// True if the term is for pairs of any relationship with a target that is known, and some of those
// are links.
bool executor::is_by_any_link(const term& term) const noexcept {
    const bool suits = is_pair(term.id) && is_wildcard_element(pair_first(term.id)) &&
                       !is_wildcard_element(pair_second(term.id)) && starts_with_owners(term);
    return suits && std::any_of(data_.link_ids.begin(), data_.link_ids.end(),
                                [&](const storage::id_record* relation) {
                                    return relation->links->is_target(pair_second(term.id));
                                });
}

// Of any relationship with a target, each by itself: no list has them all.
void executor::list_pair(term& exact, std::uint32_t first, std::uint32_t second,
                         graph_frame& current) {
    exact.id = make_pair(first, second);
    if (!is_by_any_link(exact)) {
        list_scan(exact, current);
        return;
    }
    for (const storage::id_record* relation : data_.link_ids) {
        if (relation->links->is_target(second)) {
            exact.id = make_pair(pair_first(relation->id), second);
            list_scan(exact, current);
        }
    }
    for (const storage::id_record* pair = data_.ids.first_with_target(second); pair;
         pair = data_.ids.next_with_target(*pair)) {
        if (!is_wildcard(pair->id)) {
            exact.id = pair->id;
            list_scan(exact, current);
        }
    }
}

void executor::list_scan(const term& exact, graph_frame& current) {
    scan scan(data_, choose_scan(data_, exact), 0);
    row_range rows;
    while (scan.next(data_, rows)) {
        current.listed.push_back(rows);
    }
}

void executor::list_targets(const term& term, const std::vector<entity_t>& named,
                            graph_frame& current) {
    auto add = [&](std::uint32_t index) {
        entity_t entity = data_.entities.alive_at(index);
        const storage::entity_record* record = entity ? data_.entities.find(entity) : nullptr;
        if (record) {
            current.listed.push_back({record->table, record->row, 1});
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

// Ranges may overlap where some are single rows: then all are.
void executor::drop_repeated(graph_frame& current) const {
    const bool whole =
        std::all_of(current.listed.begin(), current.listed.end(), [&](const row_range& rows) {
            return rows.first == 0 && rows.count == data_.tables.rows(rows.table).count;
        });
    std::vector<row_range> single;
    if (!whole) {
        for (const row_range& rows : current.listed) {
            for (std::uint32_t i = 0; i < rows.count; ++i) {
                single.push_back({rows.table, rows.first + i, 1});
            }
        }
        current.listed.swap(single);
    }
    id_set& seen = graph_->intersected;
    seen.clear();
    current.listed.erase(
        std::remove_if(current.listed.begin(), current.listed.end(),
                       [&](const row_range& rows) {
                           return !seen.insert((std::uint64_t{rows.table} << 32) | rows.first);
                       }),
        current.listed.end());
}

// -- whether there is a source --------------------------------------------------------------------

// For a block that asks whether a target has a source of some kind, without taking its steps: the
// sources are at hand, and what they have is mostly a matter of a few tables. False if there is
// more to it.
bool executor::find_source(std::uint32_t number, bool& exists) {
    const graph_op& seek = steps_->ops[number + 1];
    const term& term = model_.terms[seek.first];
    const bool inherited =
        term.inherits() && !data_.bases->pairs.empty() && is_inheritable(data_, term.id);
    const entity_t target =
        term.second_variable == no_variable ? term.second : value_of(term.second_variable);
    if (inherited || !data_.toggled_ids.empty() || target == 0 || steps_->dead != 0) {
        return false;
    }
    const std::uint32_t relation = pair_first(term.id);
    const std::uint32_t hidden = hidden_of(seek.variable);
    exists = false;
    if (const storage::link_store* links = links_of(term, graph_->frames[number + 1])) {
        const storage::source_span sources = links->sources(index_of(target));
        std::uint32_t last_table = 0;  // its sources do not have it
        for (std::uint32_t i = 0; i < sources.size; ++i) {
            const entity_t source = sources.items[i];
            if (source == 0) {
                continue;
            }
            const storage::entity_record& record = data_.entities.at(index_of(source));
            if (record.table == last_table || data_.tables.at(record.table).flags & hidden) {
                continue;
            }
            if (has_what_follows(number, record, source)) {
                exists = true;
                break;
            }
            last_table = record.table;
        }
        return true;
    }
    const storage::id_record* pairs = data_.ids.find(make_pair(relation, target));
    for (std::uint32_t i = 0; pairs && i < pairs->active && !exists; ++i) {
        const std::uint32_t table = pairs->tables[i].table;
        if (data_.tables.rows(table).count != 0 && !(data_.tables.at(table).flags & hidden)) {
            entity_t source = entity_at({table, 0, 1}, 0);
            exists = has_what_follows(number, data_.entities.at(index_of(source)), source);
        }
    }
    return true;
}

// The terms behind the one that leads to a source: all are a matter of its table.
bool executor::has_what_follows(std::uint32_t number, const storage::entity_record& record,
                                entity_t source) const {
    const storage::table& type = data_.tables.at(record.table);
    for (std::uint32_t i = number + 3; i < steps_->ops[number].next; ++i) {
        const term& term = model_.terms[steps_->ops[i].first];
        bool has = storage::find_id(type, term.id) >= 0;
        if (!has && term.inherits() && type.flags & detail::shape_has_base) {
            has = find_owner(data_, {&type, &record, source, record.row}, term).owner != 0;
        }
        if (has == (term.oper == Not)) {
            return false;
        }
    }
    return true;
}

}  // namespace kith::queries
