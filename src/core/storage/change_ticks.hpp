// When something last changed, for those who ask: the rows and columns of tables that are tracked,
// and what lies beside them. A world has one clock, which goes on by one with each change.
//
// Nothing is counted for tables whose flags do not say so (shape_tracked), nor for ids of which
// nobody asked (heard_track). Whoever changes the world marks without further ado; those who write
// while they read, of which there may be many, hold the lock. The clock goes on after the marks are
// made, so whoever looks at the clock first and at the marks then misses nothing.
//
// Covered by tests/core/events/track_test.cpp.
#pragma once

#include "storage/table.hpp"
#include "storage/watch.hpp"

#include <atomic>

namespace kith::storage {

struct store;

// The last change of something, and who made it: a query that wrote while it ran (its number), or
// 0: anybody else. So a query can be told of all changes but its own.
struct change_mark {
    std::uint64_t last = 0;
    std::uint64_t other = 0;  // the last one by somebody else than `writer`
    std::uint32_t writer = 0;

    // The last change that was not made by `reader`.
    std::uint64_t tick_for(std::uint32_t reader) const noexcept {
        // The writer first: where it is new, the other fields are too.
        return ref(writer).load(std::memory_order_acquire) == reader && reader != 0
                   ? ref(other).load(std::memory_order_relaxed)
                   : ref(last).load(std::memory_order_relaxed);
    }
    void set(std::uint64_t tick, std::uint32_t by) noexcept {
        if (ref(writer).load(std::memory_order_relaxed) != by) {
            ref(other).store(ref(last).load(std::memory_order_relaxed), std::memory_order_relaxed);
            ref(writer).store(by, std::memory_order_release);
        }
        ref(last).store(tick, std::memory_order_relaxed);
    }

private:
    template <class T>
    static std::atomic_ref<T> ref(const T& number) noexcept {
        return std::atomic_ref<T>(const_cast<T&>(number));
    }
};

// What one component with sparse storage, or one relationship with links, has in each table's
// entities.
struct beside_marks {
    id_t id = 0;  // of the component, or (R,*)
    store* data = nullptr;
    change_mark any;                      // in whatever table
    containers::vec<change_mark> tables;  // by number
    change_watch watch{};
};

class change_ticks {
public:
    explicit change_ticks(containers::memory& mem) noexcept : mem_(mem) {}
    ~change_ticks();
    change_ticks(const change_ticks&) = delete;
    change_ticks& operator=(const change_ticks&) = delete;

    // Something is tracked.
    bool is_active() const noexcept { return !tables_.empty(); }
    std::uint64_t now() const noexcept { return now_.load(std::memory_order_acquire); }

    // -- what changed, seen by a query with this number (0: by everybody)
    // Anything in a tracked table.
    std::uint64_t table_tick(std::uint32_t number, std::uint32_t reader) const noexcept {
        return tables_[number].any.tick_for(reader);
    }
    // Entities came or went.
    std::uint64_t rows_tick(std::uint32_t number) const noexcept { return tables_[number].rows; }
    // Values of the id at a position of the table's type were written; 0 for tags.
    std::uint64_t value_tick(const table& of, std::uint32_t position,
                             std::uint32_t reader) const noexcept;
    // Entities in any table, or in one, got or lost a sparse id, or its values were written.
    const beside_marks* find_beside(id_t id) const noexcept;
    static std::uint64_t beside_tick(const beside_marks& of, std::uint32_t number,
                                     std::uint32_t reader) noexcept {
        return number < of.tables.size() ? of.tables[number].tick_for(reader)
                                         : of.any.tick_for(reader);
    }
    // What bases have, or which entities are bases.
    std::uint64_t bases_tick() const noexcept { return bases_; }
    // Entities came or went anywhere; a tracked table was deleted.
    std::uint64_t any_rows_tick() const noexcept { return any_rows_; }
    std::uint64_t tables_gone_tick() const noexcept { return gone_; }

    // -- changes, while nobody else is here
    void rows_changed(std::uint32_t number) noexcept {
        const std::uint64_t tick = next();
        any_rows_ = tables_[number].rows = tick;
        tables_[number].any.set(tick, 0);
        go_on(tick);
    }
    // The entity's own value of an id was written, or the id was switched on or off.
    void id_changed(const store& data, std::uint32_t index, id_t id) noexcept;
    void bases_changed() noexcept {
        bases_ = next();
        go_on(bases_);
    }

    // -- changes that queries make while they run, with the lock held
    class write_lock {
    public:
        explicit write_lock(change_ticks& ticks) noexcept : ticks_(ticks) {
            while (ticks_.locked_.test_and_set(std::memory_order_acquire)) {}
        }
        ~write_lock() { ticks_.locked_.clear(std::memory_order_release); }
        write_lock(const write_lock&) = delete;
        write_lock& operator=(const write_lock&) = delete;

    private:
        change_ticks& ticks_;
    };
    void value_written(const table& of, std::uint32_t position, std::uint32_t writer) noexcept;
    void beside_written(beside_marks& of, std::uint32_t number, std::uint32_t writer) noexcept;

    // A number for one who reads or writes.
    std::uint32_t new_reader() noexcept {
        return readers_.fetch_add(1, std::memory_order_relaxed) + 1;
    }

    // -- room, made before it is needed
    void reserve_table(std::uint32_t number, std::uint32_t column_count);
    void forget_table(const table& gone) noexcept;
    // Marks for what lies beside the tables; whoever keeps it must tell the watch.
    beside_marks& ensure_beside(store& data, id_t id);
    // Who is to be told of a tracked id that came to lie beside the tables. Never fails: where
    // there are no marks for the id yet, what happens counts as a change of rows.
    const change_watch* watch_for(store& data, id_t id) noexcept;

private:
    struct table_marks {
        change_mark any;
        std::uint64_t rows = 0;
    };
    struct column_marks {
        change_mark* marks = nullptr;
        std::uint32_t count = 0;
    };

    std::uint64_t next() const noexcept { return now_.load(std::memory_order_relaxed) + 1; }
    void go_on(std::uint64_t tick) noexcept { now_.store(tick, std::memory_order_release); }
    change_mark* find_column(const table& of, std::uint32_t position) const noexcept;

    containers::memory& mem_;
    std::atomic<std::uint64_t> now_ = 1;
    std::atomic_flag locked_;
    std::atomic<std::uint32_t> readers_ = 0;
    std::uint64_t bases_ = 0;
    std::uint64_t any_rows_ = 0;
    std::uint64_t gone_ = 0;
    containers::vec<table_marks> tables_;    // by number
    containers::vec<column_marks> columns_;  // by number of the table
    containers::vec<beside_marks*> beside_;
    change_watch unknown_{};
};

}  // namespace kith::storage
