// Change ticks: when the rows and columns of tables, sparse components and links last changed. A
// world has one clock, a *tick* that advances by one with each tracked change; a *mark* is the tick
// of the last change of a table, a column or a sparse id. Queries compare marks with the tick at
// which they last ran.
//
// Only tables with the flag shape_tracked and ids with the bit event_track have marks that are kept
// up to date. Operations that change the world write marks without locking. Queries that write
// values while they run, possibly in several threads, lock.
//
// Invariants
// 1. No mark is newer than the clock: marks are written first, then the clock advances. A reader
//    that loads the clock first and the marks then misses no change.
// 2. tables_ and columns_ have an entry for the number of each tracked table; columns_[n] has a
// mark
//    for each column of table n while that table exists.
// 3. head_.tables points to the elements of tables_.
// 4. At most one element of sparse_ has a given id, and it never moves: stores refer to its
// listener.
//
// Implemented in change_ticks.cpp and, where a store locates the changed entity, in
// located_changes.cpp.
//
// Covered by tests/unit/events/track_test.cpp.
#pragma once

#include "base/assert.hpp"
#include "storage/change_listener.hpp"
#include "storage/row_ticks.hpp"
#include "storage/table.hpp"

namespace kith::storage {

struct store;

// The marks of a sparse component, of a relationship with links, or of an id that is switched on
// and off. Changes are attributed to the table in which the changed entity has its row.
struct sparse_change_marks {
    id_t id = 0;  // the component, (R,*), or the switched id
    store* data = nullptr;
    change_mark any;                      // the last change in any table
    std::uint64_t structure = 0;          // when an entity last got, lost or switched the id
    containers::vec<change_mark> tables;  // by number of the table
    change_listener listener{};           // reports changes of stores to these marks
};

// The id under which the marks of a sparse id are found: all pairs of a relation share their marks.
constexpr id_t sparse_key(id_t id) noexcept {
    return is_pair(id) ? make_pair(pair_first(id), Wildcard) : id;
}

class change_ticks {
public:
    explicit change_ticks(containers::memory& mem) noexcept : mem_(mem), single_(mem) {}
    ~change_ticks();
    change_ticks(const change_ticks&) = delete;
    change_ticks& operator=(const change_ticks&) = delete;

    // True if anything is tracked.
    bool is_active() const noexcept { return !tables_.empty(); }
    std::uint64_t now() const noexcept { return detail::load_acquire(head_.now); }
    // The clock and the marks of tables, for inlined code.
    const detail::tick_head& head() const noexcept { return head_; }

    // -- Ticks of the last change. `reader` is the number of a query that does not count its own
    // changes, 0: all changes count.
    // The last change of any kind in a tracked table.
    std::uint64_t table_tick(std::uint32_t number, std::uint32_t reader) const noexcept {
        return tables_[number].any.tick_for(reader);
    }
    // The last time that a row was added to a tracked table or removed from it.
    std::uint64_t rows_tick(std::uint32_t number) const noexcept { return tables_[number].rows; }
    // The last write to values of the id at a position of the table's type; 0 for tags.
    std::uint64_t value_tick(const table& table, std::uint32_t position,
                             std::uint32_t reader) const noexcept;
    // The marks of a sparse id, a relationship with links or a switched id; null if it has none.
    const sparse_change_marks* find_sparse(id_t id) const noexcept;
    const containers::vec<sparse_change_marks*>& all_sparse() const noexcept { return sparse_; }
    // The last change of a sparse id among the entities of a table. A table without an entry takes
    // the last change anywhere.
    static std::uint64_t sparse_tick(const sparse_change_marks& marks, std::uint32_t number,
                                     std::uint32_t reader) noexcept {
        return number < marks.tables.size() ? marks.tables[number].tick_for(reader)
                                            : marks.any.tick_for(reader);
    }
    // The last time that an entity got, lost or switched any tracked sparse id.
    std::uint64_t any_sparse_tick() const noexcept { return any_sparse_; }
    // True if a table with this number is tracked, or was.
    bool has_table(std::uint32_t number) const noexcept { return number < tables_.size(); }
    std::uint32_t table_limit() const noexcept { return tables_.size(); }
    // The last change of the ids of a base, or of the set of bases.
    std::uint64_t bases_tick() const noexcept { return bases_; }
    // The last time that rows of any tracked table changed; that a tracked table was deleted.
    std::uint64_t any_rows_tick() const noexcept { return head_.rows; }
    std::uint64_t tables_gone_tick() const noexcept { return gone_; }

