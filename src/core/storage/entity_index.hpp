// The entity index: which entities are alive, and where their rows are.
//
// Records lie in pages that never move. Free indices form a list, last freed first, through the
// records themselves. An index whose generations are used up is retired. Creating never scans.
//
// Invariants
// 1. Each page number below the page count has a page; `never_issued_` stands for all pages of
// which
//    no index was ever needed.
// 2. A record is live (record_free is not set), free and listed, free and unlisted (its row is its
//    own index), or never issued. count_ is the number of live records.
// 3. The listed free indices form two lists linked through `row` (next) and `table` (previous):
//    free_ has those within the range of ids, parked_ the others.
// 4. Records in [fresh_, fresh_end_) exist, and lie within the range.
// 5. The generation of a listed free record is the one that its next entity gets.
// check_invariants() verifies 2 and 3.
//
// Covered by tests/unit/storage/entity_index_test.cpp.
#pragma once

#include <kith/detail/layout.hpp>

#include "base/assert.hpp"
#include "containers/vec.hpp"

namespace kith::storage {

using detail::entity_record;
using detail::record_any_sparse;

// Flags in entity_record::state. A flag whose comment says "may" is set with the first use and not
// always cleared with the last: it only saves lookups.
enum record_flags : std::uint32_t {
    record_used_as_id = 1u << 16,      // the entity may be an element of some id
    record_has_disabled = 1u << 17,    // some id of the entity may be switched off
    record_pending_delete = 1u << 18,  // the running operation deletes the entity
    record_never_issued = 1u << 19,    // of free records: the index was never issued
    record_delete_ordered = 1u << 19,  // of live records: the order of deletion contains the entity
    record_named = 1u << 20,           // the entity has an entry in the name index
    record_has_parent = detail::record_has_parent,
    record_has_children = 1u << 22,  // the entity may be the target of links of ChildOf
    record_link_target = 1u << 23,   // the entity may be the target of other links
    // One bit for each of the first sparse stores; later ones share the last bit (sparse_flag()).
    record_first_sparse = 1u << 24,
    record_last_sparse = 1u << 29,
    record_flags_mask = 0x3FFF0000u,
    // The entity may have referrers: ids or links that contain it.
    record_referenced = record_used_as_id | record_has_children | record_link_target,
};

class entity_index {
    static constexpr std::uint32_t no_range = 0xFFFFFFFFu;

public:
    entity_index(containers::memory& mem, detail::store_head& head);
    ~entity_index();
    entity_index(const entity_index&) = delete;
    entity_index& operator=(const entity_index&) = delete;

    // A new entity without a table, and its record. Throws if memory or ids run out.
    entity_t create(entity_record*& record) {
        std::uint32_t index = free_;
        if (index == 0) {
            if (fresh_ < fresh_end_) [[likely]] {
                record = &at(fresh_);
                if (record->state == never_issued_state) [[likely]] {
                    *record = {0, 0, 0};
                    ++count_;
                    return fresh_++;
                }
            }
            return create_fresh(record);
        }
        record = &at(index);
        free_ = record->row;
        std::uint32_t generation = record->state & 0xFFFF;
        *record = {0, 0, generation};
        ++count_;
        return make_entity_id(index, static_cast<std::uint16_t>(generation));
    }
    entity_t create() {
        entity_record* record = nullptr;
        return create(record);
    }
    // As create(), but the entity is counted later, by count_revived(): threads may read the count
    // meanwhile, and the pages if has_page_for_next() holds.
    entity_t create_uncounted();
    // Makes exactly this id alive, without a table. Requires: no entity with its index is alive.
    // May throw, then nothing has changed.
    void make_alive(entity_t entity);
    // Frees the index of an entity; its handles are dead from here on. Requires: it is alive.
    void free(std::uint32_t index) noexcept { free(index, at(index)); }
    void free(std::uint32_t index, entity_record& record) noexcept {
        KITH_ASSERT(!(record.state & detail::record_free), "only a live entity is freed");
        std::uint32_t generation = record.state & 0xFFFF;
        --count_;
        if (generation == 0xFFFF || index < first_entity) [[unlikely]] {
            free_unlisted(index);
            return;
        }
        record.state = detail::record_free | (generation + 1);
        link_free(in_range(index) ? free_ : parked_, index, record);
    }
    // Frees the indices of entities one after the other. Requires: they are alive.
    void free(const entity_t* entities, std::size_t count) noexcept;
    // Undoes create() before the program has seen the id: the next entity gets the same id.
    void take_back(std::uint32_t index) noexcept;

    // Sets ids aside, so that other threads can make them alive: create() does not issue them until
    // give_back(). The ids are those that create() would issue. Throws if ids or memory run out,
    // then nothing has changed.
    void set_aside(std::uint32_t count, entity_t* out);
    // Makes an id alive that was set aside, and nothing else: threads with different ids may call
    // this at once. The count of live entities changes with count_revived().
    void revive(entity_t entity) const noexcept {
        KITH_ASSERT(is_unlisted(at(index_of(entity)), index_of(entity)), "the id was set aside");
        at(index_of(entity)) = {0, 0, generation_of(entity)};
    }
    void count_revived(std::uint32_t count) noexcept { count_ += count; }
    // Undoes set_aside() of ids that were not revived: create() issues the first of them first.
    void give_back(const entity_t* ids, std::uint32_t count) noexcept;
    // Makes room in the table of pages for `count` new indices, so that other threads may read it
    // while create() issues them.
    void reserve_pages(std::uint32_t count);
    // True if the next create() leaves the table of pages as it is.
    bool has_page_for_next() const noexcept;

