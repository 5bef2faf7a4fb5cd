// Change tracking for inlined code: the ticks of tables, and the ticks up to which a query has seen
// each table. src/core/storage writes the ticks of tables; src/core/query and inlined runs write
// the ticks of queries.
#pragma once

#include <kith/detail/atomic_number.hpp>
#include <kith/detail/layout.hpp>

namespace kith::detail {

// The tick of the last change, and the query that made it by writing during its run (its number; 0
// for other writers). A query can ignore its own changes by that. One thread may mark while others
// read.
struct change_mark {
    std::uint64_t last = 0;
    std::uint64_t other = 0;  // the last change by another writer than `writer`
    std::uint32_t writer = 0;

    // The last change that was not made by `reader`.
    std::uint64_t tick_for(std::uint32_t reader) const noexcept {
        // The writer is read first: if it is new, the other fields are new as well.
        return load_acquire(writer) == reader && reader != 0 ? load_relaxed(other)
                                                             : load_relaxed(last);
    }
    void set(std::uint64_t tick, std::uint32_t by) noexcept {
        if (load_relaxed(writer) != by) {
            store_relaxed(other, load_relaxed(last));
            store_release(writer, by);
        }
        store_relaxed(last, tick);
    }
};

struct table_marks {
    change_mark any;
    std::uint64_t rows = 0;  // rows were added or removed
};

// The clock of a world, and the marks of its tables, by number.
struct tick_head {
    std::uint64_t now = 1;
    std::uint64_t rows = 0;  // rows of some table were added or removed
    const table_marks* tables = nullptr;
};

// When a query last saw a table.
struct table_seen {
    std::uint64_t seen = 0;
    std::uint64_t before = 0;  // this run
    std::uint32_t run = 0;
};

// A table with rows, and its position in the query's list of matches.
struct scan_place {
    std::uint32_t match = 0xFFFFFFFF;
    std::uint32_t table = 0;
};

struct field_data;

// The tracker of a run: compares ticks of the data with those the query has seen, and marks writes.
struct tracked_run {
    tracked_run* all = nullptr;  // the whole object, with the part that compiled code uses
    std::uint64_t since = 0;     // the query last saw the table of the last result, before this run
    // Of a scan: results are whole tables, once each, and the query writes nothing.
    table_seen* seen = nullptr;  // by table
    const tick_head* ticks = nullptr;
    const field_data* fields = nullptr;  // of every result, but for where the values are
    std::uint64_t completed = 0;         // when the last run began that saw everything
    std::uint32_t run = 0;
    // Tables that have rows, as long as none came or went.
    std::uint32_t place_count = 0;
    const scan_place* places = nullptr;
    std::uint64_t placed = 0;

    // The run comes to a table.
    KITH_ALWAYS_INLINE void visit(std::uint32_t table) noexcept {
        const std::uint64_t now = load_acquire(ticks->now);
        if (now == completed) [[likely]] {
            since = completed;  // the last complete run has seen all changes
            return;
        }
        table_seen& known = seen[table];
        const std::uint64_t before = load_relaxed(known.seen);
        since = before > completed ? before : completed;
        store_relaxed(known.seen, now);
        store_relaxed(known.run, run);
    }
    // False: nothing of the table has changed. True: it is to be looked closer.
    KITH_ALWAYS_INLINE bool may_have_changed(std::uint32_t table) const noexcept {
        // The last change was made by another writer than this query.
        return load_relaxed(ticks->now) != since &&
               (since == 0 || load_relaxed(ticks->tables[table].any.last) > since);
    }
};

// Where a scan goes on after rows came or went; table 0: it is at its end.
struct scan_step {
    scan_place place;
    table_seen* seen;
};

}  // namespace kith::detail
