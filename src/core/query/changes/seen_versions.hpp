// The versions of the world that a query with change detection has seen: for each table the tick at
// which a run of the query last visited it. A result has changed if its dependencies have later
// ticks.
//
// A run that reaches its end has seen all tables, those without results included; a run of one
// group has seen the tables of that group. Runs that leave rows out (pages, given rows, bound
// variables) read these versions and do not change them.
//
// Several threads may run the query. Entries of tables are atomic; if two runs overlap, each may
// take a table as seen that the other has visited. The shares of one run count as a single run.
//
// Invariants
// 1. `tables_` is null or points to the last of `lists_`; older lists stay until the end of the
// query,
//    because other threads may still read them.
// 2. In the entry of a table, `seen` is the tick of the last visit, and `before` that of the last
// visit
//    by a run before `run`.
// 3. `completed_` is the start of the last run that saw all changes, `completed_run_` the number of
// the
//    last run that visited all tables; both are 0 until there was one.
// 4. While `unfinished_` is not 0, tables that the run with this number visited count as not seen
// by
//    it: some of its shares are missing.
// 5. `dependencies_` were found for the semantics in `semantics_`.
//
// Covered by tests/features/changes/detection_test.cpp and tests/model/change_test.cpp.
#pragma once

#include <kith/detail/mutex.hpp>
#include <kith/detail/query_ops.hpp>

#include "base/assert.hpp"
#include "query/cache/match_cache.hpp"
#include "query/plan/change_dependencies.hpp"
#include "storage/store.hpp"

#include <atomic>
#include <memory>
#include <vector>

namespace kith::queries {

class seen_versions {
public:
    // `number` identifies the query in change ticks, which name their writer: a query does not see
    // its own writes as changes. `by_row`: changes are told apart by row.
    seen_versions(std::uint32_t number, bool by_row) noexcept : number_(number), by_row_(by_row) {}

    using entry = detail::table_seen;

    // A run of the query, or one share of it. The ticks are those at its start.
    struct run {
        std::uint32_t id = 0;         // number of the run; 0: it changes no versions
        std::uint64_t start = 0;      // tick at which the run began
        std::uint64_t completed = 0;  // completed_ of the query
        std::uint64_t anywhere = 0;   // last change of dependencies on other entities
        std::uint64_t above = 0;      // last change of ids that rows take from ancestors
        std::uint32_t share = 0;
        std::uint32_t shares = 1;
        bool whole = false;     // all tables are visited
        bool in_parts = false;  // several threads visit tables for the run
    };

    std::uint32_t number() const noexcept { return number_; }
    // Finds the dependencies of the query and starts to record their ticks. To be called again when
    // is_tracking() turns false. `whole_groups`: all rows of a table are in one group. Requires:
    // as track_dependencies().
    void track(storage::store& data, const query_model& model, bool whole_groups);
    // True if the dependencies are those of the present semantics of the terms.
    bool is_tracking(const storage::store& data, const query_model& model) const noexcept {
        return semantics_.holds(data, model);
    }

    // Starts a run with these options.
    run begin(const storage::store& data, const detail::run_options& options);
    // Records that the run visits a table. Returns the tick of the last visit before this run; 0:
    // there was none.
    std::uint64_t visit(const storage::store& data, const run& active_run,
                        std::uint32_t table) noexcept {
        entry* versions = find(table);
        if (!versions || active_run.id == 0) {
            return seen_at(active_run, table);
        }
        if (active_run.shares > 1 || active_run.in_parts) {
            // Shares and parts in several threads visit the same tables.
            detail::lock_guard<detail::mutex> guard(sharing_);
            return visit(data, active_run, *versions);
        }
        return visit(data, active_run, *versions);
    }
    // Tells changes apart by row from now on. Takes effect with the next track(), which is due.
    void track_rows() noexcept {
        if (!by_row_) {
            semantics_ = {};
            by_row_ = true;
        }
    }
    // True if changed rows can be found from the entities that changed, without visiting tables.
    bool finds_rows() const noexcept { return by_row_ && dependencies_.follows_up; }
    // Finds entities whose rows changed since the last run that saw everything, if they match; in
    // no order. `own_writes` includes entities that inherit a value which the query itself writes.
    // False if the changed rows cannot be determined.
    bool find_changed(const storage::store& data, const query_model& model, const run& run,
                      bool own_writes, std::vector<entity_t>& entities) const;
    // Records that a run has handed out the changed rows, and the tables of these rows.
    void finish_rows(const storage::store& data, const run& ended,
                     const std::vector<std::uint32_t>& tables);
    // True if a run has visited the table, so that its results may be missed.
    bool has_seen(std::uint32_t table) const noexcept {
        const entry* versions = find(table);
        return versions && detail::load_relaxed(versions->seen) != 0;
    }
    // Records a visit by a run that began before change detection.
    void note_first(const storage::store& data, std::uint32_t table);
    // Takes back the visit of a table in which a run ended early.
    void abandon(const run& ended, std::uint32_t table) noexcept;
    // Records that a run has handed out all results.
    void finish(const run& ended) noexcept;

