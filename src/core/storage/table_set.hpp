// All tables of a world: making them from lists of ids, finding, growing and deleting them, and the
// edges between them (the table graph). Edges are a cache: dropping all of them changes speed only.
//
// Invariants
// 1. An edge's destination has the type that adding or removing its id gives; edges exist in pairs,
//    so that deleting a table visits its own edges only.
// 2. Every table is listed by the record of each of its ids.
// 3. by_type_ finds each table by its ids, except no_table, which is found by number only.
// 4. A dormant table has no rows, and neither has the flag shape_idle nor is in idle_.
// 5. The numbers below number_limit_ are those of tables and those in free_numbers_.
// 6. signatures_ has the signature of each table, layouts_ the column layout, ages_ the age.
// 7. idle_ and free_numbers_ have room for all tables: emptying and deleting tables cannot fail.
//    See storage/idle_tables.hpp.
// check.cpp verifies 1 to 6.
//
// Tables are active or dormant. Dormant tables have no rows; records list them behind the active
// ones, and readers that look for rows stop before them. A table is active when it is made, and
// from its next row on. Active tables without rows are idle: they are listed, and become dormant
// together when they are many. docs/design/0023-dormant-tables.md has the reasons.
//
// Covered by tests/unit/storage/table_set_test.cpp.
#pragma once

#include "base/assert.hpp"
#include "containers/hash_index.hpp"
#include "storage/change_ticks.hpp"
#include "storage/column_layouts.hpp"
#include "storage/component_index.hpp"
#include "storage/idle_tables.hpp"
#include "storage/table.hpp"

namespace kith::storage {

// When a table was made, and when it last became active; numbers that grow from event to event.
// Caches list tables in these orders, so that the order of results follows from the state of
// storage, however old a cache is.
struct table_age {
    std::uint64_t made = 0;
    std::uint64_t activated = 0;
};

class table_set {
public:
    table_set(containers::memory& mem, detail::store_head& head, component_index& ids,
              change_ticks& ticks);
    ~table_set();  // releases memory only. Requires: all values were destroyed
    // Releases all memory. Requires: all values were destroyed, and the types of the columns, which
    // define the alignment of blocks, still exist. Only the destructor may follow.
    void release() noexcept;
    table_set(const table_set&) = delete;
    table_set& operator=(const table_set&) = delete;

    // Requires: the number belongs to a table.
    table& at(std::uint32_t number) const noexcept {
        KITH_ASSERT(number < number_limit_ && head_.shapes[number], "the table exists");
        return *static_cast<table*>(head_.shapes[number]);
    }
    detail::table_rows& rows(std::uint32_t number) const noexcept {
        KITH_ASSERT(number < number_limit_, "the number was given to a table");
        return head_.rows[number];
    }
    // Null for numbers of deleted tables. Requires: number < number_limit().
    table* find_number(std::uint32_t number) const noexcept {
        KITH_ASSERT(number < number_limit_, "the number was given to a table");
        return static_cast<table*>(head_.shapes[number]);
    }
    // The signature of a table; see signature_of(). Signatures lie in one array, so that searches
    // reject most tables without reading them. 0 for the number of a deleted table.
    std::uint64_t signature(std::uint32_t number) const noexcept {
        KITH_ASSERT(number < number_limit_, "the number was given to a table");
        return signatures_[number];
    }
    // The age of a table. Requires: the number belongs to a table.
    const table_age& age(std::uint32_t number) const noexcept {
        KITH_ASSERT(number < number_limit_, "the number was given to a table");
        return ages_[number];
    }
    // The columns and low ids of all tables, for searches as well.
    const column_layouts& layouts() const noexcept { return layouts_; }
    // Changes whenever a table is created or deleted, becomes active or dormant.
    std::uint64_t edition() const noexcept { return edition_; }
    std::uint32_t number_limit() const noexcept { return number_limit_; }
    std::uint32_t count() const noexcept { return number_limit_ - free_numbers_.size(); }

    // The listener of created and deleted tables: the caches of queries.
    struct table_listener {
        void (*prepare)(void* context);  // a table is about to be created; may throw
        void (*notify)(void* context, const table& which, bool created) noexcept;
    };
    // The listener of tables that become dormant or active. Its context is that of set_listener().
    struct activity_listener {
        void (*changed)(void* context, const table& which, bool dormant) noexcept;
        void (*many_idle)(void* context) noexcept;  // tidy() is due
    };
    void set_activity_listener(const activity_listener* listener) noexcept { activity_ = listener; }
    // Null: no listener.
    void set_listener(const table_listener* listener, void* context) noexcept {
        listener_ = listener;
        listener_context_ = context;
    }

    // The table with exactly these ids, or null. Requires here and in ensure(): `sorted` is sorted
    // and has no duplicates.
    table* find(const id_t* sorted, std::uint32_t count) const noexcept {
        return find(sorted, count, hash_ids(sorted, count));
    }
    // Finds or creates a table. If it throws, there is no new table, but records of ids may be new.
    table& ensure(const id_t* sorted, std::uint32_t count);
    // Deletes a table; its number may be reused. Requires: the table has no rows.
    void remove(table& removed) noexcept;
    // Notes that a table is about to be dropped. False if a table with these ids was dropped not
    // long ago: the table is needed again and again, and should stay.
    bool note_dropped(const table& dropped) noexcept {
        std::uint32_t& slot = dropped_[dropped.hash % dropped_count];
        const bool is_new = slot != dropped.hash;
        slot = dropped.hash;
        return is_new;
    }

