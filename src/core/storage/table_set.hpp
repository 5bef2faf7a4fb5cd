// All tables of a world: making them from lists of ids, finding, growing and deleting them, and the
// edges between them (the table graph). Edges are a cache: dropping all of them changes speed only.
//
// Invariants
// 1. An edge's destination has the type that adding or removing its id gives; edges exist in pairs,
//    so that deleting a table visits its own edges only.
// 2. Every table is listed by the record of each of its ids.
//
// Tables are active or dormant. Dormant tables have no rows; records list them behind the active
// ones, and readers that look for rows stop before them. A table is active when it is made, and
// from its next row on. Active tables without rows are idle: they are listed, and become dormant
// together when they are many. docs/design/0023-dormant-tables.md tells why.
//
// Covered by tests/core/storage/table_set_test.cpp.
#pragma once

#include "containers/hash_index.hpp"
#include "storage/change_ticks.hpp"
#include "storage/component_index.hpp"
#include "storage/table.hpp"

namespace kith::storage {

class table_set {
public:
    table_set(containers::memory& mem, detail::store_head& head, component_index& ids,
              change_ticks& ticks);
    ~table_set();  // releases memory only: rows must have been removed
    // Gives back all memory, before the types go that say how it is aligned. Values must have been
    // destroyed, and nothing can be asked afterwards.
    void release() noexcept;
    table_set(const table_set&) = delete;
    table_set& operator=(const table_set&) = delete;

    table& at(std::uint32_t number) const noexcept {
        return *static_cast<table*>(head_.shapes[number]);
    }
    detail::table_rows& rows(std::uint32_t number) const noexcept { return head_.rows[number]; }
    // Null for numbers of deleted tables.
    table* find_number(std::uint32_t number) const noexcept {
        return static_cast<table*>(head_.shapes[number]);
    }
    std::uint32_t number_limit() const noexcept { return number_limit_; }
    std::uint32_t count() const noexcept { return number_limit_ - free_numbers_.size(); }

    // Who wants to know of tables that come and go.
    struct table_listener {
        void (*prepare)(void* context);  // one is about to be made; may fail
        void (*notify)(void* context, const table& which, bool made) noexcept;
    };
    // Who wants to know which tables are dormant, with the same context.
    struct activity_listener {
        void (*changed)(void* context, const table& which, bool dormant) noexcept;
        void (*many_idle)(void* context) noexcept;  // tidy() is due
    };
    void set_activity_listener(const activity_listener* listener) noexcept { activity_ = listener; }
    // Null: nobody.
    void set_listener(const table_listener* listener, void* context) noexcept {
        listener_ = listener;
        listener_context_ = context;
    }

    // `sorted` must be sorted and without duplicates.
    table* find(const id_t* sorted, std::uint32_t count) const noexcept {
        return find(sorted, count, hash_ids(sorted, count));
    }
    table& ensure(const id_t* sorted, std::uint32_t count);
    // The table must be empty.
    void remove(table& removed) noexcept;
    // False if a table with these ids was dropped not long ago: it is needed again and again.
    bool note_dropped(const table& dropped) noexcept {
        std::uint32_t& slot = dropped_[dropped.hash % dropped_count];
        const bool is_new = slot != dropped.hash;
        slot = dropped.hash;
        return is_new;
    }

    // A table has lost its last row.
    void note_emptied(const table& emptied) noexcept {
        if (emptied.number > root_table) {
            list_idle(at(emptied.number));
        }
    }
    // A table that is idle or dormant is about to get a row, or has got it.
    void note_filled(const table& filled) noexcept {
        table& owner = at(filled.number);
        if (owner.flags & detail::shape_idle) {
            unlist_idle(owner);
        } else if (owner.flags & detail::shape_dormant) {
            wake(owner);
        }
    }
    // Makes the idle tables dormant, unless they are likely to be needed soon. Not while somebody
    // goes through lists of tables.
    void tidy() noexcept;
    // For checks: the table is listed among the idle ones.
    bool is_listed_idle(std::uint32_t number) const noexcept {
        const std::uint32_t position = idle_positions_[number];
        return position < idle_.size() && idle_[position] == number;
    }

    // After this, `extra` rows can be appended without failing. Pointers into the table are stale.
    void reserve_rows(const table& owner, std::uint32_t extra);
    // Gives capacity back that the rows do not need. Keeps what it has if memory is short.
    void shrink_rows(const table& owner) noexcept;

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
    // Connects two tables that differ by `id`.
    void connect(table& without, table& with, id_t id);
    // Forgets all edges: properties or hooks of ids have changed.
    void drop_edges() noexcept;

    // Bytes of row memory of one table.
    std::size_t row_memory(const table& owner) const noexcept {
        return std::size_t{owner.row_bytes} * rows(owner.number).capacity;
    }

private:
    static std::uint64_t hash_ids(const id_t* ids, std::uint32_t count) noexcept;
    table* find(const id_t* sorted, std::uint32_t count, std::uint64_t hash) const noexcept;
    table& create(const id_t* sorted, std::uint32_t count, std::uint64_t hash);
    std::uint32_t reserve_number();
    void resize_rows(const table& owner, std::uint32_t capacity);
    void reserve_edge(table& owner);
    void put_edge(table& owner, const edge& added) noexcept;
    void erase_edge(table& owner, id_t id) noexcept;
    void list_active(table& owner) noexcept;
    void list_dormant(table& owner) noexcept;
    void wake(table& owner) noexcept;
    void keep_tick(const table& owner) noexcept;
    void list_idle(table& owner) noexcept {
        owner.flags |= detail::shape_idle;
        idle_positions_[owner.number] = idle_.size();
        idle_.push_reserved(owner.number);
        if (idle_.size() >= idle_limit_ && activity_) [[unlikely]] {
            activity_->many_idle(listener_context_);
        }
    }
    void unlist_idle(table& owner) noexcept {
        owner.flags &= ~std::uint32_t{detail::shape_idle};
        const std::uint32_t moved = idle_.back();
        idle_[idle_positions_[owner.number]] = moved;
        idle_positions_[moved] = idle_positions_[owner.number];
        idle_.pop();
    }
    void swap_entries(id_record& record, std::uint32_t a, std::uint32_t b) noexcept;
    void swap_pairs(const id_record& pair, bool active) noexcept;
    void release_edges(table& owner) noexcept;

    containers::memory& mem_;
    detail::store_head& head_;
    component_index& ids_;
    change_ticks& ticks_;
    containers::hash_index by_type_;
    containers::vec<std::uint32_t> free_numbers_;
    const table_listener* listener_ = nullptr;
    const activity_listener* activity_ = nullptr;
    void* listener_context_ = nullptr;
    // Builds with internal checks have dormant tables early, so that tests have them.
#if defined(KITH_ASSERTS) && KITH_ASSERTS
    static constexpr std::uint32_t few_idle = 6;
#else
    static constexpr std::uint32_t few_idle = 64;
#endif
    containers::vec<std::uint32_t> idle_;            // room for all tables
    containers::vec<std::uint32_t> idle_positions_;  // of each number, where it is idle
    std::uint32_t idle_limit_ = few_idle;
    std::uint32_t dormant_ = 0;
    std::uint32_t slept_ = 0;  // when tables became dormant the last time
    std::uint32_t woken_ = 0;  // since then
    std::uint32_t number_limit_ = 0;
    std::uint32_t number_capacity_ = 0;
    static constexpr std::uint32_t dropped_count = 256;
    std::uint32_t dropped_[dropped_count] = {};  // hashes; a later one replaces an earlier one
};

}  // namespace kith::storage