    // True if a result has changed since a tick; 0 stands for "never seen".
    bool is_changed(const storage::store& data, const run& run, const detail::result& result,
                    std::uint64_t since) const;
    // True if a row of a result has changed since a tick. Without tracking of rows, all rows of a
    // changed result have changed.
    bool is_row_changed(const storage::store& data, const query_model& model, const run& run,
                        const detail::result& result, std::uint32_t row, std::uint64_t since) const;
    // True if a table that was visited has lost rows or sparse ids, so that results may be gone.
    bool has_lost_results(const storage::store& data, const run& run) const noexcept;
    // True if set_unchanged() was called for the present tick: the query has seen all changes.
    bool is_known_unchanged(const storage::store& data) const noexcept {
        return unchanged_at_.load(std::memory_order_relaxed) == data.ticks.now();
    }
    void set_unchanged(std::uint64_t tick) noexcept {
        unchanged_at_.store(tick, std::memory_order_relaxed);
    }
    // The number of the last run that visited all tables; 0: there was none.
    std::uint32_t completed_run() const noexcept {
        return completed_run_.load(std::memory_order_relaxed);
    }
    bool has_completed() const noexcept { return completed_.load(std::memory_order_relaxed) != 0; }
    // A run that changes no versions.
    run look(const storage::store& data) const noexcept;
    // The tick at which a table was last seen as a whole.
    std::uint64_t seen_at(const run& run, std::uint32_t table) const noexcept;
    // True if results depend on further entities than $this and the bases of $this.
    bool depends_on_others() const noexcept { return !dependencies_.anywhere.empty(); }
    // The tables of a match cache that have rows.
    struct filled_tables {
        std::uint64_t tick;     // of the last change of rows in any table, when they were listed
        std::uint32_t edition;  // of the cache
        bool all_marked;        // ticks of all these tables are recorded
        std::vector<detail::scan_place> places;
    };
    // Lists the tables, or returns the last list if it still holds.
    std::shared_ptr<const filled_tables> find_filled(const storage::store& data,
                                                     const match_cache& cache);
    // The entries of all tables by number, for inlined code.
    entry* seen_tables(const storage::store& data) {
        make_room(data.tables.number_limit());
        return tables_.load(std::memory_order_acquire)->entries.get();
    }

private:
    // The entries of tables, by number. A longer list replaces it when tables are made.
    struct table_list {
        explicit table_list(std::uint32_t count) : size(count), entries(new entry[count]()) {}
        std::uint32_t size;
        std::unique_ptr<entry[]> entries;
    };

    entry* find(std::uint32_t table) const noexcept {
        const table_list* list = tables_.load(std::memory_order_acquire);
        return list && table < list->size ? &list->entries[table] : nullptr;
    }
    std::uint64_t visit(const storage::store& data, const run& active_run,
                        entry& versions) noexcept {
        std::uint64_t before = detail::load_relaxed(versions.before);
        if (detail::load_relaxed(versions.run) != active_run.id) {
            before = detail::load_relaxed(versions.seen);
            detail::store_relaxed(versions.before, before);
            // Dependencies on other entities were evaluated when the run began, not now.
            detail::store_relaxed(versions.seen,
                                  depends_on_others() ? active_run.start : data.ticks.now());
            detail::store_relaxed(versions.run, active_run.id);
        }
        return before > active_run.completed ? before : active_run.completed;
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
    bool by_row_;                // changes are told apart by row
    bool whole_groups_ = false;  // all rows of a table are in one group
    change_dependencies dependencies_;
    semantics_snapshot semantics_;
    std::uint64_t meaning_tick_ = 0;       // at which the semantics of the terms last changed
    std::atomic<std::uint32_t> runs_ = 1;  // number of the last run; 1: see note_first()
    std::atomic<std::uint64_t> completed_ = 0;
    std::atomic<std::uint32_t> completed_run_ = 0;
    std::atomic<std::uint64_t> unchanged_at_ = 0;  // tick of set_unchanged()
    std::atomic<std::uint32_t> unfinished_ = 0;    // number of a run with missing shares; 0: none
    std::atomic<table_list*> tables_ = nullptr;
    std::vector<std::unique_ptr<table_list>> lists_;  // the last one is in use
    std::shared_ptr<const filled_tables> filled_;
    detail::mutex sharing_;  // guards lists_, filled_ and pass_
    // The present run in shares.
    struct {
        std::uint32_t id = 0;  // number of the run
        std::uint32_t shares = 0;
        std::uint64_t begun = 0;  // shares that have begun, as bits
        std::uint64_t ended = 0;  // shares that have ended, as bits
        std::uint64_t start = 0;  // tick at which the first share began
    } pass_;
};

}  // namespace kith::queries