    // The last row of a table was removed: the table becomes idle.
    void note_emptied(const table& emptied) noexcept {
        if (emptied.number > root_table) {
            idle_.add(at(emptied.number));
            if (idle_.numbers().size() >= idle_limit_ && activity_) [[unlikely]] {
                activity_->many_idle(listener_context_);
            }
        }
    }
    // An idle or dormant table gets its first row: it becomes active. Called before or after that.
    void note_filled(const table& filled) noexcept {
        table& owner = at(filled.number);
        if (owner.flags & detail::shape_idle) {
            idle_.remove(owner);
        } else if (owner.flags & detail::shape_dormant) {
            wake(owner);
        }
    }
    // Makes the idle tables dormant, unless they are likely to be needed soon. Requires: no
    // iteration over lists of tables is running, because their order changes.
    void tidy() noexcept;
    // Makes the idle tables dormant if there are more of them than tables with rows. Requires the
    // same.
    void sleep_many() noexcept;
    // For check_invariants().
    const idle_tables& idle() const noexcept { return idle_; }

    // Makes room for `extra` more rows. Invalidates pointers to the values of the table.
    void reserve_rows(const table& owner, std::uint32_t extra);
    // Reduces the capacity to the number of rows. Does nothing if memory is short.
    void shrink_rows(const table& owner) noexcept;

    // The edge that leaves a table by an id, or null if it is not known yet.
    const edge* find_edge(const table& from, id_t id) const noexcept {
        if (from.first_edge.id == id) {
            return &from.first_edge;
        }
        if (!from.edges) {
            return nullptr;
        }
        for (std::uint32_t position = detail::shape_hash(id);; ++position) {
            const edge& edge = from.edges[position & from.edge_mask];
            if (edge.id == id) {
                return &edge;
            }
            if (edge.id == 0) {
                return nullptr;
            }
        }
    }
    // Adds the edges between two tables that differ by `id`. Requires: there is no such edge.
    void connect(table& without, table& with, id_t id);
    // Removes all edges, because properties, hooks or listeners of ids have changed.
    void drop_edges() noexcept;

    // The size of the block that holds the rows of a table.
    std::size_t row_memory(const table& owner) const noexcept {
        return std::size_t{owner.row_bytes} * rows(owner.number).capacity;
    }

private:
    friend struct detail::internal_offsets;
    friend struct table_set_state;

    static std::uint64_t hash_ids(const id_t* ids, std::uint32_t count) noexcept;
    table* find(const id_t* sorted, std::uint32_t count, std::uint64_t hash) const noexcept;
    table& create(const id_t* sorted, std::uint32_t count, std::uint64_t hash);
    // The number of the next table, with room for it in the directories.
    std::uint32_t reserve_number();
    // Finds or makes the column layout of a table that is not entered yet. If it throws, the table
    // is released.
    std::uint32_t add_layout(table& added);
    // Enters a table and its column layout, or the number of none, into the directories.
    void enter(std::uint32_t number, table* entered, std::uint32_t layout) noexcept;
    void resize_rows(const table& owner, std::uint32_t capacity);
    // put_edge() requires reserve_edge(); erase_edge() requires that the edge exists.
    void reserve_edge(table& owner);
    void put_edge(table& owner, const edge& added) noexcept;
    void erase_edge(table& owner, id_t id) noexcept;
    // Move a table between the active and the dormant part of the lists of its records.
    void list_active(table& owner) noexcept;
    void list_dormant(table& owner) noexcept;
    // The same for all tables of a record that have become dormant; active ones keep their order.
    void separate_dormant(id_record& record) noexcept;
    // A dormant table becomes active.
    void wake(table& owner) noexcept;
    void keep_tick(const table& owner) noexcept;
    std::uint32_t count_empty_idle() const noexcept;
    // Makes the idle tables dormant, `empty` of which have no rows.
    void sleep_idle(std::uint32_t empty) noexcept;
    void swap_entries(id_record& record, std::uint32_t a, std::uint32_t b) noexcept;
    void swap_pairs(const id_record& pair, bool active) noexcept;
    void release_edges(table& owner) noexcept;

    containers::memory& mem_;
    detail::store_head& head_;
    component_index& ids_;
    change_ticks& ticks_;
    containers::hash_index by_type_;
    containers::vec<std::uint32_t> free_numbers_;
    containers::vec<std::uint64_t> signatures_;  // by number
    containers::vec<table_age> ages_;            // by number
    std::uint64_t last_activation_ = 0;          // the highest number of an age
    column_layouts layouts_;
    const table_listener* listener_ = nullptr;
    const activity_listener* activity_ = nullptr;
    void* listener_context_ = nullptr;
    // Builds with KITH_ASSERTS make tables dormant early, so that small tests cover dormant tables.
#if defined(KITH_ASSERTS) && KITH_ASSERTS
    static constexpr std::uint32_t few_idle = 6;
#else
    static constexpr std::uint32_t few_idle = 64;
#endif
    idle_tables idle_;
    std::uint32_t idle_limit_ = few_idle;  // so many idle tables make tidy() due
    std::uint32_t dormant_ = 0;            // number of dormant tables
    std::uint32_t slept_ = 0;              // tables that the last tidy() made dormant
    std::uint32_t woken_ = 0;              // tables that became active again since then
    std::uint32_t number_limit_ = 0;
    std::uint32_t number_capacity_ = 0;
    std::uint64_t edition_ = 0;
    static constexpr std::uint32_t dropped_count = 256;
    std::uint32_t dropped_[dropped_count] = {};  // hashes of dropped tables, see note_dropped()
};

}  // namespace kith::storage
