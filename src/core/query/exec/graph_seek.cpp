// Where the values of variables come from: for the source of a term, everything that may have what
// it asks for, each once.
#include "query/exec/executor.hpp"
#include "storage/graph.hpp"
#include "traits/traits.hpp"

#include <algorithm>

namespace kith::queries {

bool executor::eval_enumerate(const graph_op& step, graph_frame& at, bool again) {
    const std::uint8_t variable = step.variable;
    if (!again) {
        at.skipped = is_bound(variable);
        if (at.skipped) {
            return true;  // another step was asked first
        }
        begin_seek(step, at);
    } else if (at.skipped) {
        return false;
    }
    if (variable == 0) {
        release(at);
        row_range found;
        if (!next_in_share(at, hidden_, found)) {
            return false;
        }
        take_range(found);
        graph_->bound |= this_variable;
        at.bound = this_variable;
        return true;
    }
    // Tables that are not handed out may be changed meanwhile.
    if (again && still_there(at.rows) && ++at.row < at.rows.count) {
        graph_->values[variable] = entity_at(at.rows, at.row);
        return true;
    }
    release(at);
    if (!next_in_share(at, hidden_of(variable), at.rows)) {
        return false;
    }
    at.row = 0;
    graph_->values[variable] = entity_at(at.rows, 0);
    graph_->bound |= only(variable);
    at.bound = only(variable);
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

bool executor::next_candidates(graph_frame& at, std::uint32_t hidden, row_range& found) {
    if (!at.is_listed) {
        return at.candidates.next(data_, found);
    }
    while (at.at < at.listed.size()) {
        found = at.listed[at.at++];
        if (still_there(found) && !(data_.tables.at(found.table).flags & hidden)) {
            return true;
        }
    }
    return false;
}

bool executor::next_in_share(graph_frame& at, std::uint32_t hidden, row_range& found) {
    if (!is_shared(at)) {
        return next_candidates(at, hidden, found);
    }
    if (!at.is_listed) {
        return at.candidates.next(data_, share_, found);
    }
    while (next_candidates(at, hidden, found)) {
        if (share_rows(share_, found)) {
            return true;
        }
    }
    return false;
}

void executor::begin_seek(const graph_op& step, graph_frame& at) {
    const std::uint32_t hidden = hidden_of(step.variable);
    at.is_listed = false;
    if (step.first == step.last) {
        at.candidates = scan(data_, scan_choice{}, hidden);
        return;
    }
    const term& one = model_.terms[step.first];
    if ((steps_->dead >> step.first) & 1) {
        at.is_listed = true;
        at.listed.clear();
        at.at = 0;
        return;
    }
    const term_semantics& meaning = steps_->meanings[step.first];
    const match_request asked = request(one, at);
    // What is substituted from the source itself may be anything.
    const bool own_start = (one.first_by.flags && one.first_variable == step.variable) ||
                           (one.second_by.flags && one.second_variable == step.variable);
    if (own_start) {
        at.candidates = scan(data_, choose_scan(data_, at.now), hidden);
        return;
    }
    if (asked.first || asked.second || meaning.transitive || meaning.reflexive ||
        is_by_any_link(at.now)) {
        // For the same values it is the same list.
        if (at.listed_id != at.now.id || at.listed_first != at.first.start ||
            at.listed_second != at.second.start) {
            list_candidates(one, meaning, asked, at);
            at.listed_id = at.now.id;
            at.listed_first = at.first.start;
            at.listed_second = at.second.start;
        }
        at.is_listed = true;
        at.at = 0;
        return;
    }
    at.candidates = scan(data_, choose_scan(data_, at.now), hidden);
}

// Every source that may have one of several ids, once.
void executor::list_candidates(const term& one, const term_semantics& meaning,
                               const match_request& asked, graph_frame& at) {
    at.listed.clear();
    std::vector<entity_t> firsts;
    std::vector<entity_t> seconds;
    const bool pair = is_pair(one.id);
    if (asked.first) {
        firsts = asked.first->members;
    } else {
        firsts.push_back(pair ? entity_t{pair_first(at.now.id)} : at.now.id);
    }
    if (asked.second) {
        seconds = asked.second->members;
    } else if (pair) {
        seconds.push_back(pair_second(at.now.id));
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
                    graph_->below[static_cast<std::size_t>(&one - model_.terms)].of(
                        data_, asked, data_.entities.alive_at(index_of(target)));
                seconds.insert(seconds.end(), below.begin(), below.end());
            }
        }
    }
    term exact = at.now;
    for (entity_t first : firsts) {
        if (!pair) {
            exact.id = first;
            list_scan(exact, at);
        }
        for (entity_t second : seconds) {
            list_pair(exact, index_of(first), index_of(second), at);
        }
    }
    if (reflexive) {
        list_targets(one, seconds, at);
    }
    drop_repeated(at);
}