    // -- Changes of the world. Requires: no other thread uses the world. Functions with the number
    // of a table require has_table(number). Rows of a tracked table were added or removed.
    void rows_changed(std::uint32_t number) noexcept {
        KITH_ASSERT(has_table(number), "a tracked table has marks");
        const std::uint64_t tick = next();
        head_.rows = tables_[number].rows = tick;
        tables_[number].any.set(tick, 0);
        go_on(tick);
    }
    // A table becomes tracked. Its earlier changes are unknown, so all of it counts as changed now.
    void table_joined(std::uint32_t number) noexcept {
        KITH_ASSERT(has_table(number), "room for a table is made before it is tracked");
        const std::uint64_t tick = next();
        tables_[number].rows = tick;
        tables_[number].any.set(tick, 0);
        go_on(tick);
    }
    // An entity got a row in a tracked table.
    void row_came(std::uint32_t number, std::uint32_t index) noexcept {
        rows_changed(number);
        if (single_.is_active()) {
            single_.mark_came(index, now());
        }
    }
    // The row of an entity moved to another table: the entity may have got or lost ids that are
    // tracked by row.
    void row_moved(const table& from, const table& to, std::uint32_t index) noexcept;
    // The entity's own value of an id was written.
    void id_changed(const store& data, std::uint32_t index, id_t id) noexcept;
    // An entity in the table got or lost a sparse id, or an id was switched.
    void sparse_changed(sparse_change_marks& marks, std::uint32_t number,
                        std::uint32_t index) noexcept {
        sparse_written(marks, number, 0);
        marks.structure = any_sparse_ = now();
        single_.mark_id(marks.id, index, now(), 0);
    }
    // A snapshot has replaced all rows of a tracked table; then tracked tables may be gone.
    void table_replaced(const table& replaced, const entity_t* entities,
                        std::uint32_t count) noexcept;
    // Advances the clock without a mark: the meaning of ids has changed, which no mark shows.
    std::uint64_t advance() noexcept {
        const std::uint64_t tick = next();
        go_on(tick);
        return tick;
    }
    // The ids of a base, or the set of bases, have changed.
    void bases_changed() noexcept {
        bases_ = next();
        go_on(bases_);
    }

    // -- Changes that queries make while they run, possibly in several threads
    // A query (`writer`) handed out values of an id in a table to be written. True if the id is
    // tracked and has values: then the clock has advanced by one.
    bool written_by(const store& data, std::uint32_t number, id_t id, const entity_t* entities,
                    std::uint32_t count, std::uint32_t writer) noexcept;

    // A function that is called with each id whose values a query hands out to be written, by
    // several threads. Null: none.
    struct write_listener {
        void (*written)(void* context, id_t id) noexcept = nullptr;
        void* context = nullptr;
    };
    write_listener on_write;

    // The ticks of single entities, for patterns that are tracked by row.
    row_ticks& single() noexcept { return single_; }
    const row_ticks& single() const noexcept { return single_; }

    // A new number, never 0, for a query that reads or writes. Thread-safe.
    std::uint32_t new_reader() noexcept {
        return readers_.fetch_add(1, std::memory_order_relaxed) + 1;
    }

    // -- Room for marks, made before it is needed
    // Makes room for a table that is tracked or about to be. May throw; then no mark has changed.
    void reserve_table(std::uint32_t number, std::uint32_t column_count);
    // A table is about to be deleted. Does nothing if the table is not tracked.
    void forget_table(const table& removed) noexcept;
    // Finds or adds the marks of an id. The caller sets marks.listener as the counter of the store
    // that holds the id.
    sparse_change_marks& ensure_sparse_marks(store& data, id_t id);
    // The listener for a store of a tracked id. Never fails: an id without marks gets a listener
    // that counts each change as a change of rows.
    const change_listener* watch_for(store& data, id_t id) noexcept;

private:
    struct column_marks {
        change_mark* marks = nullptr;
        std::uint32_t count = 0;
    };

    // A change writes its marks with the tick next(), then calls go_on() with it (invariant 1).
    std::uint64_t next() const noexcept { return detail::load_relaxed(head_.now) + 1; }
    void go_on(std::uint64_t tick) noexcept { detail::store_release(head_.now, tick); }
    void value_written(const table& table, std::uint32_t position, std::uint32_t writer) noexcept;
    void sparse_written(sparse_change_marks& marks, std::uint32_t number,
                        std::uint32_t writer) noexcept;
    change_mark* find_column(const table& table, std::uint32_t position) const noexcept;

    containers::memory& mem_;
    detail::tick_head head_;
    std::atomic_flag locked_;                      // held by written_by()
    std::atomic<std::uint32_t> readers_ = 0;       // numbers given by new_reader()
    std::uint64_t bases_ = 0;                      // see bases_tick()
    std::uint64_t any_sparse_ = 0;                 // see any_sparse_tick()
    std::uint64_t gone_ = 0;                       // see tables_gone_tick()
    containers::vec<detail::table_marks> tables_;  // by number of the table
    containers::vec<column_marks> columns_;        // by number of the table
    containers::vec<sparse_change_marks*> sparse_;
    change_listener unknown_{};  // for tracked ids without marks, see watch_for()
    row_ticks single_;
};

}  // namespace kith::storage
