// How an observer runs its query, for those parts of it that say for which entities, and which
// results count.
#pragma once

#include "observe/observer.hpp"
#include "query/cursor.hpp"

namespace kith::observe {

inline trigger& trigger_of(events::listener& me) noexcept {
    return static_cast<trigger&>(me);
}

// While a callback runs, its observer stays.
class observer::running {
public:
    explicit running(observer& one) noexcept : one_(one) { ++one_.running_; }
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

// Calls the callback for the results of the query that are wanted.
template <class Wanted>
void observer::run(const trigger& by, const events::occurrence& what, detail::run_options options,
                   Wanted&& wanted) {
    options.entity_wise = entity_wise_;
    const auto& query = static_cast<const queries::compiled_query&>(*query_);
    queries::ensure_fresh(query, data_);
    queries::cursor results(query, what.world, options);
    for (detail::result found; !ended_ && results.next(found);) {
        const id_t id = wanted(found);
        if (id != 0 && !(owner_.leaving != 0 && is_over(by, found)) && is_told_once(by, found)) {
            call(by, what, id, found);
        }
    }
}

// The same for those that are picked, from the one at `first` on; neighbours in a table are asked
// for together.
template <class Picks, class Wanted>
void observer::run_entities(const trigger& by, const events::occurrence& what,
                            const reach& entities, std::uint32_t first, Picks&& picks,
                            Wanted&& wanted) {
    for (std::uint32_t at = first; at < entities.size();) {
        const storage::entity_record& begin = data_.entities.at(index_of(entities[at]));
        if (!picks(entities[at++])) {
            continue;
        }
        detail::run_options options;
        options.given = true;
        options.table = begin.table;
        options.first_row = begin.row;
        options.row_count = 1;
        for (; at < entities.size(); ++at, ++options.row_count) {
            const storage::entity_record& beside = data_.entities.at(index_of(entities[at]));
            if (beside.table != begin.table || beside.row != begin.row + options.row_count ||
                !picks(entities[at])) {
                break;
            }
        }
        if (options.table != storage::limbo_table) {
            run(by, what, options, wanted);
        }
    }
}

template <class Wanted>
void observer::run_row(const trigger& by, const events::occurrence& what, entity_t entity,
                       Wanted&& wanted) {
    const storage::entity_record& record = data_.entities.at(index_of(entity));
    if (record.table != storage::limbo_table) {
        detail::run_options options;
        options.given = true;
        options.table = record.table;
        options.first_row = record.row;
        options.row_count = 1;
        run(by, what, options, wanted);
    }
}

// What the picked ones waited for has come.
template <class Picks>
void observer::add_waiting(waits_for awaited, Picks&& picks) {
    for (trigger& one : triggers_) {
        if (one.waits == awaited && picks(one)) {
            owner_.events.add(one, one.heard, one.pattern);
            one.waits = waits_for::nothing;
        }
    }
}

}  // namespace kith::observe
