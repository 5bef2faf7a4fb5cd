// How an observer runs its query: templates of class observer that observer.cpp, change_filter.cpp
// and deletion_diff.cpp share. Callers say for which entities the query is run and which of its
// results count.
#pragma once

#include "base/assert.hpp"
#include "observe/observer.hpp"
#include "query/cursor.hpp"

#include <algorithm>

namespace kith::observe {

// The trigger that the registry called.
inline trigger& trigger_of(events::listener& me) noexcept {
    return static_cast<trigger&>(me);
}

// Keeps an observer alive while its callback runs. An observer that ended meanwhile is destroyed
// after the outermost callback.
class observer::running {
public:
    explicit running(observer& observer) noexcept : observer_(observer) { ++observer_.running_; }
    ~running() {
        if (--observer_.running_ == 0 && observer_.ended_) [[unlikely]] {
            observer_.end();
        }
    }
    running(const running&) = delete;
    running& operator=(const running&) = delete;

private:
    observer& observer_;
};

// Calls visit(result) for the results of the query, until the observer ends.
template <class Visit>
void observer::each_result(world_t* world, detail::run_options options, Visit&& visit) {
    options.row_at_a_time = row_at_a_time_;
    const auto& query = static_cast<const queries::compiled_query&>(*query_);
    queries::ensure_fresh(query, data_);
    queries::cursor results(query, world, options);
    for (detail::result result; !ended_ && results.next(result);) {
        visit(result);
    }
}

// Calls the callback for the results for which select(result) is an id, not 0. The callback
// receives that id.
template <class Select>
void observer::run(const trigger& trigger, const events::event_data& event,
                   detail::run_options options, Select&& select) {
    each_result(event.world, options, [&](const detail::result& result) {
        if (const id_t id = select(result)) {
            call_new(trigger, event, id, result);
        }
    });
}

// Calls the callback for the rows of a result for which is_new(row) is true, neighbours together.
template <class IsNew>
void observer::call_rows(const trigger& trigger, const events::event_data& event, id_t id,
                         const detail::result& result, IsNew&& is_new) {
    std::uint32_t first = 0;
    const std::uint32_t count =
        std::max(result.count, 1u);  // one row if the result is about no entity
    for (std::uint32_t row = 0; row <= count; ++row) {
        if (row < count && is_new(row)) {
            continue;
        }
        if (row - first == count) {
            call(trigger, event, id, result);
        } else if (row != first) {
            call_some(trigger, event, id, result, first, row - first);
        }
        first = row + 1;
    }
}

// Runs the query for the entities from position `first` on for which picks(entity) is true.
// Neighbours in a table are evaluated together.
template <class Picks, class Select>
void observer::run_entities(const trigger& trigger, const events::event_data& event,
                            const dependents& entities, std::uint32_t first, Picks&& picks,
                            Select&& select) {
    for (std::uint32_t position = first; position < entities.size();) {
        const storage::entity_record& begin = data_.entities.at(index_of(entities[position]));
        if (!picks(entities[position++])) {
            continue;
        }
        detail::run_options options;
        options.given = true;
        options.table = begin.table;
        options.first_row = begin.row;
        options.row_count = 1;
        for (; position < entities.size(); ++position, ++options.row_count) {
            const storage::entity_record& neighbour =
                data_.entities.at(index_of(entities[position]));
            if (neighbour.table != begin.table || neighbour.row != begin.row + options.row_count ||
                !picks(entities[position])) {
                break;
            }
        }
        if (options.table != storage::no_table) {
            run(trigger, event, options, select);
        }
    }
}

// Calls run(options) with options for the results in which the term asks for ids of this entity.
// Requires: the term's source is this entity, if it is fixed.
template <class Run>
void observer::with_subject(const queries::term& term, entity_t subject, Run&& run) const {
    KITH_ASSERT(can_be_subject(term, subject), "a fixed source is the subject");
    detail::run_options options;
    entity_t values[queries::max_variables] = {};
    if (term.from == queries::source_kind::variable) {
        values[term.source_variable] = subject;
        options.variables = values;
        options.variable_set = std::uint64_t{1} << term.source_variable;
    } else if (term.from != queries::source_kind::fixed) {
        const storage::entity_record& record = data_.entities.at(index_of(subject));
        if (record.table == storage::no_table) {
            return;
        }
        options.given = true;
        options.table = record.table;
        options.first_row = record.row;
        options.row_count = 1;
    }
    run(options);
}

// Registers the triggers for which picks(trigger) is true and that waited for `awaited`.
template <class Picks>
void observer::register_waiting(registers_when awaited, Picks&& picks) {
    for (trigger& trigger : triggers_) {
        if (trigger.waits == awaited && picks(trigger)) {
            trigger.number = world_.events.add(trigger, trigger.cause, trigger.pattern);
            trigger.waits = registers_when::nothing;
        }
    }
}

}  // namespace kith::observe
