// What a query that asks for changes has seen of the world, and whether that has changed since.
//
// For each table there is the tick at which the query last looked at it. A run that goes on to the
// end has seen all tables, also those that gave no result; one of a group of tables has seen those.
// Runs that leave rows out (pages, rows and variables that are given) ask, and leave everything as
// it was.
//
// Several threads may run the query: what they write is atomic, and one run may take from another
// that a table was looked at. Shares of one run work as one.
//
// Covered by tests/core/query/change_test.cpp and tests/model/change_test.cpp.
#pragma once

#include <kith/detail/query_ops.hpp>

#include "query/cache/match_cache.hpp"
#include "query/plan/change_dependencies.hpp"
#include "storage/store.hpp"

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

namespace kith::queries {

class seen_versions {
public:
    seen_versions(std::uint32_t number, bool by_row) noexcept : number_(number), by_row_(by_row) {}

    using entry = detail::table_seen;

    // One run, or one share of it.
    struct run {
        std::uint32_t id = 0;         // 0: it leaves things as they were
        std::uint64_t start = 0;      // tick at which it began,
        std::uint64_t completed = 0;  // and at which the last one did that saw everything
        std::uint64_t anywhere = 0;   // the last change of what matters wherever it is
        std::uint64_t above = 0;      // the last change of what rows may have from above
        std::uint32_t share = 0;
        std::uint32_t shares = 1;
        bool whole = false;  // all tables are looked at
    };

    std::uint32_t number() const noexcept { return number_; }
    // Starts to track what the results depend on, as the world is; again after it has changed what
    // ids mean. `whole_groups`: all rows of a table are in one group. Not while others read.
    void track(storage::store& data, const query_model& model, bool whole_groups);
    bool is_tracking(const storage::store& data, const query_model& model) const noexcept {
        return semantics_.holds(data, model);
    }

    run begin(const storage::store& data, const detail::run_options& options);
    // The query looks at a table: the tick when it last did before this run, 0: never.
    std::uint64_t visit(const storage::store& data, const run& last_run,
                        std::uint32_t table) noexcept {
        entry* slot = find(table);
        if (!slot || last_run.id == 0) {
            return seen_at(last_run, table);
        }
        if (last_run.shares > 1) {
            // Shares that run in several threads look at the same table.
            std::lock_guard<std::mutex> guard(sharing_);
            return visit(data, last_run, *slot);
        }
        return visit(data, last_run, *slot);
    }
    // Changes are told apart by row from now on, which track() has to see to.
    void track_rows() noexcept {
        if (!by_row_) {
            semantics_ = {};
            by_row_ = true;
        }
    }
    // Rows that changed can be found by what they depend on.
    bool finds_rows() const noexcept { return by_row_ && dependencies_.follows_up; }
    // Finds entities whose rows changed since the last run that saw everything, if they match; in
    // no order. `own_writes` includes entities that inherit a value which the query itself writes.
    // False if the changed rows cannot be determined.
    bool find_changed(const storage::store& data, const query_model& model, const run& run,
                      bool own_writes, std::vector<entity_t>& found) const;
    // The run has handed out all changed rows, which lie in these tables.
    void finish_rows(const run& ended, const std::vector<std::uint32_t>& tables) noexcept;
    // Results of the table were seen, and may be missed.
    bool has_seen(std::uint32_t table) const noexcept {
        const entry* slot = find(table);
        return slot && detail::load_relaxed(slot->seen) != 0;
    }
    // The same for a run that began before anybody asked.
    void note_first(const storage::store& data, std::uint32_t table);
    // The run ends in the middle of a table, which stays as it was.
    void abandon(const run& ended, std::uint32_t table) noexcept;
    // The run has handed out all there is.
    void finish(const run& ended) noexcept;

