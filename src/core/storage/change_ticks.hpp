// When something last changed, for those who ask: the rows and columns of tables that are tracked,
// and what lies beside them. A world has one clock, which goes on by one with each change.
//
// Nothing is counted for tables whose flags do not say so (shape_tracked), nor for ids of which
// nobody asked (event_track). Whoever changes the world marks without further ado; those who write
// while they read, of which there may be many, do so one by one. The clock goes on after the marks
// are made, so whoever looks at the clock first and at the marks then misses nothing.
//
// Covered by tests/core/events/track_test.cpp.
#pragma once

#include "storage/change_listener.hpp"
#include "storage/row_ticks.hpp"
#include "storage/table.hpp"

namespace kith::storage {

struct store;

// What one component with sparse storage, or one relationship with links, has in each table's
// entities; also for whom one id, wherever it is, is switched off.
struct sparse_change_marks {
    id_t id = 0;  // of the component, or (R,*); of what is switched
    store* data = nullptr;
    change_mark any;                      // in whatever table
    std::uint64_t structure = 0;          // some entity got, lost or switched it
    containers::vec<change_mark> tables;  // by number
    change_listener listener{};
};

// The id of the marks of an id that lies beside the tables.
constexpr id_t sparse_key(id_t id) noexcept {
    return is_pair(id) ? make_pair(pair_first(id), Wildcard) : id;
}

class change_ticks {
public:
    explicit change_ticks(containers::memory& mem) noexcept : mem_(mem), single_(mem) {}
    ~change_ticks();
    change_ticks(const change_ticks&) = delete;
    change_ticks& operator=(const change_ticks&) = delete;

    // Something is tracked.
    bool is_active() const noexcept { return !tables_.empty(); }
    std::uint64_t now() const noexcept { return detail::load_acquire(head_.now); }
    // For inlined code.
    const detail::tick_head& head() const noexcept { return head_; }

    // -- what changed, seen by a query with this number (0: by everybody)
    // Anything in a tracked table.
    std::uint64_t table_tick(std::uint32_t number, std::uint32_t reader) const noexcept {
        return tables_[number].any.tick_for(reader);
    }
    // Entities came or went.
    std::uint64_t rows_tick(std::uint32_t number) const noexcept { return tables_[number].rows; }
    // Values of the id at a position of the table's type were written; 0 for tags.
    std::uint64_t value_tick(const table& table, std::uint32_t position,
                             std::uint32_t reader) const noexcept;
    // Entities in any table, or in one, got or lost a sparse id, or its values were written.
    const sparse_change_marks* find_sparse(id_t id) const noexcept;
    const containers::vec<sparse_change_marks*>& all_sparse() const noexcept { return sparse_; }
    static std::uint64_t sparse_tick(const sparse_change_marks& marks, std::uint32_t number,
                                     std::uint32_t reader) noexcept {
        return number < marks.tables.size() ? marks.tables[number].tick_for(reader)
                                            : marks.any.tick_for(reader);
    }
    std::uint64_t any_sparse_tick() const noexcept { return any_sparse_; }
    // There are marks for a table with this number, or were.
    bool has_table(std::uint32_t number) const noexcept { return number < tables_.size(); }
    std::uint32_t table_limit() const noexcept { return tables_.size(); }
    // What bases have, or which entities are bases.
    std::uint64_t bases_tick() const noexcept { return bases_; }
    // Entities came or went anywhere; a tracked table was deleted.
    std::uint64_t any_rows_tick() const noexcept { return head_.rows; }
    std::uint64_t tables_gone_tick() const noexcept { return gone_; }

    // -- changes, while nobody else is here
    void rows_changed(std::uint32_t number) noexcept {
        const std::uint64_t tick = next();
        head_.rows = tables_[number].rows = tick;
        tables_[number].any.set(tick, 0);
        go_on(tick);
    }
    // Nobody counted what happened to the table up to now.
    void table_joined(std::uint32_t number) noexcept {
        const std::uint64_t tick = next();
        tables_[number].rows = tick;
        tables_[number].any.set(tick, 0);
        go_on(tick);
    }
    void row_came(std::uint32_t number, std::uint32_t index) noexcept {
        rows_changed(number);
        if (single_.is_active()) {
            single_.mark_came(index, now());
        }
    }
    // An entity moved from one table to another: it may have got or lost ids that are tracked by
    // row.
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
    // The meaning of ids has changed. Marks do not show that.
    std::uint64_t advance() noexcept {
        const std::uint64_t tick = next();
        go_on(tick);
        return tick;
    }
    void bases_changed() noexcept {
        bases_ = next();
        go_on(bases_);
    }

    // -- changes that queries make while they run; several threads may do so
    // Values of an id in a table were handed out to be written. True if a query tracks the id: the
    // clock has advanced by one.
    bool written_by(const store& data, std::uint32_t number, id_t id, const entity_t* entities,
                    std::uint32_t count, std::uint32_t writer) noexcept;

    // Single entities, for patterns of which that is asked.
    row_ticks& single() noexcept { return single_; }
    const row_ticks& single() const noexcept { return single_; }

    // A number for one who reads or writes.
    std::uint32_t new_reader() noexcept {
        return readers_.fetch_add(1, std::memory_order_relaxed) + 1;
    }

    // -- room, made before it is needed
    void reserve_table(std::uint32_t number, std::uint32_t column_count);
    void forget_table(const table& gone) noexcept;
    // Marks for what lies beside the tables; whoever keeps it must tell the watch.
    sparse_change_marks& ensure_sparse_marks(store& data, id_t id);
    // Who is to be told of a tracked id that came to lie beside the tables. Never fails: where
    // there are no marks for the id yet, what happens counts as a change of rows.
    const change_listener* watch_for(store& data, id_t id) noexcept;

private:
    struct column_marks {
        change_mark* marks = nullptr;
        std::uint32_t count = 0;
    };

    std::uint64_t next() const noexcept { return detail::load_relaxed(head_.now) + 1; }
    void go_on(std::uint64_t tick) noexcept { detail::store_release(head_.now, tick); }
    void value_written(const table& table, std::uint32_t position, std::uint32_t writer) noexcept;
    void sparse_written(sparse_change_marks& marks, std::uint32_t number,
                        std::uint32_t writer) noexcept;
    change_mark* find_column(const table& table, std::uint32_t position) const noexcept;

    containers::memory& mem_;
    detail::tick_head head_;
    std::atomic_flag locked_;
    std::atomic<std::uint32_t> readers_ = 0;
    std::uint64_t bases_ = 0;
    std::uint64_t any_sparse_ = 0;
    std::uint64_t gone_ = 0;
    containers::vec<detail::table_marks> tables_;  // by number
    containers::vec<column_marks> columns_;        // by number of the table
    containers::vec<sparse_change_marks*> sparse_;
    change_listener unknown_{};
    row_ticks single_;
};

}  // namespace kith::storage
