// The component index: from an id to its record (id_record), which lists the tables that have the
// id. The record of (R,*) lists the records of R's pairs, and the pairs of a target are linked. So
// wildcards are answered without scanning tables, and creating a table changes records of wildcards
// only when a pair is new.
//
// Invariants
// 1. records_[n] is the record with number n, or null if n is in free_numbers_; free_numbers_ has
//    room for all numbers.
// 2. An id below low_id_limit is found through low_, another one through by_id_.
// 3. The record of an exact pair (R,T) is in `pairs` of the record (R,*), at its relation_position;
//    (R,*) has a record as long as it has pairs or links.
// 4. The pairs of a target T form a doubly linked list of numbers; by_target_ contains its first
//    element.
// 5. mark_count_ is the number of records whose id has the flag Override.
// 6. An override mark has a record only if the marked id has one: marks are found through that id.
// 7. orphans_ has the watchers of ids without a record, and room for all ids ever watched.
// check.cpp verifies 1 to 4, and 6.
//
// Covered by tests/unit/storage/component_index_test.cpp.
#pragma once

#include "base/counters.hpp"
#include "containers/hash_index.hpp"
#include "storage/id_record.hpp"

namespace kith::storage {

class component_index {
public:
    // Writes types and traits of a new record. Set by a higher module (traits/).
    using describe_function = void (*)(void* context, id_record& record);

    explicit component_index(containers::memory& mem) noexcept : mem_(mem) {}
    ~component_index();
    component_index(const component_index&) = delete;
    component_index& operator=(const component_index&) = delete;

    void set_describe(describe_function describe, void* context) noexcept {
        describe_ = describe;
        describe_context_ = context;
    }

    // The record of an id, or null. (R,*) has the record that lists R's pairs.
    id_record* find(id_t id) const noexcept {
        KITH_COUNT(lookups);
        if (id < low_id_limit) {
            return low_[id];
        }
        return find_hashed(id);
    }
    // Finds or creates the record of an id, that of (R,*) for a pair, and that of the marked id for
    // an override mark. If it throws, one of the latter may remain.
    id_record& ensure(id_t id);
    // Removes a record, unless it is pinned. With the last pair of R also removes (R,*).
    // Requires: the record has no tables, sparse values or links, and the id no override mark.
    void remove(id_record& record) noexcept;

    // Visits the pairs of a target, in no particular order; null at the end.
    id_record* first_with_target(std::uint32_t target) const noexcept;
    id_record* next_with_target(const id_record& pair) const noexcept {
        return pair.same_target.next ? records_[pair.same_target.next - 1] : nullptr;
    }

    // The records by number; null where a record was removed. Numbers are reused.
    std::uint32_t number_limit() const noexcept { return records_.size(); }
    id_record* by_number(std::uint32_t number) const noexcept { return records_[number]; }
    std::uint32_t count() const noexcept { return records_.size() - free_numbers_.size(); }
    // The number of the list of query caches that are notified of new tables with the id, 0: none.
    // The number is kept while the id has no record.
    void set_watchers(id_t id, std::uint32_t watchers);
    std::uint32_t watchers_of(id_t id) const noexcept;

    // True if the index contains an id with the flag Override.
    bool has_marks() const noexcept { return mark_count_ != 0; }

    // -- the whole index, for snapshots
    // Changes whenever a record is created or removed, and by note_change().
    std::uint64_t edition() const noexcept { return edition_; }
    // A record has other traits than before, of a kind that does not change the schema.
    void note_change() noexcept { ++edition_; }
    const containers::vec<std::uint32_t>& free_numbers() const noexcept { return free_numbers_; }
    // Adds a record with the next number, without describing it; id 0: a free number. Requires:
    // records were added by this function only. index_restored() completes the index.
    id_record* append_restored(id_t id);
    // Completes an index of restored records, whose lists of pairs by target are set. `free` are
    // the free numbers. Takes the watchers of ids from the index that is to be replaced.
    void index_restored(const std::uint32_t* free, std::uint32_t free_count,
                        const component_index& replaced);
    // Exchanges the records of two indexes with the same memory.
    void swap_records(component_index& other) noexcept;

private:
    id_record* find_hashed(id_t id) const noexcept;
    id_record& create(id_t id);
    // Requires: by_target_ has room for one more entry.
    void link_target(id_record& pair) noexcept;
    void unlink_target(id_record& pair) noexcept;

    containers::memory& mem_;
    describe_function describe_ = nullptr;
    void* describe_context_ = nullptr;
    id_record* low_[low_id_limit] = {};
    containers::hash_index by_id_;      // from an id to the number of its record plus one
    containers::hash_index by_target_;  // from a target to the number plus one of its first pair
    containers::vec<id_record*> records_;
    containers::vec<std::uint32_t> free_numbers_;
    std::uint32_t mark_count_ = 0;
    // A watched id without a record.
    struct orphan {
        id_t id;
        std::uint32_t watchers;
    };
    containers::vec<orphan> orphans_;
    std::uint32_t watched_ = 0;  // calls of set_watchers(): an upper limit of watched ids
    std::uint64_t edition_ = 0;
};

}  // namespace kith::storage
