// Which entities are alive, and where their rows are.
//
// Records lie in pages that never move. Free indices form a list, last freed first, through the
// records themselves. An index whose generations are used up is retired. Creating never scans.
//
// Covered by tests/core/storage/entity_index_test.cpp.
#pragma once

#include <kith/detail/layout.hpp>

#include "containers/vec.hpp"

namespace kith::storage {

using detail::entity_record;
using detail::record_any_sparse;

// Flags in entity_record::state.
enum record_flags : std::uint32_t {
    record_used_as_id = 1u << 16,      // some id may have the entity as an element
    record_has_disabled = 1u << 17,    // some component of it may be switched off
    record_pending_delete = 1u << 18,  // is about to be deleted by the running operation
    record_never_issued = 1u << 19,    // free, and never issued
    record_delete_ordered = 1u << 19,  // alive: its place in the order of deletion is known
    record_named = 1u << 20,           // has an entry in the name index
    record_has_parent = detail::record_has_parent,
    record_has_children = 1u << 22,  // may be the target of links of ChildOf
    record_link_target = 1u << 23,   // may be the target of links of other relationships
    // One bit for each of the first sparse stores; later ones share the last bit.
    record_first_sparse = 1u << 24,
    record_last_sparse = 1u << 29,
    record_flags_mask = 0x3FFF0000u,
    // Somebody may refer to the entity.
    record_referenced = record_used_as_id | record_has_children | record_link_target,
};

class entity_index {
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
    // Makes exactly this id alive, without a table. The index must not be alive.
    void make_alive(entity_t entity);
    // Ends an entity; its handles are dead from here on.
    void free(std::uint32_t index) noexcept { free(index, at(index)); }
    void free(std::uint32_t index, entity_record& record) noexcept {
        std::uint32_t generation = record.state & 0xFFFF;
        --count_;
        if (generation == 0xFFFF || index < first_entity) [[unlikely]] {
            free_unlisted(index);
            return;
        }
        record.state = detail::record_free | (generation + 1);
        link_free(in_range(index) ? free_ : parked_, index, record);
    }
    // Undoes create() of an entity whose id nobody has seen: the next one gets the same id.
    void take_back(std::uint32_t index) noexcept;

    entity_record* find(entity_t entity) const noexcept {
        return detail::find_record(head_, entity);
    }
    // The record of a live index.
    entity_record& at(std::uint32_t index) const noexcept {
        return head_
            .pages[index >> detail::record_page_bits][index & (detail::record_page_size - 1)];
    }
    // The live entity with this index, or 0.
    entity_t alive_at(std::uint32_t index) const noexcept;
    bool was_issued(std::uint32_t index) const noexcept;

    std::uint32_t count() const noexcept { return count_; }
    // After this, `count` calls of create() cannot fail. Throws if there are not as many ids.
    void reserve(std::size_t count);
    // New ids come from [first, last); a last of 0 is no limit.
    void set_range(std::uint32_t first, std::uint32_t last);
    void check_range(bool enabled) noexcept { range_checked_ = enabled; }
    // Types and builtin entities are the same in every world, so they are in every range.
    bool in_checked_range(std::uint32_t index) const noexcept {
        return !range_checked_ || index < first_entity || in_range(index);
    }

    // All live entities from an index on.
    template <class Visit>
    void each(Visit&& visit, std::uint32_t from = 1) const {
        each_record(from, [&](std::uint32_t index, const entity_record& record) {
            if (!(record.state & detail::record_free)) {
                visit(make_entity_id(index, static_cast<std::uint16_t>(record.state)));
            }
        });
    }
    // Null if free lists, records and counts agree, else what is wrong.
    const char* check_invariants() const noexcept;

private:
    // Calls visit(index, record) for all records that were ever needed, from an index on. Visiting
    // may make entities.
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

    // A free index that is in no list points at itself.
    static bool is_unlisted(const entity_record& record, std::uint32_t index) noexcept {
        return record.row == index;
    }
    // For indices that are never given out again by create(): those whose generations are used up,
    // and those kept for types.
    void free_unlisted(std::uint32_t index) noexcept;
    bool has_range() const noexcept { return range_size_ != no_range; }
    bool in_range(std::uint32_t index) const noexcept { return index - range_first_ < range_size_; }
    // New indices that were never used are below this.
    std::uint32_t fresh_limit() const noexcept {
        return has_range() ? range_first_ + range_size_ : no_range;
    }
    [[noreturn]] void raise_used_up() const;
    entity_t create_fresh(entity_record*& record);
    void ensure_page(std::uint32_t page);
    // Lists are linked both ways, but what the first one says of its predecessor does not count.
    void link_free(std::uint32_t& head, std::uint32_t index, entity_record& record) noexcept {
        record.table = 0;
        record.row = head;
        if (head != 0) {
            at(head).table = index;
        }
        head = index;
    }
    void unlink_free(std::uint32_t index) noexcept;

    containers::memory& mem_;
    detail::store_head& head_;
    entity_record* const never_issued_;  // stands for every page that was never needed
    containers::vec<entity_record*> pages_;
    std::uint32_t free_ = 0;    // newest free index within the range
    std::uint32_t parked_ = 0;  // free indices outside of the range
    std::uint32_t fresh_ = first_entity;
    std::uint32_t fresh_end_ = 0;  // up to here there are records for new indices
    std::uint32_t count_ = 0;
    static constexpr std::uint32_t no_range = 0xFFFFFFFFu;
    std::uint32_t range_first_ = 0;
    std::uint32_t range_size_ = no_range;
    bool range_checked_ = false;
};

}  // namespace kith::storage