// True if the term is for pairs of any relationship with a target that is known, and some of those
// are links.
bool executor::is_by_any_link(const term& one) const noexcept {
    const bool suits = is_pair(one.id) && is_wildcard_element(pair_first(one.id)) &&
                       !is_wildcard_element(pair_second(one.id)) && starts_with_owners(one);
    return suits && std::any_of(data_.link_ids.begin(), data_.link_ids.end(),
                                [&](const storage::id_record* relation) {
                                    return relation->links->is_target(pair_second(one.id));
                                });
}

// Of any relationship with a target, each by itself: no list has them all.
void executor::list_pair(term& exact, std::uint32_t first, std::uint32_t second, graph_frame& at) {
    exact.id = make_pair(first, second);
    if (!is_by_any_link(exact)) {
        list_scan(exact, at);
        return;
    }
    for (const storage::id_record* relation : data_.link_ids) {
        if (relation->links->is_target(second)) {
            exact.id = make_pair(pair_first(relation->id), second);
            list_scan(exact, at);
        }
    }
    for (const storage::id_record* pair = data_.ids.first_with_target(second); pair;
         pair = data_.ids.next_with_target(*pair)) {
        if (!is_wildcard(pair->id)) {
            exact.id = pair->id;
            list_scan(exact, at);
        }
    }
}

void executor::list_scan(const term& exact, graph_frame& at) {
    scan found(data_, choose_scan(data_, exact), 0);
    row_range rows;
    while (found.next(data_, rows)) {
        at.listed.push_back(rows);
    }
}

void executor::list_targets(const term& one, const std::vector<entity_t>& named, graph_frame& at) {
    auto add = [&](std::uint32_t index) {
        entity_t entity = data_.entities.alive_at(index);
        const storage::entity_record* record = entity ? data_.entities.find(entity) : nullptr;
        if (record) {
            at.listed.push_back({record->table, record->row, 1});
        }
    };
    for (entity_t target : named) {
        if (!is_wildcard_element(index_of(target))) {
            add(index_of(target));
            continue;
        }
        storage::each_pair(data_, pair_first(one.id), [&](entity_t, std::uint32_t other) {
            add(other);
            return true;
        });
    }
}

// Ranges may overlap where some are single rows: then all are.
void executor::drop_repeated(graph_frame& at) const {
    const bool whole = std::all_of(at.listed.begin(), at.listed.end(), [&](const row_range& rows) {
        return rows.first == 0 && rows.count == data_.tables.rows(rows.table).count;
    });
    std::vector<row_range> single;
    if (!whole) {
        for (const row_range& rows : at.listed) {
            for (std::uint32_t i = 0; i < rows.count; ++i) {
                single.push_back({rows.table, rows.first + i, 1});
            }
        }
        at.listed.swap(single);
    }
    id_set& seen = graph_->intersected;
    seen.clear();
    at.listed.erase(
        std::remove_if(at.listed.begin(), at.listed.end(),
                       [&](const row_range& rows) {
                           return !seen.insert((std::uint64_t{rows.table} << 32) | rows.first);
                       }),
        at.listed.end());
}

// -- whether there is a source --------------------------------------------------------------------

// For a block that asks whether a target has a source of some kind, without taking its steps: the
// sources are at hand, and what they have is mostly a matter of a few tables. False if there is
// more to it.
bool executor::find_source(std::uint32_t number, bool& exists) {
    const graph_op& seek = steps_->ops[number + 1];
    const term& one = model_.terms[seek.first];
    const bool inherited =
        one.inherits() && !data_.bases->pairs.empty() && is_inheritable(data_, one.id);
    const entity_t target =
        one.second_variable == no_variable ? one.second : value_of(one.second_variable);
    if (inherited || !data_.toggled_ids.empty() || target == 0 || steps_->dead != 0) {
        return false;
    }
    const std::uint32_t relation = pair_first(one.id);
    const std::uint32_t hidden = hidden_of(seek.variable);
    exists = false;
    if (const storage::link_store* links = links_of(one, graph_->frames[number + 1])) {
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
        const term& one = model_.terms[steps_->ops[i].first];
        bool has = storage::find_id(type, one.id) >= 0;
        if (!has && one.inherits() && type.flags & detail::shape_has_base) {
            has = find_owner(data_, {&type, &record, source, record.row}, one).owner != 0;
        }
        if (has == (one.oper == Not)) {
            return false;
        }
    }
    return true;
}

}  // namespace kith::queries
