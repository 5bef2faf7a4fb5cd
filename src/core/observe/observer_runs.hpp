// How an observer runs its query, for those parts of it that say for which entities, and which
// results count.
#pragma once

#include "observe/observer.hpp"
#include "query/cursor.hpp"

#include <algorithm>

namespace kith::observe {

inline trigger& trigger_of(events::listener& me) noexcept {
    return static_cast<trigger&>(me);
}

// While a callback runs, its observer stays.
class observer::running {
public:
    explicit running(observer& observer) noexcept : one_(observer) { ++one_.running_; }
    ~running() {
        if (--one_.running_ == 0 && one_.ended_) [[unlikely]] {
            one_.end();
        }
    }
    running(const running&) = delete;
    running& operator=(const running&) = delete;

private:
    observer& one_;
};

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

// Calls the callback for the results of the query that are wanted.
template <class Wanted>
void observer::run(const trigger& trigger, const events::event_data& event,
                   detail::run_options options, Wanted&& wanted) {
    each_result(event.world, options, [&](const detail::result& result) {
        if (const id_t id = wanted(result)) {
            call_new(trigger, event, id, result);
        }
    });
}

// Calls the callback for those rows of a result that are new; neighbours together.
template <class IsNew>
void observer::call_rows(const trigger& trigger, const events::event_data& event, id_t id,
                         const detail::result& result, IsNew&& is_new) {
    std::uint32_t first = 0;
    const std::uint32_t count = std::max(result.count, 1u);  // one, if it is about no entity
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

// The same for those that are picked, from the one at `first` on; neighbours in a table are asked
// for together.
template <class Picks, class Wanted>
void observer::run_entities(const trigger& trigger, const events::event_data& event,
                            const dependents& entities, std::uint32_t first, Picks&& picks,
                            Wanted&& wanted) {
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
            const storage::entity_record& sparse_change =
                data_.entities.at(index_of(entities[position]));
            if (sparse_change.table != begin.table ||
                sparse_change.row != begin.row + options.row_count || !picks(entities[position])) {
                break;
            }
        }
        if (options.table != storage::no_table) {
            run(trigger, event, options, wanted);
        }
    }
}

// Calls run(options) for results in which the term asks for what this entity has.
template <class Run>
void observer::with_subject(const queries::term& term, entity_t subject, Run&& run) const {
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

// What the picked ones waited for has come.
template <class Picks>
void observer::add_post_iteration(registers_when awaited, Picks&& picks) {
    for (trigger& trigger : triggers_) {
        if (trigger.waits == awaited && picks(trigger)) {
            trigger.number = world_.events.add(trigger, trigger.cause, trigger.pattern);
            trigger.waits = registers_when::nothing;
        }
    }
}

}  // namespace kith::observe