    // A result has changed since a tick.
    bool is_changed(const storage::store& data, const run& run, const detail::result& result,
                    std::uint64_t since) const;
    // The same for one row of it; for all of them, unless the query tracks rows.
    bool is_row_changed(const storage::store& data, const query_model& model, const run& run,
                        const detail::result& result, std::uint32_t row, std::uint64_t since) const;
    // A table that gave results has other rows, or they have something else beside.
    bool has_lost_results(const storage::store& data, const run& run) const noexcept;
    // The last tick at which nothing had changed.
    bool is_known_unchanged(const storage::store& data) const noexcept {
        return unchanged_at_.load(std::memory_order_relaxed) == data.ticks.now();
    }
    void set_unchanged(std::uint64_t tick) noexcept {
        unchanged_at_.store(tick, std::memory_order_relaxed);
    }
    bool has_completed() const noexcept { return completed_.load(std::memory_order_relaxed) != 0; }
    // A run that asks and leaves no trace.
    run look(const storage::store& data) const noexcept;
    // When a table was last seen as a whole.
    std::uint64_t seen_at(const run& run, std::uint32_t table) const noexcept;
    bool depends_on_others() const noexcept { return !dependencies_.anywhere.empty(); }
    // The tables of a cache that have rows.
    struct filled_tables {
        std::uint64_t tick;     // when rows last came or went
        std::uint32_t edition;  // of the cache
        bool all_marked;        // changes of all of them are counted
        std::vector<detail::scan_place> places;
    };
    std::shared_ptr<const filled_tables> find_filled(const storage::store& data,
                                                     const match_cache& cache);
    // When tables were seen, by number, with room for all of them.
    entry* seen_tables(const storage::store& data) {
        make_room(data.tables.number_limit());
        return tables_.load(std::memory_order_acquire)->entries.get();
    }

private:
    struct table_list {
        explicit table_list(std::uint32_t count) : size(count), entries(new entry[count]()) {}
        std::uint32_t size;
        std::unique_ptr<entry[]> entries;
    };

    entry* find(std::uint32_t table) const noexcept {
        const table_list* list = tables_.load(std::memory_order_acquire);
        return list && table < list->size ? &list->entries[table] : nullptr;
    }
    std::uint64_t visit(const storage::store& data, const run& last_run, entry& slot) noexcept {
        std::uint64_t before = detail::load_relaxed(slot.before);
        if (detail::load_relaxed(slot.run) != last_run.id) {
            before = detail::load_relaxed(slot.seen);
            detail::store_relaxed(slot.before, before);
            // What matters wherever it is was looked at when the run began.
            detail::store_relaxed(slot.seen,
                                  depends_on_others() ? last_run.start : data.ticks.now());
            detail::store_relaxed(slot.run, last_run.id);
        }
        return before > last_run.completed ? before : last_run.completed;
    }
    void make_room(std::uint32_t count);
    void complete(std::uint64_t start, std::uint32_t id) noexcept;
    std::uint64_t last_anywhere(const storage::store& data) const noexcept;
    std::uint64_t last_above(const storage::store& data) const noexcept;
    bool has_above_changed(const storage::store& data, entity_t entity, std::uint64_t since) const;
    bool has_above_changed(const storage::store& data, const run& run, const detail::result& result,
                           std::uint64_t since) const;
    bool has_own_changed(const storage::store& data, const query_model& model,
                         const detail::result& result, std::uint32_t row,
                         std::uint64_t since) const noexcept;
    bool is_upward(std::size_t field) const noexcept;
    bool have_others_changed(const storage::store& data, const run& run,
                             const detail::result& result, std::uint64_t since) const noexcept;
    bool is_field_changed(const storage::store& data, const detail::result& result,
                          const detail::field_data& field, std::uint64_t since) const noexcept;
    bool has_sparse_changed(std::uint32_t table, std::uint64_t since) const noexcept;

    std::uint32_t number_;
    bool by_row_;
    bool whole_groups_ = false;
    change_dependencies dependencies_;
    semantics_snapshot semantics_;
    std::uint64_t meaning_tick_ = 0;       // the terms got another meaning
    std::atomic<std::uint32_t> runs_ = 1;  // 1: that of the first question
    // The last run that saw everything: when it began, and its number.
    std::atomic<std::uint64_t> completed_ = 0;
    std::atomic<std::uint32_t> completed_run_ = 0;
    std::atomic<std::uint64_t> unchanged_at_ = 0;
    std::atomic<std::uint32_t> unfinished_ = 0;  // a run in shares, some of which are missing
    std::atomic<table_list*> tables_ = nullptr;
    std::vector<std::unique_ptr<table_list>> lists_;  // the last one is in use
    std::shared_ptr<const filled_tables> filled_;
    std::mutex sharing_;
    // The shares that run side by side.
    struct {
        std::uint32_t id = 0;
        std::uint32_t shares = 0;
        std::uint64_t begun = 0;
        std::uint64_t ended = 0;
        std::uint64_t start = 0;
    } pass_;
};

}  // namespace kith::queries