    // The record of a live entity; null if the handle is dead or no entity at all.
    entity_record* find(entity_t entity) const noexcept {
        return detail::find_record(head_, entity);
    }
    // The record of an index. Requires: the page of the index exists; does not test for life.
    entity_record& at(std::uint32_t index) const noexcept {
        KITH_ASSERT(index >> detail::record_page_bits < head_.page_count,
                    "the page of a used index exists");
        return head_
            .pages[index >> detail::record_page_bits][index & (detail::record_page_size - 1)];
    }
    // The live entity with this index, or 0.
    entity_t alive_at(std::uint32_t index) const noexcept;
    // True if some entity has or had this index.
    bool was_issued(std::uint32_t index) const noexcept;

    std::uint32_t count() const noexcept { return count_; }
    // Makes room for `count` calls of create(). Throws if memory or ids are too few.
    void reserve(std::size_t count);
    // Lets create() issue indices from [first, last) only; a last of 0 is no limit. Linear in the
    // number of free indices.
    void set_range(std::uint32_t first, std::uint32_t last);
    // Enables in_checked_range(), by which operations refuse entities outside of the range.
    void check_range(bool enabled) noexcept { range_checked_ = enabled; }
    // Types and builtin entities are equal in all worlds, so each range includes them.
    bool in_checked_range(std::uint32_t index) const noexcept {
        return !range_checked_ || index < first_entity || in_range(index);
    }

    // Calls visit(entity) for all live entities from an index on. Visiting may create entities.
    template <class Visit>
    void each(Visit&& visit, std::uint32_t from = 1) const {
        each_record(from, [&](std::uint32_t index, const entity_record& record) {
            if (!(record.state & detail::record_free)) {
                visit(make_entity_id(index, static_cast<std::uint16_t>(record.state)));
            }
        });
    }
    // Calls visit(index) for the free indices in the order in which create() issues them, then for
    // the next index that was never issued.
    template <class Visit>
    void each_next(Visit&& visit) const {
        for (std::uint32_t index = free_; index != 0; index = at(index).row) {
            visit(index);
        }
        visit(fresh_);
    }
    // A sentence about the first broken invariant, or null.
    const char* check_invariants() const noexcept;

private:
    friend struct entity_index_state;

    // Calls visit(index, record) for the records of all allocated pages, from an index on. Visiting
    // may create entities, and so pages.
    template <class Visit>
    void each_record(std::uint32_t from, Visit&& visit) const {
        std::uint32_t first = from & (detail::record_page_size - 1);
        for (std::uint32_t page = from >> detail::record_page_bits; page < head_.page_count;
             ++page, first = 0) {
            for (std::uint32_t i = first;
                 head_.pages[page] != never_issued_ && i < detail::record_page_size; ++i) {
                visit((page << detail::record_page_bits) + i, head_.pages[page][i]);
            }
        }
    }

    static constexpr std::uint32_t never_issued_state = detail::record_free | record_never_issued;

    // The row of a free record that is in no list is its own index.
    static bool is_unlisted(const entity_record& record, std::uint32_t index) noexcept {
        return record.row == index;
    }
    // Frees an index that create() never issues again: its generations are used up, or it belongs
    // to a type or builtin entity.
    void free_unlisted(std::uint32_t index) noexcept;
    bool has_range() const noexcept { return range_size_ != no_range; }
    bool in_range(std::uint32_t index) const noexcept { return index - range_first_ < range_size_; }
    // The end of the indices that create_fresh() may issue.
    std::uint32_t fresh_limit() const noexcept {
        return has_range() ? range_first_ + range_size_ : no_range;
    }
    [[noreturn]] void raise_used_up() const;
    // Issues the next index that was never issued; skips indices that make_alive() has used.
    entity_t create_fresh(entity_record*& record);
    // Lists at least this number of pages; those without an issued index share one page.
    void ensure_page(std::uint32_t page);
    void extend_pages(std::uint32_t count);
    // Puts a free record in front of a list. The previous link of the first record of a list is
    // meaningless.
    void link_free(std::uint32_t& head, std::uint32_t index, entity_record& record) noexcept {
        record.table = 0;
        record.row = head;
        if (head != 0) {
            at(head).table = index;
        }
        head = index;
    }
    // Requires: the record is free and listed.
    void unlink_free(std::uint32_t index) noexcept;

    containers::memory& mem_;
    detail::store_head& head_;
    entity_record* const never_issued_;  // a page of free records, shared by all worlds, read only
    containers::vec<entity_record*> pages_;
    std::uint32_t free_ = 0;              // newest free index within the range
    std::uint32_t parked_ = 0;            // free indices outside of the range
    std::uint32_t fresh_ = first_entity;  // create_fresh() searches from here on
    std::uint32_t fresh_end_ = 0;         // end of the page of fresh_, or of the range; 0: unknown
    std::uint32_t count_ = 0;             // live entities
    std::uint32_t range_first_ = 0;
    std::uint32_t range_size_ = no_range;
    bool range_checked_ = false;
};

}  // namespace kith::storage
