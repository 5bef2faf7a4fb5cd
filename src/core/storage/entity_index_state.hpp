// The entity index as a whole, for snapshots: its counters, and its records page by page.
//
// Covered by tests/features/snapshots/ and tests/model/snapshot_test.cpp.
#pragma once

#include "storage/entity_index.hpp"

namespace kith::storage {

struct entity_index_state {
    // The state of an index apart from its records.
    struct counters {
        std::uint32_t free = 0;
        std::uint32_t parked = 0;
        std::uint32_t fresh = first_entity;
        std::uint32_t fresh_end = 0;
        std::uint32_t count = 0;
        std::uint32_t range_first = 0;
        std::uint32_t range_size = entity_index::no_range;
        bool range_checked = false;
        bool operator==(const counters&) const = default;
    };
    static counters save_counters(const entity_index& index) noexcept;
    static void load_counters(entity_index& index, const counters& saved) noexcept;
    // The records of a page, null if none of its indices was issued.
    static const entity_record* issued_page(const entity_index& index, std::uint32_t page) noexcept;
    // Allocates a page, so that write_page() can follow.
    static void ensure_page(entity_index& index, std::uint32_t page) { index.ensure_page(page); }
    // Replaces the records of a page that was issued. Null: none of its indices counts as issued.
    // An entity that is alive before and after stays marked as an element of ids, because queries
    // that were made in between may name it.
    static void write_page(entity_index& index, std::uint32_t page,
                           const entity_record* records) noexcept;
    // Undoes the creation of entities that are deleted again: create() issues `ids` in their order,
    // then indices from `fresh` on. Indices that are alive stay as they are. Requires: `ids` and
    // `fresh` were the next ones at an earlier time, and the range of ids has not changed since.
    static void restore_next(entity_index& index, const entity_t* ids, std::size_t count,
                             std::uint32_t fresh) noexcept;
};

}  // namespace kith::storage
